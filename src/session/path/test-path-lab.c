/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decision and hops in namespaces of our own: loopback, veth, routing, bridge and macvlan, rules
 * that select, settings that end a way, and sockets of all kinds. Nothing is sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "explain/path-facts.h"
#include "session/path.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"

#define SIDES 4

static struct zh_err err;

/* Namespaces of a test; [0] is where packets start. */
struct lab {
	int ns[SIDES];
	struct zh_netcfg *cfg[SIDES];
	char via[SIDES][32];
	size_t n;
};

static void must(int r)
{
	if (r < 0)
		fail_msg("%s", err.text);
}

static void lab_open(struct lab *lab, size_t n)
{
	size_t i;

	*lab = (struct lab){};
	for (i = 0; i < n; i++) {
		lab->ns[i] = zh_netns_new(&err);
		if (lab->ns[i] == -EPERM)
			skip();
		must(lab->ns[i]);
		lab->n++;
		must(zh_netcfg_open(lab->ns[i], &lab->cfg[i], &err));
		must(zh_netcfg_link_up(lab->cfg[i], "lo", true, &err));
		snprintf(lab->via[i], sizeof(lab->via[i]), "/proc/self/fd/%d", lab->ns[i]);
	}
}

static void lab_close(struct lab *lab)
{
	size_t i;

	for (i = 0; i < lab->n; i++) {
		zh_netcfg_close(lab->cfg[i]);
		close(lab->ns[i]);
	}
}

static void address(struct lab *lab, size_t side, const char *dev, const char *ip)
{
	if (ip)
		must(zh_netcfg_address_add(lab->cfg[side], dev, ip, &err));
	must(zh_netcfg_link_up(lab->cfg[side], dev, true, &err));
}

/* A veth pair between two sides, up, with addresses (or NULL). */
static void cable(struct lab *lab, size_t a, const char *dev_a, const char *ip_a, size_t b,
	const char *dev_b, const char *ip_b)
{
	must(zh_netcfg_veth_add(lab->cfg[a], dev_a, dev_b, lab->ns[b], &err));
	address(lab, a, dev_a, ip_a);
	address(lab, b, dev_b, ip_b);
}

static void route(struct lab *lab, size_t side, const char *to, const char *via, const char *dev)
{
	struct zh_netcfg_route r = {.to = to, .via = via, .device = dev};

	must(zh_netcfg_route_add(lab->cfg[side], &r, &err));
}

static void set(struct lab *lab, size_t side, const char *name, const char *value)
{
	must(zh_netcfg_sysctl_set(lab->ns[side], name, value, &err));
}

struct run {
	struct zh_path_config config;
	const char *via[SIDES];
	struct zh_record *record;
	int result;
};

static int run_inside(void *arg)
{
	struct run *run = arg;

	run->config.via = run->via;
	run->result = zh_session_path(&run->config, &run->record, &err);
	return 0;
}

/* Follows the way in side `from`; all other sides are named. */
static int follow(struct lab *lab, size_t from, struct run *run, const char *target)
{
	size_t i;

	must(zh_target_parse(target, &run->config.target, &err));
	for (i = 0; i < lab->n; i++)
		if (i != from)
			run->via[run->config.n_via++] = lab->via[i];
	must(zh_netns_call(lab->ns[from], run_inside, run, &err));
	return run->result;
}

static struct zh_record *path_from(struct lab *lab, size_t from, const char *target)
{
	struct run run = {};

	must(follow(lab, from, &run, target));
	return run.record;
}

static struct zh_record *path(struct lab *lab, const char *target)
{
	return path_from(lab, 0, target);
}

static void is(const struct zh_record *record, const char *key, const char *expected)
{
	const char *text = zh_path_text(record, "path.way.0.%s", key);

	if (!text)
		fail_msg("%s is missing", key);
	assert_string_equal(text, expected);
}

