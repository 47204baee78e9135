/* SPDX-License-Identifier: BSD-2-Clause */
/* Loopback, routes, names, firewall, hooks: families 1 to 5 and 7 to 15. */
#include "explain/checks/test-cases.h"

extern const struct zh_check zh_check_loopback_down, zh_check_loopback_address,
	zh_check_loopback_mtu, zh_check_policy_route, zh_check_local_route, zh_check_route_shadow,
	zh_check_subnet_overlap, zh_check_closed_port_silent, zh_check_localhost_name,
	zh_check_hostname_resolution, zh_check_firewall_on_lo, zh_check_invalid_drop_order,
	zh_check_nat_on_lo, zh_check_conntrack_full, zh_check_conntrack_race,
	zh_check_conntrack_invalid, zh_check_br_netfilter, zh_check_rp_filter,
	zh_check_leftover_qdisc, zh_check_virtual_link_qdisc, zh_check_tc_filter_drops,
	zh_check_bpf_on_path, zh_check_nfqueue, zh_check_audit_backlog, zh_check_rule_volume,
	zh_check_serial_console;

#define LO_FINE                                                                                    \
	"link.lo.flags.up 1\nloopback.has_ip4 1\nloopback.ip4_prefix 8\nloopback.has_ip6 1\n"      \
	"link.lo.mtu 65536\ndevconf.6.lo.mtu 65536\ndevconf.6.lo.disable_ipv6 0\n"                 \
	"sysctl.net/ipv6/conf/all/disable_ipv6 0\n"
#define FIB_FINE                                                                                   \
	"fib.4.icmp.type =local\nfib.4.icmp.oif =lo\nfib.4.udp.type =local\n"                      \
	"fib.4.tcp.type =local\nfib.6.icmp.type =local\n"
#define MAIN_ROUTES                                                                                \
	"route.4.0.dst =default\nroute.4.0.table 254\nroute.4.0.oif =eth0\n"                       \
	"route.4.1.dst =10.0.0.0/24\nroute.4.1.table 254\nroute.4.1.oif =eth0\n"                   \
	"route.4.1.scope =link\nroute.4.2.dst =172.17.0.0/16\nroute.4.2.table 254\n"               \
	"route.4.2.oif =docker0\nroute.4.2.scope =link\nlink.docker0.kind =bridge\n"               \
	"link.eth0.kind =device\n"
#define LOCAL_RULE "rule.4.count 2\nrule.4.has_local 1\n"
#define NOTABLE(what, hook)                                                                        \
	"nft.notable.inet:f:c:5.what =" what "\nnft.notable.inet:f:c:5.hook =" hook                \
	"\nnft.notable.inet:f:c:5.chain =inet f c\nnft.notable.inet:f:c:5.text =" what " rule\n"

