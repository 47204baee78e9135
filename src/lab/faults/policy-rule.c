/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include "lab/internal.h"
#include "sys/net-config.h"

#define TABLE 7077
#define LOCAL_LATER 100

enum variant { BLACKHOLE, UNREACHABLE, PROHIBIT, DIVERT, VARIANTS };

static const enum zh_netcfg_action actions[VARIANTS] = {
	ZH_NETCFG_BLACKHOLE, ZH_NETCFG_UNREACHABLE, ZH_NETCFG_PROHIBIT, ZH_NETCFG_LOOKUP};

static const struct zh_netcfg_rule local_first = {
	.priority = 0, .action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
static const struct zh_netcfg_rule local_later = {
	.priority = LOCAL_LATER, .action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};

/* The rule ahead of local. That of the control concerns an address that nobody probes. */
static struct zh_netcfg_rule first_rule(const struct zh_lab_run *run)
{
	return (struct zh_netcfg_rule){
		.priority = (uint32_t)run->param[1],
		.to = run->control ? "192.0.2.77/32" : "127.0.0.1/32",
		.ip_protocol = run->param[2] ? IPPROTO_ICMP : 0,
		.action = actions[run->param[0]],
		.table = TABLE,
	};
}

/* Table 7077 leads to a device behind which nobody is, as a VPN's does. */
static int make_diversion(struct zh_netcfg *cfg, struct zh_err *err)
{
	const struct zh_netcfg_route route = {
		.to = "127.0.0.1/32", .device = "zhvpn0", .table = TABLE};
	int r = zh_netcfg_veth_add(cfg, "zhvpn0", "zhvpn1", -1, err);

	if (r == 0)
		r = zh_netcfg_link_up(cfg, "zhvpn0", true, err);
	if (r == 0)
		r = zh_netcfg_link_up(cfg, "zhvpn1", true, err);
	if (r == 0)
		r = zh_netcfg_route_add(cfg, &route, err);
	return r;
}

static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	struct zh_netcfg_rule rule = first_rule(run);
	struct zh_netcfg *cfg = NULL;
	int r = zh_netcfg_open(run->ns.netns_fd, &cfg, err);

	if (r == 0 && run->param[0] == DIVERT)
		r = make_diversion(cfg, err);
	if (r == 0)
		r = zh_netcfg_rule_add(cfg, &local_later, err);
	if (r == 0)
		r = zh_netcfg_rule_del(cfg, &local_first, err);
	if (r == 0)
		r = zh_netcfg_rule_add(cfg, &rule, err);
	zh_netcfg_close(cfg);
	return r;
}

static void undo(struct zh_lab_run *run)
{
	struct zh_netcfg_rule rule = first_rule(run);
	struct zh_netcfg *cfg = NULL;

	if (zh_netcfg_open(run->ns.netns_fd, &cfg, NULL) == 0) {
		zh_netcfg_rule_del(cfg, &rule, NULL);
		zh_netcfg_rule_add(cfg, &local_first, NULL);
		zh_netcfg_rule_del(cfg, &local_later, NULL);
		if (run->param[0] == DIVERT)
			zh_netcfg_link_del(cfg, "zhvpn0", NULL);
	}
	zh_netcfg_close(cfg);
}

const struct zh_fault zh_fault_policy_rule = {
	.id = "policy-rule",
	.summary = "a policy rule ahead of the local table takes the probe elsewhere",
	.expects = "policy-route",
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 5 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 100 * ZH_NSEC_PER_MSEC,
	.count = 60,
	.params = {{"variant", 0, VARIANTS - 1}, {"priority", 10, 90}, {"icmp_only", 0, 1}},
	.inject = inject,
	.remove = undo,
};
