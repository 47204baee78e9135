/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths through every topology: 13 packets are counted on each device of the way, exactly, and
 * what gets lost is named where it was lost.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "lab/lab.h"
#include "session/path.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"

#define PACKETS 13
/* For what never comes back; long enough for a busy CPU to have lost it by then. */
#define SHORT_NS (300 * ZH_NSEC_PER_MSEC)

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
		print_message("# skipped: %s\n", err.text);
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

static void ask_once(struct run *run, const char *target)
{
	run->record = zh_record_free(run->record);
	if (zh_target_parse(target, &run->config.target, &err) < 0 ||
		zh_netns_call(run->ns.netns_fd, call, run, &err) < 0)
		fail_msg("%s: %s", target, err.text);
}

/* A CPU's backlog is one for all namespaces: somebody else's flood may have filled it. And a drop
 * may be missed when it interrupts another one; then the record says so. */
static bool was_disturbed(const struct run *run)
{
	const char *reason;
	size_t i;

	for (i = 0; i < run->record->n_not_measured; i++)
		if (!strcmp(run->record->not_measured[i].what, "some sightings of packets"))
			return true;

	for (i = 0; i < 16; i++) {
		reason = zh_fact_text(&run->record->after, "path.way.0.proof.lost.%zu.reason", i);
		if (reason && !strcmp(reason, "CPU_BACKLOG"))
			return true;
	}
	return false;
}

static void ask(struct run *run, const char *target)
{
	int tries;

	for (tries = 0; tries < 20; tries++) {
		ask_once(run, target);
		if (!was_disturbed(run))
			return;
		usleep(200000);
	}
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
	if (number(run, "proof.answered") != PACKETS)
		fail_msg("%s: %llu of %d were answered, %llu lost: %s in %s",
			zh_fact_text(&run->record->after, "path.target"),
			(unsigned long long)number(run, "proof.answered"), PACKETS,
			(unsigned long long)number(run, "proof.lost.0.packets"),
			text(run, "proof.lost.0.reason"), text(run, "proof.lost.0.function"));
	assert_int_equal(number(run, "proof.lost.0.packets"), UINT64_MAX);
	if (number(run, "proof.stray.0.packets") != UINT64_MAX)
		fail_msg("%s is not on the way", text(run, "proof.stray.0.dev"));
	assert_string_equal(text(run, "proof.not_sent"), "");
}

/* All packets in one group, for that reason. */
static void assert_all_lost(const struct run *run, const char *reason)
{
	zh_autobuf groups = {};
	char key[64];
	size_t i;

	for (i = 0;; i++) {
		snprintf(key, sizeof(key), "proof.lost.%zu.packets", i);
		if (number(run, key) == UINT64_MAX)
			break;
		zh_buf_addf(&groups, "%llu ", (unsigned long long)number(run, key));
		snprintf(key, sizeof(key), "proof.lost.%zu.leg", i);
		zh_buf_addf(&groups, "%s on ", text(run, key));
		snprintf(key, sizeof(key), "proof.lost.%zu.dev", i);
		zh_buf_addf(&groups, "%s: ", text(run, key));
		snprintf(key, sizeof(key), "proof.lost.%zu.reason", i);
		zh_buf_addf(&groups, "%s; ", text(run, key));
	}
	if (i != 1 || number(run, "proof.lost.0.packets") != PACKETS ||
		strcmp(text(run, "proof.lost.0.reason"), reason))
		fail_msg("%d for '%s' should be lost, but were: %s", PACKETS, reason,
			groups.text ? groups.text : "none");
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
static const struct topology_case {
	const char *topology, *address6, *devices[4];
	unsigned int times[4]; /* in so many namespaces */
} cases[] = {
	{"veth", "fd00:77::2", {"zh0", "zh1"}, {1, 1}},
	{"routed", "fd00:77:2::2", {"eth0", "zh-client", "zh-server"}, {2, 1, 1}},
	{"bridge", "fd00:77:3::2", {"eth0", "zh-client", "zh-server"}, {2, 1, 1}},
	{"macvlan", "fd00:77:4::2", {"eth0"}, {2}},
};

static const char *list_devices(const struct run *run, char *buf, size_t size)
{
	static const char pattern[] = "path.way.0.proof.dev.*";
	const struct zh_fact *fact;
	size_t pos = 0, len = 0;

	buf[0] = '\0';
	while (len < size && (fact = zh_fact_next(&run->record->after, pattern, &pos)))
		len += (size_t)snprintf(buf + len, size - len, "%s %llu ",
			fact->key + strlen("path.way.0.proof.dev."),
			(unsigned long long)fact->number);
	return buf;
}

static void assert_devices(const struct run *run, const struct topology_case *c)
{
	char list[800];
	size_t i;

	for (i = 0; c->devices[i]; i++)
		if (devices(run, c->devices[i]) != c->times[i])
			fail_msg("%s: all packets were seen on %s in %u namespaces, not %u: %s",
				zh_fact_text(&run->record->after, "path.target"), c->devices[i],
				devices(run, c->devices[i]), c->times[i],
				list_devices(run, list, sizeof(list)));
}

static void topologies(void **state)
{
	static const char *const transports[] = {"", "udp:", "tcp:"};
	struct run run;
	char target[96];
	size_t i, t;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		start(&run, cases[i].topology);
		for (t = 0; t < ZH_ARRAY_SIZE(transports); t++) {
			ask_topology(&run, transports[t]);
			assert_devices(&run, &cases[i]);
			snprintf(
				target, sizeof(target), "%s[%s]", transports[t], cases[i].address6);
			ask(&run, target);
			assert_arrived(&run);
			assert_devices(&run, &cases[i]);
		}
		stop(&run);
	}
}

