/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who uses the CPUs: the time of all processes, before and after. A process is counted where its
 * main thread ran last; one that moves about is no hog of a CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/watch/internal.h"
#include "sys/root.h"

/* Of /proc/PID/stat behind the name, from 1: utime and stime; nice value; its start; the CPU;
 * real-time priority. */
enum { UTIME = 12, STIME = 13, NICE = 17, STARTED = 20, CPU = 37, RT_PRIORITY = 38 };

static bool parse_stat(char *text, struct watch_hog *ret)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')'), *rest, *word;
	uint64_t field[RT_PRIORITY + 1] = {};
	int n = 0;

	if (!open || !close || close < open)
		return false;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(close - open - 1), open + 1);
	for (word = strtok_r(close + 1, " ", &rest); word && n < RT_PRIORITY;
		word = strtok_r(NULL, " ", &rest))
		field[++n] = strtoull(word, NULL, 10);
	ret->ticks = field[UTIME] + field[STIME];
	ret->nice = (int)(int64_t)field[NICE]; /* strtoull() takes a sign, too */
	ret->started = field[STARTED];
	ret->cpu = (unsigned int)field[CPU];
	ret->real_time = (unsigned int)field[RT_PRIORITY];
	return n >= RT_PRIORITY;
}

static int add_process(void *arg, const char *name)
{
	struct watch_hogs *hogs = arg;
	struct watch_hog hog = {};
	char text[1024], *end;

	hog.pid = strtol(name, &end, 10);
	/* Our own work ends with the watch. */
	if (*end || hog.pid <= 0 || hog.pid == getpid() || hogs->n == WATCH_HOGS ||
		zh_sys_read(text, sizeof(text), "/proc/%ld/stat", hog.pid) < 0 ||
		!parse_stat(text, &hog) || !strncmp(hog.name, "ksoftirqd/", 10))
		return 0;
	hogs->list[hogs->n++] = hog;
	return 0;
}

void watch_hogs_read(struct watch_hogs *ret)
{
	*ret = (struct watch_hogs){.list = calloc(WATCH_HOGS, sizeof(*ret->list))};
	if (ret->list)
		zh_sys_list(add_process, ret, "/proc");
}

void watch_hogs_done(struct watch_hogs *hogs)
{
	free(hogs->list);
	*hogs = (struct watch_hogs){};
}

static uint64_t ticks_of(const struct watch_hogs *hogs, const struct watch_hog *like)
{
	for (size_t i = 0; i < hogs->n; i++)
		if (hogs->list[i].pid == like->pid && hogs->list[i].started == like->started)
			return hogs->list[i].ticks;
	return 0; /* it is new: all of its time is in the window */
}

void watch_hogs_add(const struct watch_hogs *before, struct zh_fact_set *out)
{
	uint64_t tick_ns = ZH_NSEC_PER_SEC / (uint64_t)ZH_MAX(sysconf(_SC_CLK_TCK), 1L);
	struct watch_hogs after;

	watch_hogs_read(&after);
	for (unsigned int cpu = 0; cpu < WATCH_CPUS; cpu++) {
		const struct watch_hog *most = NULL;
		uint64_t most_ticks = 0;
		char nice[16];

		for (size_t i = 0; i < after.n; i++) {
			const struct watch_hog *hog = &after.list[i];
			uint64_t used =
				hog->cpu != cpu
					? 0
					: hog->ticks - ZH_MIN(hog->ticks, ticks_of(before, hog));

			if (used > most_ticks) {
				most = hog;
				most_ticks = used;
			}
		}
		if (!most)
			continue;
		zh_fact_number(out, (uint64_t)most->pid, "watch.cpu.%u.hog.pid", cpu);
		zh_fact_string(out, most->name, "watch.cpu.%u.hog.name", cpu);
		zh_fact_number(out, most_ticks * tick_ns, "watch.cpu.%u.hog.run_ns", cpu);
		snprintf(nice, sizeof(nice), "%d", most->nice);
		zh_fact_string(out, nice, "watch.cpu.%u.hog.nice", cpu);
		zh_fact_number(out, most->real_time, "watch.cpu.%u.hog.real_time", cpu);
	}
	watch_hogs_done(&after);
}
