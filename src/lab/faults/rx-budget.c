/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "lab/global.h"
#include "lab/internal.h"
#include "lab/tune.h"

/*
 * The machine's netdev_budget is less than one poll of a queue takes. (With one busy queue that
 * costs little: the kernel polls it again and again.) The control's is what it was.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	int r = lab_steer_to(run, run->cpu, err);
	struct lab_global *budget;

	run->load.rate = run->param[1];
	run->load.burst = (uint32_t)run->param[2];
	if (r < 0 || run->control)
		return r;
	budget = calloc(1, sizeof(*budget));
	if (!budget)
		return zh_err_set(err, -ENOMEM, "out of memory");
	run->state = budget;
	return lab_global_set(budget, ZH_NETTUNE_BUDGET, run->param[0], err);
}

static void undo(struct zh_lab_run *run)
{
	if (run->state)
		lab_global_restore(run->state);
	free(run->state);
	run->state = NULL;
	lab_steer_undo(run);
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_SOCKET, .size_bytes = 64, .flows = 64},
};

const struct zh_fault zh_fault_rx_budget = {
	.id = "rx-budget",
	.summary = "NET_RX may take a few packets only, each time it runs",
	.expects = "softnet-squeezed",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"budget_packets", 1, 48}, {"mean_pps", 20000, 60000},
		{"burst_packets", 64, 128}},
	.inject = inject,
	.remove = undo,
};
