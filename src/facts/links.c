/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network devices of the namespace and their counters. Asked for without RTEXT_FILTER_VF: filling
 * in virtual functions holds the kernel's RTNL lock for a millisecond each, and everybody who
 * configures the network waits. In a captured tree /sys/class/net stands in.
 */
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define LINKS_MAX 2048

static const struct {
	uint32_t flag;
	const char *key;
} flags[] = {
	{IFF_UP, "up"},
	{IFF_RUNNING, "running"},
	{IFF_LOWER_UP, "lower_up"},
	{IFF_PROMISC, "promisc"},
	{IFF_NOARP, "noarp"},
	{IFF_LOOPBACK, "loopback"},
};

static const struct {
	int attr;
	const char *key;
} numbers[] = {
	{IFLA_MTU, "mtu"},
	{IFLA_MIN_MTU, "min_mtu"},
	{IFLA_MAX_MTU, "max_mtu"},
	{IFLA_TXQLEN, "txqlen"},
	{IFLA_LINK, "link_ifindex"},
	{IFLA_LINK_NETNSID, "link_netnsid"},
	{IFLA_CARRIER_CHANGES, "carrier_changes"},
	{IFLA_NUM_TX_QUEUES, "tx_queues"},
	{IFLA_NUM_RX_QUEUES, "rx_queues"},
	{IFLA_GSO_MAX_SIZE, "gso_max_bytes"},
	{IFLA_GSO_MAX_SEGS, "gso_max_segs"},
	{IFLA_GRO_MAX_SIZE, "gro_max_bytes"},
	{IFLA_TSO_MAX_SIZE, "tso_max_bytes"},
};

/* In the order of struct rtnl_link_stats64; `file` is its name in sysfs. */
static const struct {
	size_t offset;
	const char *key, *file;
} counters[] = {
	{offsetof(struct rtnl_link_stats64, rx_packets), "rx_pkts", "rx_packets"},
	{offsetof(struct rtnl_link_stats64, tx_packets), "tx_pkts", "tx_packets"},
	{offsetof(struct rtnl_link_stats64, rx_bytes), "rx_bytes", "rx_bytes"},
	{offsetof(struct rtnl_link_stats64, tx_bytes), "tx_bytes", "tx_bytes"},
	{offsetof(struct rtnl_link_stats64, rx_errors), "rx_errors_pkts", "rx_errors"},
	{offsetof(struct rtnl_link_stats64, tx_errors), "tx_errors_pkts", "tx_errors"},
	{offsetof(struct rtnl_link_stats64, rx_dropped), "rx_dropped_pkts", "rx_dropped"},
	{offsetof(struct rtnl_link_stats64, tx_dropped), "tx_dropped_pkts", "tx_dropped"},
	{offsetof(struct rtnl_link_stats64, multicast), "multicast_pkts", "multicast"},
	{offsetof(struct rtnl_link_stats64, collisions), "collisions", "collisions"},
	{offsetof(struct rtnl_link_stats64, rx_over_errors), "rx_over_pkts", "rx_over_errors"},
	{offsetof(struct rtnl_link_stats64, rx_crc_errors), "rx_crc_pkts", "rx_crc_errors"},
	{offsetof(struct rtnl_link_stats64, rx_missed_errors), "rx_missed_pkts",
		"rx_missed_errors"},
	{offsetof(struct rtnl_link_stats64, tx_carrier_errors), "tx_carrier_pkts",
		"tx_carrier_errors"},
	{offsetof(struct rtnl_link_stats64, rx_nohandler), "rx_nohandler_pkts", "rx_nohandler"},
};

static const char *const operstates[] = {
	"UNKNOWN", "NOTPRESENT", "DOWN", "LOWERLAYERDOWN", "TESTING", "DORMANT", "UP"};

static void add_flags(struct zh_fact_set *set, const char *device, uint32_t value)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(flags); i++)
		zh_fact_number(set, (value & flags[i].flag) != 0, "link.%s.flags.%s", device,
			flags[i].key);
}

