/* SPDX-License-Identifier: BSD-2-Clause */
/* A cell and its configuration for tests: short stretches, a peer that may be silent for 1 s. */
#pragma once

#include <stdio.h>

#include "base/util.h"
#include "bench/bench.h"

struct bench_case {
	struct zh_bench_cell cell;
	struct zh_bench_config config;
	struct zh_bench_result result;
	struct zh_err err;
};

static inline void bench_case_init(struct bench_case *c, const char *transport)
{
	*c = (struct bench_case){0};
	snprintf(c->cell.transport, sizeof(c->cell.transport), "%s", transport);
	c->cell.size_bytes = 64;
	c->cell.placement = ZH_PLACE_FREE;
	c->cell.cpu = c->cell.peer_cpu = -1;
	c->config.cell = &c->cell;
	c->config.netns_fd = c->config.peer_netns_fd = -1;
	c->config.warmup_ns = 2 * ZH_NSEC_PER_MSEC;
	c->config.duration_ns = 20 * ZH_NSEC_PER_MSEC;
	c->config.floor_ns = 10 * ZH_NSEC_PER_MSEC;
	c->config.reply_timeout_ns = ZH_NSEC_PER_SEC;
}
