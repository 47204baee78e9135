/* SPDX-License-Identifier: BSD-2-Clause */
/* Another program's turn. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/record.h"
#include "session/bench/internal.h"
#include "sys/sched.h"

#define TOOL_DURATION_NS 1000000000ull

/* Options of a cell that no other program is asked for: its figure would be another cell's. */
static const char *refuses_any(
	const struct zh_session_bench *config, const struct zh_bench_cell *cell)
{
	if (cell->over[0] || config->address || config->netns_fd >= 0 || config->peer_netns_fd >= 0)
		return "other programs are run on loopback only";
	if (cell->zerocopy)
		return "not run for cells without copies";
	if (cell->busy_poll_us)
		return "not run for busy-polled cells";
	return NULL;
}

void bench_tool_run(struct zh_record *record, const struct zh_session_bench *config,
	const struct zh_bench_peer_tool *tool, const struct bench_job *job)
{
	const struct zh_bench_cell *cell = &record->bench.cells[job->cell];
	struct zh_bench_tool row = {.cell = job->cell, .round = job->round};
	const char *why = refuses_any(config, cell);
	struct zh_cpuset affinity;
	struct zh_err err = {};
	int r;

	if (!why)
		why = tool->refuses(cell);
	if (why) {
		snprintf(row.why_not, sizeof(row.why_not), "%s", why);
	} else {
		r = zh_sched_get_affinity(&affinity, &err);
		if (r >= 0)
			r = tool->run(cell,
				config->duration_ns ? config->duration_ns : TOOL_DURATION_NS, &row,
				&err);
		if (r < 0)
			snprintf(row.why_not, sizeof(row.why_not), "%.*s",
				(int)sizeof(row.why_not) - 1, err.text);
		zh_sched_set_affinity(&affinity, NULL);
	}
	/* Ctrl-C reaches the program too; what it then says is no finding. */
	if (row.why_not[0] && config->stop && config->stop(config->arg))
		return;
	snprintf(row.tool, sizeof(row.tool), "%s", tool->name);
	zh_record_bench_tool(record, &row);
}
