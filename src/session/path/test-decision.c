/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that select, arrivals by a device, who listens, Unix sockets, and a run without privileges,
 * in namespaces of our own. Nothing is sent.
 */
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/msg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/path-facts.h"
#include "session/path/test-lab.h"
#include "sys/netlink.h"
#include "sys/netns.h"
#include "sys/process.h"

static void add_rule(struct lab *lab, const struct zh_netcfg_rule *rule)
{
	must(zh_netcfg_rule_add(lab->cfg[0], rule, &lab_err));
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
	must(zh_netcfg_rule_del(lab.cfg[0], &usual, &lab_err));
	record = lab_path(&lab, "127.0.0.1");
	lab_check(record, "0 socket, 0 routing");
	lab_has(record, "decision.error", "the rule says blackhole");
	assert_int_equal(zh_path_number(record, "path.way.0.decision.rule.pref"), 100);
	lab_is(record, "decision.rule.text", "from all ipproto icmp blackhole");
	lab_is(record, "decision.plain.dev", "lo");
	zh_record_free(record);
	record = lab_path(&lab, "tcp:127.0.0.1:9");
	lab_check(record, SENT OUT("0", "lo") ", " TAKEN("0"));
	assert_int_equal(zh_path_number(record, "path.way.0.decision.rule.pref"), 200);
	lab_is(record, "decision.before.0.text", "from all ipproto icmp blackhole");
	lab_is(record, "decision.before.0.why", "other protocol");
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
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "xa", "10.1.0.2/24");
	lab_cable(&lab, 0, "vb", "10.2.0.1/24", 1, "xb", "10.2.0.2/24");
	lab_route(&lab, 0, "10.9.0.0/16", "10.1.0.2", "va");
	must(zh_netcfg_route_add(lab.cfg[0], &other, &lab_err));
	add_rule(&lab, &rules[0]);
	add_rule(&lab, &rules[1]);
	must(lab_follow(&lab, 0, &marked, "10.9.0.1"));
	lab_is(marked.record, "decision.dev", "vb");
	lab_is(marked.record, "decision.plain.dev", "va");
	assert_int_equal(zh_path_number(marked.record, "path.way.0.decision.table"), 100);
	assert_int_equal(zh_path_number(marked.record, "path.way.0.decision.rule.pref"), 50);
	zh_record_free(marked.record);
	must(lab_follow(&lab, 0, &user, "10.9.0.1"));
	lab_has(user.record, "decision.error", "the rule says prohibit");
	lab_is(user.record, "decision.before.1.why", "other mark");
	lab_is(user.record, "decision.plain.dev", "va");
	zh_record_free(user.record);
	lab_close(&lab);
}

/* Of UDP, from any port that the kernel chooses by itself. */
static int add_port_rule(void *arg)
{
	struct fib_rule_hdr header = {
		.family = AF_INET, .table = RT_TABLE_UNSPEC, .action = FR_ACT_PROHIBIT};
	struct fib_rule_port_range range = {.start = 1024, .end = 65534};
	zh_autonetlink *nl = NULL;
	struct nl_msg *msg;
	int r = zh_netlink_open(&nl, NETLINK_ROUTE, &lab_err);

	(void)arg;
	if (r < 0)
		return r;
	msg = zh_netlink_message(
		RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, &header, sizeof(header));
	if (!msg || nla_put_u32(msg, FRA_PRIORITY, 70) < 0 ||
		nla_put_u8(msg, FRA_IP_PROTO, IPPROTO_UDP) < 0 ||
		nla_put(msg, FRA_SPORT_RANGE, sizeof(range), &range) < 0)
		return -ENOMEM;
	return zh_netlink_ask(nl, msg, NULL, NULL, &lab_err);
}

static void a_rule_for_source_ports(void **state)
{
	struct run run = {};
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 2);
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	must(zh_netns_call(lab.ns[0], add_port_rule, NULL, &lab_err));
	run.config = (struct zh_path_config){
		.count = 3, .gap_ns = ZH_NSEC_PER_MSEC, .timeout_ns = 300 * ZH_NSEC_PER_MSEC};
	must(lab_follow(&lab, 0, &run, "udp:10.1.0.2:53"));
	lab_has(run.record, "decision.error", "the rule says prohibit");
	assert_int_equal(zh_path_number(run.record, "path.way.0.decision.rule.pref"), 70);
	assert_in_range(zh_path_number(run.record, "path.way.0.from_port"), 1024, 65534);
	lab_is(run.record, "decision.plain.dev", "va");
	zh_record_free(run.record);
	record = lab_path(&lab, "tcp:10.1.0.2:53");
	lab_is(record, "decision.dev", "va");
	zh_record_free(record);
	lab_close(&lab);
}

static void check_device(struct lab *lab, const char *target, const char *device)
{
	struct zh_record *record = lab_path(lab, target);

	lab_is(record, "decision.dev", device);
	zh_record_free(record);
}

/*
 * A rule for the source address that routing itself chose, as with two uplinks: it meets whatever
 * asks again with that source. Which those are was seen by counting packets.
 */