static void has(const struct zh_record *record, const char *key, const char *part)
{
	const char *text = zh_path_text(record, "path.way.0.%s", key);

	if (!text || !strstr(text, part))
		fail_msg("%s is '%s', without '%s'", key, text ? text : "missing", part);
}

/* "0 socket, 0 routing, 0 device va, ...": place, kind, device or hook. What depends on the machine
 * (cgroups, receive steering) is left out. */
static char *hops_of(const struct zh_record *record)
{
	size_t n = zh_path_n_hops_of(record, 0), i;
	struct zh_buf text = {};

	for (i = 0; i < n; i++) {
		const char *kind = zh_path_text(record, "path.way.0.hop.%zu.kind", i);
		const char *dev = zh_path_text(record, "path.way.0.hop.%zu.dev", i);
		const char *hook = zh_path_text(record, "path.way.0.hop.%zu.hook", i);

		if (!strcmp(kind, "cgroup-bpf") || !strcmp(kind, "steering"))
			continue;
		zh_buf_addf(&text, "%s%llu %s%s%s", text.len ? ", " : "",
			(unsigned long long)zh_path_number(record, "path.way.0.hop.%zu.place", i),
			hook ? hook : kind, dev ? " " : "", dev ? dev : "");
	}
	return zh_buf_take(&text);
}

#define SENT "0 socket, 0 routing, 0 output, 0 postrouting, "
#define OUT(place, dev) place " qdisc " dev ", " place " device " dev
#define IN(place, dev) place " device " dev
#define UP(place) place " prerouting, " place " routing"
#define TAKEN(place) UP(place) ", " place " input, " place " end"

static void check(struct zh_record *record, const char *expected)
{
	zh_autofree char *hops = hops_of(record);
	size_t i;

	assert_string_equal(hops, expected);
	for (i = 0; i < record->after.n; i++)
		if (!strncmp(record->after.facts[i].key, "path.way.", 9) &&
			record->after.facts[i].type != ZH_FACT_UNAVAILABLE &&
			!zh_path_is_key(record->after.facts[i].key))
			fail_msg("%s is in no list", record->after.facts[i].key);
}

/* Why the way ends at its last hop; NULL: it does not. */
static const char *end_of(const struct zh_record *record)
{
	return zh_path_text(record, "path.way.0.hop.%zu.ends", zh_path_n_hops_of(record, 0) - 1);
}

static void ends(const struct zh_record *record, const char *part)
{
	const char *text = end_of(record);

	if (!text || !strstr(text, part))
		fail_msg("the way ends with '%s', without '%s'", text ? text : "nothing", part);
}

static void last_has(const struct zh_record *record, const char *part)
{
	const char *title =
		zh_path_text(record, "path.way.0.hop.%zu.title", zh_path_n_hops_of(record, 0) - 1);

	if (!title || !strstr(title, part))
		fail_msg("the last hop is '%s', without '%s'", title ? title : "missing", part);
}

static void by_lo(void **state)
{
	static const char *const targets[] = {
		"127.0.0.1", "127.1.2.3", "::1", "10.1.0.1", "udp:10.1.0.1:9", "tcp:[fd00::1]:9"};
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab, 2);
	cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	must(zh_netcfg_address_add(lab.cfg[0], "va", "fd00::1/64", &err));
	for (i = 0; i < ZH_ARRAY_SIZE(targets); i++) {
		struct zh_record *record = path(&lab, targets[i]);

		check(record, SENT OUT("0", "lo") ", " TAKEN("0"));
		is(record, "decision.dev", "lo");
		is(record, "decision.type", "local");
		assert_int_equal(zh_path_number(record, "path.way.0.decision.table"), 255);
		assert_int_equal(zh_path_number(record, "path.way.0.decision.mtu"), 65536);
		is(record, "decision.rule.text", "from all lookup local");
		is(record, "decision.plain.dev", "lo");
		is(record, "reply.dev", "lo");
		if (strchr(targets[i], 'p'))
			ends(record, "no listener");
		else
			assert_null(end_of(record));
		zh_record_free(record);
	}
	lab_close(&lab);
}

