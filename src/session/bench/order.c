/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order rounds run, and how long they may take. */
#include "base/util.h"
#include "session/bench/internal.h"
#include "stats/random.h"

/* Sockets, the fork, and taking it all down again; measured 3 to 6 ms. */
#define ROUND_SET_UP_NS (6 * ZH_NSEC_PER_MSEC)
#define DURATION_MIN_NS (20 * ZH_NSEC_PER_MSEC)
#define DURATION_MAX_NS (10 * ZH_NSEC_PER_SEC)
#define WARM_UP_MIN_NS (2 * ZH_NSEC_PER_MSEC)
/*
 * In a virtual machine whose host polls before it lets a halted CPU go, wake-ups across CPUs are
 * faster at first: a pipe's round trip took 36 us in the first 40 ms behind 10 ms of warm-up and 48
 * us in the next, so that whatever ran second looked 10 to 30 % slower; behind 100 ms both took 45.
 */
#define WARM_UP_MAX_NS (100 * ZH_NSEC_PER_MSEC)
#define FLOOR_MAX_NS (350 * ZH_NSEC_PER_MSEC)
/* A byte-bound stream ends at the latest then. */
#define BYTES_MAX_NS (1200 * ZH_NSEC_PER_MSEC)

void bench_shuffle(uint32_t *ret, size_t n, struct zh_random *random)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		k = (size_t)zh_random_below(random, i + 1);
		ret[i] = ret[k];
		ret[k] = (uint32_t)i;
	}
}

struct bench_job *bench_order(
	const uint32_t *cells, size_t n_cells, uint32_t rounds, struct zh_random *random)
{
	struct bench_job *jobs = calloc(n_cells * rounds + 1, sizeof(*jobs));
	zh_autofree uint32_t *order = calloc(n_cells + 1, sizeof(*order));
	uint32_t round;
	size_t i;

	if (!jobs || !order) {
		free(jobs);
		return NULL;
	}
	for (round = 0; round < rounds; round++) {
		bench_shuffle(order, n_cells, random);
		for (i = 0; i < n_cells; i++)
			jobs[round * n_cells + i] = (struct bench_job){
				.cell = cells[order[i]], .round = (uint16_t)round};
	}
	return jobs;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return ZH_MIN(ZH_MAX(value, low), high);
}

/*
 * Half of a round warms up (at most 100 ms), a third of what is left is the floor's. A floor as
 * long as the measured stretch would make the ratio a little surer, but the figures themselves less
 * so.
 */
struct bench_lengths bench_lengths_find(
	const struct zh_session_bench *config, uint64_t n_rounds, bool has_bytes)
{
	uint64_t slot = config->budget_ns / ZH_MAX(n_rounds, 1ull), floor_share;
	struct bench_lengths ret;

	slot -= ZH_MIN(slot, ROUND_SET_UP_NS);
	if (config->duration_ns)
		slot = config->duration_ns * 3 / (config->no_floor ? 2 : 1);
	ret.warmup_ns = clamp(slot / 2, WARM_UP_MIN_NS, WARM_UP_MAX_NS);
	slot -= ZH_MIN(slot, ret.warmup_ns);
	floor_share = config->no_floor ? 0 : slot / 3;
	ret.duration_ns = clamp(slot - floor_share, DURATION_MIN_NS, DURATION_MAX_NS);
	ret.floor_ns = config->no_floor ? 0 : clamp(floor_share, DURATION_MIN_NS / 2, FLOOR_MAX_NS);
	if (has_bytes)
		ret.duration_ns = BYTES_MAX_NS;
	if (config->duration_ns)
		ret.duration_ns = config->duration_ns;
	return ret;
}
