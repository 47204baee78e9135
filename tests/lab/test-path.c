/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths through every topology: 13 packets are counted on each device of the way, exactly, and
 * what gets lost is named where it was lost.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "lab/lab.h"
#include "session/path.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"

#define PACKETS 13

static struct zh_err err;

struct run {
	struct zh_lab_ns ns;
	const struct zh_topology *topology;
	struct zh_path_config config;
	struct zh_record *record;
	char names[2][32]; /* of the namespaces that have no process */
	const char *via[2];
};

static void start(struct run *run, const char *topology)
{
	size_t i;
	int r;

	*run = (struct run){};
	for (i = 0; zh_topology_registry[i]; i++)
		if (!strcmp(zh_topology_registry[i]->id, topology))
			run->topology = zh_topology_registry[i];
	assert_non_null(run->topology);
	r = run->topology->up(&run->ns, &err);
	if (r == -EPERM || r == -EOPNOTSUPP) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	if (r < 0)
		fail_msg("%s", err.text);
	run->config = (struct zh_path_config){
		.count = PACKETS, .gap_ns = ZH_NSEC_PER_MSEC, .timeout_ns = 500 * ZH_NSEC_PER_MSEC};
	for (i = 0; i < 2; i++) {
		int fd = i ? run->ns.peer_netns_fd : run->ns.host_netns_fd;

		if (fd < 0)
			continue;
		snprintf(run->names[i], sizeof(run->names[i]), "/proc/self/fd/%d", fd);
		run->via[run->config.n_via++] = run->names[i];
	}
	run->config.via = run->via;
}

static int call(void *arg)
{
	struct run *run = arg;

	return zh_session_path(&run->config, &run->record, &err);
}

static void ask(struct run *run, const char *target)
{
	run->record = zh_record_free(run->record);
	if (zh_target_parse(target, &run->config.target, &err) < 0 ||
		zh_netns_call(run->ns.netns_fd, call, run, &err) < 0)
		fail_msg("%s: %s", target, err.text);
}

static void stop(struct run *run)
{
	zh_record_free(run->record);
	run->topology->down(&run->ns);
}

static uint64_t number(const struct run *run, const char *key)
{
	uint64_t value = UINT64_MAX;

	zh_fact_get(&run->record->after, &value, "path.way.0.%s", key);
	return value;
}

static const char *text(const struct run *run, const char *key)
{
	const char *found = zh_fact_text(&run->record->after, "path.way.0.%s", key);

	return found ? found : "";
}

/* All places, whatever their number: how many saw all packets on a device of that name. */
static unsigned int devices(const struct run *run, const char *name)
{
	static const char pattern[] = "path.way.0.proof.dev.*.*.requests";
	const struct zh_fact *fact;
	unsigned int n = 0;
	char dev[64];
	size_t pos = 0;

	while ((fact = zh_fact_next(&run->record->after, pattern, &pos)))
		n += !strcmp(zh_fact_part(dev, sizeof(dev), fact, pattern, 1), name) &&
		     fact->number == PACKETS;
	return n;
}

static void assert_arrived(const struct run *run)
{
	assert_int_equal(number(run, "proof.sent"), PACKETS);
	assert_int_equal(number(run, "proof.answered"), PACKETS);
	assert_int_equal(number(run, "proof.lost.0.packets"), UINT64_MAX);
	if (number(run, "proof.stray.0.packets") != UINT64_MAX)
		fail_msg("%s is not on the way", text(run, "proof.stray.0.dev"));
	assert_string_equal(text(run, "proof.not_sent"), "");
}

static void ask_topology(struct run *run, const char *transport)
{
	char target[96];

	snprintf(target, sizeof(target), "%s%s", transport, run->topology->address);
	ask(run, target);
	assert_arrived(run);
}

static void loopback(void **state)
{
	struct run run;

	(void)state;
	start(&run, "lo");
	ask_topology(&run, "");
	assert_string_equal(text(&run, "decision.dev"), "lo");
	assert_int_equal(devices(&run, "lo"), 1);
	assert_string_equal(text(&run, "proof.method"), "bpf");
	assert_int_equal(number(&run, "proof.hook.0.output.requests_out"), PACKETS);
	assert_int_equal(number(&run, "proof.hook.0.input.replies_out"), PACKETS);
	ask_topology(&run, "udp:");
	ask_topology(&run, "tcp:");
	ask(&run, "tcp:127.0.0.1:9");
	assert_int_equal(number(&run, "proof.refused"), PACKETS);
	assert_int_equal(number(&run, "proof.lost.0.packets"), UINT64_MAX);
	run.config.no_bpf = true;
	ask_topology(&run, "");
	assert_string_equal(text(&run, "proof.method"), "packet sockets");
	assert_int_equal(devices(&run, "lo"), 1);
	stop(&run);
}

