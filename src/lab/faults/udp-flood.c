/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "sys/net-tune.h"

#define SEGMENTS 40 /* a send; the receiving softirq cuts it into datagrams */

/*
 * RPS of the responder's device moves all receive work to the responder's CPU. There a flood's
 * softirq work takes the time: the probe stands behind the flood in that CPU's backlog, and the
 * responder cannot run. The flood is sent from the prober's CPU in the idle class, so that it is in
 * nobody's way itself, and in large sends that the receiving side must cut apart, so that receiving
 * is dearer than sending. No more is under way than the queues hold: nothing is dropped. The
 * control sends a few datagrams without steering, which costs every packet a hop and so is no
 * healthy state.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_flood flood = {.netns_fd = run->ns.netns_fd,
		.sink_netns_fd = run->ns.peer_netns_fd,
		.to = "10.77.0.2",
		.cpu = run->cpu,
		.burst = run->control ? 1 : (uint32_t)run->param[0],
		.segments = run->control ? 1 : SEGMENTS,
		.size_bytes = (uint32_t)run->param[1],
		.pause_ns = run->param[2],
		.idle_class = true};
	int r = 0;

	if (!run->control)
		r = zh_nettune_rps_cpu(run->ns.peer_netns_fd, "zh1", run->peer_cpu, err);

	return r < 0 ? r : lab_flood_start(run, &flood, err);
}

static void undo(struct zh_lab_run *run)
{
	zh_nettune_rps_cpu(run->ns.peer_netns_fd, "zh1", -1, NULL);
}

/* The same softirq work is met twice: in the backlog by the probe's packet, and behind it by the
 * responder, which the softirq (or ksoftirqd) keeps off the CPU. Which is longer is chance. */
static const char *const accepts[] = {"queue-ahead", "softirq-deferred", NULL};

const struct zh_fault zh_fault_udp_flood = {
	.id = "udp-flood",
	.summary = "the softirq work of a UDP flood takes the responder's CPU",
	.expects = "softirq-load",
	.accepts = accepts,
	.topology = &zh_topology_veth,
	.target = "udp:10.77.0.2",
	.gap_ns = 3 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 500,
	.params = {{"burst_sends", 120, 250}, {"size_bytes", 100, 400},
		{"pause_ns", ZH_NSEC_PER_MSEC, 3 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
	.remove = undo,
};
