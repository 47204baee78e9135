/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/loops.h"
#include "bench/rate.h"

static const struct zh_bench_loops loops[ZH_BENCH_MODE_MAX] = {
	[ZH_BENCH_PINGPONG] =
		{
			.near = zh_bench_pingpong_near,
			.near_floor = zh_bench_floor_near,
			.far = zh_bench_pingpong_far,
			.far_floor = zh_bench_floor_far,
			.is_echo = true,
		},
	[ZH_BENCH_STREAM] =
		{
			.near = zh_bench_stream_near,
			.near_floor = zh_bench_floor_stream_near,
			.far = zh_bench_stream_far,
			.far_floor = zh_bench_floor_stream_far,
			.flag = ZH_BENCH_STREAM_MODE,
		},
	/* Compared with the bare closed loop: what the rate adds. */
	[ZH_BENCH_RATE] =
		{
			.near = zh_bench_rate_near,
			.near_floor = zh_bench_floor_near,
			.far = zh_bench_pingpong_far,
			.far_floor = zh_bench_floor_far,
			.is_echo = true,
			.flag = ZH_BENCH_RATE_MODE,
		},
};

const struct zh_bench_loops *zh_bench_mode_loops(uint8_t mode)
{
	return mode < ZH_BENCH_MODE_MAX && loops[mode].near ? &loops[mode] : NULL;
}
