/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"

/* The control has the same program attached, which then drops nothing. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_tc_config config = {
		.device = "zh0", .drop_one_in = run->control ? 0 : (uint32_t)run->param[0]};
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

/* The same drops, told by the clsact counter. */
static const char *const accepts[] = {"tc-filter-drops", NULL};

const struct zh_fault zh_fault_lossy_bpf = {
	.id = "lossy-bpf",
	.summary = "a tc BPF program on a veth device drops some packets",
	.expects = "bpf-drop",
	.accepts = accepts,
	.topology = &zh_topology_veth,
	.target = "10.77.0.2",
	.gap_ns = 4 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 300,
	.params = {{"drop_one_in", 3, 30}},
	.inject = inject,
	.remove = undo,
};