/* Device names of each topology, in the near, the middle and the far namespace. */
static void topologies(void **state)
{
	static const struct {
		const char *topology, *devices[4];
		unsigned int times[4]; /* in so many namespaces */
	} cases[] = {
		{"veth", {"zh0", "zh1"}, {1, 1}},
		{"routed", {"eth0", "zh-client", "zh-server"}, {2, 1, 1}},
		{"bridge", {"eth0", "zh-client", "zh-server"}, {2, 1, 1}},
		{"macvlan", {"eth0"}, {2}},
	};
	static const char *const transports[] = {"", "udp:", "tcp:"};
	struct run run;
	size_t i, t, d;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		start(&run, cases[i].topology);
		for (t = 0; t < ZH_ARRAY_SIZE(transports); t++) {
			print_message("%s %s\n", cases[i].topology, transports[t]);
			ask_topology(&run, transports[t]);
			for (d = 0; cases[i].devices[d]; d++)
				assert_int_equal(
					devices(&run, cases[i].devices[d]), cases[i].times[d]);
		}
		stop(&run);
	}
}

static void load_rules(int netns_fd, const char *rules)
{
	static const char *const argv[] = {"nft", "-f", "-", NULL};
	int r = zh_process_run(argv, netns_fd, rules, strlen(rules), &err);

	if (r == -ENOENT) {
		print_message("skipped: nft is not installed\n");
		skip();
	}
	if (r < 0)
		fail_msg("%s", err.text);
}

/* A rule in the middle: the packets are seen last there, with the kernel's reason. */
static void dropped_on_the_way(void **state)
{
	uint64_t refused;
	struct run run;

	(void)state;
	start(&run, "routed");
	run.config.timeout_ns = 50 * ZH_NSEC_PER_MSEC;
	load_rules(run.ns.host_netns_fd,
		"table inet t { chain c { type filter hook forward priority 0; "
		"udp dport 5353 drop; }; }\n");
	ask(&run, "udp:10.77.2.2:5353");
	assert_int_equal(number(&run, "proof.answered"), 0);
	assert_int_equal(number(&run, "proof.lost.0.packets"), PACKETS);
	assert_string_equal(text(&run, "proof.lost.0.leg"), "request");
	assert_string_equal(text(&run, "proof.lost.0.reason"), "NETFILTER_DROP");
	assert_int_equal(number(&run, "proof.lost.1.packets"), UINT64_MAX);
	assert_int_equal(devices(&run, "zh-client"), 1);
	assert_int_equal(devices(&run, "zh-server"), 0);
	/* Another port is not concerned: refused by the far end, which limits how many ICMP errors it
	 * sends; the others end there too. */
	ask(&run, "udp:10.77.2.2:5354");
	refused = number(&run, "proof.refused");
	assert_in_range(refused, 1, PACKETS);
	if (refused < PACKETS) {
		assert_int_equal(number(&run, "proof.lost.0.packets"), PACKETS - refused);
		assert_string_equal(text(&run, "proof.lost.0.reason"), "NO_SOCKET");
	}
	stop(&run);
}

/* Answers that get lost are told from requests. */
static void answers_dropped(void **state)
{
	struct run run;

	(void)state;
	start(&run, "veth");
	run.config.timeout_ns = 50 * ZH_NSEC_PER_MSEC;
	load_rules(run.ns.netns_fd, "table inet t { chain c { type filter hook input priority 0; "
				    "icmp type echo-reply drop; }; }\n");
	ask(&run, "10.77.0.2");
	assert_int_equal(number(&run, "proof.lost.0.packets"), PACKETS);
	assert_string_equal(text(&run, "proof.lost.0.leg"), "reply");
	assert_string_equal(text(&run, "proof.lost.0.reason"), "NETFILTER_DROP");
	stop(&run);
}

/* Refused by a rule before any device: nothing is sent, and the rule is named. */
static void black_hole(void **state)
{
	static const struct zh_netcfg_rule rules[] = {
		{.priority = 200, .action = ZH_NETCFG_LOOKUP, .table = 255},
		{.priority = 100, .ip_protocol = 1, .action = ZH_NETCFG_BLACKHOLE},
	};
	static const struct zh_netcfg_rule local = {
		.priority = 0, .action = ZH_NETCFG_LOOKUP, .table = 255};
	struct zh_netcfg *cfg = NULL;
	struct run run;
	size_t i;

	(void)state;
	start(&run, "lo");
	assert_int_equal(zh_netcfg_open(run.ns.netns_fd, &cfg, &err), 0);
	for (i = 0; i < ZH_ARRAY_SIZE(rules); i++)
		assert_int_equal(zh_netcfg_rule_add(cfg, &rules[i], &err), 0);
	assert_int_equal(zh_netcfg_rule_del(cfg, &local, &err), 0);
	zh_netcfg_close(cfg);
	ask(&run, "127.0.0.1");
	assert_int_equal(number(&run, "decision.rule.pref"), 100);
	assert_string_equal(text(&run, "decision.plain.dev"), "lo");
	assert_string_not_equal(text(&run, "proof.not_sent"), "");
	assert_int_equal(number(&run, "proof.sent"), UINT64_MAX);
	/* UDP is not concerned. */
	ask_topology(&run, "udp:");
	stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback),
		cmocka_unit_test(topologies),
		cmocka_unit_test(dropped_on_the_way),
		cmocka_unit_test(answers_dropped),
		cmocka_unit_test(black_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
