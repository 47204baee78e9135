/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "explain/checks/support.h"

#include <stdio.h>

#define DEEP_NS (100 * ZH_NSEC_PER_USEC)
/* The sweep is evidence when RTT after long gaps is this much above that after short ones. */
#define GROWTH_RATIO 2
#define GROWTH_NS (30 * ZH_NSEC_PER_USEC)
#define SEVERE_NS (2 * ZH_NSEC_PER_MSEC)
#define SEVERE_RATIO 5

/* Names the deep states that were entered in the window, each once; returns how often. */
static uint64_t list_deep(const struct zh_explain *ex, struct zh_buf *ret)
{
	static const char pattern[] = "cpu.*.idle.*.exit_ns";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	uint64_t entered = 0;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		uint64_t usage = 0;
		char cpu[16], state[32], named[64];

		if (fact->type != ZH_FACT_NUMBER || fact->number < DEEP_NS)
			continue;
		zh_fact_part(cpu, sizeof(cpu), fact, pattern, 0);
		zh_fact_part(state, sizeof(state), fact, pattern, 1);
		if (zh_check_number(ex, 0, "cpu.%s.idle.%s.disabled", cpu, state) ||
			!zh_explain_delta(ex, &usage, "cpu.%s.idle.%s.usage", cpu, state) ||
			usage == 0)
			continue;
		entered += usage;
		snprintf(named, sizeof(named), "%s (exit %llu us)", state,
			(unsigned long long)(fact->number / ZH_NSEC_PER_USEC));
		if (!ret->len || !strstr(ret->text, named))
			zh_buf_addf(ret, "%s%s", ret->len ? ", " : "", named);
	}
	return entered;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	zh_autobuf states = {};
	uint64_t entered = list_deep(ex, &states);
	enum zh_severity severity = ZH_SEVERITY_INFO;
	struct zh_check_sweep sweep = {};
	struct zh_finding *finding;
	bool swept;

	if (entered == 0 || !states.len)
		return;
	swept = zh_check_get_sweep(ex, &sweep);
	if (swept && sweep.far->p50_ns > sweep.near->p50_ns + GROWTH_NS &&
		sweep.far->p50_ns > GROWTH_RATIO * sweep.near->p50_ns)
		severity = ZH_SEVERITY_LOW;
	if (severity == ZH_SEVERITY_LOW && sweep.far->p99_ns >= SEVERE_NS &&
		sweep.far->p99_ns >= SEVERE_RATIO * sweep.near->p50_ns)
		severity = ZH_SEVERITY_WARNING;
	finding = zh_finding_add(ex, &check->rule, severity,
		severity == ZH_SEVERITY_INFO ? ZH_CONFIDENCE_LOW : ZH_CONFIDENCE_MEDIUM,
		"CPUs entered deep idle states %llu times in %.1f s: %s",
		(unsigned long long)entered, zh_check_window_s(ex), states.text);
	if (swept)
		zh_finding_evidence(finding,
			"RTT with %.0f ms between probes: p50 %.0f us, p99 %.0f us; with %.0f ms: "
			"p50 %.0f us, p99 %.0f us",
			(double)sweep.near_gap_ns / 1e6, (double)sweep.near->p50_ns / 1e3,
			(double)sweep.near->p99_ns / 1e3, (double)sweep.far_gap_ns / 1e6,
			(double)sweep.far->p50_ns / 1e3, (double)sweep.far->p99_ns / 1e3);
	zh_finding_evidence(finding, "cpuidle driver %s, governor %s",
		zh_check_text(ex, "cpuidle.driver"), zh_check_text(ex, "cpuidle.governor"));
}

const struct zh_check zh_check_cpuidle_deep = {
	.rule =
		{
			.id = "cpuidle-deep",
			.code = "C21",
			.title = "Deep idle states",
			.summary = "CPUs enter idle states whose exit takes 100 us or more.",
			.why = "An idle CPU is not a ready CPU: leaving C6 takes 100-300 us by the "
			       "table, more with the package asleep, and caches are cold. Light "
			       "traffic is then slower than heavy traffic, and spikes come with a "
			       "period. In a guest the host's idle states add to its own.",
			.evidence = "Growth of usage of states with a large exit latency, and the "
				    "gap sweep: RTT grows with the time between probes (contention "
				    "does not do that). Decisive: pin the probe and keep its CPU "
				    "awake.",
			.verify = "usage of the state stands still, and RTT no longer grows with "
				  "the gap. Reading a setting back is not verification.",
			.cure = "Disable the states above the wanted latency for every CPU, by name "
				"(cpuN/cpuidle/stateM/disable), or hold /dev/cpu_dma_latency at the "
				"exit latency of the last wanted state.",
			.cost = "Power, heat and less turbo headroom; key machines only.",
			.remedies = ZH_LIST("cpuidle-disable", "cpu-dma-latency"),
			.needs = ZH_LIST("cpu.*.idle.*.exit_ns", "cpu.*.idle.*.usage",
				"cpu.*.idle.*.disabled", "cpuidle.driver", "cpuidle.governor"),
		},
	.run = run,
};
