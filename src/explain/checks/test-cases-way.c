/* SPDX-License-Identifier: BSD-2-Clause */
/* What a path run finds: decision, proof, names. */
#include "explain/checks/test-cases.h"

extern const struct zh_check zh_check_path_diverted, zh_check_path_no_route, zh_check_path_dropped,
	zh_check_path_asymmetric, zh_check_path_name_elsewhere, zh_check_path_unanswered,
	zh_check_path_stray, zh_check_closed_port_silent;

#define TO(address, transport)                                                                     \
	"path.target =" address "\npath.transport =" transport "\npath.way.0.address =" address "\n"
#define PLAIN_LOCAL "path.way.0.decision.plain.dev =lo\npath.way.0.decision.plain.type =local\n"
#define LOCAL PLAIN_LOCAL "path.way.0.decision.dev =lo\npath.way.0.decision.type =local\n"
#define SENT(n, answered, refused)                                                                 \
	"path.way.0.proof.sent " #n "\npath.way.0.proof.answered " #answered                       \
	"\npath.way.0.proof.refused " #refused "\n"
#define LOST(n, why)                                                                               \
	"path.way.0.proof.lost.0.packets " #n "\npath.way.0.proof.lost.0.leg =request\n"           \
	"path.way.0.proof.lost.0.place 0\npath.way.0.proof.lost.0.hop 3\n"                         \
	"path.way.0.hop.3.kind =netfilter\npath.way.0.hop.3.hook =input\n" why
#define REASON(name) "path.way.0.proof.lost.0.reason =" name "\n"
#define REFUSED_BY_RULE                                                                            \
	"path.way.0.decision.error =Invalid argument\npath.way.0.decision.rule.pref 100\n"         \
	"path.way.0.decision.rule.text =from all ipproto udp blackhole\n"                          \
	"path.way.0.decision.plain.error =Invalid argument\n"
#define TAKEN_AWAY(on_lo)                                                                          \
	"path.way.0.proof.dev.0.lo.requests " #on_lo                                               \
	"\npath.way.0.proof.stray.0.dev =eth0\npath.way.0.proof.stray.0.place 0\n"                 \
	"path.way.0.proof.stray.0.packets 12\n"
#define NAT(dev)                                                                                   \
	"path.way.0.nat.0.hook =output\npath.way.0.nat.0.side =target\n"                           \
	"path.way.0.nat.0.was =10.9.0.1\npath.way.0.nat.0.becomes =10.0.0.5\n"                     \
	"path.way.0.hop.0.kind =socket\npath.way.0.hop.1.kind =device\npath.way.0.hop.1.dev =" dev \
	"\n"
#define BACK                                                                                       \
	"path.place.1.name =netns b1\npath.way.0.reply.place 1\npath.way.0.hop.0.place 0\n"        \
	"path.way.0.hop.0.kind =device\npath.way.0.hop.0.dev =va\npath.way.0.hop.1.place 1\n"      \
	"path.way.0.hop.1.kind =device\npath.way.0.hop.1.dev =vb\n"
#define SECOND(address, error)                                                                     \
	"path.way.1.address =" address "\npath.way.1.decision.type =local\n" error