static void over_a_veth(void **state)
{
	struct zh_record *record;
	struct run alone = {};
	struct lab lab;

	(void)state;
	lab_open(&lab, 2);
	cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	record = path(&lab, "10.1.0.2");
	check(record, SENT OUT("0", "va") ", 0 wire va, " IN("1", "vb") ", " TAKEN("1"));
	is(record, "decision.src", "10.1.0.1");
	is(record, "decision.before.0.why", "table local has no route to it");
	is(record, "reply.dev", "vb");
	assert_int_equal(zh_path_number(record, "path.way.0.reply.place"), 1);
	assert_null(end_of(record));
	zh_record_free(record);
	/* Nobody named the other side, and no process is in it. */
	must(zh_target_parse("10.1.0.2", &alone.config.target, &err));
	must(zh_netns_call(lab.ns[0], run_inside, &alone, &err));
	must(alone.result);
	check(alone.record, SENT OUT("0", "va") ", 0 wire va");
	assert_non_null(zh_path_text(
		alone.record, "path.way.0.hop.%zu.unseen", zh_path_n_hops_of(alone.record, 0) - 1));
	zh_record_free(alone.record);
	/* Its own settings end it. */
	set(&lab, 1, "net/ipv4/icmp_echo_ignore_all", "1");
	record = path(&lab, "10.1.0.2");
	ends(record, "icmp_echo_ignore_all is 1");
	zh_record_free(record);
	must(zh_netcfg_link_up(lab.cfg[1], "vb", false, &err));
	record = path(&lab, "10.1.0.2");
	ends(record, "its other end vb is down");
	zh_record_free(record);
	lab_close(&lab);
}

#define TO_HOST SENT OUT("0", "eth0") ", 0 wire eth0, " IN("1", "va") ", "
#define FORWARDED TO_HOST UP("1") ", 1 forward, 1 postrouting, " OUT("1", "vb") ", 1 wire vb, "

static void through_a_router(void **state)
{
	struct run run = {.config = {.from = "10.50.0.1"}};
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 3);
	cable(&lab, 0, "eth0", "10.1.0.2/24", 1, "va", "10.1.0.1/24");
	cable(&lab, 2, "eth0", "10.2.0.2/24", 1, "vb", "10.2.0.1/24");
	route(&lab, 0, "10.2.0.0/24", "10.1.0.1", "eth0");
	route(&lab, 2, "10.1.0.0/24", "10.2.0.1", "eth0");
	set(&lab, 1, "net/ipv4/ip_forward", "0");
	record = path(&lab, "10.2.0.2");
	check(record, TO_HOST UP("1"));
	ends(record, "net.ipv4.conf.va.forwarding is 0");
	zh_record_free(record);
	set(&lab, 1, "net/ipv4/ip_forward", "1");
	record = path(&lab, "tcp:10.2.0.2:80");
	check(record, FORWARDED IN("2", "eth0") ", " TAKEN("2"));
	is(record, "decision.gateway", "10.1.0.1");
	is(record, "reply.gateway", "10.2.0.1");
	ends(record, "answered by RST");
	zh_record_free(record);
	/* A source that the router would not answer by the same device. */
	must(zh_netcfg_address_add(lab.cfg[0], "lo", "10.50.0.1/32", &err));
	set(&lab, 1, "net/ipv4/conf/va/rp_filter", "1");
	route(&lab, 1, "10.50.0.0/24", NULL, "vb");
	must(follow(&lab, 0, &run, "10.2.0.2"));
	check(run.record, TO_HOST UP("1"));
	ends(run.record, "rp_filter is 1");
	zh_record_free(run.record);
	lab_close(&lab);
}

