/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults made in a fresh namespace, facts collected around them, and the check that must name each.
 * Nothing here is timed: what is asserted are counters and settings of that namespace.
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "facts/facts.h"
#include "run-checks.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/run.h"

struct fault {
	const char *id; /* of the check */
	enum zh_severity severity;
	int (*prepare)(struct zh_netcfg *cfg); /* before the first snapshot; may be NULL */
	void (*act)(void);                     /* between the snapshots; may be NULL */
};

/* 127.0.0.1:7466; set in main(). */
static struct sockaddr_in local_port;

static int take_lo_down(struct zh_netcfg *cfg)
{
	return zh_netcfg_link_up(cfg, "lo", false, NULL);
}

static int shape_lo(struct zh_netcfg *cfg)
{
	const struct zh_netcfg_tbf tbf = {.rate = 2000, .burst_bytes = 3000, .limit_bytes = 30000};

	return zh_netcfg_tbf_add(cfg, "lo", &tbf, NULL);
}

/* The local rule moves behind, a rule that refuses 127.0.0.1 takes its place. */
static int refuse_by_rule(struct zh_netcfg *cfg)
{
	const struct zh_netcfg_rule later = {.priority = 100, .table = 255},
				    first = {.priority = 0, .table = 255},
				    refuse = {.priority = 50,
					    .to = "127.0.0.1/32",
					    .action = ZH_NETCFG_UNREACHABLE};
	int r = zh_netcfg_rule_add(cfg, &later, NULL);

	if (r == 0)
		r = zh_netcfg_rule_del(cfg, &first, NULL);
	return r ? r : zh_netcfg_rule_add(cfg, &refuse, NULL);
}

/* The same for an address that nobody uses: worth a note, no more. */
static int refuse_another(struct zh_netcfg *cfg)
{
	const struct zh_netcfg_rule later = {.priority = 100, .table = 255},
				    first = {.priority = 0, .table = 255},
				    refuse = {.priority = 50,
					    .to = "192.0.2.7/32",
					    .action = ZH_NETCFG_BLACKHOLE};
	int r = zh_netcfg_rule_add(cfg, &later, NULL);

	if (r == 0)
		r = zh_netcfg_rule_del(cfg, &first, NULL);
	return r ? r : zh_netcfg_rule_add(cfg, &refuse, NULL);
}

static int drop_by_nft(struct zh_netcfg *cfg)
{
	const char *const argv[] = {"nft",
		"add table inet t; add chain inet t in { type filter hook input priority 0; };"
		"add rule inet t in udp dport 7466 counter drop; add rule inet t in iif lo accept",
		NULL};
	char *text = NULL;
	int r = zh_sys_run(argv, 10 * ZH_NSEC_PER_SEC, 4096, &text, NULL);

	(void)cfg;
	free(text);
	return r;
}

static int stream_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	return fd;
}

/* A listener with room for two connections, and eight that come. */
static void overflow_a_listener(void)
{
	int fds[8], listener = stream_socket();
	size_t i;

	assert_int_equal(
		bind(listener, (const struct sockaddr *)&local_port, sizeof(local_port)), 0);
	assert_int_equal(listen(listener, 1), 0);
	for (i = 0; i < ZH_ARRAY_SIZE(fds); i++) {
		fds[i] = stream_socket();
		connect(fds[i], (const struct sockaddr *)&local_port, sizeof(local_port));
	}
	usleep(200000);
	for (i = 0; i < ZH_ARRAY_SIZE(fds); i++)
		close(fds[i]);
	close(listener);
}

