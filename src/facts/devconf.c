/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of each network device for IPv4 and IPv6, below /proc/sys/net/ipv{4,6}/conf. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define DEVICES_MAX 512

static const struct zh_facts_file files4[] = {
	{"rp_filter", "rp_filter"},
	{"accept_local", "accept_local"},
	{"route_localnet", "route_localnet"},
	{"forwarding", "forwarding"},
	{"log_martians", "log_martians"},
	{"arp_ignore", "arp_ignore"},
	{"arp_announce", "arp_announce"},
	{"disable_policy", "disable_policy"},
	{NULL},
};

static const struct zh_facts_file files6[] = {
	{"mtu", "mtu"},
	{"disable_ipv6", "disable_ipv6"},
	{"accept_dad", "accept_dad"},
	{"dad_transmits", "dad_transmits"},
	{"forwarding", "forwarding"},
	{NULL},
};

struct walk {
	struct zh_fact_set *set;
	int family;
	size_t n;
	uint64_t rp_filter_all;
};

static int add_device(void *arg, const char *device)
{
	struct walk *walk = arg;
	char dir[128], prefix[160], name[ZH_FACTS_NAME_MAX];
	uint64_t rp_filter;

	/* The bound must not cut off the ones that matter most. */
	if (walk->n++ >= DEVICES_MAX && strcmp(device, "lo"))
		return 0;
	zh_facts_name(name, sizeof(name), device);
	snprintf(dir, sizeof(dir), "/proc/sys/net/ipv%d/conf/%s", walk->family, device);
	snprintf(prefix, sizeof(prefix), "devconf.%d.%s", walk->family, name);
	zh_facts_files(walk->set, walk->family == 4 ? files4 : files6, dir, prefix);
	/* The kernel takes the larger of "all" and the device's (ip-sysctl, rp_filter). */
	if (walk->family == 4 && zh_sys_read_u64(&rp_filter, "%s/rp_filter", dir) == 0)
		zh_fact_number(walk->set, ZH_MAX(rp_filter, walk->rp_filter_all),
			"%s.rp_filter_effective", prefix);
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	static const int families[] = {4, 6};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(families); i++) {
		struct walk walk = {.set = set, .family = families[i]};
		char path[64];
		int r;

		snprintf(path, sizeof(path), "/proc/sys/net/ipv%d/conf", walk.family);
		zh_sys_read_u64(&walk.rp_filter_all, "%s/all/rp_filter", path);
		r = zh_sys_list(add_device, &walk, "%s", path);
		if (r < 0)
			zh_facts_missing(set, r, path, "devconf.%d", walk.family);
		if (walk.n > DEVICES_MAX)
			zh_facts_truncated(set, "devconf", DEVICES_MAX, walk.n, "devices");
	}
}

static const struct zh_fact_schema schema[] = {
	{"devconf.4.*.rp_filter", ZH_FACT_NUMBER, "", "reverse path filter: 1 strict, 2 loose"},
	{"devconf.4.*.rp_filter_effective", ZH_FACT_NUMBER, "", "larger of the device's and all's"},
	{"devconf.4.*.accept_local", ZH_FACT_NUMBER, "", "own addresses as source are accepted"},
	{"devconf.4.*.route_localnet", ZH_FACT_NUMBER, "", "127/8 may be routed over this device"},
	{"devconf.4.*.forwarding", ZH_FACT_NUMBER, "", "IPv4 forwarding"},
	{"devconf.4.*.log_martians", ZH_FACT_NUMBER, "", "impossible addresses are logged"},
	{"devconf.4.*.arp_ignore", ZH_FACT_NUMBER, "", "which ARP requests are answered"},
	{"devconf.4.*.arp_announce", ZH_FACT_NUMBER, "", "source address of ARP requests"},
	{"devconf.4.*.disable_policy", ZH_FACT_NUMBER, "", "1: no IPsec policy"},
	{"devconf.6.*.mtu", ZH_FACT_NUMBER, "bytes", "MTU of IPv6"},
	{"devconf.6.*.disable_ipv6", ZH_FACT_NUMBER, "", "1: IPv6 is off"},
	{"devconf.6.*.accept_dad", ZH_FACT_NUMBER, "", "duplicate address detection"},
	{"devconf.6.*.dad_transmits", ZH_FACT_NUMBER, "count", "probes of that detection"},
	{"devconf.6.*.forwarding", ZH_FACT_NUMBER, "", "IPv6 forwarding"},
	{"devconf.*", ZH_FACT_UNAVAILABLE, "", "why the devices' settings could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_devconf = {
	.id = "devconf",
	.summary = "IPv4 and IPv6 settings of each device",
	.schema = schema,
	.collect = collect,
};
