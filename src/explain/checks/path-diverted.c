/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"
#include "explain/path-facts.h"

static void add_evidence(const struct zh_explain *ex, size_t way, struct zh_finding *finding)
{
	const struct zh_record *r = ex->record;
	char text[240], plain[240];

	if (*zh_path_rule(r, way, text, sizeof(text)))
		zh_finding_evidence(finding, "%s", text);
	zh_path_answer(r, way, "decision", text, sizeof(text));
	zh_path_answer(r, way, "decision.plain", plain, sizeof(plain));
	if (plain[0])
		zh_finding_evidence(finding,
			"asked with protocol, ports, mark and user: %s; without them, as "
			"`ip route get` asks: %s",
			text, plain);
	else
		zh_finding_evidence(finding, "RTM_GETROUTE: %s", text);
}

/* ": rule 100: ...", or "" when the rule is not known. */
static const char *with_rule(const struct zh_explain *ex, size_t way, char *buf, size_t size)
{
	char rule[240];

	zh_path_rule(ex->record, way, rule, sizeof(rule));
	snprintf(buf, size, "%s%.100s", rule[0] ? ": " : "", rule);
	return buf;
}

/* Traffic to an own address that is refused, or leaves lo. */
static void judge_local(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const char *error = zh_path_text(ex->record, "path.way.%zu.decision.error", way);
	const char *dev = zh_path_text(ex->record, "path.way.%zu.decision.dev", way);
	char name[300], rule[120];
	struct zh_finding *finding;

	zh_path_way_name(ex->record, way, name, sizeof(name));
	with_rule(ex, way, rule, sizeof(rule));
	if (error)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
			"Packets to %.60s, an own address, are refused%s", name, rule);
	else
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
			"Packets to %.60s, an own address, go by %.20s, not by lo%s", name,
			dev ? dev : "?", rule);
	add_evidence(ex, way, finding);
}

static void judge_other(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const char *error = zh_path_text(ex->record, "path.way.%zu.decision.error", way);
	char name[300], answer[200], rule[120];
	struct zh_finding *finding;

	zh_path_way_name(ex->record, way, name, sizeof(name));
	zh_path_answer(ex->record, way, "decision", answer, sizeof(answer));
	with_rule(ex, way, rule, sizeof(rule));
	finding = zh_finding_add(ex, &check->rule, error ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH, "This flow to %.60s does not go the ordinary way but is %s%s%s",
		name, error ? "" : "routed ", answer, rule);
	add_evidence(ex, way, finding);
}

/* Counted on another device than the decision names: changed behind it. */
static void judge_counted(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const struct zh_record *r = ex->record;
	const char *dev = zh_path_text(r, "path.way.%zu.decision.dev", way);
	const char *other = zh_path_is_taken_away(r, way);
	unsigned long long sent = zh_path_number(r, "path.way.%zu.proof.sent", way);
	const char *target = zh_path_translated(r, way);
	struct zh_finding *finding;
	char name[300];

	if (!other)
		return;
	zh_path_way_name(r, way, name, sizeof(name));
	/* A service's address is made to be translated; the machine's own is not. */
	finding = zh_finding_add(ex, &check->rule,
		target && !zh_path_is_local(r, way) ? ZH_SEVERITY_LOW : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH, "Packets to %.60s are routed by %.20s, and go by %.20s%s%.50s",
		name, dev, other, target ? ": NAT sends them to " : "", target ? target : "");
	if (sent)
		zh_finding_evidence(
			finding, "of %llu sent %s saw none, and %s the others", sent, dev, other);
	if (target)
		zh_finding_evidence(finding, "NAT at the output hook: %s becomes %s",
			zh_path_text(r, "path.way.%zu.nat.0.was", way),
			zh_path_text(r, "path.way.%zu.nat.0.becomes", way));
	else
		zh_finding_evidence(finding,
			"behind the routing decision NAT or a mark set at the output hook, a tc "
			"filter or a BPF program can send packets elsewhere");
}

static void judge(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const struct zh_record *r = ex->record;
	const char *type = zh_path_text(r, "path.way.%zu.decision.type", way);
	const char *error = zh_path_text(r, "path.way.%zu.decision.error", way);
	bool diverted = zh_path_is_diverted(r, way) || zh_path_is_refused_by_rule(r, way);
	bool is_local = !error && (!type || strcmp(type, "local") == 0);

	/* What is refused to every flow has no way at all: path-no-route tells it. */
	if (is_local || (error && !diverted))
		return;
	if (zh_path_is_local(r, way))
		judge_local(check, ex, way);
	else if (diverted)
		judge_other(check, ex, way);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	size_t n = zh_path_n_ways(ex->record), way;

	for (way = 0; way < n; way++) {
		judge(check, ex, way);
		judge_counted(check, ex, way);
	}
}

const struct zh_check zh_check_path_diverted = {
	.rule =
		{
			.id = "path-diverted",
			.code = "C2",
			.title = "The flow is routed elsewhere",
			.summary =
				"The kernel sends packets of this very flow another way than the "
				"ordinary one: an own address not by lo, or by a rule that looks "
				"at protocol, ports, mark or user; or packets are counted on "
				"another device than the one that was decided on.",
			.why = "Routing rules may select by more than addresses. A rule ahead of "
			       "`lookup local` takes local traffic away from lo, to a device, a "
			       "tunnel or a blackhole. Asked without protocol and ports the kernel "
			       "still says `local dev lo`, so nothing looks wrong.",
			.evidence = "RTM_GETROUTE asked with the flow's protocol, ports, mark and "
				    "user, and asked without; the first rule that matches the "
				    "flow; the proof counts which device saw the packets.",
			.verify = "`zerohop path TARGET` names lo, and the proof counts all "
				  "packets there.",
			.cure = "Move the rule behind the local rule, or add a selector (`to`, "
				"`iif`, `fwmark`) that leaves local destinations out; where NAT "
				"diverts it, the same for the nat rule of the output hook.",
			.cost = "Traffic that relied on the rule takes the ordinary way again.",
			.remedies = ZH_LIST("policy-rule"),
			.needs = ZH_LIST("path.way.*.address", "path.way.*.decision.dev",
				"path.way.*.decision.type", "path.way.*.decision.error",
				"path.way.*.decision.rule.pref", "path.way.*.decision.rule.text",
				"path.way.*.decision.plain.dev", "path.way.*.decision.plain.type",
				"path.way.*.decision.plain.error", "addr.*.*.ip", "link.*.flags.up",
				"path.way.*.nat.*.hook", "path.way.*.nat.*.side",
				"path.way.*.nat.*.was", "path.way.*.nat.*.becomes",
				"path.way.*.proof.sent", "path.way.*.proof.dev.*.*.requests",
				"path.way.*.proof.stray.*.dev", "path.way.*.proof.stray.*.place"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
		},
	.run = run,
};
