/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "sys/net-config.h"

#define GENTLE_BURST 4
#define GENTLE_PAUSE_NS (50 * ZH_NSEC_PER_MSEC)

/*
 * A flood sent on the other CPU, whose receive work RPS moves to the prober's CPU: there the
 * softirq takes the time, and the probe stands behind the flood in that CPU's backlog. Never more
 * is under way than the backlog holds, so nothing is dropped. On one CPU the flood is local.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_flood flood = {.netns_fd = run->ns.netns_fd,
		.cpu = run->peer_cpu,
		.burst = run->control ? GENTLE_BURST : (uint32_t)run->param[0],
		.size_bytes = (uint32_t)run->param[1],
		.pause_ns = run->control ? GENTLE_PAUSE_NS : run->param[2]};
	int r = zh_netcfg_rps_set(run->ns.netns_fd, "lo", run->cpu, err);

	return r < 0 ? r : lab_flood_start(run, &flood, err);
}

static void undo(struct zh_lab_run *run)
{
	zh_netcfg_rps_set(run->ns.netns_fd, "lo", -1, NULL);
}

const struct zh_fault zh_fault_udp_flood = {
	.id = "udp-flood",
	.summary = "the softirq work of a UDP flood takes the prober's CPU",
	.expects = "queue-ahead",
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 2 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 600,
	.params = {{"burst_datagrams", 200, 700}, {"size_bytes", 64, 1200},
		{"pause_ns", 200 * ZH_NSEC_PER_USEC, 2 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
	.remove = undo,
};
