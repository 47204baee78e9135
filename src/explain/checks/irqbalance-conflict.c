/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "explain/checks/support.h"

#include <stdio.h>

/* Names the interrupts whose affinity changed in the window; returns how many. */
static unsigned int list_moved(const struct zh_explain *ex, struct zh_buf *ret)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	unsigned int n = 0;
	size_t pos = 0;
	char irq[32];

	while ((fact = zh_fact_next(facts, "irq.*.affinity", &pos))) {
		const char *before = zh_fact_text(&ex->record->before, "%s", fact->key);

		if (!before || fact->type != ZH_FACT_STRING || strcmp(before, fact->text) == 0)
			continue;
		zh_fact_part(irq, sizeof(irq), fact, "irq.*.affinity", 0);
		if (n++ < 4)
			zh_buf_addf(ret, "%s%s (%s) from %s to %s", ret->len ? ", " : "", irq,
				zh_check_text(ex, "irq.%s.name", irq), before, fact->text);
	}
	return n;
}

/* A device with a hand-made RPS mask, or NULL. */
static const char *find_rps(const struct zh_explain *ex, char *dev, size_t size)
{
	static const char pattern[] = "queue.*.rx.*.rps_cpus";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos)))
		if (fact->type == ZH_FACT_STRING && *fact->text)
			return zh_fact_part(dev, size, fact, pattern, 0);
	return NULL;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	bool runs = zh_check_number(ex, 0, "agent.irqbalance.count") > 0;
	zh_autobuf moved = {};
	char dev[64];
	const char *rps = find_rps(ex, dev, sizeof(dev));
	unsigned int n = list_moved(ex, &moved);
	struct zh_finding *finding;

	if (n == 0 && !(runs && rps))
		return;
	finding = zh_finding_add(ex, &check->rule, n ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO,
		ZH_CONFIDENCE_MEDIUM,
		n ? "%u interrupts were moved to other CPUs in %.1f s%s"
		  : "%u interrupts moved in %.1f s, but irqbalance runs beside a manual RPS mask "
		    "on %s",
		n, zh_check_window_s(ex), n ? "" : rps);
	if (n)
		zh_finding_evidence(finding, "smp_affinity_list changed: %s", moved.text);
	zh_finding_evidence(finding, "%llu irqbalance process(es)",
		(unsigned long long)zh_check_number(ex, 0, "agent.irqbalance.count"));
	if (rps)
		zh_finding_evidence(finding, "rps_cpus is set on %s", rps);
}

const struct zh_check zh_check_irqbalance_conflict = {
	.rule =
		{
			.id = "irqbalance-conflict",
			.code = "C16",
			.title = "irqbalance moves interrupts under manual settings",
			.summary = "Interrupt affinities change while the machine runs, beside "
				   "manual steering.",
			.why = "irqbalance rewrites smp_affinity every 10 s. It undoes bindings made "
			       "by hand, lets interrupts arrive on CPUs that RPS or pinned processes "
			       "were meant to have, and each move cools caches: jitter every few "
			       "seconds.",
			.evidence =
				"smp_affinity_list of an interrupt differs between the two "
				"snapshots; or irqbalance runs and a queue has an rps_cpus mask. "
				"Compare the RTT with irqbalance stopped: sharper spikes then "
				"mean that one CPU is slow, not that irqbalance is.",
			.verify = "Affinities stay the same over a minute; p99 without the 10 s "
				  "pattern.",
			.cure = "On nodes that are bound by hand, stop irqbalance, or ban those "
				"interrupts and CPUs in its configuration.",
			.cost = "New or busy interrupts are no longer spread automatically.",
			.remedies = ZH_LIST("irqbalance-stop", "irq-affinity"),
			.needs = ZH_LIST("agent.*.count", "irq.*.affinity", "irq.*.name",
				"queue.*.rx.*.rps_cpus"),
		},
	.run = run,
};
