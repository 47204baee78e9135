/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/load/internal.h"

#include "base/clock.h"
#include "base/util.h"
#include "sys/sched.h"

#define TURNS_A_SECOND 5000 /* more wake-ups than that cost more than they pace */
#define NAP_NS (100 * ZH_NSEC_PER_MSEC)

struct load_pace load_pace_start(const struct zh_load_config *config)
{
	struct load_pace pace = {.start_ns = zh_now_ns(), .burst = config->burst};

	if (!pace.burst)
		pace.burst =
			config->rate ? ZH_MAX(config->rate / TURNS_A_SECOND, 1ull) : ZH_LOAD_BATCH;
	if (config->rate)
		pace.gap_ns = 1e9 * (double)pace.burst / (double)config->rate;
	zh_sched_set_timer_slack(1);
	return pace;
}

bool load_pace_wait(const struct load_pace *pace, uint64_t turn, const struct load_shared *shared)
{
	uint64_t due_ns = pace->start_ns + (uint64_t)(pace->gap_ns * (double)turn), now_ns;

	while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
		now_ns = pace->gap_ns > 0 ? zh_now_ns() : UINT64_MAX;
		if (now_ns >= due_ns)
			return true;
		zh_sleep_until(ZH_MIN(due_ns, now_ns + NAP_NS));
	}
	return false;
}