/* Two routers that send it to each other. */
static void in_a_circle(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 3);
	cable(&lab, 0, "eth0", "10.1.0.2/24", 1, "va", "10.1.0.1/24");
	cable(&lab, 1, "vb", "10.2.0.1/24", 2, "vc", "10.2.0.2/24");
	route(&lab, 0, "10.200.0.0/16", "10.1.0.1", "eth0");
	route(&lab, 1, "10.200.0.0/16", "10.2.0.2", "vb");
	route(&lab, 2, "10.200.0.0/16", "10.2.0.1", "vc");
	route(&lab, 2, "10.1.0.0/24", "10.2.0.1", "vc");
	set(&lab, 1, "net/ipv4/ip_forward", "1");
	set(&lab, 2, "net/ipv4/ip_forward", "1");
	set(&lab, 1, "net/ipv4/conf/all/rp_filter", "0");
	set(&lab, 1, "net/ipv4/conf/vb/rp_filter", "0");
	record = path(&lab, "10.200.0.1");
	ends(record, "round in circles");
	zh_record_free(record);
	lab_close(&lab);
}

#define TO_BRIDGE SENT OUT("0", "eth0") ", 0 wire eth0, " IN("1", "va") ", 1 bridge br0"

static void through_a_bridge(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 3);
	must(zh_netcfg_bridge_add(lab.cfg[1], "br0", &err));
	address(&lab, 1, "br0", "10.3.0.1/24");
	cable(&lab, 0, "eth0", "10.3.0.2/24", 1, "va", NULL);
	cable(&lab, 2, "eth0", "10.3.0.3/24", 1, "vb", NULL);
	must(zh_netcfg_master_set(lab.cfg[1], "va", "br0", &err));
	must(zh_netcfg_master_set(lab.cfg[1], "vb", "br0", &err));
	record = path(&lab, "10.3.0.3");
	check(record,
		TO_BRIDGE ", " OUT("1", "vb") ", 1 wire vb, " IN("2", "eth0") ", " TAKEN("2"));
	assert_null(end_of(record));
	zh_record_free(record);
	record = path(&lab, "10.3.0.1");
	check(record, TO_BRIDGE ", " TAKEN("1"));
	zh_record_free(record);
	record = path_from(&lab, 1, "10.3.0.3");
	check(record, SENT OUT("0", "br0") ", 0 bridge br0, " OUT("0", "vb") ", 0 wire vb, " IN(
			      "1", "eth0") ", " TAKEN("1"));
	zh_record_free(record);
	record = path(&lab, "10.3.0.9");
	check(record, TO_BRIDGE);
	last_has(record, "all ports");
	assert_null(end_of(record));
	zh_record_free(record);
	must(zh_netcfg_link_up(lab.cfg[1], "vb", false, &err));
	record = path(&lab, "10.3.0.3");
	check(record, TO_BRIDGE);
	ends(record, "vb does not forward");
	zh_record_free(record);
	lab_close(&lab);
}

#define FROM_CHILD SENT OUT("0", "eth0") ", 0 macvlan eth0"

static void between_macvlan_children(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 4);
	cable(&lab, 1, "parent", "10.4.0.1/24", 3, "far", "10.4.0.9/24");
	must(zh_netcfg_macvlan_add(lab.cfg[1], "eth0", "parent", lab.ns[0], &err));
	must(zh_netcfg_macvlan_add(lab.cfg[1], "eth0", "parent", lab.ns[2], &err));
	address(&lab, 0, "eth0", "10.4.0.2/24");
	address(&lab, 2, "eth0", "10.4.0.3/24");
	record = path(&lab, "10.4.0.3");
	check(record, FROM_CHILD ", " IN("1", "eth0") ", " TAKEN("1"));
	is(record, "reply.dev", "eth0");
	zh_record_free(record);
	record = path(&lab, "10.4.0.1");
	check(record, FROM_CHILD);
	ends(record, "cannot reach its own parent");
	zh_record_free(record);
	/* Out by the parent, whose own hooks do not see it. */
	record = path(&lab, "10.4.0.9");
	check(record, FROM_CHILD
		", " OUT("1", "parent") ", 1 wire parent, " IN("2", "far") ", " TAKEN("2"));
	zh_record_free(record);
	record = path_from(&lab, 1, "10.4.0.2");
	check(record, SENT OUT("0", "parent") ", 0 leaves parent");
	ends(record, "cannot be reached from its own parent");
	zh_record_free(record);
	/* From outside to a child: past the parent. */
	record = path_from(&lab, 3, "10.4.0.2");
	check(record, SENT OUT("0", "far") ", 0 wire far, " IN("1",
			      "parent") ", 1 macvlan parent, " IN("2", "eth0") ", " TAKEN("2"));
	zh_record_free(record);
	lab_close(&lab);
}

