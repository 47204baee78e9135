/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "lab/internal.h"
#include "sys/process.h"
#include "sys/sched.h"

#define IDLE_NAP_NS (20 * ZH_NSEC_PER_MSEC)
#define FIFO_PRIORITY 10

/* ns varied by a quarter to both sides. */
static uint64_t vary(struct lab_child *child, uint64_t ns)
{
	return lab_draw(&child->random, ns - ns / 4, ns + ns / 4);
}

static void spin_until(uint64_t end_ns)
{
	while (zh_now_ns() < end_ns)
		;
}

/* Stops the process for a while. It is a sibling: when it is gone, so is the reason to go on. */
static int stop_until(pid_t pid, uint64_t end_ns)
{
	int r = zh_process_signal(pid, SIGSTOP);

	zh_sleep_until(end_ns);
	zh_process_signal(pid, SIGCONT);
	return r;
}

static int hog_body(struct lab_child *child, const void *arg)
{
	const struct lab_hog *hog = arg;
	uint64_t end_ns;
	int r = 0;

	if (hog->real_time)
		r = zh_sched_set_policy(SCHED_FIFO, FIFO_PRIORITY, NULL);
	else if (hog->nice && setpriority(PRIO_PROCESS, 0, hog->nice) < 0)
		r = -errno;
	lab_child_ready(child, r, 0);
	while (r == 0 && zh_now_ns() < child->deadline_ns) {
		if (hog->on_ns) {
			end_ns = zh_now_ns() + vary(child, hog->on_ns);
			if (hog->stop_pid)
				r = stop_until(hog->stop_pid, end_ns);
			else
				spin_until(end_ns);
		}
		if (hog->off_ns || !hog->on_ns)
			zh_sleep_until(
				zh_now_ns() + vary(child, hog->off_ns ? hog->off_ns : IDLE_NAP_NS));
	}
	return r;
}

int lab_hog_start(struct zh_lab_run *run, const struct lab_hog *hog, struct zh_err *err)
{
	const struct lab_child_config config = {
		.name = hog->stop_pid ? "zh-stopper" : "zh-hog",
		.cpu = hog->cpu,
		.netns_fd = -1,
		.body = hog_body,
		.arg = hog,
	};

	return lab_child_start(run, &config, NULL, err);
}
