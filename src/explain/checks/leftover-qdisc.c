/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/qdisc-facts.h"

static const char *const shapers[] = {
	"tbf", "netem", "htb", "hfsc", "cbq", "cake", "prio", "drr", "qfq", "plug", NULL};

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *kind = zh_explain_text(ex, "qdisc.lo.root");
	struct zh_qdisc_facts root = zh_qdisc_root(ex, "lo");
	enum zh_severity severity;
	struct zh_finding *finding;

	if (!kind || strcmp(kind, "noqueue") == 0 || strcmp(kind, "noop") == 0 ||
		strcmp(kind, "none") == 0 || *kind == '\0')
		return;
	severity = zh_check_one_of(kind, shapers) || root.drops_pkts || root.overlimits
			   ? ZH_SEVERITY_WARNING
			   : ZH_SEVERITY_LOW;
	finding = zh_finding_add(ex, &check->rule, severity, ZH_CONFIDENCE_HIGH,
		"lo has a %s queue: %llu packets over its limit and %llu dropped in %.1f s", kind,
		(unsigned long long)root.overlimits, (unsigned long long)root.drops_pkts,
		zh_check_window_s(ex));
	zh_finding_evidence(
		finding, "root qdisc of lo is %s; the kernel gives lo none (noqueue)", kind);
	zh_finding_evidence(finding,
		"tc -s qdisc: overlimits +%llu, dropped +%llu, backlog %llu packets",
		(unsigned long long)root.overlimits, (unsigned long long)root.drops_pkts,
		(unsigned long long)root.qlen_pkts);
	if (root.rate_bytes)
		zh_finding_evidence(finding, "%s rate %llu bytes/s, limit %llu bytes", kind,
			(unsigned long long)root.rate_bytes, (unsigned long long)root.limit_bytes);
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_leftover_qdisc = {
	.rule =
		{
			.id = "leftover-qdisc",
			.code = "C12",
			.title = "A queueing discipline stands on lo",
			.summary = "lo has a root qdisc other than noqueue.",
			.why = "Chaos and shaping tools leave netem, tbf or htb on lo when they stop "
			       "half-way. Every local packet then queues: a shaper delays by "
			       "milliseconds without dropping anything, and a full one drops while "
			       "the counters of lo itself stay 0. Even a plain queue adds a lock to "
			       "each packet.",
			.evidence = "RTM_GETQDISC of lo; growth of overlimits, drops and backlog. "
				    "Delay without drops shows only in overlimits.",
			.verify = "`tc qdisc show dev lo` says noqueue; overlimits stand still.",
			.cure = "`tc qdisc del dev lo root` once nothing needs it.",
			.cost = "Deleting a root qdisc points the device at noop for a moment: "
				"packets in flight are lost. Under load change its parameters "
				"instead.",
			.remedies = ZH_LIST("qdisc"),
			.needs = ZH_LIST("qdisc.*.root", "qdisc.*.*.kind", "qdisc.*.*.parent",
				"qdisc.*.*.drops_pkts", "qdisc.*.*.overlimits",
				"qdisc.*.*.qlen_pkts", "qdisc.*.*.rate_bytes",
				"qdisc.*.*.limit_bytes"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES | ZH_WAY_LO_ONLY,
		},
	.run = run,
};
