/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock source, what reading the clock costs, and the slack of timers. */
#include <time.h>

#include "base/clock.h"
#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define DIR "/sys/devices/system/clocksource/clocksource0"
#define ROUNDS 7
#define READS 200

static const struct zh_facts_file files[] = {
	{"current_clocksource", "source", ZH_FORM_STRING, .wanted = true},
	{"available_clocksource", "available", ZH_FORM_STRING},
	{NULL},
};

/* The cheapest of a few rounds, since an interrupt in a round only makes it longer. */
static uint64_t read_cost(void)
{
	uint64_t best = UINT64_MAX, start, ns;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = zh_now_ns();
		for (i = 0; i < READS; i++)
			zh_now_ns();
		ns = (zh_now_ns() - start) / (READS + 1);
		best = ZH_MIN(best, ns);
	}
	return best;
}

static void collect(struct zh_fact_set *set)
{
	struct timespec resolution;
	uint64_t slack;
	int r;

	zh_facts_files(set, files, DIR, "clock");
	if (zh_sys_is_captured()) {
		zh_fact_unavailable(set, "captured root", "clock.gettime_ns");
		return;
	}
	zh_fact_number(set, read_cost(), "clock.gettime_ns");
	if (clock_getres(CLOCK_MONOTONIC, &resolution) == 0)
		zh_fact_number(set,
			(uint64_t)resolution.tv_sec * ZH_NSEC_PER_SEC +
				(uint64_t)resolution.tv_nsec,
			"clock.timer_resolution_ns");
	r = zh_sys_read_u64(&slack, "/proc/self/timerslack_ns");
	if (r < 0)
		zh_facts_missing(set, r, "/proc/self/timerslack_ns", "clock.timer_slack_ns");
	else
		zh_fact_number(set, slack, "clock.timer_slack_ns");
}

static const struct zh_fact_schema schema[] = {
	{"clock.source", ZH_FACT_STRING, "", "clock source in use"},
	{"clock.available", ZH_FACT_STRING, "", "clock sources that can be had"},
	{"clock.gettime_ns", ZH_FACT_NUMBER, "ns", "cost of reading the clock"},
	{"clock.timer_resolution_ns", ZH_FACT_NUMBER, "ns", "resolution of timers"},
	{"clock.timer_slack_ns", ZH_FACT_NUMBER, "ns", "how late a timer of this process may be"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_clock = {
	.id = "clock",
	.summary = "clock source and timer precision",
	.schema = schema,
	.collect = collect,
};