/* Without programs the devices are the same; the hooks are not seen. */
static void with_packet_sockets(void **state)
{
	static const char *const transports[] = {"", "udp:", "tcp:"};
	struct run run;
	size_t i, t;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		start(&run, cases[i].topology);
		run.config.no_bpf = true;
		for (t = 0; t < ZH_ARRAY_SIZE(transports); t++) {
			ask_topology(&run, transports[t]);
			assert_string_equal(text(&run, "proof.method"), "packet sockets");
			assert_devices(&run, &cases[i]);
			assert_int_equal(
				number(&run, "proof.hook.0.output.requests_in"), UINT64_MAX);
		}
		stop(&run);
	}
}

static void load_rules(int netns_fd, const char *rules)
{
	static const char *const argv[] = {"nft", "-f", "-", NULL};
	int r = zh_process_run(argv, netns_fd, rules, strlen(rules), &err);

	if (r == -ENOENT) {
		print_message("# skipped: nft is not installed\n");
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
	run.config.timeout_ns = SHORT_NS;
	load_rules(run.ns.host_netns_fd,
		"table inet t { chain c { type filter hook forward priority 0; "
		"udp dport 5353 drop; }; }\n");
	ask(&run, "udp:10.77.2.2:5353");
	assert_int_equal(number(&run, "proof.answered"), 0);
	assert_all_lost(&run, "NETFILTER_DROP");
	assert_string_equal(text(&run, "proof.lost.0.leg"), "request");
	assert_int_equal(number(&run, "proof.lost.1.packets"), UINT64_MAX);
	assert_int_equal(devices(&run, "zh-client"), 1);
	assert_int_equal(devices(&run, "zh-server"), 0);
	/* Another port is not concerned: refused by the far end, which limits how many ICMP errors
	 * it sends; the others end there too. */
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
	run.config.timeout_ns = SHORT_NS;
	load_rules(run.ns.netns_fd, "table inet t { chain c { type filter hook input priority 0; "
				    "icmp type echo-reply drop; }; }\n");
	ask(&run, "10.77.0.2");
	assert_all_lost(&run, "NETFILTER_DROP");
	assert_string_equal(text(&run, "proof.lost.0.leg"), "reply");
	assert_string_equal(text(&run, "proof.lost.0.hook"), "input");
	stop(&run);
}

/* Rejected by a rule in the middle: whether somebody listens at the end is not known by that. */
static void rejected_on_the_way(void **state)
{
	struct run run;

	(void)state;
	start(&run, "routed");
	load_rules(run.ns.host_netns_fd,
		"table inet t { chain c { type filter hook forward priority 0; "
		"tcp dport 5353 reject with tcp reset; }; }\n");
	ask(&run, "tcp:10.77.2.2:5353");
	assert_int_equal(number(&run, "proof.refused"), PACKETS);
	assert_int_equal(number(&run, "proof.lost.0.rejected"), PACKETS);
	assert_string_equal(text(&run, "proof.lost.0.hook"), "forward");
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

/* Not even sent: the call fails, and the rule is the reason. Only one user is concerned. */
static void dropped_at_output(void **state)
{
	static const char *const transports[] = {"udp:", "tcp:", ""};
	char target[96];
	struct run run;
	size_t i;

	(void)state;
	start(&run, "veth");
	run.config.timeout_ns = SHORT_NS;
	load_rules(run.ns.netns_fd, "table inet t { chain c { type filter hook output priority 0; "
				    "meta skuid 77 drop; meta mark 5 drop; }; }\n");
	for (i = 0; i < ZH_ARRAY_SIZE(transports); i++) {
		snprintf(target, sizeof(target), "%s%s", transports[i], run.topology->address);
		run.config.has_uid = true;
		run.config.uid = 77;
		ask(&run, target);
		assert_int_equal(number(&run, "proof.sent"), PACKETS);
		assert_all_lost(&run, "NETFILTER_DROP");
		assert_int_equal(number(&run, "proof.hook.0.output.requests_in"), PACKETS);
		assert_int_equal(number(&run, "proof.hook.0.output.requests_out"), 0);
		assert_int_equal(devices(&run, "zh0"), 0);
		run.config.uid = 78;
		ask(&run, target);
		assert_arrived(&run);
		run.config.has_mark = true;
		run.config.mark = 5;
		ask(&run, target);
		assert_int_equal(number(&run, "proof.lost.0.packets"), PACKETS);
		run.config.has_mark = run.config.has_uid = false;
	}
	stop(&run);
}

/* Nobody has the address: packets wait for an answer to ARP, here or in the middle. */
static void nobody_answers(void **state)
{
	struct run run;

	(void)state;
	start(&run, "routed");
	run.config.timeout_ns = SHORT_NS;
	ask(&run, "10.77.1.99");
	assert_all_lost(&run, "nobody answers ARP for 10.77.1.99");
	assert_int_equal(number(&run, "proof.lost.0.place"), 0);
	ask(&run, "tcp:10.77.2.99:80");
	assert_all_lost(&run, "nobody answers ARP for 10.77.2.99");
	assert_int_equal(number(&run, "proof.lost.0.place"), 1);
	assert_int_equal(number(&run, "proof.refused"), 0);
	/* The kernel gives up after some seconds, and says so itself. */
	run.config.timeout_ns = 8 * ZH_NSEC_PER_SEC;
	ask(&run, "tcp:10.77.1.98:80");
	assert_int_equal(number(&run, "proof.refused"), 0);
	assert_all_lost(&run, "NEIGH_FAILED");
	stop(&run);
}

/* A router that gives up says so to some of the senders; all of it is one loss. */
static void unreachable_in_the_middle(void **state)
{
	static const struct zh_netcfg_rule rule = {
		.priority = 7, .to = "10.77.2.0/24", .action = ZH_NETCFG_PROHIBIT};
	struct zh_netcfg *cfg = NULL;
	struct run run;

	(void)state;
	start(&run, "routed");
	run.config.timeout_ns = SHORT_NS;
	assert_int_equal(zh_netcfg_open(run.ns.host_netns_fd, &cfg, &err), 0);
	assert_int_equal(zh_netcfg_rule_add(cfg, &rule, &err), 0);
	zh_netcfg_close(cfg);
	ask(&run, "udp:10.77.2.2:53");
	assert_int_equal(number(&run, "proof.refused"), 0);
	assert_all_lost(&run, "ICMP error: prohibited");
	assert_string_equal(text(&run, "proof.lost.0.leg"), "request");
	assert_int_equal(number(&run, "proof.lost.1.packets"), UINT64_MAX);
	assert_int_equal(devices(&run, "zh-client"), 1);
	assert_int_equal(devices(&run, "zh-server"), 0);
	/* Without a port nobody is there to answer, but the way can be proved as far as it goes.
	 * How many are told why is limited. */
	ask(&run, "udp:10.77.2.2");
	assert_int_equal(number(&run, "proof.sent"), PACKETS);
	assert_int_equal(number(&run, "proof.lost.0.packets"), PACKETS);
	stop(&run);
}

struct listener {
	int fd, clients[3];
};

/* Takes one connection beyond its backlog of 0; further attempts are thrown away. */
static int listen_full(void *arg)
{
	struct listener *l = arg;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(80)};
	size_t i;

	l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0 || bind(l->fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
		listen(l->fd, 0) < 0)
		return -errno;
	for (i = 0; i < ZH_ARRAY_SIZE(l->clients); i++) {
		l->clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (connect(l->clients[i], (struct sockaddr *)&at, sizeof(at)) < 0 &&
			errno != EINPROGRESS)
			return -errno;
	}
	return 0;
}

static void accept_queue_full(void **state)
{
	struct listener listener = {-1, {-1, -1, -1}};
	struct run run;
	size_t i;

	(void)state;
	start(&run, "veth");
	run.config.timeout_ns = SHORT_NS;
	assert_int_equal(zh_netns_call(run.ns.peer_netns_fd, listen_full, &listener, &err), 0);
	ask(&run, "tcp:10.77.0.2:80");
	assert_int_equal(number(&run, "proof.answered"), 0);
	assert_all_lost(&run, "the accept queue is full (1 of 0)");
	close(listener.fd);
	for (i = 0; i < ZH_ARRAY_SIZE(listener.clients); i++)
		close(listener.clients[i]);
	stop(&run);
}

/* NAT behind the decision: lo is decided on, and the veth is where they go. */
static void taken_away_by_nat(void **state)
{
	struct run run;

	(void)state;
	start(&run, "veth");
	run.config.timeout_ns = SHORT_NS;
	load_rules(run.ns.netns_fd, "table ip t { chain c { type nat hook output priority -100; "
				    "udp dport 9999 dnat to 10.77.0.2:5353; }; }\n");
	ask(&run, "udp:10.77.0.1:9999");
	assert_string_equal(text(&run, "decision.dev"), "lo");
	assert_int_equal(devices(&run, "lo"), 0);
	assert_int_equal(devices(&run, "zh0"), 1);
	/* The way is that of the packets, not of the decision. */
	assert_string_equal(text(&run, "nat.0.hook"), "output");
	assert_string_equal(text(&run, "nat.0.side"), "target");
	assert_string_equal(text(&run, "nat.0.was"), "10.77.0.1:9999");
	assert_string_equal(text(&run, "nat.0.becomes"), "10.77.0.2:5353");
	assert_int_equal(number(&run, "proof.stray.0.packets"), UINT64_MAX);
	/* Unless nothing may be sent, and nothing else is known there. */
	load_rules(run.ns.netns_fd, "table ip t { chain c { ip daddr 10.77.0.9 dnat to "
				    "10.77.0.2; }; }\n");
	run.config.count = 0;
	ask(&run, "10.77.0.9");
	assert_string_equal(text(&run, "nat.0.hook"), "");
	stop(&run);
}

/* NAT in the middle: what packets become there, up to a port and the source; and who answers then.
 */
static void translated_on_the_way(void **state)
{
	struct run run;

	(void)state;
	start(&run, "routed");
	load_rules(run.ns.host_netns_fd,
		"table ip t { chain p { type nat hook prerouting priority -100; "
		"ip daddr 10.99.0.1 dnat to 10.77.2.2; "
		"ip daddr 10.77.2.9 udp dport 80 dnat to 10.77.2.2:8080; "
		"udp dport 7 redirect; }; "
		"chain s { type nat hook postrouting priority 100; "
		"ip saddr 10.77.1.0/24 masquerade; }; }\n");
	ask(&run, "udp:10.77.2.2");
	assert_arrived(&run);
	assert_string_equal(text(&run, "nat.0.side"), "source");
	assert_string_equal(text(&run, "nat.0.hook"), "postrouting");
	assert_int_equal(number(&run, "nat.0.place"), 1);
	run.config.timeout_ns = SHORT_NS;
	ask(&run, "udp:10.77.2.9:80");
	assert_string_equal(text(&run, "nat.0.becomes"), "10.77.2.2:8080");
	assert_in_range(number(&run, "proof.refused"), 1, PACKETS);
	assert_int_equal(number(&run, "proof.stray.0.packets"), UINT64_MAX);
	assert_int_equal(devices(&run, "zh-server"), 1);
	/* Taken by the middle itself. */
	ask(&run, "udp:10.77.2.2:7");
	assert_int_equal(number(&run, "reply.place"), 1);
	assert_int_equal(devices(&run, "zh-client"), 1);
	assert_int_equal(devices(&run, "zh-server"), 0);
	assert_int_equal(number(&run, "proof.stray.0.packets"), UINT64_MAX);
	stop(&run);
}

static int make_tun(void *arg)
{
	struct ifreq request = {.ifr_name = "tun0", .ifr_flags = IFF_TUN | IFF_NO_PI};
	int *ret = arg;

	*ret = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	return *ret < 0 || ioctl(*ret, TUNSETIFF, &request) < 0 ? -errno : 0;
}

/* Where a packet would leave the machine it is sent only when the user asks for it. */
static void leaves_on_demand_only(void **state)
{
	struct zh_netcfg *cfg = NULL;
	struct run run;
	int tun = -1;

	(void)state;
	start(&run, "lo");
	run.config.timeout_ns = 20 * ZH_NSEC_PER_MSEC;
	if (zh_netns_call(run.ns.netns_fd, make_tun, &tun, &err) < 0) {
		stop(&run);
		print_message("# skipped: no tun device can be made here\n");
		skip();
	}
	assert_int_equal(zh_netcfg_open(run.ns.netns_fd, &cfg, &err), 0);
	assert_int_equal(zh_netcfg_address_add(cfg, "tun0", "10.77.9.1/24", &err), 0);
	assert_int_equal(zh_netcfg_link_up(cfg, "tun0", true, &err), 0);
	zh_netcfg_close(cfg);
	ask(&run, "udp:10.77.9.2:5353");
	assert_non_null(strstr(text(&run, "proof.not_sent"), "leaves this machine by tun0"));
	assert_int_equal(number(&run, "proof.sent"), UINT64_MAX);
	run.config.count_given = true;
	ask(&run, "udp:10.77.9.2:5353");
	assert_string_equal(text(&run, "proof.not_sent"), "");
	assert_int_equal(number(&run, "proof.sent"), PACKETS);
	assert_int_equal(devices(&run, "tun0"), 1);
	close(tun);
	stop(&run);
}

/* True from the n-th question on. */
static bool stop_soon(void *arg)
{
	unsigned int *left = arg;

	return *left == 0 || --*left == 0;
}

/* What was sent is waited for: an early end loses nothing. */
static void early_end(void **state)
{
	unsigned int left = 40;
	struct run run;
	uint64_t sent;

	(void)state;
	start(&run, "veth");
	run.config.count = 1000;
	run.config.stop = stop_soon;
	run.config.arg = &left;
	ask(&run, "udp:10.77.0.2");
	sent = number(&run, "proof.sent");
	assert_in_range(sent, 1, 999);
	assert_int_equal(number(&run, "proof.answered"), sent);
	assert_int_equal(number(&run, "proof.lost.0.packets"), UINT64_MAX);
	assert_true(run.record->interrupted);
	stop(&run);
}

/* Sockets of the namespace in any state but LISTEN, in /proc/net/tcp. */
static int count_sockets(void *arg)
{
	unsigned int *ret = arg, state;
	char line[300];
	FILE *f = fopen("/proc/thread-self/net/tcp", "re");

	if (!f)
		return -errno;
	for (*ret = 0; fgets(line, sizeof(line), f);)
		*ret += sscanf(line, " %*d: %*s %*s %x", &state) == 1;
	fclose(f);
	return 0;
}

/* Attempts between sockets of our own leave none behind, not even in TIME_WAIT. */
static void leaves_no_socket(void **state)
{
	const int *fds;
	unsigned int n;
	struct run run;
	size_t i;

	(void)state;
	start(&run, "veth");
	ask_topology(&run, "tcp:");
	fds = (const int[]){run.ns.netns_fd, run.ns.peer_netns_fd};
	for (i = 0; i < 2; i++) {
		assert_int_equal(zh_netns_call(fds[i], count_sockets, &n, &err), 0);
		assert_int_equal(n, 0);
	}
	stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback),
		cmocka_unit_test(topologies),
		cmocka_unit_test(dropped_on_the_way),
		cmocka_unit_test(answers_dropped),
		cmocka_unit_test(rejected_on_the_way),
		cmocka_unit_test(black_hole),
		cmocka_unit_test(with_packet_sockets),
		cmocka_unit_test(dropped_at_output),
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(unreachable_in_the_middle),
		cmocka_unit_test(accept_queue_full),
		cmocka_unit_test(taken_away_by_nat),
		cmocka_unit_test(translated_on_the_way),
		cmocka_unit_test(leaves_on_demand_only),
		cmocka_unit_test(early_end),
		cmocka_unit_test(leaves_no_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