static void add_rule(struct lab *lab, const struct zh_netcfg_rule *rule)
{
	must(zh_netcfg_rule_add(lab->cfg[0], rule, &err));
}

/* Report A: the ping is thrown away, and the plain question says that all is well. */
static void a_rule_for_one_protocol(void **state)
{
	static const struct zh_netcfg_rule local = {
		.priority = 200, .action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
	static const struct zh_netcfg_rule usual = {
		.action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
	static const struct zh_netcfg_rule trap = {
		.priority = 100, .ip_protocol = IPPROTO_ICMP, .action = ZH_NETCFG_BLACKHOLE};
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 1);
	add_rule(&lab, &local);
	add_rule(&lab, &trap);
	must(zh_netcfg_rule_del(lab.cfg[0], &usual, &err));
	record = path(&lab, "127.0.0.1");
	check(record, "0 socket, 0 routing");
	has(record, "decision.error", "the rule says blackhole");
	assert_int_equal(zh_path_number(record, "path.way.0.decision.rule.pref"), 100);
	is(record, "decision.rule.text", "from all ipproto icmp blackhole");
	is(record, "decision.plain.dev", "lo");
	zh_record_free(record);
	record = path(&lab, "tcp:127.0.0.1:9");
	check(record, SENT OUT("0", "lo") ", " TAKEN("0"));
	assert_int_equal(zh_path_number(record, "path.way.0.decision.rule.pref"), 200);
	is(record, "decision.before.0.text", "from all ipproto icmp blackhole");
	is(record, "decision.before.0.why", "other protocol");
	zh_record_free(record);
	lab_close(&lab);
}

/* A rule that only a mark or a user meets leads to another table. */
static void a_mark_and_a_user(void **state)
{
	static const struct zh_netcfg_rule rules[] = {
		{.priority = 50, .action = ZH_NETCFG_LOOKUP, .table = 100, .mark = 7},
		{.priority = 60, .action = ZH_NETCFG_PROHIBIT, .has_uid = true, .uid = 4711}};
	struct zh_netcfg_route other = {
		.to = "10.9.0.0/16", .via = "10.2.0.2", .device = "vb", .table = 100};
	struct run marked = {.config = {.has_mark = true, .mark = 7}};
	struct run user = {.config = {.has_uid = true, .uid = 4711}};
	struct lab lab;

	(void)state;
	lab_open(&lab, 2);
	cable(&lab, 0, "va", "10.1.0.1/24", 1, "xa", "10.1.0.2/24");
	cable(&lab, 0, "vb", "10.2.0.1/24", 1, "xb", "10.2.0.2/24");
	route(&lab, 0, "10.9.0.0/16", "10.1.0.2", "va");
	must(zh_netcfg_route_add(lab.cfg[0], &other, &err));
	add_rule(&lab, &rules[0]);
	add_rule(&lab, &rules[1]);
	must(follow(&lab, 0, &marked, "10.9.0.1"));
	is(marked.record, "decision.dev", "vb");
	is(marked.record, "decision.plain.dev", "va");
	assert_int_equal(zh_path_number(marked.record, "path.way.0.decision.table"), 100);
	assert_int_equal(zh_path_number(marked.record, "path.way.0.decision.rule.pref"), 50);
	zh_record_free(marked.record);
	must(follow(&lab, 0, &user, "10.9.0.1"));
	has(user.record, "decision.error", "the rule says prohibit");
	is(user.record, "decision.before.1.why", "other mark");
	is(user.record, "decision.plain.dev", "va");
	zh_record_free(user.record);
	lab_close(&lab);
}

/* As a packet would be taken that came in by a device. */
static void came_in_by_a_device(void **state)
{
	struct run run = {.config = {.from = "10.1.0.2", .iif = "va"}};
	struct run martian = {.config = {.from = "127.0.0.1", .iif = "va"}};
	struct run no_source = {.config = {.iif = "va"}}, no_device = {.config = {.iif = "nix"}};
	struct lab lab;

	(void)state;
	lab_open(&lab, 2);
	cable(&lab, 0, "va", "10.1.0.1/24", 1, "xa", "10.1.0.2/24");
	must(follow(&lab, 0, &run, "10.1.0.1"));
	check(run.record, IN("0", "va") ", " TAKEN("0"));
	is(run.record, "decision.type", "local");
	zh_record_free(run.record);
	must(follow(&lab, 0, &martian, "10.1.0.1"));
	ends(martian.record, "a martian");
	zh_record_free(martian.record);
	assert_int_equal(follow(&lab, 0, &no_source, "10.1.0.1"), -EINVAL);
	assert_int_equal(follow(&lab, 0, &no_device, "10.1.0.1"), -ENODEV);
	lab_close(&lab);
}

struct wanted {
	int type;
	struct sockaddr_in6 to;
};

static int listen_here(void *arg)
{
	const struct wanted *socket_of = arg;
	int fd = socket(AF_INET6, socket_of->type | SOCK_CLOEXEC, 0);

	if (bind(fd, (const struct sockaddr *)&socket_of->to, sizeof(socket_of->to)) < 0)
		fail_msg("bind: %s", strerror(errno));
	if (socket_of->type == SOCK_STREAM)
		listen(fd, 3);
	return fd;
}

static void who_listens(void **state)
{
	struct wanted wanted = {SOCK_STREAM, {.sin6_family = AF_INET6, .sin6_port = htons(4242)}};
	struct zh_record *record;
	char own[40], title[64];
	struct lab lab;
	int tcp, udp;
	FILE *f = fopen("/proc/self/comm", "r");

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(own, sizeof(own), f));
	fclose(f);
	own[strcspn(own, "\n")] = '\0';
	snprintf(title, sizeof(title), "%s (pid %d)", own, (int)getpid());
	lab_open(&lab, 1);
	tcp = zh_netns_call(lab.ns[0], listen_here, &wanted, &err);
	wanted.type = SOCK_DGRAM;
	udp = zh_netns_call(lab.ns[0], listen_here, &wanted, &err);
	record = path(&lab, "tcp:127.0.0.1:4242"); /* an IPv6 socket takes it too */
	assert_null(end_of(record));
	last_has(record, title);
	zh_record_free(record);
	record = path(&lab, "udp:[::1]:4242");
	assert_null(end_of(record));
	zh_record_free(record);
	record = path(&lab, "udp:[::1]:4243");
	ends(record, "port unreachable");
	zh_record_free(record);
	close(tcp);
	close(udp);
	lab_close(&lab);
}

