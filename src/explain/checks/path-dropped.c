/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "explain/checks/support.h"
#include "explain/path-describe.h"
#include "explain/path-facts.h"

/* Who drops with these reasons of the kernel (include/net/dropreason-core.h). */
static const struct {
	const char *reason, *who;
} owners[] = {
	{"NETFILTER_DROP", "a firewall rule"},
	{"BPF_CGROUP_EGRESS", "a BPF program of a cgroup"},
	{"SOCKET_FILTER", "a filter on the socket, or a BPF program of a cgroup"},
	{"XDP", "an XDP program"},
	{"TC_INGRESS", "a tc filter or BPF program on arrival"},
	{"TC_EGRESS", "a tc filter or BPF program on sending"},
	{"QDISC_DROP", "a queueing discipline"},
	{"QDISC_OVERLIMIT", "a queueing discipline's limit"},
	{"IP_RPFILTER", "the reverse-path filter"},
	{"IP_LOCAL_SOURCE", "a source address that is the receiver's own"},
	{"IP_LOCALNET", "a loopback address that came from outside lo (route_localnet is 0)"},
	{"IP_INVALID_SOURCE", "an invalid source address"},
	{"IP_OUTNOROUTES", "no route"},
	{"IP_INNOROUTES", "no route at the receiver"},
	{"IPV6DISABLED", "IPv6 is disabled on the device"},
	{"NEIGH_FAILED", "a neighbour that does not answer ARP or NDP"},
	{"OTHERHOST", "a link address that is not the receiver's"},
	{"CPU_BACKLOG", "a full backlog of a CPU"},
	{"FULL_RING", "a full ring of a device"},
	{"DEV_READY", "a device that is down"},
	{"PKT_TOO_BIG", "a packet larger than the MTU"},
	{"SOCKET_RCVBUFF", "a full receive buffer"},
	{"SECURITY_HOOK", "a security module"},
	{"XFRM_POLICY", "an IPsec policy"},
};

static const char *owner_of(const char *reason)
{
	size_t i;

	for (i = 0; reason && i < ZH_ARRAY_SIZE(owners); i++)
		if (strcmp(reason, owners[i].reason) == 0)
			return owners[i].who;
	return NULL;
}

/* Rules of the first namespace that met packets meanwhile. */
static void add_rules(const struct zh_explain *ex, struct zh_finding *finding)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	char id[128];
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "nft.notable.*.what", &pos))) {
		uint64_t hits;

		if (fact->type != ZH_FACT_STRING ||
			!zh_check_one_of(fact->text,
				ZH_LIST("drop", "reject", "policy-drop", "invalid-drop")))
			continue;
		snprintf(id, sizeof(id), "%.*s", (int)strcspn(fact->key + 12, "."), fact->key + 12);
		if (!zh_explain_delta(ex, &hits, "nft.notable.%s.pkts", id) || !hits)
			continue;
		zh_finding_evidence(finding, "nft %s: %s (its counter grew by %llu)",
			zh_check_text(ex, "nft.notable.%s.chain", id),
			zh_check_text(ex, "nft.notable.%s.text", id), (unsigned long long)hits);
	}
}

/* What the picture notes at the hop where they were last seen. */
static void add_hop(const struct zh_explain *ex, size_t way, size_t n, struct zh_finding *finding)
{
	const struct zh_record *r = ex->record;
	const struct zh_fact *hop = zh_path_fact(r, "path.way.%zu.proof.lost.%zu.hop", way, n);
	const char *hook = zh_path_text(r, "path.way.%zu.proof.lost.%zu.hook", way, n);
	const char *kind, *own, *note;
	size_t i;

	if (!hop || hop->type != ZH_FACT_NUMBER)
		return;
	kind = zh_path_text(r, "path.way.%zu.hop.%llu.kind", way, (unsigned long long)hop->number);
	own = zh_path_text(r, "path.way.%zu.hop.%llu.hook", way, (unsigned long long)hop->number);
	/* A device's notes are not about drops; and a reply meets the rules of another hook. */
	if ((kind && !strcmp(kind, "device")) || (hook && own && strcmp(hook, own) != 0))
		return;
	note = zh_path_text(r, "path.way.%zu.hop.%llu.title", way, (unsigned long long)hop->number);
	if (note && kind && (!strcmp(kind, "xdp") || !strcmp(kind, "tc")))
		zh_finding_evidence(finding, "there: %s", note);
	for (i = 0; i < 3; i++) {
		note = zh_path_text(r, "path.way.%zu.hop.%llu.note.%zu", way,
			(unsigned long long)hop->number, i);
		if (note)
			zh_finding_evidence(finding, "there: %s", note);
	}
}

/* Where nobody tells of a drop: what stands between that hop and the next one that counts, and may
 * take packets without a trace. */
