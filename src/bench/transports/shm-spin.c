/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/shm.h"

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	return zh_bench_shm_open(link, false, err);
}

static int64_t send_message(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	struct zh_bench_shm *shm = end->state;

	return zh_ring_put(&shm->tx, end->buf, link->cell->size_bytes, false);
}

static int64_t recv_message(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	struct zh_bench_shm *shm = end->state;

	return zh_ring_get(&shm->rx, end->buf, link->cell->size_bytes, false);
}

static const struct zh_bench_ops ops = {
	.is_ring = true,
	.open = open_link,
	.close = zh_bench_shm_close,
	.send = send_message,
	.recv = recv_message,
	.floor = zh_bench_shm_floor,
	.floor_far = zh_bench_shm_floor_far,
	.floor_stream = zh_bench_shm_floor_stream,
	.floor_stream_far = zh_bench_shm_floor_stream_far,
};

const struct zh_bench_transport zh_bench_transport_shm_spin = {
	.name = "shm-spin",
	.summary = "a ring in shared memory; both sides look all the time and never sleep",
	.flags = ZH_BENCH_MESSAGES | ZH_BENCH_STREAM_MODE | ZH_BENCH_SPIN_ONLY,
	.max_bytes = 4u << 20,
	.ops = &ops,
};