static void add_stats(struct zh_fact_set *set, const char *device, const struct nlattr *attr)
{
	char stats[sizeof(struct rtnl_link_stats64)];
	uint64_t value;
	size_t len = zh_attr_copy(attr, stats, sizeof(stats)), i;

	for (i = 0; i < ZH_ARRAY_SIZE(counters); i++) {
		if (counters[i].offset + sizeof(value) > len)
			continue;
		memcpy(&value, stats + counters[i].offset, sizeof(value));
		zh_fact_number(set, value, "link.%s.%s", device, counters[i].key);
	}
}

static void add_macvlan(struct zh_fact_set *set, const char *device, const struct nlattr *data)
{
	static const struct {
		uint32_t mode;
		const char *name;
	} modes[] = {{MACVLAN_MODE_PRIVATE, "private"}, {MACVLAN_MODE_VEPA, "vepa"},
		{MACVLAN_MODE_BRIDGE, "bridge"}, {MACVLAN_MODE_PASSTHRU, "passthru"},
		{MACVLAN_MODE_SOURCE, "source"}};
	const struct nlattr *attrs[IFLA_MACVLAN_MAX + 1];
	uint32_t mode;
	size_t i;

	zh_attrs_nested(attrs, IFLA_MACVLAN_MAX, data);
	mode = zh_attr_u32(attrs[IFLA_MACVLAN_MODE], 0);
	for (i = 0; i < ZH_ARRAY_SIZE(modes); i++)
		if (modes[i].mode == mode)
			zh_fact_string(set, modes[i].name, "link.%s.macvlan_mode", device);
}

static void add_vxlan(struct zh_fact_set *set, const char *device, const struct nlattr *data)
{
	const struct nlattr *attrs[IFLA_VXLAN_MAX + 1];

	zh_attrs_nested(attrs, IFLA_VXLAN_MAX, data);
	zh_fact_number(set, zh_attr_u32(attrs[IFLA_VXLAN_ID], 0), "link.%s.vxlan_id", device);
	zh_fact_number(set, zh_attr_be16(attrs[IFLA_VXLAN_PORT], 0), "link.%s.vxlan_port", device);
	zh_fact_number(
		set, zh_attr_u8(attrs[IFLA_VXLAN_UDP_CSUM], 0), "link.%s.vxlan_udp_csum", device);
}

static void add_kind(
	struct zh_fact_set *set, const char *device, const struct nlattr *info, uint16_t hardware)
{
	const struct nlattr *attrs[IFLA_INFO_MAX + 1];
	char kind[32];

	zh_attrs_nested(attrs, IFLA_INFO_MAX, info);
	zh_attr_string(attrs[IFLA_INFO_KIND], kind, sizeof(kind));
	if (!strcmp(kind, "macvlan") || !strcmp(kind, "macvtap"))
		add_macvlan(set, device, attrs[IFLA_INFO_DATA]);
	else if (!strcmp(kind, "vxlan"))
		add_vxlan(set, device, attrs[IFLA_INFO_DATA]);
	if (!kind[0])
		snprintf(kind, sizeof(kind), "%s",
			hardware == ARPHRD_LOOPBACK ? "loopback" : "device");
	zh_fact_string(set, kind, "link.%s.kind", device);
}

static void add_xdp(struct zh_fact_set *set, const char *device, const struct nlattr *xdp)
{
	static const char *const modes[] = {"none", "driver", "generic", "offload", "multi"};
	const struct nlattr *attrs[IFLA_XDP_MAX + 1];
	uint8_t mode;

	zh_attrs_nested(attrs, IFLA_XDP_MAX, xdp);
	mode = zh_attr_u8(attrs[IFLA_XDP_ATTACHED], 0);
	zh_fact_string(
		set, mode < ZH_ARRAY_SIZE(modes) ? modes[mode] : "other", "link.%s.xdp", device);
	if (attrs[IFLA_XDP_PROG_ID])
		zh_fact_number(set, zh_attr_u32(attrs[IFLA_XDP_PROG_ID], 0), "link.%s.xdp_prog_id",
			device);
}

