/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "sys/net-config.h"

static int set_lo(struct zh_lab_run *run, bool up, struct zh_err *err)
{
	struct zh_netcfg *cfg = NULL;
	int r = zh_netcfg_open(run->ns.netns_fd, &cfg, err);

	if (r == 0)
		r = zh_netcfg_link_up(cfg, "lo", up, err);
	zh_netcfg_close(cfg);
	return r;
}

/* Set down again, lo keeps its addresses and routes, and packets vanish without an error. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	return run->control ? 0 : set_lo(run, false, err);
}

static void undo(struct zh_lab_run *run)
{
	set_lo(run, true, NULL);
}

const struct zh_fault zh_fault_lo_down = {
	.id = "lo-down",
	.summary = "lo is down",
	.expects = "loopback-down",
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 5 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 100 * ZH_NSEC_PER_MSEC,
	.count = 60,
	.inject = inject,
	.remove = undo,
};
