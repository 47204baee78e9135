/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "base/buf.h"
#include "lab/internal.h"
#include "sys/net-config.h"

#define CALL_IPTABLES "net/bridge/bridge-nf-call-iptables"

enum kind { BRIDGE_RULE, BRIDGE_POLICY, IP_POLICY, KINDS };

/*
 * A filter stands between the ports of a bridge: a rule or a policy of the bridge family, or the IP
 * forward chain, by way of br_netfilter. The control has the same chains with a rule that meets
 * nothing, a policy of accept, and for IP br_netfilter off.
 */
static int add_chain(struct zh_lab_run *run, struct zh_err *err)
{
	enum kind kind = (enum kind)run->param[0];
	bool drops = kind == IP_POLICY || (kind == BRIDGE_POLICY && !run->control);
	zh_autobuf text = {};

	zh_buf_addf(&text,
		"table %s " LAB_NFT_TABLE " {\nchain forward {\n"
		"type filter hook forward priority 0; policy %s;\n",
		kind == IP_POLICY ? "ip" : "bridge", drops ? "drop" : "accept");
	if (kind == BRIDGE_RULE)
		zh_buf_addf(&text, "ether type ip udp dport %s%s drop\n",
			run->control ? "9" : "1024-65535", run->param[3] ? " counter" : "");
	if (kind == BRIDGE_POLICY)
		zh_buf_adds(&text, "ether type arp accept\n");
	zh_buf_adds(&text, "}\n}\n");
	if (text.failed)
		return zh_err_set(err, -ENOMEM, "out of memory");
	return lab_host_nft(run, text.text, text.len, err);
}

static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const char *call = run->param[0] == IP_POLICY && !run->control ? "1" : "0";
	int r = zh_netcfg_sysctl_set(run->ns.host_netns_fd, CALL_IPTABLES, call, err);

	run->load.rate = run->param[1];
	run->load.flows = (uint32_t)run->param[2];
	return r < 0 && run->param[0] == IP_POLICY ? r : add_chain(run, err);
}

static void undo(struct zh_lab_run *run)
{
	zh_netcfg_sysctl_set(run->ns.host_netns_fd, CALL_IPTABLES, "0", NULL);
	lab_host_nft_undo(run, run->param[0] == IP_POLICY ? "ip" : "bridge");
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_SOCKET, .size_bytes = 64},
};

const struct zh_fault zh_fault_bridge_drop = {
	.id = "bridge-drop",
	.summary = "a filter between the ports of a bridge drops what passes",
	.expects = "bridge-filter-drop",
	.topology = &zh_topology_bridge,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 100,
	.params = {{"kind", 0, KINDS - 1}, {"pps", 1000, 20000}, {"flows", 1, 64},
		{"counted", 0, 1}},
	.inject = inject,
	.remove = undo,
};
