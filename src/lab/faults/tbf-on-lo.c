/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "sys/net-config.h"

#define QUEUE_BYTES 400000
#define MTU_BURST_BYTES 3000
#define DATAGRAM_BYTES 1000

/*
 * A shaper that somebody left on lo. On its own a probe now and then would pass it; together with
 * bursts of other traffic the probe stands in its queue. The mean load stays below the rate, and
 * the queue holds several bursts: it delays and does not drop.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct zh_netcfg_tbf tbf = {.rate = (uint32_t)run->param[0],
		.burst_bytes = MTU_BURST_BYTES,
		.limit_bytes = QUEUE_BYTES};
	const struct lab_flood flood = {.netns_fd = run->ns.netns_fd,
		.sink_netns_fd = -1,
		.cpu = run->peer_cpu,
		.burst = (uint32_t)run->param[1],
		.size_bytes = DATAGRAM_BYTES,
		.pause_ns = run->param[2]};
	struct zh_netcfg *cfg = NULL;
	int r = run->control ? 0 : zh_netcfg_open(run->ns.netns_fd, &cfg, err);

	if (r == 0 && !run->control)
		r = zh_netcfg_tbf_add(cfg, "lo", &tbf, err);
	zh_netcfg_close(cfg);
	return r < 0 ? r : lab_flood_start(run, &flood, err);
}

static void undo(struct zh_lab_run *run)
{
	struct zh_netcfg *cfg = NULL;

	if (zh_netcfg_open(run->ns.netns_fd, &cfg, NULL) == 0)
		zh_netcfg_root_qdisc_del(cfg, "lo", NULL);
	zh_netcfg_close(cfg);
}

/* The same shaper, told by its presence and its counters. */
static const char *const accepts[] = {"leftover-qdisc", NULL};

const struct zh_fault zh_fault_tbf_on_lo = {
	.id = "tbf-on-lo",
	.summary = "a shaper (tbf) was left on lo, and other traffic comes in bursts",
	.expects = "qdisc-delay",
	.accepts = accepts,
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 4 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 350,
	/* At most 30 kB each 200 ms, 150 kB/s; a burst takes 15 to 75 ms to leave. */
	.params = {{"rate_bytes", 400000, 1000000}, {"burst_datagrams", 15, 30},
		{"pause_ns", 200 * ZH_NSEC_PER_MSEC, 300 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
	.remove = undo,
};
