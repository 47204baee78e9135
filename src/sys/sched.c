/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/sched.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/root.h"

#define STACK_BYTES (64 * 1024)

uint32_t zh_sched_tid(void)
{
	return (uint32_t)gettid();
}

/* The kernel takes bits in words as ours are. */
static int get_affinity(pid_t tid, struct zh_cpuset *ret)
{
	struct zh_cpuset set = {};

	if (sched_getaffinity(tid, sizeof(set.bits), (cpu_set_t *)(void *)set.bits) < 0)
		return -errno;
	*ret = set;
	return 0;
}

static int set_affinity(pid_t tid, const struct zh_cpuset *set)
{
	const void *bits = set->bits;

	return sched_setaffinity(tid, sizeof(set->bits), bits) < 0 ? -errno : 0;
}

int zh_affinity_get(pid_t tid, struct zh_cpuset *ret)
{
	return zh_sys_is_captured() ? -EROFS : get_affinity(tid, ret);
}

int zh_affinity_set(pid_t tid, const struct zh_cpuset *set)
{
	return zh_sys_is_captured() ? -EROFS : set_affinity(tid, set);
}

int zh_sched_pin(int cpu, struct zh_err *err)
{
	struct zh_cpuset set = {0};
	int r;

	if (cpu < 0 || cpu >= ZH_CPU_MAX)
		return zh_err_set(err, -EINVAL, "there is no CPU %d", cpu);
	zh_cpuset_add(&set, (unsigned int)cpu);
	r = set_affinity(0, &set);
	if (r == -EINVAL)
		return zh_err_set(err, -EINVAL,
			"cannot run on CPU %d: it is offline, or not in this process's cpuset",
			cpu);
	return r < 0 ? zh_err_sys(err, r, "cannot run on CPU %d", cpu) : 0;
}

int zh_sched_get_affinity(struct zh_cpuset *ret, struct zh_err *err)
{
	int r = get_affinity(0, ret);

	return r < 0 ? zh_err_sys(err, r, "cannot read the CPU affinity") : 0;
}

int zh_sched_set_affinity(const struct zh_cpuset *set, struct zh_err *err)
{
	char list[256];
	int r = set_affinity(0, set);

	return r < 0 ? zh_err_sys(err, r, "cannot run on CPUs %s",
			       zh_format_cpulist(list, sizeof(list), set))
		     : 0;
}

int zh_sched_set_policy(int policy, int priority, struct zh_err *err)
{
	struct sched_param param = {.sched_priority = priority};

	if (sched_setscheduler(0, policy, &param) < 0)
		return zh_err_sys(err, -errno, "cannot set scheduling policy %d, priority %d",
			policy, priority);
	return 0;
}

uint64_t zh_sched_set_timer_slack(uint64_t ns)
{
	int old = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);

	prctl(PR_SET_TIMERSLACK, ns ? ns : 1, 0, 0, 0);
	return old > 0 ? (uint64_t)old : 1;
}

int zh_sched_lock_memory(void)
{
	return mlockall(MCL_CURRENT) < 0 ? -errno : 0;
}

void zh_sched_unlock_memory(void)
{
	munlockall();
}

void __attribute__((noinline)) zh_sched_prefault_stack(void)
{
	volatile char page[STACK_BYTES];
	size_t i;

	for (i = 0; i < sizeof(page); i += 1024)
		page[i] = 0;
	(void)page[0];
}
