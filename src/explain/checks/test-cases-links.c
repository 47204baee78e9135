/* SPDX-License-Identifier: BSD-2-Clause */
/* Bridges, neighbours and virtual links: family 25. */
#include "explain/checks/test-cases.h"

extern const struct zh_check zh_check_bridge_hairpin, zh_check_bridge_stp, zh_check_bridge_snooping,
	zh_check_neigh_overflow, zh_check_neigh_failed, zh_check_ipv6_dad, zh_check_macvlan_parent,
	zh_check_mtu_mismatch, zh_check_checksum_errors, zh_check_ip_discards,
	zh_check_duplicate_replies;

#define NAT_BRIDGE "brport.veth1.hairpin 0\nsysctl.net/bridge/bridge-nf-call-iptables 1\nnft.ct 3\n"
#define PAIR                                                                                       \
	"link.va.kind =veth\nlink.vb.kind =veth\nlink.va.link =vb\nlink.vb.link =va\n"             \
	"link.va.mtu 1500\n"

const struct zh_case zh_cases_links[] = {
	{&zh_check_bridge_hairpin, "loss to an own service", ZH_SEVERITY_LOW, NAT_BRIDGE,
		{.target = "10.96.0.1", .lost = 100}},
	{&zh_check_bridge_hairpin, "the default", SILENT, NAT_BRIDGE, {.target = "10.96.0.1"}},
	{&zh_check_bridge_hairpin, "loss on lo", SILENT, NAT_BRIDGE, {.lost = 100}},

	{&zh_check_bridge_stp, "listening", ZH_SEVERITY_WARNING,
		"brport.veth1.state =listening\nbrport.veth1.bridge =br0\nbridge.br0.stp_state 1\n"
		"bridge.br0.forward_delay_ns 15000000000",
		{}},
	{&zh_check_bridge_stp, "blocking", ZH_SEVERITY_LOW,
		"brport.veth1.state =blocking\nbrport.veth1.bridge =br0", {}},
	{&zh_check_bridge_stp, "forwarding", SILENT,
		"brport.veth1.state =forwarding\nbrport.veth2.state =disabled\n"
		"bridge.br0.stp_state 1",
		{}},

	{&zh_check_bridge_snooping, "neighbours fail", ZH_SEVERITY_LOW,
		"bridge.br0.multicast_snooping 1\nbridge.br0.multicast_querier 0\n"
		"bridge.br0.ports 3\nneigh.6.state.failed 2\nneigh.ndisc_cache.res_failed 1 5",
		{}},
	{&zh_check_bridge_snooping, "the default", SILENT,
		"bridge.br0.multicast_snooping 1\nbridge.br0.multicast_querier 0\n"
		"bridge.br0.ports 3\nneigh.6.state.failed 0\nneigh.ndisc_cache.res_failed 5",
		{}},

	{&zh_check_neigh_overflow, "full", ZH_SEVERITY_WARNING,
		"neigh.arp_cache.table_fulls 0 3\nneigh.ndisc_cache.table_fulls 0", {}},
	{&zh_check_neigh_overflow, "95 %", ZH_SEVERITY_LOW,
		"neigh.arp_cache.entries 980\nsysctl.net/ipv4/neigh/default/gc_thresh3 1024", {}},
	{&zh_check_neigh_overflow, "long ago", SILENT,
		"neigh.arp_cache.table_fulls 3\nneigh.arp_cache.entries 9\n"
		"sysctl.net/ipv4/neigh/default/gc_thresh3 1024",
		{}},

	{&zh_check_neigh_failed, "failed", ZH_SEVERITY_WARNING,
		"neigh.0.ip =10.0.0.2\nneigh.0.state =failed\nneigh.0.dev =veth0",
		{.target = "udp:10.0.0.2:7000", .transport = ZH_TRANSPORT_UDP, .lost = 100}},
	{&zh_check_neigh_failed, "reachable and lossy", ZH_SEVERITY_LOW,
		"neigh.0.ip =fd00::2\nneigh.0.state =reachable\nneigh.0.lladdr =02:00:00:00:00:01",
		{.target = "fd00::2", .lost = 5}},
	{&zh_check_neigh_failed, "another one failed", SILENT,
		"neigh.0.ip =10.0.0.3\nneigh.0.state =failed", {.target = "10.0.0.2", .lost = 5}},
	{&zh_check_neigh_failed, "no loss", SILENT, "neigh.0.ip =10.0.0.2\nneigh.0.state =stale",
		{.target = "10.0.0.2"}},

	{&zh_check_ipv6_dad, "failed", ZH_SEVERITY_WARNING,
		"addr.veth0.1.ip =fd00::1\naddr.veth0.1.dadfailed 1\naddr.veth0.1.tentative 1", {}},
	{&zh_check_ipv6_dad, "tentative", ZH_SEVERITY_LOW,
		"addr.veth0.1.ip =fd00::1\naddr.veth0.1.dadfailed 0\naddr.veth0.1.tentative 1", {}},
	{&zh_check_ipv6_dad, "fine", SILENT,
		"addr.veth0.1.ip =fd00::1\naddr.veth0.1.dadfailed 0\naddr.veth0.1.tentative 0", {}},

	{&zh_check_macvlan_parent, "in a pod", ZH_SEVERITY_INFO,
		"link.net1.kind =macvlan\nlink.net1.macvlan_mode =bridge\n"
		"link.net1.link_ifindex 2",
		{}},
	{&zh_check_macvlan_parent, "host loses", ZH_SEVERITY_LOW,
		"link.mv0.kind =macvlan\nlink.mv0.link =eth0\nlink.mv0.link_ifindex 2",
		{.target = "10.0.0.9", .lost = 100}},
	{&zh_check_macvlan_parent, "host shim", SILENT,
		"link.mv0.kind =macvlan\nlink.mv0.link =eth0\nlink.mv0.link_ifindex 2",
		{.target = "10.0.0.9"}},

	{&zh_check_mtu_mismatch, "veth pair", ZH_SEVERITY_LOW, PAIR "link.vb.mtu 1400", {}},
	{&zh_check_mtu_mismatch, "reassembly fails", ZH_SEVERITY_LOW, "snmp.Ip.ReasmFails 0 3", {}},
	{&zh_check_mtu_mismatch, "same", SILENT, PAIR "link.vb.mtu 1500\nsnmp.Ip.ReasmFails 3", {}},

	{&zh_check_checksum_errors, "vxlan", ZH_SEVERITY_WARNING,
		"snmp.Udp.InCsumErrors 0 20\nlink.flannel/1.kind =vxlan\n"
		"offload.flannel/1.tx-checksum-ip-generic 1",
		{}},
	{&zh_check_checksum_errors, "one", ZH_SEVERITY_LOW, "snmp.Tcp.InCsumErrors 3 4", {}},
	{&zh_check_checksum_errors, "old ones", SILENT, "snmp.Udp.InCsumErrors 20", {}},

	{&zh_check_ip_discards, "no route and loss", ZH_SEVERITY_WARNING,
		"snmp.Ip.OutNoRoutes 0 100", {.lost = 100}},
	{&zh_check_ip_discards, "discards", ZH_SEVERITY_LOW, "snmp.Ip.OutDiscards 0 2", {}},
	{&zh_check_ip_discards, "IPv6 background", SILENT,
		"snmp6.Ip6OutNoRoutes 0 90\nsnmp.Ip.OutDiscards 7", {}},

	{&zh_check_duplicate_replies, "many", ZH_SEVERITY_WARNING, "",
		{.marked = 30, .marked_flags = ZH_SAMPLE_DUPLICATE}},
	{&zh_check_duplicate_replies, "one", ZH_SEVERITY_LOW, "",
		{.marked = 1, .marked_flags = ZH_SAMPLE_DUPLICATE}},
	{&zh_check_duplicate_replies, "late only", SILENT, "",
		{.marked = 1, .marked_flags = ZH_SAMPLE_LATE}},
	{},
};
