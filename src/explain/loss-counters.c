/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss-counters.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/causes.h"

#define T(transport) (1u << ZH_TRANSPORT_##transport)
#define ALL_IP (T(ICMP) | T(UDP) | T(TCP))

/* In order of how clearly a counter speaks of our own probes. */
static const struct {
	const char *pattern;
	uint32_t transports;
	const struct zh_cause *cause;
} counters[] = {
	{"netstat.TcpExt.ListenOverflows", T(TCP), &zh_cause_accept_overflow},
	{"netstat.TcpExt.ListenDrops", T(TCP), &zh_cause_accept_overflow},
	{"snmp.Udp.RcvbufErrors", T(UDP), &zh_cause_socket_buffer_full},
	{"snmp6.Udp6RcvbufErrors", T(UDP), &zh_cause_socket_buffer_full},
	{"softnet.cpu.*.dropped_pkts", ALL_IP, &zh_cause_backlog_overflow},
	{"netstat.TcpExt.IPReversePathFilter", ALL_IP, &zh_cause_route_drop},
	{"snmp.Ip.OutNoRoutes", ALL_IP, &zh_cause_route_drop},
	{"netstat.IpExt.InNoRoutes", ALL_IP, &zh_cause_route_drop},
	{"conntrack.stat.drop", ALL_IP, &zh_cause_conntrack_drop},
	{"conntrack.stat.insert_failed", ALL_IP, &zh_cause_conntrack_drop},
	{"filter.*.*.drops_pkts", ALL_IP, &zh_cause_bpf_drop},
	{"link.*.rx_dropped_pkts", ALL_IP, &zh_cause_device_drop},
	{"link.*.tx_dropped_pkts", ALL_IP, &zh_cause_device_drop},
	{"snmp.Udp.MemErrors", T(UDP), &zh_cause_socket_buffer_full},
	{"netstat.TcpExt.TCPRcvQDrop", T(TCP), &zh_cause_socket_buffer_full},
};

static bool moved(const struct zh_explain *ex, const char *key, uint64_t *ret)
{
	return zh_explain_delta(ex, ret, "%s", key) && *ret > 0;
}

static void blame(
	struct zh_loss *loss, const struct zh_cause *cause, uint64_t delta, const char *what)
{
	loss->cause = cause;
	loss->arg = (uint32_t)ZH_MIN(delta, (uint64_t)UINT32_MAX);
	snprintf(loss->detail, sizeof(loss->detail), "%s", what);
}

/* Drops of queue disciplines: those of clsact and ingress are a filter's verdicts. */
static bool by_qdisc(const struct zh_explain *ex, struct zh_loss *loss)
{
	static const char pattern[] = "qdisc.*.*.drops_pkts";
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[32], n[16];
	uint64_t delta;

	while ((fact = zh_fact_next(&ex->record->after, pattern, &pos))) {
		const char *kind;

		if (!moved(ex, fact->key, &delta))
			continue;
		zh_fact_part(dev, sizeof(dev), fact, pattern, 0);
		zh_fact_part(n, sizeof(n), fact, pattern, 1);
		kind = zh_explain_text(ex, "qdisc.%s.%s.kind", dev, n);
		if (kind && (strcmp(kind, "clsact") == 0 || strcmp(kind, "ingress") == 0))
			blame(loss, &zh_cause_bpf_drop, delta, fact->key);
		else
			blame(loss, &zh_cause_qdisc_drop, delta, fact->key);
		return true;
	}
	return false;
}

/* Rules that drop and have a counter. */
static bool by_rule(const struct zh_explain *ex, struct zh_loss *loss)
{
	static const char pattern[] = "nft.counter.*.pkts";
	const struct zh_fact *fact;
	size_t pos = 0;
	char rule[128];
	uint64_t delta;

	while ((fact = zh_fact_next(&ex->record->after, pattern, &pos))) {
		const char *verdict;

		if (!moved(ex, fact->key, &delta))
			continue;
		zh_fact_part(rule, sizeof(rule), fact, pattern, 0);
		verdict = zh_explain_text(ex, "nft.counter.%s.verdict", rule);
		if (!verdict || (strcmp(verdict, "drop") != 0 && strcmp(verdict, "reject") != 0))
			continue;
		blame(loss, &zh_cause_firewall_drop, delta, fact->key);
		return true;
	}
	return false;
}

/* A closed port of loopback answers at once, unless something swallows connections. */
static bool is_silent(const struct zh_explain *ex, int family)
{
	const char *result = zh_explain_text(ex, "closed_port.%d.result", family);

	return result && strcmp(result, "timeout") == 0;
}

/* Settings under which no probe can arrive, and no counter moves. */
static bool by_setting(
	const struct zh_explain *ex, const struct zh_phase *phase, struct zh_loss *loss)
{
	const char *proto = phase->transport == ZH_TRANSPORT_ICMP  ? "icmp"
			    : phase->transport == ZH_TRANSPORT_UDP ? "udp"
								   : "tcp";
	int family = strchr(phase->target, '[') || strstr(phase->target, "::") ? 6 : 4;
	const char *type = zh_explain_text(ex, "fib.%d.%s.type", family, proto);
	const char *oif = zh_explain_text(ex, "fib.%d.%s.oif", family, proto);
	const char *error = zh_explain_text(ex, "fib.%d.%s.error", family, proto);
	uint64_t up;

	if (zh_explain_number(ex, &up, "link.lo.flags.up") && !up) {
		blame(loss, &zh_cause_route_drop, 0, "lo is down");
		return true;
	}
	if (phase->transport == ZH_TRANSPORT_TCP && is_silent(ex, family)) {
		blame(loss, &zh_cause_firewall_drop, 0, "a closed port of this host is silent too");
		return true;
	}
	if (error || (type && strcmp(type, "local") != 0) || (oif && strcmp(oif, "lo") != 0)) {
		blame(loss, &zh_cause_route_drop, 0, "a rule or route takes local traffic away");
		return true;
	}
	return false;
}

bool zh_loss_by_counter(
	const struct zh_explain *ex, const struct zh_phase *phase, struct zh_loss *loss)
{
	uint64_t delta;
	size_t i;

	if (!(1u << phase->transport & ALL_IP))
		return false;
	if (by_setting(ex, phase, loss) || by_rule(ex, loss))
		return true;
	for (i = 0; i < ZH_ARRAY_SIZE(counters); i++) {
		if (!(counters[i].transports & 1u << phase->transport) ||
			!zh_explain_delta_sum(ex, counters[i].pattern, &delta) || !delta)
			continue;
		blame(loss, counters[i].cause, delta, counters[i].pattern);
		return true;
	}
	return by_qdisc(ex, loss);
}
