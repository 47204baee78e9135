/* SPDX-License-Identifier: BSD-2-Clause */
/* Connection tracking and bridges. */
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"
#include "sys/root.h"

static const char *needed_by_pods(const struct zh_knob_place *place, const char *canonical)
{
	(void)place;
	if (strcmp(canonical, "0") != 0 || !zh_sys_exists("/etc/cni/net.d"))
		return NULL;
	return "this machine has CNI plugins (/etc/cni/net.d), and services of pods need it";
}

static const struct zh_knob knobs[] = {
	{.id = "conntrack-max",
		.summary = "connections that are tracked before new ones are dropped",
		.why = "nf_conntrack: table full, dropping packet",
		.cost = "memory; 300 bytes each",
		.verify = "drop in /proc/net/stat/nf_conntrack stands still",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 2147483647,
		.unit = "connections",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/netfilter/nf_conntrack_max"},
	{.id = "conntrack-tcp-be-liberal",
		.summary = "segments outside of the window are not invalid",
		.why = "resets after packets that overtook each other",
		.cost = "less strict filtering",
		.verify = "invalid in /proc/net/stat/nf_conntrack stands still",
		.target = ZH_KNOB_NETNS,
		.type = ZH_KNOB_BOOL,
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal"},
	{.id = "bridge-nf-call",
		.summary = "what a bridge forwards passes the IP firewall, too",
		.why = "0 where nothing filters bridged traffic",
		.cost = "kube-proxy and many CNI plugins need 1",
		.verify = "zerohop path shows the hooks on the way",
		.target = ZH_KNOB_NETNS,
		.type = ZH_KNOB_BOOL,
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.refuse = needed_by_pods,
		.arg = "/proc/sys/net/bridge/bridge-nf-call-iptables"},
};

const struct zh_knob_family zh_knob_family_filter = {knobs, ZH_ARRAY_SIZE(knobs)};