static void a_rule_for_the_chosen_source(void **state)
{
	static const struct zh_netcfg_rule rules[] = {
		{.priority = 100, .from = "10.1.0.1/32", .table = 100},
		{.priority = 100, .from = "fd01::1/128", .table = 100}};
	static const struct zh_netcfg_route routes[] = {
		{.to = "10.9.0.0/16", .via = "10.1.0.2", .device = "va"},
		{.to = "10.9.0.0/16", .via = "10.2.0.2", .device = "vb", .table = 100},
		{.to = "fd09::/16", .via = "fd01::2", .device = "va"},
		{.to = "fd09::/16", .via = "fd02::2", .device = "vb", .table = 100}};
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab, 2);
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "xa", "10.1.0.2/24");
	lab_cable(&lab, 0, "vb", "10.2.0.1/24", 1, "xb", "10.2.0.2/24");
	must(zh_netcfg_address_add(lab.cfg[0], "va", "fd01::1/64", &lab_err));
	must(zh_netcfg_address_add(lab.cfg[0], "vb", "fd02::1/64", &lab_err));
	for (i = 0; i < ZH_ARRAY_SIZE(routes); i++)
		must(zh_netcfg_route_add(lab.cfg[0], &routes[i], &lab_err));
	for (i = 0; i < ZH_ARRAY_SIZE(rules); i++)
		add_rule(&lab, &rules[i]);
	check_device(&lab, "10.9.0.1", "vb");
	check_device(&lab, "udp:10.9.0.1:9", "vb");
	check_device(&lab, "tcp:10.9.0.1:9", "vb");
	check_device(&lab, "::ffff:10.9.0.1", "vb");
	check_device(&lab, "fd09::1", "vb");
	check_device(&lab, "udp:[fd09::1]:9", "va");
	check_device(&lab, "tcp:[fd09::1]:9", "va");
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
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "xa", "10.1.0.2/24");
	must(lab_follow(&lab, 0, &run, "10.1.0.1"));
	lab_check(run.record, IN("0", "va") ", " TAKEN("0"));
	lab_is(run.record, "decision.type", "local");
	zh_record_free(run.record);
	must(lab_follow(&lab, 0, &martian, "10.1.0.1"));
	lab_ends(martian.record, "a martian");
	zh_record_free(martian.record);
	assert_int_equal(lab_follow(&lab, 0, &no_source, "10.1.0.1"), -EINVAL);
	assert_int_equal(lab_follow(&lab, 0, &no_device, "10.1.0.1"), -ENODEV);
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
	tcp = zh_netns_call(lab.ns[0], listen_here, &wanted, &lab_err);
	wanted.type = SOCK_DGRAM;
	udp = zh_netns_call(lab.ns[0], listen_here, &wanted, &lab_err);
	record = lab_path(&lab, "tcp:127.0.0.1:4242"); /* an IPv6 socket takes it too */
	assert_null(lab_end_of(record));
	lab_last_has(record, title);
	zh_record_free(record);
	record = lab_path(&lab, "udp:[::1]:4242");
	assert_null(lab_end_of(record));
	zh_record_free(record);
	record = lab_path(&lab, "udp:[::1]:4243");
	lab_ends(record, "port unreachable");
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

	must(zh_target_parse(target, &run.config.target, &lab_err));
	lab_run_inside(&run);
	must(run.result);
	return run.record;
}

static void refuses(const char *target, int code)
{
	struct run run = {};

	must(zh_target_parse(target, &run.config.target, &lab_err));
	lab_run_inside(&run);
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
	lab_is(record, "unix.type", "stream");
	assert_int_equal(zh_path_number(record, "path.way.0.unix.listening"), 1);
	assert_int_equal(zh_path_number(record, "path.way.0.unix.pid"), getpid());
	assert_int_equal(zh_path_number(record, "path.way.0.unix.max_queued"), 5);
	lab_check(record, "0 socket, 0 end");
	assert_null(lab_end_of(record));
	zh_record_free(record);
	close(fd);
	record = path_here(target);
	assert_int_equal(zh_path_number(record, "path.way.0.unix.listening"), 0);
	lab_ends(record, "no socket is bound to it");
	zh_record_free(record);
	unlink(path_of);
	fd = bind_unix(SOCK_DGRAM, path_of);
	record = path_here(target);
	lab_ends(record, "dgram socket cannot be reached by a stream one");
	zh_record_free(record);
	close(fd);
	unlink(path_of);
	rmdir(dir);
	snprintf(target, sizeof(target), "unix:%s", "/proc/self/comm");
	refuses(target, -EINVAL);
	record = path_here("unix:@zerohop-nobody-has-this-name");
	lab_ends(record, "no socket of that name");
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

		must(zh_target_parse(bad[i].target, &run.config.target, &lab_err));
		lab_run_inside(&run);
		assert_int_equal(run.result, -EINVAL);
		assert_true(lab_err.text[0]);
	}
}

/* Without any privilege the decision is still known. 0, or the number of what is wrong. */
static int as_nobody(void *arg)
{
	struct lab *lab = arg;
	struct run run = {};

	if (zh_netns_enter(lab->ns[0], &lab_err) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		setresuid(65534, 65534, 65534) < 0)
		return 1;
	if (zh_target_parse("10.1.0.2", &run.config.target, &lab_err) < 0)
		return 2;
	lab_run_inside(&run);
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
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	must(zh_process_fork(as_nobody, &lab, &pid, &lab_err));
	assert_int_equal(zh_process_wait(pid, 20 * ZH_NSEC_PER_SEC, &status), 0);
	assert_int_equal(status, 0);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_for_one_protocol),
		cmocka_unit_test(a_mark_and_a_user),
		cmocka_unit_test(a_rule_for_source_ports),
		cmocka_unit_test(a_rule_for_the_chosen_source),
		cmocka_unit_test(came_in_by_a_device),
		cmocka_unit_test(who_listens),
		cmocka_unit_test(unix_sockets),
		cmocka_unit_test(bad_targets),
		cmocka_unit_test(without_privileges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
