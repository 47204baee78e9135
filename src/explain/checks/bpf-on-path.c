/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

#define NOTABLE_NS 2000
#define SLOW_NS (100 * ZH_NSEC_PER_USEC)
#define MIN_RUNS 10

static const char *const path_types[] = {
	"sched_cls", "sched_act", "xdp", "cgroup_skb", "sk_skb", "sk_msg", "lwt_xmit", NULL};

/* Whether a tc filter or XDP hook of this namespace runs the program. */
static bool is_ours(const struct zh_explain *ex, const char *id)
{
	static const char *const patterns[] = {"filter.*.*.bpf_id", "link.*.xdp_prog_id"};
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t i, pos;

	for (i = 0; i < ZH_ARRAY_SIZE(patterns); i++)
		for (pos = 0; (fact = zh_fact_next(facts, patterns[i], &pos));)
			if (fact->type == ZH_FACT_NUMBER && fact->number == strtoull(id, NULL, 10))
				return true;
	return false;
}

/*
 * One program that ran in the window; its time needs kernel.bpf_stats_enabled or a stats fd.
 * Programs are listed for the whole kernel: a slow one of another namespace is not a warning here.
 */
static void judge_program(
	const struct zh_check *check, struct zh_explain *ex, const char *id, const char *type)
{
	uint64_t runs = 0, ns = 0, mean;
	bool ours = is_ours(ex, id);
	struct zh_finding *finding;

	if (!zh_explain_delta(ex, &runs, "bpf.prog.%s.run_cnt", id) ||
		!zh_explain_delta(ex, &ns, "bpf.prog.%s.run_time_ns", id) || runs < MIN_RUNS)
		return;
	mean = ns / runs;
	if (mean < NOTABLE_NS)
		return;
	finding = zh_finding_add(ex, &check->rule,
		ours && mean >= SLOW_NS ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ours ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_LOW,
		"BPF program %s (%s, id %s) takes %.1f us a packet, %llu runs in %.1f s",
		zh_check_text(ex, "bpf.prog.%s.name", id), type, id, (double)mean / 1e3,
		(unsigned long long)runs, zh_check_window_s(ex));
	zh_finding_evidence(finding, "run_time_ns +%llu over run_cnt +%llu", (unsigned long long)ns,
		(unsigned long long)runs);
	zh_finding_evidence(finding, ours ? "attached by a tc filter or XDP in this namespace"
					  : "no tc filter or XDP hook of this namespace runs it");
}

static void judge_lo(const struct zh_check *check, struct zh_explain *ex)
{
	const char *xdp = zh_check_text(ex, "link.lo.xdp");
	uint64_t filters = zh_check_number(ex, 0, "filter.lo.count");
	bool has_xdp = *xdp && strcmp(xdp, "none") != 0;
	struct zh_finding *finding;

	if (filters == 0 && !has_xdp)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"%llu tc filter(s)%s run on lo for every local packet", (unsigned long long)filters,
		has_xdp ? " and an XDP program" : "");
	if (filters)
		zh_finding_evidence(finding, "first filter: %s %s %s",
			zh_check_text(ex, "filter.lo.0.parent"),
			zh_check_text(ex, "filter.lo.0.kind"),
			zh_check_text(ex, "filter.lo.0.bpf_name"));
	if (has_xdp)
		zh_finding_evidence(finding, "XDP on lo: %s mode, program %llu", xdp,
			(unsigned long long)zh_check_number(ex, 0, "link.lo.xdp_prog_id"));
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char id[32];

	judge_lo(check, ex);
	while ((fact = zh_fact_next(facts, "bpf.prog.*.type", &pos))) {
		if (fact->type != ZH_FACT_STRING || !zh_check_one_of(fact->text, path_types))
			continue;
		zh_fact_part(id, sizeof(id), fact, "bpf.prog.*.type", 0);
		judge_program(check, ex, id, fact->text);
	}
}

const struct zh_check zh_check_bpf_on_path = {
	.rule =
		{
			.id = "bpf-on-path",
			.code = "C13",
			.title = "BPF programs on the packet path",
			.summary =
				"tc, XDP or cgroup programs of others run for each local packet.",
			.why = "Policy agents, service meshes and sensors attach programs to lo, to "
			       "veth devices and to cgroups. Each runs in the sender's context or in "
			       "NET_RX, so its time adds to every RTT that passes it.",
			.evidence = "Attachments (RTM_GETTFILTER, IFLA_XDP); growth of run_time_ns "
				    "over run_cnt from BPF_OBJ_GET_INFO_BY_FD while statistics are "
				    "on (kernel.bpf_stats_enabled). Kernel-wide figures: a program "
				    "may have run for other packets than the probe's.",
			.verify = "run_time_ns/run_cnt of the program falls, or it is detached and "
				  "the RTT with it.",
			.cure = "Tune or detach the agent's program, or exclude lo and the pod's "
				"veth.",
			.cost = "What the agent enforces or observes there is lost.",
			.remedies = ZH_LIST("tc-filter"),
			.needs = ZH_LIST("bpf.prog.*.type", "bpf.prog.*.name",
				"bpf.prog.*.run_time_ns", "bpf.prog.*.run_cnt", "filter.*.count",
				"filter.*.*.kind", "filter.*.*.bpf_id", "link.*.xdp",
				"link.*.xdp_prog_id"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