const struct zh_case zh_cases_path[] = {
	{&zh_check_loopback_down, "down", ZH_SEVERITY_CRITICAL,
		"link.lo.flags.up 0\nlink.lo.operstate =DOWN\naddr.count 2", {.lost = 100}},
	{&zh_check_loopback_down, "up", SILENT, LO_FINE, {}},

	{&zh_check_loopback_address, "none", ZH_SEVERITY_CRITICAL,
		"link.lo.flags.up 1\nloopback.has_ip4 0", {}},
	{&zh_check_loopback_address, "/32", ZH_SEVERITY_LOW,
		"link.lo.flags.up 1\nloopback.has_ip4 1\nloopback.ip4_prefix 32", {}},
	{&zh_check_loopback_address, "no ::1", ZH_SEVERITY_LOW,
		"link.lo.flags.up 1\nloopback.has_ip4 1\nloopback.has_ip6 0\n"
		"devconf.6.lo.disable_ipv6 0\nsysctl.net/ipv6/conf/all/disable_ipv6 0",
		{}},
	{&zh_check_loopback_address, "IPv6 off", SILENT,
		"link.lo.flags.up 1\nloopback.has_ip4 1\nloopback.has_ip6 0\n"
		"devconf.6.lo.disable_ipv6 1\nsysctl.net/ipv6/conf/all/disable_ipv6 1",
		{}},
	{&zh_check_loopback_address, "fine", SILENT, LO_FINE, {}},

	{&zh_check_loopback_mtu, "1200", ZH_SEVERITY_WARNING,
		"link.lo.mtu 1200\ndevconf.6.lo.disable_ipv6 0\n"
		"sysctl.net/ipv6/conf/all/disable_ipv6 0",
		{}},
	{&zh_check_loopback_mtu, "1500", ZH_SEVERITY_LOW, "link.lo.mtu 1500", {}},
	{&zh_check_loopback_mtu, "IPv6 smaller", ZH_SEVERITY_LOW,
		"link.lo.mtu 65536\ndevconf.6.lo.mtu 16000\ndevconf.6.lo.disable_ipv6 0\n"
		"sysctl.net/ipv6/conf/all/disable_ipv6 0",
		{}},
	{&zh_check_loopback_mtu, "fine", SILENT, LO_FINE, {}},

	{&zh_check_policy_route, "blackhole for icmp", ZH_SEVERITY_CRITICAL,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 1\nrule.4.0.pref 50\nrule.4.0.action =blackhole\n"
		"rule.4.0.to =127.0.0.1\nrule.4.0.ipproto 1\nrule.4.0.text =from all blackhole",
		{.lost = 100}},
	{&zh_check_policy_route, "table with a default route", ZH_SEVERITY_CRITICAL,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 1\nrule.4.0.pref 50\nrule.4.0.action =lookup\n"
		"rule.4.0.table 100\nroute.4.0.dst =default\nroute.4.0.table 100",
		{}},
	{&zh_check_policy_route, "one port", ZH_SEVERITY_WARNING,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 1\nrule.4.0.pref 50\nrule.4.0.action =prohibit\n"
		"rule.4.0.dport =53",
		{}},
	{&zh_check_policy_route, "no local rule", ZH_SEVERITY_CRITICAL,
		LO_FINE "rule.4.count 2\nrule.4.has_local 0\nrule.4.ahead_of_local 2", {}},
	{&zh_check_policy_route, "overlay network's marks", ZH_SEVERITY_INFO,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 1\nrule.4.0.pref 9\nrule.4.0.action =lookup\n"
		"rule.4.0.table 2004\nrule.4.0.fwmark 512\nrule.4.0.fwmask 3840\n"
		"route.4.0.dst =default\nroute.4.0.table 2004",
		{}},
	{&zh_check_policy_route, "foreign prefix", ZH_SEVERITY_INFO,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 1\nrule.4.0.pref 9\nrule.4.0.action =lookup\n"
		"rule.4.0.table 100\nrule.4.0.to =10.0.0.0/8\n"
		"route.4.0.dst =default\nroute.4.0.table 100",
		{}},
	{&zh_check_policy_route, "table without a route", ZH_SEVERITY_INFO,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 1\nrule.4.0.pref 9\nrule.4.0.action =lookup\n"
		"rule.4.0.table 100\nroute.4.0.dst =10.1.0.0/16\nroute.4.0.table 100",
		{}},
	{&zh_check_policy_route, "normal", SILENT,
		LO_FINE LOCAL_RULE "rule.4.ahead_of_local 0\nrule.6.has_local 1", {}},

	{&zh_check_local_route, "127.0.0.1 by eth0", ZH_SEVERITY_CRITICAL,
		LO_FINE LOCAL_RULE
		"rule.4.ahead_of_local 0\nfib.4.icmp.type =unicast\nfib.4.icmp.oif =eth0\n"
		"fib.4.icmp.table 254",
		{}},
	{&zh_check_local_route, "own address unreachable", ZH_SEVERITY_WARNING,
		LO_FINE FIB_FINE
		"addr.eth0.0.ip =10.0.0.5\nlink.eth0.flags.up 1\nfib.own.0.ip =10.0.0.5\n"
		"fib.own.0.error =No route to host",
		{}},
	{&zh_check_local_route, "own address of a device that is down", SILENT,
		LO_FINE FIB_FINE
		"addr.eth0.0.ip =10.0.0.5\nlink.eth0.flags.up 0\nfib.own.0.ip =10.0.0.5\n"
		"fib.own.0.type =unicast\nfib.own.0.oif =eth1",
		{}},
	{&zh_check_local_route, "own address in a VRF", SILENT,
		LO_FINE FIB_FINE
		"addr.eth0.0.ip =10.0.0.5\nlink.eth0.flags.up 1\nlink.eth0.master =vrf1\n"
		"link.vrf1.kind =vrf\nfib.own.0.ip =10.0.0.5\nfib.own.0.type =unicast",
		{}},
	{&zh_check_local_route, "IPv6 off", SILENT,
		"link.lo.flags.up 1\nloopback.has_ip4 1\nloopback.has_ip6 0\n"
		"fib.6.icmp.error =Network is unreachable",
		{}},
	{&zh_check_local_route, "fine", SILENT, LO_FINE FIB_FINE, {}},

	{&zh_check_route_shadow, "VPN table has the bridge's prefix", ZH_SEVERITY_WARNING,
		MAIN_ROUTES "rule.4.count 3\nrule.4.0.action =lookup\nrule.4.0.table 255\n"
			    "rule.4.1.action =lookup\nrule.4.1.table 52\nrule.4.1.pref 5270\n"
			    "rule.4.2.action =lookup\nrule.4.2.table 254\n"
			    "route.4.9.dst =172.16.0.0/12\nroute.4.9.table 52",
		{}},
	{&zh_check_route_shadow, "main first, without its default route", SILENT,
		MAIN_ROUTES
		"rule.4.count 3\nrule.4.0.action =lookup\nrule.4.0.table 255\n"
		"rule.4.1.action =lookup\nrule.4.1.table 254\nrule.4.1.suppress_prefix 0\n"
		"rule.4.2.action =lookup\nrule.4.2.table 51820\n"
		"route.4.9.dst =default\nroute.4.9.table 51820",
		{}},
	{&zh_check_route_shadow, "scoped by source", SILENT,
		MAIN_ROUTES "rule.4.count 2\nrule.4.0.action =lookup\nrule.4.0.table 100\n"
			    "rule.4.0.from =10.0.0.5\nrule.4.1.action =lookup\nrule.4.1.table 254\n"
			    "route.4.9.dst =default\nroute.4.9.table 100",
		{}},

	{&zh_check_route_shadow, "it only throws", SILENT,
		MAIN_ROUTES
		"rule.4.count 2\nrule.4.0.action =lookup\nrule.4.0.table 52\n"
		"rule.4.1.action =lookup\nrule.4.1.table 254\n"
		"route.4.9.dst =172.16.0.0/12\nroute.4.9.table 52\nroute.4.9.type =throw",
		{}},
	{&zh_check_route_shadow, "for one DSCP", SILENT,
		MAIN_ROUTES "rule.4.count 2\nrule.4.0.action =lookup\nrule.4.0.table 52\n"
			    "rule.4.0.dscp 0\nrule.4.0.dscp_mask 63\n"
			    "rule.4.1.action =lookup\nrule.4.1.table 254\n"
			    "route.4.9.dst =172.16.0.0/12\nroute.4.9.table 52",
		{}},

	{&zh_check_subnet_overlap, "bridge on the LAN's prefix", ZH_SEVERITY_LOW,
		MAIN_ROUTES
		"route.4.3.dst =172.16.0.0/12\nroute.4.3.table 254\nroute.4.3.oif =eth1\n"
		"route.4.3.scope =link",
		{}},
	{&zh_check_subnet_overlap, "two interfaces in one subnet", SILENT,
		MAIN_ROUTES
		"route.4.3.dst =10.0.0.0/24\nroute.4.3.table 254\nroute.4.3.oif =wlan0\n"
		"route.4.3.scope =link",
		{}},

	{&zh_check_closed_port_silent, "no RST", ZH_SEVERITY_WARNING,
		LO_FINE "closed_port.4.result =timeout\nclosed_port.4.took_ns 200000000", {}},
	{&zh_check_closed_port_silent, "late RST", ZH_SEVERITY_LOW,
		LO_FINE "closed_port.4.result =refused\nclosed_port.4.took_ns 150000000", {}},
	{&zh_check_closed_port_silent, "RST", SILENT,
		LO_FINE "closed_port.4.result =refused\nclosed_port.4.took_ns 60000\n"
			"closed_port.6.result =refused\nclosed_port.6.took_ns 60000",
		{}},

	{&zh_check_localhost_name, "error", ZH_SEVERITY_WARNING,
		"names.localhost.error =no answer within 300 ms\nnames.localhost.took_ns 300000000",
		{}},
	{&zh_check_localhost_name, "asked of DNS", ZH_SEVERITY_LOW,
		"names.localhost.took_ns 40000000\nnames.localhost.ip4 1", {}},
	{&zh_check_localhost_name, "no IPv4", ZH_SEVERITY_LOW,
		"names.localhost.took_ns 400000\nnames.localhost.ip4 0\nnames.localhost.ip6 1", {}},
	{&zh_check_localhost_name, "fine", SILENT,
		"names.localhost.took_ns 400000\nnames.localhost.ip4 1", {}},

	{&zh_check_hostname_resolution, "slow", ZH_SEVERITY_LOW, "names.hostname.took_ns 250000000",
		{}},
	{&zh_check_hostname_resolution, "unknown but quick", ZH_SEVERITY_INFO,
		"names.hostname.took_ns 90000\nnames.hostname.error =Name or service not known",
		{}},
	{&zh_check_hostname_resolution, "fine", SILENT, "names.hostname.took_ns 90000", {}},

	{&zh_check_firewall_on_lo, "counted drop of all probes", ZH_SEVERITY_WARNING,
		NOTABLE("drop", "input") "nft.notable.inet:f:c:5.pkts 5 105", {.lost = 100}},
	{&zh_check_firewall_on_lo, "uncounted drop and loss", ZH_SEVERITY_WARNING,
		NOTABLE("reject", "output"), {.lost = 100}},
	{&zh_check_firewall_on_lo, "uncounted drop and one lost", ZH_SEVERITY_INFO,
		NOTABLE("reject", "output"), {.lost = 1}},
	{&zh_check_firewall_on_lo, "noise from outside", ZH_SEVERITY_LOW,
		NOTABLE("drop", "input") "nft.notable.inet:f:c:5.pkts 5 20", {}},
	{&zh_check_firewall_on_lo, "idle rule", ZH_SEVERITY_INFO,
		NOTABLE("drop", "input") "nft.notable.inet:f:c:5.pkts 5 5", {}},
	{&zh_check_firewall_on_lo, "forward only", SILENT, NOTABLE("policy-drop", "forward"),
		{.lost = 3}},

	{&zh_check_invalid_drop_order, "hits and loss", ZH_SEVERITY_WARNING,
		NOTABLE("invalid-drop", "input") "nft.notable.inet:f:c:5.pkts 5 9", {.lost = 4}},
	{&zh_check_invalid_drop_order, "idle", ZH_SEVERITY_INFO,
		NOTABLE("invalid-drop", "input") "nft.notable.inet:f:c:5.pkts 5 5", {}},
	{&zh_check_invalid_drop_order, "another rule", SILENT, NOTABLE("drop", "input"), {}},

	{&zh_check_nat_on_lo, "hit", ZH_SEVERITY_LOW,
		NOTABLE("redirect", "output") "nft.notable.inet:f:c:5.pkts 5 6", {}},
	{&zh_check_nat_on_lo, "idle", ZH_SEVERITY_INFO, NOTABLE("masquerade", "postrouting"), {}},
	{&zh_check_nat_on_lo, "filter only", SILENT, NOTABLE("drop", "input"), {}},

	{&zh_check_conntrack_full, "drops and loss", ZH_SEVERITY_CRITICAL,
		"conntrack.count 64\nconntrack.max 64\nconntrack.stat.drop 3 20", {.lost = 9}},
	{&zh_check_conntrack_full, "evictions", ZH_SEVERITY_WARNING,
		"conntrack.count 60\nconntrack.max 64\nconntrack.stat.early_drop 3 20", {}},
	{&zh_check_conntrack_full, "log line of another namespace", ZH_SEVERITY_LOW,
		"conntrack.count 1\nconntrack.max 100\nkmsg.conntrack_full.count 0 1", {}},
	{&zh_check_conntrack_full, "85 %", ZH_SEVERITY_LOW, "conntrack.count 85\nconntrack.max 100",
		{}},
	{&zh_check_conntrack_full, "old drops", SILENT,
		"conntrack.count 10\nconntrack.max 100\nconntrack.stat.drop 300", {}},
	{&zh_check_conntrack_full, "drops of failed insertions", SILENT,
		"conntrack.count 10\nconntrack.max 100\nconntrack.stat.drop 0 4\n"
		"conntrack.stat.insert_failed 0 4",
		{}},

	{&zh_check_conntrack_race, "a few", ZH_SEVERITY_LOW,
		"conntrack.stat.insert_failed 7 9\nconntrack.stat.clash_resolve 1 5", {}},
	{&zh_check_conntrack_race, "with loss", ZH_SEVERITY_WARNING,
		"conntrack.stat.insert_failed 7 9", {.lost = 2}},
	{&zh_check_conntrack_race, "healed clashes", SILENT,
		"conntrack.stat.insert_failed 7\nconntrack.stat.clash_resolve 1 50", {}},

	{&zh_check_conntrack_invalid, "with resets", ZH_SEVERITY_LOW,
		"conntrack.stat.invalid 0 40\nsnmp.Tcp.EstabResets 0 3\nsnmp.Tcp.OutRsts 0 9", {}},
	{&zh_check_conntrack_invalid, "few", SILENT, "conntrack.stat.invalid 0 4", {}},

	{&zh_check_br_netfilter, "loss across the bridge", ZH_SEVERITY_WARNING,
		"sysctl.net/bridge/bridge-nf-call-iptables 1\nnft.chain.3.hook =forward\n"
		"nft.chain.3.policy =drop\nnft.chain.3.family =ip\nnft.chain.3.table =filter\n"
		"nft.chain.3.name =FORWARD\nbridge.br0.ports 2",
		{.target = "10.0.0.2", .lost = 100}},
	{&zh_check_br_netfilter, "an ordinary container host", ZH_SEVERITY_INFO,
		"sysctl.net/bridge/bridge-nf-call-iptables 1\nnft.chain.3.hook =forward\n"
		"nft.chain.3.policy =drop\nbridge.docker0.ports 4",
		{}},
	{&zh_check_br_netfilter, "policy accept", SILENT,
		"sysctl.net/bridge/bridge-nf-call-iptables 1\nnft.chain.3.hook =forward\n"
		"nft.chain.3.policy =accept\nbridge.docker0.ports 4",
		{.lost = 3}},

	{&zh_check_rp_filter, "loss", ZH_SEVERITY_WARNING,
		"netstat.TcpExt.IPReversePathFilter 4 5\ndevconf.4.eth0.rp_filter_effective 1",
		{.target = "10.0.0.2", .lost = 1}},
	{&zh_check_rp_filter, "one packet of somebody", ZH_SEVERITY_LOW,
		"netstat.TcpExt.IPReversePathFilter 4 5", {}},
	{&zh_check_rp_filter, "strict and quiet", SILENT,
		"netstat.TcpExt.IPReversePathFilter 400\ndevconf.4.eth0.rp_filter_effective 1", {}},

	{&zh_check_leftover_qdisc, "tbf on lo", ZH_SEVERITY_WARNING,
		"qdisc.lo.root =tbf\nqdisc.lo.0.kind =tbf\nqdisc.lo.0.overlimits 0 10\n"
		"qdisc.lo.0.drops_pkts 0\nqdisc.lo.0.rate_bytes 2000",
		{}},
	{&zh_check_leftover_qdisc, "a plain queue", ZH_SEVERITY_LOW,
		"qdisc.lo.root =pfifo_fast\nqdisc.lo.0.kind =pfifo_fast\nqdisc.lo.1.kind =clsact\n"
		"qdisc.lo.1.drops_pkts 0 43\nqdisc.lo.0.overlimits 0\nqdisc.lo.0.drops_pkts 0",
		{}},
	{&zh_check_leftover_qdisc, "noqueue", SILENT, "qdisc.lo.root =noqueue", {}},

	{&zh_check_virtual_link_qdisc, "drops", ZH_SEVERITY_WARNING,
		"qdisc.veth1.root =tbf\nqdisc.veth1.0.kind =tbf\nqdisc.veth1.0.parent =root\nlink.veth1.kind =veth\nqdisc.veth1.0.drops_pkts 0 7",
		{}},
	{&zh_check_virtual_link_qdisc, "a limit that is not met", ZH_SEVERITY_LOW,
		"qdisc.veth1.root =htb\nqdisc.veth1.0.kind =htb\nlink.veth1.kind =veth\nqdisc.veth1.0.drops_pkts 7",
		{}},
	{&zh_check_virtual_link_qdisc, "fq_codel and a NIC's htb", SILENT,
		"qdisc.veth1.root =fq_codel\nlink.veth1.kind =veth\nqdisc.eth0.root =htb\n"
		"link.eth0.kind =device",
		{}},

	{&zh_check_tc_filter_drops, "drops in clsact", ZH_SEVERITY_WARNING,
		"link.lo.kind =loopback\nqdisc.lo.1.kind =clsact\nqdisc.lo.1.drops_pkts 2 12\n"
		"filter.lo.count 1",
		{.lost = 10}},
	{&zh_check_tc_filter_drops, "a policy on a pod's link", ZH_SEVERITY_LOW,
		"link.lxc1.kind =veth\nqdisc.lxc1.0.kind =clsact\nqdisc.lxc1.0.drops_pkts 2 12",
		{}},
	{&zh_check_tc_filter_drops, "old drops", SILENT,
		"link.lo.kind =loopback\nqdisc.lo.1.kind =clsact\nqdisc.lo.1.drops_pkts 12", {}},

	{&zh_check_bpf_on_path, "a slow program", ZH_SEVERITY_WARNING,
		"bpf.prog.7.type =sched_cls\nbpf.prog.7.name =burn\nbpf.prog.7.run_cnt 10 60\n"
		"bpf.prog.7.run_time_ns 1000 250001000\nfilter.lo.count 1\nfilter.lo.0.bpf_id 7",
		{}},
	{&zh_check_bpf_on_path, "a slow program elsewhere", ZH_SEVERITY_LOW,
		"bpf.prog.7.type =sched_cls\nbpf.prog.7.name =burn\nbpf.prog.7.run_cnt 10 60\n"
		"bpf.prog.7.run_time_ns 1000 250001000\nfilter.lo.count 0",
		{}},
	{&zh_check_bpf_on_path, "a filter on lo", ZH_SEVERITY_INFO,
		"filter.lo.count 1\nfilter.lo.0.kind =bpf\nlink.lo.xdp =none", {}},
	{&zh_check_bpf_on_path, "a quick one, and a slow tracer", SILENT,
		"bpf.prog.7.type =cgroup_skb\nbpf.prog.7.run_cnt 0 1000\n"
		"bpf.prog.7.run_time_ns 0 200000\nbpf.prog.8.type =tracing\n"
		"bpf.prog.8.run_cnt 0 1000\nbpf.prog.8.run_time_ns 0 900000000\nlink.lo.xdp =none",
		{}},

	{&zh_check_nfqueue, "no listener", ZH_SEVERITY_WARNING,
		NOTABLE("queue", "output") "nfqueue.count 0", {.lost = 100}},
	{&zh_check_nfqueue, "a slow reader", ZH_SEVERITY_WARNING,
		"nfqueue.count 1\nnfqueue.7.dropped_pkts 0 5\nnfqueue.7.depth_pkts 0", {}},
	{&zh_check_nfqueue, "a reader that keeps up", ZH_SEVERITY_INFO,
		NOTABLE("queue", "output") "nfqueue.count 1\nnfqueue.7.depth_pkts 1", {}},
	{&zh_check_nfqueue, "none", SILENT, "nfqueue.count 0", {}},

	{&zh_check_audit_backlog, "calls waited", ZH_SEVERITY_WARNING,
		"audit.enabled 1\naudit.backlog 64\naudit.backlog_limit 64\n"
		"audit.backlog_wait_actual 0 500\naudit.backlog_wait_time 15000",
		{}},
	{&zh_check_audit_backlog, "records lost", ZH_SEVERITY_LOW,
		"audit.enabled 1\naudit.backlog 1\naudit.backlog_limit 64\naudit.lost 3 4", {}},
	{&zh_check_audit_backlog, "audit off", SILENT,
		"audit.enabled 0\naudit.backlog 64\naudit.backlog_limit 64", {}},
	{&zh_check_audit_backlog, "fine", SILENT,
		"audit.enabled 1\naudit.backlog 2\naudit.backlog_limit 8192\naudit.lost 9", {}},

	{&zh_check_rule_volume, "20 000 rules, slower than the clean room", ZH_SEVERITY_WARNING,
		"nft.hook.output.rules 20000", {.near_us = 300, .clean_us = 20}},
	{&zh_check_rule_volume, "20 000 rules, as fast", ZH_SEVERITY_LOW,
		"nft.hook.output.rules 20000", {.near_us = 22, .clean_us = 20}},
	{&zh_check_rule_volume, "a container host's rules", SILENT,
		"nft.hook.output.rules 40\nnft.hook.prerouting.rules 60",
		{.near_us = 60, .clean_us = 20}},

	{&zh_check_serial_console, "packets logged to it", ZH_SEVERITY_WARNING,
		"console.serial 1\nconsole.active =ttyS0\nsysctl.kernel/printk.console 7\n" NOTABLE(
			"log", "input") "nft.notable.inet:f:c:5.pkts 0 100",
		{}},
	{&zh_check_serial_console, "martians would be logged", ZH_SEVERITY_INFO,
		"console.serial 1\nsysctl.kernel/printk.console 7\ndevconf.4.all.log_martians 1",
		{}},
	{&zh_check_serial_console, "martians are logged", ZH_SEVERITY_WARNING,
		"console.serial 1\nsysctl.kernel/printk.console 7\nkmsg.martian.count 0 90", {}},
	{&zh_check_serial_console, "quiet", SILENT,
		"console.serial 1\nsysctl.kernel/printk.console 4\n" NOTABLE(
			"log", "input") "nft.notable.inet:f:c:5.pkts 0 100",
		{}},
	{&zh_check_serial_console, "a virtual machine", SILENT,
		"console.serial 1\nsysctl.kernel/printk.console 7\ndevconf.4.all.log_martians 0\n"
		"kmsg.martian.count 300",
		{}},
	{},
};
