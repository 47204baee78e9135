/* SPDX-License-Identifier: BSD-2-Clause */
#include "run-checks.h"

#include <stdio.h>

#include "base/util.h"
#include "explain/finding.h"

#define ANSWERED 100

void zh_run_checks(struct zh_run_checks *run)
{
	const struct zh_check *const *check;

	snprintf(run->phase.label, sizeof(run->phase.label), "gap-1ms");
	snprintf(run->phase.target, sizeof(run->phase.target), "127.0.0.1");
	run->phase.gap_ns = ZH_NSEC_PER_MSEC;
	run->rtt.count = ANSWERED;
	run->rtt.p50_ns = run->rtt.p99_ns = 20 * ZH_NSEC_PER_USEC;
	run->record.phases = &run->phase;
	run->record.n_phases = 1;
	run->record.n_cpus = 2;
	run->record.hz = 250;
	run->out.phase_rtt = &run->rtt;
	run->out.rtt = run->rtt;
	run->ex.record = &run->record;
	run->ex.out = &run->out;
	for (check = zh_check_registry; *check; check++)
		(*check)->run(*check, &run->ex);
}

void zh_run_checks_done(struct zh_run_checks *run)
{
	zh_findings_done(&run->ex);
	zh_fact_set_done(&run->record.before);
	zh_fact_set_done(&run->record.after);
}
