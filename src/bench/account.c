/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time of both sides, and of everybody on the cell's CPUs: others' is the difference.
 *
 * Everybody's time comes from the root of the v1 cpuacct hierarchy where that can be seen (ns, per
 * CPU); otherwise from /proc/stat, which counts in ticks of USER_HZ. cpu.stat of the v2 root is
 * sampled at ticks, too, and does not tell CPUs apart.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "sys/root.h"

/* The inode of the first cgroup namespace (PROC_CGROUP_INIT_INO): in another one the root that is
 * seen is not the root. */
#define INIT_CGROUP_NS "cgroup:[4026531835]"

static const char *const usage_paths[] = {
	"/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu",
	"/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage_percpu",
	"/sys/fs/cgroup/cpuacct,cpu/cpuacct.usage_percpu",
};

/* A container's cgroup may be mounted where the root is expected. */
static bool is_root_mounted(void)
{
	zh_autofree char *text = NULL;
	char *line, *next, root[256], type[64];

	if (zh_sys_slurp(&text, "/proc/self/mountinfo") < 0)
		return false;
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!strstr(line, "cpuacct") || !strstr(line, " - cgroup "))
			continue;
		if (sscanf(line, "%*s %*s %*s %255s %63s", root, type) == 2 && !strcmp(root, "/"))
			return true;
	}
	return false;
}

static bool has_root_usage(void)
{
	char ns[64];
	int n = zh_sys_readlink(ns, sizeof(ns), "/proc/self/ns/cgroup");

	return (n == -ENOENT || (n > 0 && !strcmp(ns, INIT_CGROUP_NS))) && is_root_mounted();
}

/* Sums the numbers of the cell's CPUs in a line that has one for each. */
static uint64_t sum_of(const struct zh_cpuset *cpus, const char *text)
{
	uint64_t sum = 0, n;
	unsigned int cpu;
	char *end;

	for (cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		n = strtoull(text, &end, 10);
		if (end == text)
			break;
		if (zh_cpuset_has(cpus, cpu))
			sum += n;
		text = end;
	}
	return sum;
}

static bool read_root_usage(const struct zh_cpuset *cpus, struct zh_bench_usage *ret)
{
	zh_autofree char *text = NULL;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(usage_paths); i++) {
		if (zh_sys_slurp(&text, "%s", usage_paths[i]) <= 0)
			continue;
		ret->all_ns = sum_of(cpus, text);
		ret->unit_ns = 1;
		return true;
	}
	return false;
}

/* "cpu3 user nice system idle iowait irq softirq steal ...", in ticks; guests are within user. */
static void read_stat(const struct zh_cpuset *cpus, uint64_t tick_ns, struct zh_bench_usage *ret)
{
	uint64_t user, nice, system, irq, softirq, steal, busy = 0, stolen = 0;
	zh_autofree char *text = NULL;
	const char *line;
	unsigned int cpu;

	if (zh_sys_slurp(&text, "/proc/stat") <= 0)
		return;
	for (line = strstr(text, "\ncpu"); line; line = strstr(line + 1, "\ncpu")) {
		if (sscanf(line,
			    "\ncpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64
			    " %" SCNu64 " %" SCNu64,
			    &cpu, &user, &nice, &system, &irq, &softirq, &steal) != 7 ||
			cpu >= ZH_CPU_MAX || !zh_cpuset_has(cpus, cpu))
			continue;
		busy += user + nice + system + irq + softirq;
		stolen += steal;
	}
	ret->steal_ns = stolen * tick_ns;
	if (!ret->unit_ns) {
		ret->all_ns = busy * tick_ns;
		ret->unit_ns = tick_ns;
	}
}

static void read_peer(pid_t pid, struct zh_bench_usage *ret)
{
	char text[4096], *at;
	clockid_t clock;

	if (pid <= 0)
		return;
	if (clock_getcpuclockid(pid, &clock) == 0)
		ret->peer_cpu_ns = zh_clock_ns(clock);
	if (zh_sys_read(text, sizeof(text), "/proc/%d/status", (int)pid) <= 0)
		return;
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	if (at)
		sscanf(at, "\nvoluntary_ctxt_switches: %" SCNu64, &ret->peer_switches);
	at = strstr(text, "\nnonvoluntary_ctxt_switches:");
	if (at)
		sscanf(at, "\nnonvoluntary_ctxt_switches: %" SCNu64, &ret->peer_preempted);
}

void zh_bench_usage_read(const struct zh_bench_link *link, struct zh_bench_usage *ret)
{
	struct rusage own;

	memset(ret, 0, sizeof(*ret));
	/* Asking for a running thread's time brings its cgroups up to date; so first both sides. */
	read_peer(link->peer, ret);
	getrusage(RUSAGE_THREAD, &own);
	ret->switches = (uint64_t)own.ru_nvcsw;
	ret->preempted = (uint64_t)own.ru_nivcsw;
	ret->cpu_ns = zh_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (link->has_root_usage)
		read_root_usage(&link->cpus, ret);
	read_stat(&link->cpus, ZH_NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK), ret);
}

bool zh_bench_usage_probe(void)
{
	return has_root_usage();
}

static uint64_t grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void zh_bench_usage_between(const struct zh_bench_usage *before, const struct zh_bench_usage *after,
	struct zh_bench_round *ret)
{
	ret->cpu_ns = grown(before->cpu_ns, after->cpu_ns);
	ret->peer_cpu_ns = grown(before->peer_cpu_ns, after->peer_cpu_ns);
	ret->switches = grown(before->switches, after->switches);
	ret->peer_switches = grown(before->peer_switches, after->peer_switches);
	ret->preempted = grown(before->preempted, after->preempted);
	ret->peer_preempted = grown(before->peer_preempted, after->peer_preempted);
	ret->steal_ns = grown(before->steal_ns, after->steal_ns);
	ret->foreign_unit_ns = before->unit_ns == after->unit_ns ? before->unit_ns : 0;
	ret->foreign_ns = ret->foreign_unit_ns ? grown(ret->cpu_ns + ret->peer_cpu_ns,
							 grown(before->all_ns, after->all_ns))
					       : 0;
}