static void add_names(struct zh_fact_set *set, const char *device, const struct nlattr **attrs)
{
	const uint8_t *mac = zh_attr_data(attrs[IFLA_ADDRESS]);
	uint8_t operstate = zh_attr_u8(attrs[IFLA_OPERSTATE], 0);
	char text[64];

	zh_fact_string(set,
		operstate < ZH_ARRAY_SIZE(operstates) ? operstates[operstate] : "UNKNOWN",
		"link.%s.operstate", device);
	zh_fact_string(set, zh_attr_string(attrs[IFLA_QDISC], text, sizeof(text)), "link.%s.qdisc",
		device);
	if (zh_attr_len(attrs[IFLA_ADDRESS]) == 6) {
		snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
			mac[2], mac[3], mac[4], mac[5]);
		zh_fact_string(set, text, "link.%s.address", device);
	}
	if (attrs[IFLA_MASTER])
		zh_fact_string(set, zh_netlink_ifname(text, zh_attr_u32(attrs[IFLA_MASTER], 0)),
			"link.%s.master", device);
	/* With a namespace id the other end is elsewhere, and its number means nothing here. */
	if (attrs[IFLA_LINK] && !attrs[IFLA_LINK_NETNSID] &&
		zh_netlink_ifname(text, zh_attr_u32(attrs[IFLA_LINK], 0))[0])
		zh_fact_string(set, text, "link.%s.link", device);
}

int zh_facts_link_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct ifinfomsg *link = zh_message_header(reply, sizeof(*link));
	const struct nlattr *attrs[IFLA_MAX + 1];
	char name[64], device[ZH_FACTS_NAME_MAX];
	size_t i;

	if (!link || walk->n++ >= LINKS_MAX)
		return 0;
	zh_attrs_of(attrs, IFLA_MAX, reply, sizeof(*link));
	zh_facts_name(
		device, sizeof(device), zh_attr_string(attrs[IFLA_IFNAME], name, sizeof(name)));
	zh_fact_number(walk->set, (uint64_t)(uint32_t)link->ifi_index, "link.%s.ifindex", device);
	add_flags(walk->set, device, link->ifi_flags);
	for (i = 0; i < ZH_ARRAY_SIZE(numbers); i++)
		if (attrs[numbers[i].attr])
			zh_fact_number(walk->set, zh_attr_u32(attrs[numbers[i].attr], 0),
				"link.%s.%s", device, numbers[i].key);
	if (attrs[IFLA_CARRIER])
		zh_fact_number(
			walk->set, zh_attr_u8(attrs[IFLA_CARRIER], 0), "link.%s.carrier", device);
	add_names(walk->set, device, attrs);
	add_kind(walk->set, device, attrs[IFLA_LINKINFO], link->ifi_type);
	add_xdp(walk->set, device, attrs[IFLA_XDP]);
	add_stats(walk->set, device, attrs[IFLA_STATS64]);
	return 0;
}

static const struct zh_facts_file sysfs_files[] = {
	{"mtu", "mtu"},
	{"ifindex", "ifindex"},
	{"iflink", "link_ifindex"},
	{"tx_queue_len", "txqlen"},
	{"carrier", "carrier"},
	{"carrier_changes", "carrier_changes"},
	{"address", "address", ZH_FORM_STRING},
	{NULL},
};

/* The kind, as far as sysfs tells: veth has no type there, but it has a peer's number. */
static const char *sysfs_kind(const char *name, char *buf, size_t size)
{
	uint64_t index = 0, link = 0, hardware = 0;
	char text[256], *cursor = text, *line;

	if (zh_sys_read(text, sizeof(text), "/sys/class/net/%s/uevent", name) > 0)
		while ((line = zh_facts_line(&cursor)))
			if (!strncmp(line, "DEVTYPE=", 8)) {
				snprintf(buf, size, "%s", line + 8);
				return buf;
			}
	zh_sys_read_u64(&hardware, "/sys/class/net/%s/type", name);
	if (hardware == ARPHRD_LOOPBACK)
		return "loopback";
	if (zh_sys_exists("/sys/class/net/%s/bridge", name))
		return "bridge";
	zh_sys_read_u64(&index, "/sys/class/net/%s/ifindex", name);
	zh_sys_read_u64(&link, "/sys/class/net/%s/iflink", name);
	return index != link && !zh_sys_exists("/sys/class/net/%s/device", name) ? "veth"
										 : "device";
}

