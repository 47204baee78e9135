/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/shm.h"

static const struct zh_bench_ops ops = {
	.open = zh_bench_shm_open,
	.close = zh_bench_shm_close,
	.send = zh_bench_shm_send,
	.recv = zh_bench_shm_recv,
	.floor = zh_bench_shm_floor,
	.floor_far = zh_bench_shm_floor_far,
	.floor_stream = zh_bench_shm_floor_stream,
	.floor_stream_far = zh_bench_shm_floor_stream_far,
};

const struct zh_bench_transport zh_bench_transport_shm_futex = {
	.name = "shm-futex",
	.summary =
		"a ring in shared memory; who waits sleeps (futex), who finds work makes no system call",
	.flags = ZH_BENCH_MESSAGES | ZH_BENCH_STREAM_MODE,
	.max_bytes = 4u << 20,
	.ops = &ops,
};