static void add_next(const struct zh_explain *ex, size_t way, size_t n, struct zh_finding *finding)
{
	const struct zh_record *r = ex->record;
	const struct zh_fact *at = zh_path_fact(r, "path.way.%zu.proof.lost.%zu.hop", way, n);
	const char *leg = zh_path_text(r, "path.way.%zu.proof.lost.%zu.leg", way, n);
	size_t hops = zh_path_n_hops_of(r, way), i;

	if (!at || at->type != ZH_FACT_NUMBER || !leg || strcmp(leg, "request") != 0)
		return;
	for (i = at->number + 1; i < hops; i++) {
		const char *kind = zh_path_text(r, "path.way.%zu.hop.%zu.kind", way, i);

		if (kind && (!strcmp(kind, "netfilter") || !strcmp(kind, "end")))
			return;
		if (kind && (!strcmp(kind, "xdp") || !strcmp(kind, "tc")))
			zh_finding_evidence(finding, "next on the way, on %s: %s",
				zh_path_text(r, "path.way.%zu.hop.%zu.dev", way, i),
				zh_path_text(r, "path.way.%zu.hop.%zu.title", way, i));
	}
}

/* What the walk found out about the place where they were seen last, when the way ends there. */
static void add_end(const struct zh_explain *ex, size_t way, size_t n, struct zh_finding *finding)
{
	const struct zh_record *r = ex->record;
	const struct zh_fact *place = zh_path_fact(r, "path.way.%zu.proof.lost.%zu.place", way, n);
	size_t hops = zh_path_n_hops_of(r, way), last = hops ? hops - 1 : 0;
	const char *ends = zh_path_text(r, "path.way.%zu.hop.%zu.ends", way, last);
	const char *leg = zh_path_text(r, "path.way.%zu.proof.lost.%zu.leg", way, n);

	if (ends && leg && !strcmp(leg, "request") && place && place->type == ZH_FACT_NUMBER &&
		place->number == zh_path_number(r, "path.way.%zu.hop.%zu.place", way, last))
		zh_finding_evidence(finding, "the way ends there: %s", ends);
}

static void judge(const struct zh_check *check, struct zh_explain *ex, size_t way, size_t n)
{
	const struct zh_record *r = ex->record;
	const char *reason = zh_path_text(r, "path.way.%zu.proof.lost.%zu.reason", way, n);
	uint64_t packets = zh_path_number(r, "path.way.%zu.proof.lost.%zu.packets", way, n);
	uint64_t rejected = zh_path_number(r, "path.way.%zu.proof.lost.%zu.rejected", way, n);
	uint64_t sent = zh_path_number(r, "path.way.%zu.proof.sent", way);
	const char *owner = owner_of(reason);
	struct zh_finding *finding;
	zh_autobuf text = {};
	char name[300];

	if (!packets || zh_path_lost_is_refusal(r, way, n))
		return;
	zh_path_lost_text(r, way, n, &text);
	zh_path_way_name(r, way, name, sizeof(name));
	finding = zh_finding_add(ex, &check->rule,
		packets >= sent ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		reason ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_MEDIUM, "%.60s: %.170s", name,
		text.text ? text.text : "");
	zh_finding_evidence(finding, "%llu of %llu packets sent were lost there",
		(unsigned long long)packets, (unsigned long long)sent);
	if (rejected)
		zh_finding_evidence(finding,
			"%llu of them were refused from there, by RST or ICMP error: whether "
			"anybody listens at the target is not known",
			(unsigned long long)rejected);
	if (owner)
		zh_finding_evidence(finding, "%s means: %s", reason, owner);
	else if (!reason)
		add_next(ex, way, n, finding);
	add_hop(ex, way, n, finding);
	add_end(ex, way, n, finding);
	if (reason && strcmp(reason, "NETFILTER_DROP") == 0)
		add_rules(ex, finding);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	size_t n_ways = zh_path_n_ways(ex->record), way, n;

	for (way = 0; way < n_ways; way++)
		for (n = 0; n < zh_path_n_lost(ex->record, way); n++)
			judge(check, ex, way, n);
}

const struct zh_check zh_check_path_dropped = {
	.rule =
		{
			.id = "path-dropped",
			.code = "C5",
			.title = "Packets are dropped on the way",
			.summary = "Packets of the proof were seen at one point of the way and "
				   "never again.",
			.why = "A firewall rule, a BPF program, a tc filter, the reverse-path filter "
			       "or a full queue can drop a packet without telling its sender, which "
			       "then waits for a timeout. Counters of devices do not show most of "
			       "these.",
			.evidence =
				"Each packet carries a mark of its own and is counted at the "
				"devices and hooks of its way; the kernel's drop tracepoint gives "
				"the reason and the function. Where that tracepoint cannot be used "
				"only the point is known.",
			.verify = "`zerohop path TARGET` counts as many packets at the end as were "
				  "sent.",
			.cure = "Remove or narrow what drops them at the point that is named.",
			.cost = "What the rule or program protected is open again.",
			.remedies = ZH_LIST("nft-accept-lo"),
			.needs = ZH_LIST("path.way.*.proof.sent", "path.way.*.proof.lost.*.packets",
				"path.way.*.proof.lost.*.rejected", "path.way.*.proof.lost.*.hook",
				"path.way.*.hop.*.kind", "path.way.*.hop.*.title",
				"path.way.*.hop.*.dev", "path.way.*.hop.*.hook",
				"path.way.*.proof.lost.*.leg", "path.way.*.proof.lost.*.place",
				"path.way.*.proof.lost.*.dev", "path.way.*.proof.lost.*.hop",
				"path.way.*.proof.lost.*.reason",
				"path.way.*.proof.lost.*.function", "path.way.*.hop.*.ends",
				"nft.notable.*.pkts"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
		},
	.run = run,
};