/* "up" is written UP: netlink's tools show it so. */
static void add_sysfs_names(struct zh_fact_set *set, const char *name, const char *device)
{
	char text[256], *slash;
	size_t i;

	if (zh_sys_read(text, sizeof(text), "/sys/class/net/%s/operstate", name) > 0)
		for (i = 0; i < ZH_ARRAY_SIZE(operstates); i++)
			if (!strcasecmp(text, operstates[i]))
				zh_fact_string(set, operstates[i], "link.%s.operstate", device);
	if (zh_sys_readlink(text, sizeof(text), "/sys/class/net/%s/master", name) > 0) {
		slash = strrchr(text, '/');
		zh_fact_string(set, slash ? slash + 1 : text, "link.%s.master", device);
	}
	zh_fact_string(set, sysfs_kind(name, text, sizeof(text)), "link.%s.kind", device);
}

static int add_sysfs_link(void *arg, const char *name)
{
	struct zh_facts_walk *walk = arg;
	char dir[128], prefix[ZH_FACTS_NAME_MAX + 8], device[ZH_FACTS_NAME_MAX];
	uint64_t value;
	size_t i;

	if (!zh_sys_exists("/sys/class/net/%s/ifindex", name) || walk->n++ >= LINKS_MAX)
		return 0;
	zh_facts_name(device, sizeof(device), name);
	snprintf(dir, sizeof(dir), "/sys/class/net/%s", name);
	snprintf(prefix, sizeof(prefix), "link.%s", device);
	zh_facts_files(walk->set, sysfs_files, dir, prefix);
	if (zh_sys_read_u64(&value, "%s/flags", dir) == 0)
		add_flags(walk->set, device, (uint32_t)value);
	add_sysfs_names(walk->set, name, device);
	for (i = 0; i < ZH_ARRAY_SIZE(counters); i++)
		if (zh_sys_read_u64(&value, "%s/statistics/%s", dir, counters[i].file) == 0)
			zh_fact_number(walk->set, value, "link.%s.%s", device, counters[i].key);
	return 0;
}

static void collect_sysfs(struct zh_fact_set *set)
{
	struct zh_facts_walk walk = {.set = set};
	int r = zh_sys_list(add_sysfs_link, &walk, "/sys/class/net");

	if (r < 0)
		zh_facts_missing(set, r, "/sys/class/net", "link");
	else
		zh_fact_number(set, walk.n, "link.count");
}

static void collect(struct zh_fact_set *set)
{
	struct ifinfomsg all = {.ifi_family = 0};
	struct zh_facts_walk walk = {.set = set};
	zh_autonetlink *nl = NULL;
	struct zh_err err;

	if (zh_sys_is_captured()) {
		collect_sysfs(set);
		return;
	}
	nl = zh_facts_netlink(set, NETLINK_ROUTE, "link");
	if (!nl)
		return;
	if (zh_netlink_dump(nl, RTM_GETLINK, &all, sizeof(all), zh_facts_link_reply, &walk, &err) <
		0) {
		zh_facts_refused(set, &err, "list of devices", "link");
		return;
	}
	zh_fact_number(set, walk.n, "link.count");
	if (walk.n > LINKS_MAX)
		zh_facts_truncated(set, "links", LINKS_MAX, walk.n, "devices");
}

