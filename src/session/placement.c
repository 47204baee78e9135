/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/placement.h"

#include <errno.h>

#include "base/units.h"
#include "sys/root.h"
#include "sys/sched.h"

static bool are_siblings(unsigned int a, unsigned int b)
{
	char text[256];
	struct zh_cpuset siblings;

	return zh_sys_read(text, sizeof(text),
		       "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", a) > 0 &&
	       zh_parse_cpulist(text, &siblings, NULL) == 0 && zh_cpuset_has(&siblings, b);
}

/* The second CPU of a pair: on another core where there is one; -1 when there is no second. */
static int find_other(const struct zh_cpuset *allowed, unsigned int first)
{
	unsigned int cpu;
	int other = -1;

	for (cpu = first + 1; cpu < ZH_CPU_MAX; cpu++) {
		if (!zh_cpuset_has(allowed, cpu))
			continue;
		if (!are_siblings(first, cpu))
			return (int)cpu;
		if (other < 0)
			other = (int)cpu;
	}
	return other;
}

int session_place_cpus(enum zh_bench_placement placement, int16_t *ret_cpu, int16_t *ret_peer_cpu,
	struct zh_err *err)
{
	struct zh_cpuset allowed;
	unsigned int first = 0;
	int r, other;

	*ret_cpu = *ret_peer_cpu = -1;
	if (placement == ZH_PLACE_FREE)
		return 0;
	r = zh_sched_get_affinity(&allowed, err);
	if (r < 0)
		return r;
	while (first < ZH_CPU_MAX - 1 && !zh_cpuset_has(&allowed, first))
		first++;
	other = placement == ZH_PLACE_SAME_CPU ? (int)first : find_other(&allowed, first);
	if (other < 0)
		return zh_err_set(err, -EINVAL,
			"placement cross-cpu needs two CPUs, but this process may run on CPU %u "
			"only",
			first);
	*ret_cpu = (int16_t)first;
	*ret_peer_cpu = (int16_t)other;
	return 0;
}
