/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"

/* The control has the same program attached, which then does nothing. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_tc_config config = {
		.device = "lo", .slow = true, .burn_ns = run->control ? 0 : run->param[0]};
	struct lab_tc *tc;
	int r = lab_tc_attach(run, &config, &tc, err);

	if (r == 0)
		run->state = tc;
	return r;
}

static void undo(struct zh_lab_run *run)
{
	run->state = lab_tc_detach(run->state);
}

/* The same program, told by its presence and its run time. */
static const char *const accepts[] = {"bpf-on-path", NULL};

const struct zh_fault zh_fault_slow_bpf = {
	.id = "slow-bpf",
	.summary = "a tc BPF program on lo spends long on each packet",
	.expects = "bpf-program",
	.accepts = accepts,
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 15 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 100,
	.params = {{"burn_ns", 200 * ZH_NSEC_PER_USEC, 5 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
	.remove = undo,
};