static const struct zh_fact_schema schema[] = {
	{"link.count", ZH_FACT_NUMBER, "count", "devices in this network namespace"},
	{"link.*.ifindex", ZH_FACT_NUMBER, "", "number of the device"},
	{"link.*.kind", ZH_FACT_STRING, "", "loopback, veth, bridge, ...; device: none of its own"},
	{"link.*.flags.up", ZH_FACT_NUMBER, "", "1: switched on"},
	{"link.*.flags.running", ZH_FACT_NUMBER, "", "1: operational"},
	{"link.*.flags.lower_up", ZH_FACT_NUMBER, "", "1: carrier at the layer below"},
	{"link.*.flags.promisc", ZH_FACT_NUMBER, "", "1: takes frames for anybody"},
	{"link.*.flags.noarp", ZH_FACT_NUMBER, "", "1: no address resolution"},
	{"link.*.flags.loopback", ZH_FACT_NUMBER, "", "1: a loopback device"},
	{"link.*.operstate", ZH_FACT_STRING, "", "operational state (RFC 2863)"},
	{"link.*.carrier", ZH_FACT_NUMBER, "", "1: has a carrier"},
	{"link.*.carrier_changes", ZH_FACT_NUMBER, "count", "times that the carrier changed"},
	{"link.*.mtu", ZH_FACT_NUMBER, "bytes", "largest packet"},
	{"link.*.min_mtu", ZH_FACT_NUMBER, "bytes", "smallest MTU that may be set"},
	{"link.*.max_mtu", ZH_FACT_NUMBER, "bytes", "largest MTU that may be set, 0: any"},
	{"link.*.txqlen", ZH_FACT_NUMBER, "pkts", "queue length for qdiscs that use it"},
	{"link.*.qdisc", ZH_FACT_STRING, "", "root qdisc"},
	{"link.*.master", ZH_FACT_STRING, "", "bridge, bond or VRF it belongs to"},
	{"link.*.address", ZH_FACT_STRING, "", "hardware address"},
	{"link.*.link_ifindex", ZH_FACT_NUMBER, "", "number of the veth peer or the device below"},
	{"link.*.link_netnsid", ZH_FACT_NUMBER, "", "namespace of that device, when another"},
	{"link.*.link", ZH_FACT_STRING, "", "name of that device, when in this namespace"},
	{"link.*.rx_queues", ZH_FACT_NUMBER, "count", "receive queues"},
	{"link.*.tx_queues", ZH_FACT_NUMBER, "count", "send queues"},
	{"link.*.gso_max_bytes", ZH_FACT_NUMBER, "bytes", "largest super-packet sent"},
	{"link.*.gso_max_segs", ZH_FACT_NUMBER, "count", "most segments in one"},
	{"link.*.gro_max_bytes", ZH_FACT_NUMBER, "bytes", "largest super-packet received"},
	{"link.*.tso_max_bytes", ZH_FACT_NUMBER, "bytes", "largest the device can cut up"},
	{"link.*.xdp", ZH_FACT_STRING, "", "XDP program: none, driver, generic, offload, multi"},
	{"link.*.xdp_prog_id", ZH_FACT_NUMBER, "", "number of that program"},
	{"link.*.macvlan_mode", ZH_FACT_STRING, "", "private, vepa, bridge, passthru, source"},
	{"link.*.vxlan_id", ZH_FACT_NUMBER, "", "VXLAN network"},
	{"link.*.vxlan_port", ZH_FACT_NUMBER, "", "UDP port of VXLAN"},
	{"link.*.vxlan_udp_csum", ZH_FACT_NUMBER, "", "1: outer UDP has a checksum"},
	{"link.*.rx_pkts", ZH_FACT_NUMBER, "pkts", "received"},
	{"link.*.tx_pkts", ZH_FACT_NUMBER, "pkts", "sent"},
	{"link.*.rx_bytes", ZH_FACT_NUMBER, "bytes", "received"},
	{"link.*.tx_bytes", ZH_FACT_NUMBER, "bytes", "sent"},
	{"link.*.rx_errors_pkts", ZH_FACT_NUMBER, "pkts", "bad on receipt"},
	{"link.*.tx_errors_pkts", ZH_FACT_NUMBER, "pkts", "failed to send"},
	{"link.*.rx_dropped_pkts", ZH_FACT_NUMBER, "pkts", "dropped on receipt"},
	{"link.*.tx_dropped_pkts", ZH_FACT_NUMBER, "pkts", "dropped before sending"},
	{"link.*.multicast_pkts", ZH_FACT_NUMBER, "pkts", "multicast received"},
	{"link.*.collisions", ZH_FACT_NUMBER, "count", "collisions"},
	{"link.*.rx_over_pkts", ZH_FACT_NUMBER, "pkts", "lost: receive ring overrun"},
	{"link.*.rx_crc_pkts", ZH_FACT_NUMBER, "pkts", "lost: bad checksum of the frame"},
	{"link.*.rx_missed_pkts", ZH_FACT_NUMBER, "pkts", "lost: the host was too slow"},
	{"link.*.tx_carrier_pkts", ZH_FACT_NUMBER, "pkts", "lost: no carrier"},
	{"link.*.rx_nohandler_pkts", ZH_FACT_NUMBER, "pkts", "lost: no protocol for them"},
	{"link", ZH_FACT_UNAVAILABLE, "", "why the devices could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_links = {
	.id = "links",
	.summary = "network devices and their counters",
	.schema = schema,
	.collect = collect,
};
