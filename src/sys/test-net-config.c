/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/net-config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sys/netns.h"

static struct zh_err err;

static int new_ns(void)
{
	int fd = zh_netns_new(&err);

	if (fd == -EPERM)
		skip();
	assert_true(fd >= 0);
	return fd;
}

/* Asks the routing of the namespace that it runs in, by connecting a datagram socket. */
static int try_connect(void *arg)
{
	const char *to = arg;
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(9)};
	zh_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || inet_pton(AF_INET, to, &in.sin_addr) != 1)
		return -EIO;
	return connect(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ? -errno : 0;
}

static int reach(int ns, const char *to)
{
	return zh_netns_call(ns, try_connect, (void *)to, NULL);
}

/* Whether lo of the namespace it runs in is up: 1, 0 or a negative errno. */
static int look_at_lo(void *arg)
{
	struct ifreq request = {.ifr_name = "lo"};
	zh_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)arg;
	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -errno;
	return !!(request.ifr_flags & IFF_UP);
}

static void loopback_goes_up_and_down(void **state)
{
	struct zh_netcfg *cfg;
	int ns = new_ns();

	(void)state;
	assert_int_equal(zh_netcfg_open(ns, &cfg, &err), 0);
	assert_int_equal(zh_netns_call(ns, look_at_lo, NULL, NULL), 0);
	assert_int_equal(zh_netcfg_link_up(cfg, "lo", true, &err), 0);
	assert_int_equal(zh_netns_call(ns, look_at_lo, NULL, NULL), 1);
	assert_int_equal(zh_netcfg_link_up(cfg, "lo", false, &err), 0);
	assert_int_equal(zh_netns_call(ns, look_at_lo, NULL, NULL), 0);
	zh_netcfg_close(cfg);
	close(ns);
}

static void a_veth_pair_spans_two_namespaces(void **state)
{
	const struct zh_netcfg_route route = {
		.to = "192.0.2.0/24", .via = "10.9.0.2", .device = "a0"};
	struct zh_netcfg *a, *b;
	int ns_a = new_ns(), ns_b = new_ns();

	(void)state;
	assert_int_equal(zh_netcfg_open(ns_a, &a, &err), 0);
	assert_int_equal(zh_netcfg_open(ns_b, &b, &err), 0);
	assert_int_equal(zh_netcfg_veth_add(a, "a0", "b0", ns_b, &err), 0);
	assert_true(zh_netcfg_ifindex(a, "a0", &err) > 0);
	assert_true(zh_netcfg_ifindex(b, "b0", &err) > 0);
	assert_int_equal(zh_netcfg_ifindex(a, "b0", &err), -ENODEV);
	assert_int_equal(zh_netcfg_link_up(a, "a0", true, &err), 0);
	assert_int_equal(zh_netcfg_address_add(a, "a0", "10.9.0.1/24", &err), 0);
	assert_int_equal(zh_netcfg_address_add(a, "a0", "fd00:9::1/64", &err), 0);
	assert_int_equal(reach(ns_a, "10.9.0.2"), 0);
	assert_int_equal(reach(ns_a, "192.0.2.7"), -ENETUNREACH);
	assert_int_equal(zh_netcfg_route_add(a, &route, &err), 0);
	assert_int_equal(reach(ns_a, "192.0.2.7"), 0);
	assert_int_equal(zh_netcfg_link_del(a, "a0", &err), 0);
	assert_int_equal(zh_netcfg_ifindex(b, "b0", &err), -ENODEV);
	zh_netcfg_close(a);
	zh_netcfg_close(b);
	close(ns_a);
	close(ns_b);
}

static void rules_divert_and_come_back(void **state)
{
	const struct zh_netcfg_rule local = {
		.priority = 0, .action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
	const struct zh_netcfg_rule late = {
		.priority = 100, .action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
	const struct zh_netcfg_rule hole = {
		.priority = 50, .to = "127.0.0.1/32", .action = ZH_NETCFG_PROHIBIT};
	struct zh_netcfg *cfg;
	int ns = new_ns();

	(void)state;
	assert_int_equal(zh_netcfg_open(ns, &cfg, &err), 0);
	assert_int_equal(zh_netcfg_link_up(cfg, "lo", true, &err), 0);
	assert_int_equal(zh_netcfg_rule_add(cfg, &late, &err), 0);
	assert_int_equal(zh_netcfg_rule_del(cfg, &local, &err), 0);
	assert_int_equal(reach(ns, "127.0.0.1"), 0);
	assert_int_equal(zh_netcfg_rule_add(cfg, &hole, &err), 0);
	assert_int_equal(reach(ns, "127.0.0.1"), -EACCES);
	assert_int_equal(reach(ns, "127.0.0.2"), 0);
	assert_int_equal(zh_netcfg_rule_del(cfg, &hole, &err), 0);
	assert_int_equal(reach(ns, "127.0.0.1"), 0);
	assert_int_equal(zh_netcfg_rule_del(cfg, &hole, &err), -ENOENT);
	zh_netcfg_close(cfg);
	close(ns);
}

static void a_tbf_can_be_added_once(void **state)
{
	const struct zh_netcfg_tbf tbf = {
		.rate = 100000, .burst_bytes = 3000, .limit_bytes = 30000};
	struct zh_netcfg *cfg;
	int ns = new_ns();

	(void)state;
	assert_int_equal(zh_netcfg_open(ns, &cfg, &err), 0);
	assert_int_equal(zh_netcfg_link_up(cfg, "lo", true, &err), 0);
	assert_int_equal(zh_netcfg_tbf_add(cfg, "lo", &tbf, &err), 0);
	assert_int_equal(zh_netcfg_tbf_add(cfg, "lo", &tbf, &err), -EEXIST);
	assert_int_equal(zh_netcfg_root_qdisc_del(cfg, "lo", &err), 0);
	assert_int_equal(zh_netcfg_root_qdisc_del(cfg, "lo", &err), -ENOENT);
	assert_string_equal(err.text, "cannot remove the root qdisc of lo: No such file or "
				      "directory");
	zh_netcfg_close(cfg);
	close(ns);
}

static void bad_addresses_are_named(void **state)
{
	struct zh_netcfg *cfg;
	int ns = new_ns();

	(void)state;
	assert_int_equal(zh_netcfg_open(ns, &cfg, &err), 0);
	assert_int_equal(zh_netcfg_address_add(cfg, "lo", "10.0.0.1/33", &err), -EINVAL);
	assert_string_equal(err.text, "'10.0.0.1/33' is not an address");
	assert_int_equal(zh_netcfg_address_add(cfg, "lo", "somewhere", &err), -EINVAL);
	zh_netcfg_close(cfg);
	close(ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_goes_up_and_down),
		cmocka_unit_test(a_veth_pair_spans_two_namespaces),
		cmocka_unit_test(rules_divert_and_come_back),
		cmocka_unit_test(a_tbf_can_be_added_once),
		cmocka_unit_test(bad_addresses_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