static int bind_unix(int type, const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 5), 0);
	return fd;
}

static struct zh_record *path_here(const char *target)
{
	struct run run = {};

	must(zh_target_parse(target, &run.config.target, &err));
	run_inside(&run);
	must(run.result);
	return run.record;
}

static void refuses(const char *target, int code)
{
	struct run run = {};

	must(zh_target_parse(target, &run.config.target, &err));
	run_inside(&run);
	assert_int_equal(run.result, code);
}

static void unix_sockets(void **state)
{
	char dir[] = "/tmp/zh-path-XXXXXX", path_of[64], target[80];
	struct zh_record *record;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path_of, sizeof(path_of), "%s/s", dir);
	snprintf(target, sizeof(target), "unix:%s", path_of);
	refuses(target, -ENOENT);
	fd = bind_unix(SOCK_STREAM, path_of);
	record = path_here(target);
	is(record, "unix.type", "stream");
	assert_int_equal(zh_path_number(record, "path.way.0.unix.listening"), 1);
	assert_int_equal(zh_path_number(record, "path.way.0.unix.pid"), getpid());
	assert_int_equal(zh_path_number(record, "path.way.0.unix.max_queued"), 5);
	check(record, "0 socket, 0 end");
	assert_null(end_of(record));
	zh_record_free(record);
	close(fd);
	record = path_here(target);
	assert_int_equal(zh_path_number(record, "path.way.0.unix.listening"), 0);
	ends(record, "no socket is bound to it");
	zh_record_free(record);
	unlink(path_of);
	fd = bind_unix(SOCK_DGRAM, path_of);
	record = path_here(target);
	ends(record, "dgram socket cannot be reached by a stream one");
	zh_record_free(record);
	close(fd);
	unlink(path_of);
	rmdir(dir);
	snprintf(target, sizeof(target), "unix:%s", "/proc/self/comm");
	refuses(target, -EINVAL);
	record = path_here("unix:@zerohop-nobody-has-this-name");
	ends(record, "no socket of that name");
	zh_record_free(record);
}

