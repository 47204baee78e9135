/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the hooks that run for each packet or softirq are there: always, or, where that would cost
 * too much, for a moment of each reading. Putting them there and taking them away can last longer
 * than that moment, and they count meanwhile; so a window is what was counted between two looks at
 * the totals, not what was counted in all.
 */
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/top/internal.h"

#define HOOKS_PER_S 50000 /* a run is some 90 ns of a packet, and a packet may have three */
#define WINDOW_NS (100 * ZH_NSEC_PER_MSEC)

static const char *const costly[] = {"softirq", "flows"};

static void switch_costly(struct zh_top *top, bool on)
{
	for (size_t i = 0; i < ZH_ARRAY_SIZE(costly); i++)
		zh_live_switch(top->live, costly[i], on);
}

static uint64_t count_runs(const struct zh_top *top)
{
	uint64_t runs = 0;

	for (size_t i = 0; i < ZH_ARRAY_SIZE(costly); i++)
		runs += zh_live_runs(top->live, costly[i]);
	return runs;
}

/* What was counted until now belongs to no window. */
static void begin(struct zh_top *top)
{
	top_flows_take(top);
	zh_live_cpus(top->live, top->live_cpus, TOP_CPUS);
	top->runs_before = count_runs(top);
	top->window_start_ns = zh_now_ns();
}

/* The next window begins where this one ended. */
static void go_on(struct zh_top *top)
{
	memcpy(top->live_cpus, top->live_now, TOP_CPUS * sizeof(*top->live_cpus));
	top->runs_before = top->runs_now;
	top->window_start_ns += top->window_ns;
}

static void end(struct zh_top *top)
{
	top->window_ns = zh_now_ns() - top->window_start_ns;
	zh_live_cpus(top->live, top->live_now, TOP_CPUS);
	top->runs_now = count_runs(top);
	top_flows_take(top);
}

void top_window_take(struct zh_top *top)
{
	if (!top->live)
		return;
	if (top->is_windowed) {
		switch_costly(top, true);
		begin(top);
		zh_sleep_until(top->window_start_ns + WINDOW_NS);
	}
	end(top);
	if (top->is_windowed)
		switch_costly(top, false);
}

void top_window_choose(struct zh_top *top)
{
	double rate;

	top->reading.window_ns = top->is_windowed ? top->window_ns : 0;
	if (!top->live)
		return;
	rate = top_rate(top->runs_now, top->runs_before, top->window_ns);
	go_on(top);
	if (!top->reading.interval_ns || (rate > HOOKS_PER_S) == top->is_windowed)
		return;
	top->is_windowed = !top->is_windowed;
	switch_costly(top, !top->is_windowed);
	if (!top->is_windowed)
		begin(top);
}
