/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t waited = zh_check_delta(ex, "audit.backlog_wait_actual");
	uint64_t lost = zh_check_delta(ex, "audit.lost");
	uint64_t backlog = zh_check_number(ex, 0, "audit.backlog");
	uint64_t limit = zh_check_number(ex, 0, "audit.backlog_limit");
	uint64_t hz = ex->record->hz ? ex->record->hz : 250;
	bool full = limit && backlog * 10 >= limit * 9;
	struct zh_finding *finding;

	if (zh_check_number(ex, 0, "audit.enabled") == 0 || (!waited && !lost && !full))
		return;
	finding = zh_finding_add(ex, &check->rule, waited ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH,
		"The audit queue holds %llu of %llu records; system calls waited %.0f ms for it, "
		"%llu records lost in %.1f s",
		(unsigned long long)backlog, (unsigned long long)limit,
		1e3 * (double)waited / (double)hz, (unsigned long long)lost, zh_check_window_s(ex));
	zh_finding_evidence(finding, "audit status: backlog %llu, backlog_limit %llu, lost +%llu",
		(unsigned long long)backlog, (unsigned long long)limit, (unsigned long long)lost);
	zh_finding_evidence(finding,
		"backlog_wait_time_actual +%llu jiffies; a full queue makes each audited call "
		"sleep up to %.0f s",
		(unsigned long long)waited,
		(double)zh_check_number(ex, 0, "audit.backlog_wait_time") / (double)hz);
}

const struct zh_check zh_check_audit_backlog = {
	.rule =
		{
			.id = "audit-backlog",
			.code = "C13",
			.title = "The audit queue is full",
			.summary = "The kernel's audit backlog is at its limit, and audited system "
				   "calls sleep for room.",
			.why = "When auditd reads too slowly, every audited system call (connect, "
			       "accept, execve, exit) sleeps up to backlog_wait_time, 60 s by "
			       "default. Connections on loopback freeze like all others.",
			.evidence =
				"AUDIT_GET: backlog against backlog_limit, growth of lost and of "
				"backlog_wait_time_actual (jiffies, 5.9 and later). Only with "
				"auditing enabled.",
			.verify = "backlog_wait_time_actual stands still under the same load.",
			.cure = "Raise backlog_limit (`auditctl -b 8192`), set backlog_wait_time to "
				"0, narrow the rules, or make the reader faster.",
			.cost = "With wait time 0, records are lost instead.",
			.remedies = ZH_LIST("audit-backlog"),
			.needs = ZH_LIST("audit.enabled", "audit.backlog", "audit.backlog_limit",
				"audit.lost", "audit.backlog_wait_time",
				"audit.backlog_wait_actual"),
		},
	.run = run,
};