const struct zh_case zh_cases_way[] = {
	{&zh_check_path_diverted, "a rule for ICMP blackholes", ZH_SEVERITY_CRITICAL,
		TO("127.0.0.1", "icmp") PLAIN_LOCAL
		"path.way.0.decision.error =Invalid argument\n"
		"path.way.0.decision.rule.pref 100\n"
		"path.way.0.decision.rule.text =from all ipproto icmp blackhole\n",
		{}},
	{&zh_check_path_diverted, "127.0.0.1 by eth0, asked either way", ZH_SEVERITY_CRITICAL,
		TO("127.0.0.1",
			"udp") "path.way.0.decision.dev =eth0\npath.way.0.decision.type =unicast\n"
			       "path.way.0.decision.plain.dev =eth0\npath.way.0.decision.plain.type =unicast\n",
		{}},
	{&zh_check_path_diverted, "a foreign address by a rule for a user", ZH_SEVERITY_LOW,
		TO("10.9.0.1",
			"tcp") "path.way.0.decision.dev =wg0\npath.way.0.decision.type =unicast\n"
			       "path.way.0.decision.plain.dev =eth0\npath.way.0.decision.plain.type =unicast\n",
		{}},
	{&zh_check_path_diverted, "a foreign address refused to one protocol", ZH_SEVERITY_WARNING,
		TO("10.9.0.1",
			"tcp") "path.way.0.decision.error =Permission denied\n"
			       "path.way.0.decision.plain.dev =eth0\npath.way.0.decision.plain.type =unicast\n",
		{}},
	{&zh_check_path_diverted, "a rule for UDP, as which the plain question counts",
		ZH_SEVERITY_CRITICAL, TO("127.0.0.1", "udp") "link.lo.flags.up 1\n" REFUSED_BY_RULE,
		{}},
	{&zh_check_path_diverted, "an own address by a card, asked either way",
		ZH_SEVERITY_CRITICAL,
		TO("10.9.0.1",
			"udp") "addr.eth0.0.ip =10.9.0.1\nlink.eth0.flags.up 1\npath.way.0.decision.dev =eth1\n"
			       "path.way.0.decision.type =unicast\npath.way.0.decision.plain.dev =eth1\n"
			       "path.way.0.decision.plain.type =unicast\n",
		{}},
	{&zh_check_path_diverted, "lo is down", SILENT,
		TO("127.0.0.1", "udp") "link.lo.flags.up 0\n" REFUSED_BY_RULE, {}},
	{&zh_check_path_diverted, "an own address that NAT sends elsewhere", ZH_SEVERITY_WARNING,
		TO("10.1.0.1", "tcp") LOCAL SENT(12, 12, 0) NAT("eth0"), {}},
	{&zh_check_path_diverted, "a service's address that NAT sends to lo", ZH_SEVERITY_LOW,
		TO("10.9.0.1",
			"tcp") "path.way.0.decision.dev =eth0\npath.way.0.decision.type =unicast\n"
			       "path.way.0.decision.plain.dev =eth0\npath.way.0.decision.plain.type =unicast\n" NAT(
				       "lo"),
		{}},
	{&zh_check_path_diverted, "NAT, by the device that was decided on", SILENT,
		TO("10.1.0.1", "tcp") LOCAL SENT(12, 12, 0) NAT("lo"), {}},
	{&zh_check_path_diverted, "taken away by NAT", ZH_SEVERITY_WARNING,
		TO("10.9.0.1", "udp") LOCAL SENT(12, 12, 0) TAKEN_AWAY(0), {}},
	{&zh_check_path_diverted, "copied to another device", SILENT,
		TO("10.9.0.1", "udp") LOCAL SENT(12, 12, 0) TAKEN_AWAY(12), {}},
	{&zh_check_path_stray, "taken away by NAT", SILENT,
		TO("10.9.0.1", "udp") LOCAL SENT(12, 12, 0) TAKEN_AWAY(0), {}},
	{&zh_check_path_no_route, "refused by a rule", SILENT,
		TO("127.0.0.1", "udp") "link.lo.flags.up 1\n" REFUSED_BY_RULE, {}},
	{&zh_check_path_diverted, "local", SILENT, TO("127.0.0.1", "icmp") LOCAL, {}},
	{&zh_check_path_diverted, "no route at all", SILENT,
		TO("127.0.0.1", "icmp") "path.way.0.decision.error =Network is unreachable\n"
					"path.way.0.decision.plain.error =Network is unreachable\n",
		{}},
	{&zh_check_path_diverted, "a neighbour", SILENT,
		TO("10.9.0.1",
			"icmp") "path.way.0.decision.dev =eth0\npath.way.0.decision.type =unicast\n"
				"path.way.0.decision.plain.dev =eth0\npath.way.0.decision.plain.type =unicast\n",
		{}},

	{&zh_check_path_no_route, "loopback", ZH_SEVERITY_CRITICAL,
		TO("::1",
			"icmp") "path.way.0.decision.error =Network is unreachable\n"
				"path.way.0.decision.plain.error =Network is unreachable\nlink.lo.flags.up 0\n",
		{}},
	{&zh_check_path_no_route, "elsewhere", ZH_SEVERITY_WARNING,
		TO("10.9.0.1", "icmp") "path.way.0.decision.error =Network is unreachable\n"
				       "path.way.0.decision.plain.error =Network is unreachable\n",
		{}},
	{&zh_check_path_no_route, "refused to this flow only", SILENT,
		TO("127.0.0.1", "icmp") PLAIN_LOCAL "path.way.0.decision.error =Invalid argument\n",
		{}},
	{&zh_check_path_no_route, "there is one", SILENT, TO("127.0.0.1", "icmp") LOCAL, {}},

	{&zh_check_path_dropped, "all by a rule", ZH_SEVERITY_CRITICAL,
		TO("127.0.0.1", "icmp") LOCAL SENT(12, 0, 0) LOST(12, REASON("NETFILTER_DROP")),
		{}},
	{&zh_check_path_dropped, "some, and nobody knows why", ZH_SEVERITY_WARNING,
		TO("127.0.0.1", "icmp") LOCAL SENT(12, 9, 0) LOST(3, ""), {}},
	{&zh_check_path_dropped, "no socket is no drop", SILENT,
		TO("127.0.0.1", "udp") LOCAL SENT(12, 0, 12) LOST(12, REASON("NO_SOCKET")), {}},
	{&zh_check_path_dropped, "none", SILENT, TO("127.0.0.1", "icmp") LOCAL SENT(12, 12, 0), {}},

	{&zh_check_path_asymmetric, "::1 has no route", ZH_SEVERITY_WARNING,
		TO("127.0.0.1", "icmp") LOCAL SENT(12, 12, 0)
			SECOND("::1", "path.way.1.decision.error =Network is unreachable\n"),
		{}},
	{&zh_check_path_asymmetric, "a service on one family", ZH_SEVERITY_WARNING,
		TO("::1", "tcp") LOCAL SENT(12, 0, 12) SECOND(
			"127.0.0.1", "path.way.1.proof.sent 12\npath.way.1.proof.answered 12\n"),
		{}},
	{&zh_check_path_asymmetric, "replies by another device", ZH_SEVERITY_WARNING,
		TO("10.9.0.1", "icmp") SENT(12, 12,
			0) "path.way.0.proof.dev.0.veth1.requests 12\npath.way.0.proof.dev.0.veth1.replies 0\n"
			   "path.way.0.proof.dev.0.veth2.requests 0\npath.way.0.proof.dev.0.veth2.replies 12\n",
		{}},
	{&zh_check_path_asymmetric, "no way back", ZH_SEVERITY_WARNING,
		TO("10.9.0.2", "icmp") "path.way.0.reply.place 1\n"
				       "path.way.0.reply.error =Network is unreachable\n",
		{}},
	{&zh_check_path_asymmetric, "back by another device", ZH_SEVERITY_WARNING,
		TO("10.9.0.2", "icmp") BACK "path.way.0.reply.dev =vc\n", {}},
	{&zh_check_path_asymmetric, "back by the same device", SILENT,
		TO("10.9.0.2", "icmp") BACK "path.way.0.reply.dev =vb\n", {}},
	{&zh_check_path_asymmetric, "back by the bridge of the port", SILENT,
		TO("10.9.0.2", "icmp") BACK
		"path.way.0.hop.2.place 1\npath.way.0.hop.2.kind =bridge\n"
		"path.way.0.hop.2.dev =br0\npath.way.0.reply.dev =br0\n",
		{}},
	{&zh_check_path_asymmetric, "both work", SILENT,
		TO("127.0.0.1", "icmp") LOCAL SENT(12, 12, 0)
			SECOND("::1", "path.way.1.proof.sent 12\npath.way.1.proof.answered 12\n"),
		{}},
	{&zh_check_path_asymmetric, "neither works", SILENT,
		TO("127.0.0.1", "tcp") LOCAL SENT(12, 0, 12)
			SECOND("::1", "path.way.1.proof.sent 12\npath.way.1.proof.refused 12\n"),
		{}},
	{&zh_check_path_asymmetric, "nothing was sent", SILENT,
		TO("127.0.0.1", "icmp") LOCAL SECOND("::1", ""), {}},
	{&zh_check_path_asymmetric, "replies got lost", SILENT,
		TO("10.9.0.1", "icmp") SENT(12, 0,
			0) "path.way.0.proof.dev.0.veth1.requests 12\npath.way.0.proof.dev.0.veth1.replies 0\n"
			   "path.way.0.proof.dev.0.lo.requests 0\npath.way.0.proof.dev.0.lo.replies 0\n",
		{}},

	{&zh_check_path_name_elsewhere, "localhost is a LAN address", ZH_SEVERITY_CRITICAL,
		TO("192.168.1.7",
			"icmp") "path.name.asked =localhost\npath.name.took_ns 90000\npath.name.0.ip =192.168.1.7\n",
		{}},
	{&zh_check_path_name_elsewhere, "slow localhost", ZH_SEVERITY_WARNING,
		TO("127.0.0.1",
			"icmp") "path.name.asked =localhost\npath.name.took_ns 900000000\npath.name.0.ip =127.0.0.1\n",
		{}},
	{&zh_check_path_name_elsewhere, "one family of two", ZH_SEVERITY_LOW,
		TO("127.0.0.1",
			"icmp") "path.name.asked =localhost\npath.name.took_ns 90000\npath.name.0.ip =127.0.0.1\n"
				"names.localhost.ip4 1\nnames.localhost.ip6 0\nloopback.has_ip6 1\n",
		{}},
	{&zh_check_path_name_elsewhere, "one family of one", SILENT,
		TO("127.0.0.1",
			"icmp") "path.name.asked =localhost\npath.name.took_ns 90000\npath.name.0.ip =127.0.0.1\n"
				"names.localhost.ip4 1\nnames.localhost.ip6 0\nloopback.has_ip6 0\n",
		{}},
	{&zh_check_path_name_elsewhere, "another host's name", SILENT,
		TO("10.9.0.1",
			"icmp") "path.name.asked =db.example\npath.name.took_ns 40000000\npath.name.0.ip =10.9.0.1\n",
		{}},

	{&zh_check_path_unanswered, "silence", ZH_SEVERITY_WARNING,
		TO("127.0.0.1", "tcp") LOCAL SENT(12, 0, 0), {}},
	{&zh_check_path_unanswered, "somebody's UDP port", ZH_SEVERITY_LOW,
		TO("127.0.0.1", "udp") LOCAL SENT(12, 0, 0), {}},
	{&zh_check_path_unanswered, "refused", ZH_SEVERITY_INFO,
		TO("127.0.0.1", "tcp") LOCAL SENT(12, 0, 12), {}},
	{&zh_check_path_unanswered, "refused after the drop of NO_SOCKET", ZH_SEVERITY_INFO,
		TO("127.0.0.1", "udp") LOCAL SENT(12, 0, 12) LOST(12, REASON("NO_SOCKET")), {}},
	{&zh_check_path_unanswered, "some refusals were not sent", ZH_SEVERITY_INFO,
		TO("127.0.0.1", "udp") LOCAL SENT(12, 0, 8) LOST(4, REASON("NO_SOCKET")), {}},
	{&zh_check_path_unanswered, "no refusal was sent", ZH_SEVERITY_LOW,
		TO("127.0.0.1", "udp") LOCAL SENT(12, 0, 0) LOST(12, REASON("NO_SOCKET")), {}},
	{&zh_check_path_unanswered, "a Unix socket without a listener", ZH_SEVERITY_LOW,
		"path.target =unix:/run/x\npath.transport =unix\npath.way.0.unix.path =/run/x\n"
		"path.way.0.unix.listening 0\n",
		{}},
	{&zh_check_path_unanswered, "a Unix socket with one", SILENT,
		"path.target =unix:/run/x\npath.transport =unix\npath.way.0.unix.path =/run/x\n"
		"path.way.0.unix.listening 1\n",
		{}},
	{&zh_check_path_unanswered, "dropped", SILENT,
		TO("127.0.0.1", "tcp") LOCAL SENT(12, 0, 0) LOST(12, REASON("NETFILTER_DROP")), {}},
	{&zh_check_path_unanswered, "answered", SILENT,
		TO("127.0.0.1", "tcp") LOCAL SENT(12, 12, 0), {}},
	{&zh_check_path_unanswered, "nothing sent", SILENT, TO("127.0.0.1", "tcp") LOCAL, {}},

	{&zh_check_path_stray, "redirected", ZH_SEVERITY_WARNING,
		TO("127.0.0.1", "icmp") LOCAL SENT(12, 0,
			0) "path.way.0.proof.stray.0.dev =veth1\npath.way.0.proof.stray.0.place 0\n"
			   "path.way.0.proof.stray.0.packets 12\n",
		{}},
	{&zh_check_path_stray, "mirrored", ZH_SEVERITY_LOW,
		TO("127.0.0.1", "icmp") LOCAL SENT(12, 12,
			0) "path.way.0.proof.stray.0.dev =veth1\npath.way.0.proof.stray.0.place 0\n"
			   "path.way.0.proof.stray.0.packets 12\n",
		{}},
	{&zh_check_path_stray, "none", SILENT, TO("127.0.0.1", "icmp") LOCAL SENT(12, 12, 0), {}},

	{&zh_check_closed_port_silent, "silent in a path run", ZH_SEVERITY_WARNING,
		TO("127.0.0.1", "icmp") LOCAL
		"link.lo.flags.up 1\nloopback.has_ip4 1\npath.lo.closed_port.4.result =timeout\n"
		"path.lo.closed_port.4.took_ns 300000000\n",
		{}},
	{},
};
