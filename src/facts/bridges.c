/* SPDX-License-Identifier: BSD-2-Clause */
/* Bridges and their ports, from sysfs. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/net-sysfs.h"
#include "facts/read.h"
#include "sys/root.h"

#define DEVICES_MAX 512
#define USER_TICK_NS (10 * ZH_NSEC_PER_MSEC) /* times in bridge files are in USER_HZ */

static const struct zh_facts_file bridge_files[] = {
	{"stp_state", "stp_state"},
	{"forward_delay", "forward_delay_ns", ZH_FORM_NUMBER, USER_TICK_NS},
	{"ageing_time", "ageing_ns", ZH_FORM_NUMBER, USER_TICK_NS},
	{"multicast_snooping", "multicast_snooping"},
	{"multicast_querier", "multicast_querier"},
	{"vlan_filtering", "vlan_filtering"},
	{"nf_call_iptables", "nf_call_iptables"},
	{"nf_call_ip6tables", "nf_call_ip6tables"},
	{NULL},
};

static const struct zh_facts_file port_files[] = {
	{"hairpin_mode", "hairpin"},
	{"learning", "learning"},
	{"isolated", "isolated"},
	{NULL},
};

static const char *const states[] = {"disabled", "listening", "learning", "forwarding", "blocking"};

struct walk {
	struct zh_fact_set *set;
	size_t n;
	uint64_t ports; /* of the bridge being looked at */
};

static int count_port(void *arg, const char *name)
{
	struct walk *walk = arg;

	(void)name;
	walk->ports++;
	return 0;
}

static void add_port(struct zh_fact_set *set, const char *name, const char *device)
{
	char dir[128], prefix[ZH_FACTS_NAME_MAX + 8], text[256], *slash;
	uint64_t state;

	snprintf(dir, sizeof(dir), "/sys/class/net/%s/brport", name);
	snprintf(prefix, sizeof(prefix), "brport.%s", device);
	zh_facts_files(set, port_files, dir, prefix);
	if (zh_sys_read_u64(&state, "%s/state", dir) == 0 && state < ZH_ARRAY_SIZE(states))
		zh_fact_string(set, states[state], "%s.state", prefix);
	if (zh_sys_readlink(text, sizeof(text), "%s/bridge", dir) > 0) {
		slash = strrchr(text, '/');
		zh_fact_string(set, slash ? slash + 1 : text, "%s.bridge", prefix);
	}
}

static int add_device(void *arg, const char *name)
{
	struct walk *walk = arg;
	char dir[128], prefix[ZH_FACTS_NAME_MAX + 8], device[ZH_FACTS_NAME_MAX];

	if (walk->n++ >= DEVICES_MAX)
		return 0;
	zh_facts_name(device, sizeof(device), name);
	if (zh_sys_exists("/sys/class/net/%s/bridge", name)) {
		snprintf(dir, sizeof(dir), "/sys/class/net/%s/bridge", name);
		snprintf(prefix, sizeof(prefix), "bridge.%s", device);
		zh_facts_files(walk->set, bridge_files, dir, prefix);
		walk->ports = 0;
		zh_sys_list(count_port, walk, "/sys/class/net/%s/brif", name);
		zh_fact_number(walk->set, walk->ports, "%s.ports", prefix);
	}
	if (zh_sys_exists("/sys/class/net/%s/brport", name))
		add_port(walk->set, name, device);
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	const char *problem = zh_net_sysfs_problem();
	struct walk walk = {.set = set};

	if (problem)
		zh_fact_unavailable(set, problem, "bridge");
	else
		zh_sys_list(add_device, &walk, "/sys/class/net");
}

static const struct zh_fact_schema schema[] = {
	{"bridge.*.stp_state", ZH_FACT_NUMBER, "", "spanning tree: 0 off, 1 kernel, 2 user space"},
	{"bridge.*.forward_delay_ns", ZH_FACT_NUMBER, "ns", "time in listening and in learning"},
	{"bridge.*.ageing_ns", ZH_FACT_NUMBER, "ns", "life of a learnt address"},
	{"bridge.*.multicast_snooping", ZH_FACT_NUMBER, "", "1: multicast only where asked for"},
	{"bridge.*.multicast_querier", ZH_FACT_NUMBER, "", "1: the bridge asks who wants it"},
	{"bridge.*.vlan_filtering", ZH_FACT_NUMBER, "", "1: VLANs are kept apart"},
	{"bridge.*.nf_call_iptables", ZH_FACT_NUMBER, "", "1: its IPv4 passes the IP hooks"},
	{"bridge.*.nf_call_ip6tables", ZH_FACT_NUMBER, "", "1: its IPv6 passes the IP hooks"},
	{"bridge.*.ports", ZH_FACT_NUMBER, "count", "ports"},
	{"brport.*.bridge", ZH_FACT_STRING, "", "bridge that the port belongs to"},
	{"brport.*.state", ZH_FACT_STRING, "",
		"disabled, listening, learning, forwarding, blocking"},
	{"brport.*.hairpin", ZH_FACT_NUMBER, "", "1: frames may go back out where they came in"},
	{"brport.*.learning", ZH_FACT_NUMBER, "", "1: addresses are learnt here"},
	{"brport.*.isolated", ZH_FACT_NUMBER, "", "1: reaches only ports that are not isolated"},
	{"bridge", ZH_FACT_UNAVAILABLE, "", "why bridges could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_bridges = {
	.id = "bridges",
	.summary = "bridges and their ports",
	.schema = schema,
	.collect = collect,
};