/* 200 datagrams for a socket that holds a few and is not read. */
static void overflow_a_udp_socket(void)
{
	int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = 4096, i;
	char data[256] = {0};

	assert_int_equal(setsockopt(to, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
	assert_int_equal(bind(to, (const struct sockaddr *)&local_port, sizeof(local_port)), 0);
	for (i = 0; i < 200; i++)
		sendto(from, data, sizeof(data), 0, (const struct sockaddr *)&local_port,
			sizeof(local_port));
	close(from);
	close(to);
}

static void send_datagrams(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), i;

	for (i = 0; i < 13; i++)
		sendto(fd, "x", 1, 0, (const struct sockaddr *)&local_port, sizeof(local_port));
	close(fd);
}

static const struct fault faults[] = {
	{"loopback-down", ZH_SEVERITY_CRITICAL, take_lo_down, NULL},
	{"leftover-qdisc", ZH_SEVERITY_WARNING, shape_lo, send_datagrams},
	{"policy-route", ZH_SEVERITY_CRITICAL, refuse_by_rule, NULL},
	{"policy-route", ZH_SEVERITY_INFO, refuse_another, NULL},
	{"firewall-on-lo", ZH_SEVERITY_LOW, drop_by_nft, send_datagrams},
	{"listen-overflow", ZH_SEVERITY_WARNING, NULL, overflow_a_listener},
	{"udp-rcvbuf", ZH_SEVERITY_WARNING, NULL, overflow_a_udp_socket},
};

/* Whether the check spoke with that severity; others may only note things. */
static void judge(const struct zh_run_checks *run, const struct fault *fault)
{
	int highest = -1;
	size_t i;

	for (i = 0; i < run->ex.n_found; i++) {
		const struct zh_finding *finding = run->ex.found[i];

		print_message("# %s: %d %s: %s\n", fault->id, (int)finding->severity,
			finding->rule->id, finding->summary);
		if (strcmp(finding->rule->id, fault->id) == 0)
			highest = ZH_MAX(highest, (int)finding->severity);
		else
			assert_true(finding->severity < ZH_SEVERITY_CRITICAL);
	}
	assert_int_equal(highest, fault->severity);
}

static void run_fault(const struct fault *fault, int fd)
{
	struct zh_run_checks run = {0};
	struct zh_netcfg *cfg = NULL;

	assert_int_equal(zh_netns_lo_up(fd, NULL), 0);
	assert_int_equal(zh_netns_enter(fd, NULL), 0);
	assert_int_equal(zh_netcfg_open(-1, &cfg, NULL), 0);
	if (fault->prepare)
		assert_int_equal(fault->prepare(cfg), 0);
	assert_int_equal(zh_facts_collect(&run.record.before, NULL), 0);
	if (fault->act)
		fault->act();
	assert_int_equal(zh_facts_collect(&run.record.after, NULL), 0);
	zh_run_checks(&run);
	judge(&run, fault);
	zh_run_checks_done(&run);
	zh_netcfg_close(cfg);
}

static void injected_faults_are_named(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(faults); i++) {
		zh_autoclose int fd = zh_netns_new(NULL);

		if (fd < 0)
			skip();
		run_fault(&faults[i], fd);
	}
}

/*
 * A fresh namespace with lo up on this machine, however busy it is: what is true of the whole
 * machine may be noted, but nothing there is wrong with the local path.
 */
static void a_healthy_namespace_has_no_warning(void **state)
{
	struct zh_run_checks run = {0};
	zh_autoclose int fd = zh_netns_new(NULL);
	size_t i;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(zh_netns_lo_up(fd, NULL), 0);
	assert_int_equal(zh_netns_enter(fd, NULL), 0);
	assert_int_equal(zh_facts_collect(&run.record.before, NULL), 0);
	sleep(1);
	assert_int_equal(zh_facts_collect(&run.record.after, NULL), 0);
	zh_run_checks(&run);
	for (i = 0; i < run.ex.n_found; i++) {
		print_message("# %d %s: %s\n", (int)run.ex.found[i]->severity,
			run.ex.found[i]->rule->id, run.ex.found[i]->summary);
		assert_true(run.ex.found[i]->severity < ZH_SEVERITY_WARNING);
	}
	zh_run_checks_done(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_namespace_has_no_warning),
		cmocka_unit_test(injected_faults_are_named),
	};

	local_port.sin_family = AF_INET;
	local_port.sin_port = htons(7466);
	local_port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
