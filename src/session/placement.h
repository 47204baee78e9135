/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs the two sides of a measurement stand on. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "record/bench.h"

/*
 * The CPUs of a placement, of those that this process may use: -1 where it names none. Two CPUs are
 * of different cores where there are such. 0, or -EINVAL with the reason.
 */
int session_place_cpus(enum zh_bench_placement placement, int16_t *ret_cpu, int16_t *ret_peer_cpu,
	struct zh_err *err);
