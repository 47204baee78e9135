/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/* The address of the target, without transport and port. */
static const char *target_host(const struct zh_explain *ex, char *buf, size_t size)
{
	const struct zh_phase *phase = zh_check_main_phase(ex);
	const char *host = phase ? phase->target : "";
	const char *colon = strchr(host, ':');
	size_t len;

	if (colon && (strncmp(host, "icmp:", 5) == 0 || strncmp(host, "udp:", 4) == 0 ||
			     strncmp(host, "tcp:", 4) == 0))
		host = colon + 1;
	if (*host == '[') {
		host++;
		len = strcspn(host, "]");
	} else {
		len = strchr(host, '.') ? strcspn(host, ":") : strlen(host);
	}
	len = ZH_MIN(len, size - 1);
	memcpy(buf, host, len);
	buf[len] = '\0';
	return buf;
}

/* What is known of the target as a neighbour, when probes to it are lost. */
static void judge_target(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	char host[64], n[32];
	size_t pos = 0;

	target_host(ex, host, sizeof(host));
	while (*host && (fact = zh_fact_next(facts, "neigh.*.ip", &pos))) {
		const char *state;

		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, host) != 0)
			continue;
		zh_fact_part(n, sizeof(n), fact, "neigh.*.ip", 0);
		state = zh_check_text(ex, "neigh.%s.state", n);
		finding = zh_finding_add(ex, &check->rule,
			zh_check_one_of(state, ZH_LIST("failed", "incomplete"))
				? ZH_SEVERITY_WARNING
				: ZH_SEVERITY_LOW,
			ZH_CONFIDENCE_MEDIUM,
			"%llu probes to %s were lost; its neighbour entry on %s is %s",
			(unsigned long long)zh_explain_lost(ex), host,
			zh_check_text(ex, "neigh.%s.dev", n), state);
		zh_finding_evidence(finding,
			"ip neigh: %s dev %s lladdr %s %s; compare with the address of the "
			"container that has %s now",
			host, zh_check_text(ex, "neigh.%s.dev", n),
			zh_check_text(ex, "neigh.%s.lladdr", n), state, host);
		return;
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"neigh.*.unresolved_discards", "unresolved_discards", 10, 0, false},
		{},
	};

	if (zh_explain_lost(ex) && !zh_check_is_loopback(ex))
		judge_target(check, ex);
	zh_check_counters(
		check, ex, counters, "Packets were discarded while a neighbour was being resolved");
}

const struct zh_check zh_check_neigh_failed = {
	.rule =
		{
			.id = "neigh-failed",
			.code = "C25",
			.title = "A neighbour does not resolve or is stale",
			.summary = "Probes are lost and the target's ARP or ND entry is failed, or "
				   "holds an address that may be old.",
			.why = "The first packet to a neighbour waits for ARP or ND. When a "
			       "container's address is given to a new one, the host keeps the old "
			       "MAC until the entry is probed: everything sent there is lost for "
			       "seconds to minutes, though the state is REACHABLE.",
			.evidence = "Lost probes and the neighbour entry of the target; growth of "
				    "unresolved_discards in /proc/net/stat. A REACHABLE entry "
				    "proves nothing: compare its lladdr with the owner's.",
			.verify = "After `ip neigh del ADDRESS dev DEV` the probe is answered.",
			.cure = "Delete the entry; let the runtime send a gratuitous ARP, or give "
				"MACs that depend on the address.",
			.cost = "One more resolution.",
			.remedies = ZH_LIST("neigh-flush"),
			.needs = ZH_LIST("neigh.*.ip", "neigh.*.state", "neigh.*.lladdr",
				"neigh.*.dev", "neigh.*.unresolved_discards"),
		},
	.run = run,
};
