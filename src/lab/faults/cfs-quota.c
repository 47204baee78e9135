/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "lab/internal.h"
#include "sys/process.h"
#include "sys/root.h"

/*
 * The responder shares a quota with a process that burns it, as a container's threads do. The
 * responder is a thread of the measuring process, which does not exist yet when the group is made:
 * watch() moves it in as soon as it appears (v1). Where only whole processes can be moved (v2), the
 * prober is under the quota too.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_hog hog = {.cpu = run->peer_cpu,
		.on_ns = run->control ? 0 : run->param[1] / 2 * ZH_NSEC_PER_USEC};
	int r = zh_cgroup_new("quota", &run->group, err);

	if (r < 0)
		return r;
	run->has_group = true;
	if (!run->control)
		r = zh_cgroup_set_quota(&run->group, run->param[0], run->param[1], err);
	if (r == 0)
		r = lab_hog_start(run, &hog, err);
	if (r == 0)
		r = zh_cgroup_add_process(&run->group, run->child[0], err);
	return r;
}

struct move {
	struct zh_lab_run *run;
	pid_t pid;
};

static int move_thread(void *arg, const char *name)
{
	const struct move *move = arg;
	pid_t tid = (pid_t)strtol(name, NULL, 10);

	if (tid != move->pid)
		zh_cgroup_add_thread(&move->run->group, tid, NULL);
	return 0;
}

static void watch(struct zh_lab_run *run, pid_t pid)
{
	struct move move = {run, pid};

	if (zh_cgroup_takes_threads(&run->group))
		zh_sys_list(move_thread, &move, "/proc/%d/task", (int)pid);
	else
		zh_cgroup_add_process(&run->group, pid, NULL);
}

/* The same throttling, told by the group's counter. */
static const char *const accepts[] = {"cfs-throttled", NULL};

const struct zh_fault zh_fault_cfs_quota = {
	.id = "cfs-quota",
	.summary = "the responder's control group is over its CPU quota",
	.expects = "cfs-throttle",
	.accepts = accepts,
	.topology = &zh_topology_veth,
	.target = "udp:10.77.0.2",
	.gap_ns = 5 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 300,
	.params = {{"quota_us", 10000, 30000}, {"period_us", 80000, 120000}},
	.inject = inject,
	.watch = watch,
};
