/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time as uint64_t nanoseconds on CLOCK_MONOTONIC, the clock that bpf_ktime_get_ns() reads.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t zh_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static inline uint64_t zh_now_ns(void)
{
	return zh_clock_ns(CLOCK_MONOTONIC);
}

/* Sleeps until an absolute CLOCK_MONOTONIC time; returns 0 or -EINTR. */
static inline int zh_sleep_until(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000ull), .tv_nsec = (long)(ns % 1000000000ull)};

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}