static void bad_targets(void **state)
{
	static const struct {
		const char *target, *from;
		uint8_t version;
	} bad[] = {{"fe80::1", NULL, 0}, {"127.0.0.1", "nothing", 0}, {"127.0.0.1", "::1", 0},
		{"127.0.0.1", NULL, 6}, {"::1", NULL, 4}, {"nobody.invalid", NULL, 0}};
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(bad); i++) {
		struct run run = {.config = {.from = bad[i].from, .ip_version = bad[i].version}};

		must(zh_target_parse(bad[i].target, &run.config.target, &err));
		run_inside(&run);
		assert_int_equal(run.result, -EINVAL);
		assert_true(err.text[0]);
	}
}

/* Without any privilege the decision is still known. 0, or the number of what is wrong. */
static int as_nobody(void *arg)
{
	struct lab *lab = arg;
	struct run run = {};

	if (zh_netns_enter(lab->ns[0], &err) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		setresuid(65534, 65534, 65534) < 0)
		return 1;
	if (zh_target_parse("10.1.0.2", &run.config.target, &err) < 0)
		return 2;
	run_inside(&run);
	if (run.result < 0)
		return 3;
	if (strcmp(zh_path_text(run.record, "path.way.0.decision.dev"), "va") != 0 ||
		!zh_path_text(run.record, "path.way.0.decision.rule.text"))
		return 4;
	/* The other side may not be entered, and that is said. */
	if (!zh_path_text(
		    run.record, "path.way.0.hop.%zu.unseen", zh_path_n_hops_of(run.record, 0) - 1))
		return 5;
	zh_record_free(run.record);
	return 0;
}

static void without_privileges(void **state)
{
	struct lab lab;
	int status = -1;
	pid_t pid;

	(void)state;
	lab_open(&lab, 2);
	cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	must(zh_process_fork(as_nobody, &lab, &pid, &err));
	assert_int_equal(zh_process_wait(pid, 20 * ZH_NSEC_PER_SEC, &status), 0);
	assert_int_equal(status, 0);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_lo),
		cmocka_unit_test(over_a_veth),
		cmocka_unit_test(through_a_router),
		cmocka_unit_test(in_a_circle),
		cmocka_unit_test(through_a_bridge),
		cmocka_unit_test(between_macvlan_children),
		cmocka_unit_test(a_rule_for_one_protocol),
		cmocka_unit_test(a_mark_and_a_user),
		cmocka_unit_test(came_in_by_a_device),
		cmocka_unit_test(who_listens),
		cmocka_unit_test(unix_sockets),
		cmocka_unit_test(bad_targets),
		cmocka_unit_test(without_privileges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
