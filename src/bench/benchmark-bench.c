/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benchmark adds to the bare loop: for every transport and placement the ratio of its mean
 * and its median to those of the floor right before it, in interleaved rounds; the ratio of
 * throughputs; and the cost of a stamp with its histogram. Prints only: how fast this machine is
 * proves nothing. Rounds during which others used more than a tenth of a CPU are not counted.
 *
 * usage: benchmark-bench [ROUNDS [TRANSPORT...]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/bench.h"

#define MAX_CELLS 200
#define MAX_ROUNDS 200

struct cell {
	struct zh_bench_cell cell;
	double mean[MAX_ROUNDS], p50[MAX_ROUNDS], value[MAX_ROUNDS], floor[MAX_ROUNDS];
	unsigned int round[MAX_ROUNDS];
	size_t n;
	struct zh_err err;
};

static struct cell cells[MAX_CELLS];
static size_t n_cells;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *values, size_t n, double q)
{
	double sorted[MAX_ROUNDS];

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), compare);
	return n ? sorted[(size_t)(q * (double)(n - 1) + 0.5)] : 0;
}

static void add_cell(
	const char *transport, uint8_t mode, uint8_t placement, bool spin, uint32_t size)
{
	struct cell *c = &cells[n_cells];
	struct zh_err err;

	c->cell = (struct zh_bench_cell){.mode = mode,
		.placement = placement,
		.spin = spin,
		.cpu = -1,
		.peer_cpu = -1,
		.size_bytes = size};
	snprintf(c->cell.transport, sizeof(c->cell.transport), "%s", transport);
	if (placement != ZH_PLACE_FREE) {
		c->cell.cpu = 0;
		c->cell.peer_cpu = placement == ZH_PLACE_CROSS_CPU;
	}
	if (n_cells + 1 < MAX_CELLS && zh_bench_check(&c->cell, &err) >= 0)
		n_cells++;
}

static void run(struct cell *c, unsigned int round, struct zh_histogram *histogram)
{
	struct zh_bench_config config = {.cell = &c->cell,
		.netns_fd = -1,
		.peer_netns_fd = -1,
		.warmup_ns = 100 * ZH_NSEC_PER_MSEC,
		.duration_ns = 80 * ZH_NSEC_PER_MSEC,
		.floor_ns = 80 * ZH_NSEC_PER_MSEC,
		.reply_timeout_ns = ZH_NSEC_PER_SEC};
	struct zh_bench_result result = {.histogram = histogram};
	struct zh_bench_round *r = &result.round;

	if (zh_bench_round(&config, &result, &c->err) < 0 || !r->messages || !r->floor_messages)
		return;
	if (r->foreign_ns > r->elapsed_ns / 10 || r->ended_early) {
		snprintf(c->err.text, sizeof(c->err.text), "no quiet round");
		return;
	}
	if (c->cell.mode == ZH_BENCH_STREAM) {
		c->value[c->n] = (double)r->bytes / (double)r->elapsed_ns * 1e3;
		c->floor[c->n] = (double)r->floor_bytes / (double)r->floor_elapsed_ns * 1e3;
		c->mean[c->n] = c->value[c->n] / c->floor[c->n];
	} else {
		c->value[c->n] = (double)r->elapsed_ns / (double)r->messages / 1e3;
		c->floor[c->n] = (double)r->floor_elapsed_ns / (double)r->floor_messages / 1e3;
		c->mean[c->n] = c->value[c->n] / c->floor[c->n];
		c->p50[c->n] =
			(double)zh_histogram_quantile(histogram, 0.5) / (double)r->floor_p50_ns;
	}
	c->round[c->n++] = round;
}

static void print(const struct cell *c)
{
	static const char *const placements[] = {"same-cpu", "cross-cpu", "free"};

	printf("%-15s %-6s %-9s %7u", c->cell.transport,
		c->cell.mode == ZH_BENCH_STREAM ? "stream"
		: c->cell.spin                  ? "spin"
						: "block",
		placements[c->cell.placement], c->cell.size_bytes);
	if (!c->n) {
		printf("  %s\n", c->err.text);
		return;
	}
	printf(" %10.2f %10.2f %3zu  %.3f [%.3f..%.3f]", quantile(c->floor, c->n, 0.5),
		quantile(c->value, c->n, 0.5), c->n, quantile(c->mean, c->n, 0.5),
		quantile(c->mean, c->n, 0.25), quantile(c->mean, c->n, 0.75));
	if (c->cell.mode != ZH_BENCH_STREAM)
		printf("  %.3f [%.3f..%.3f]", quantile(c->p50, c->n, 0.5),
			quantile(c->p50, c->n, 0.25), quantile(c->p50, c->n, 0.75));
	printf("\n");
}

/* What polling on two CPUs takes of the time that the bare loop takes which sleeps: by round, since
 * the machine drifts. */
static void print_spin(const struct cell *spin)
{
	const struct cell *block;
	double ratios[MAX_ROUNDS];
	size_t i, k, n = 0;

	if (!spin->cell.spin || spin->cell.placement != ZH_PLACE_CROSS_CPU ||
		(zh_bench_transport_find(spin->cell.transport)->flags &
			(ZH_BENCH_SPIN_ONLY | ZH_BENCH_NO_PEER)))
		return;
	for (block = cells; block < cells + n_cells; block++)
		if (!block->cell.spin && block->cell.mode == ZH_BENCH_PINGPONG &&
			block->cell.placement == ZH_PLACE_CROSS_CPU &&
			!strcmp(block->cell.transport, spin->cell.transport))
			break;
	if (block == cells + n_cells)
		return;
	for (i = 0; i < spin->n; i++)
		for (k = 0; k < block->n; k++)
			if (spin->round[i] == block->round[k])
				ratios[n++] = spin->value[i] / block->floor[k];
	if (!n)
		return;
	printf("%-15s spin   %.3f [%.3f..%.3f] of the blocking floor\n", spin->cell.transport,
		quantile(ratios, n, 0.5), quantile(ratios, n, 0.25), quantile(ratios, n, 0.75));
}

/* One clock read and one value into the histogram. */
static void print_stamp_cost(struct zh_histogram *histogram)
{
	uint64_t start = zh_now_ns(), last = start, now = start;
	size_t n;

	for (n = 0; n < 1000000; n++) {
		now = zh_now_ns();
		zh_histogram_add(histogram, now - last + 20000 + (n & 4095));
		last = now;
	}
	printf("stamp and histogram: %.1f ns a message\n", (double)(now - start) / (double)n);
}

static void add_transport(const char *name)
{
	uint8_t placement;

	for (placement = 0; placement < ZH_PLACE_MAX; placement++) {
		add_cell(name, ZH_BENCH_PINGPONG, placement, false, 1);
		add_cell(name, ZH_BENCH_PINGPONG, placement, true, 1);
		add_cell(name, ZH_BENCH_STREAM, placement, false, 65507);
		add_cell(name, ZH_BENCH_STREAM, placement, false, 1 << 20);
	}
}

int main(int argc, char **argv)
{
	struct zh_histogram *histogram = zh_histogram_new();
	unsigned int rounds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 3, round;
	size_t i;

	for (i = 2; i < (size_t)argc; i++)
		add_transport(argv[i]);
	for (i = 0; argc <= 2 && zh_bench_transport_registry[i]; i++)
		add_transport(zh_bench_transport_registry[i]->name);
	print_stamp_cost(histogram);
	for (round = 0; round < rounds && round < MAX_ROUNDS; round++)
		for (i = 0; i < n_cells; i++)
			run(&cells[i], round, histogram);
	printf("%-15s %-6s %-9s %7s %10s %10s %3s  %s\n", "transport", "mode", "placement", "bytes",
		"floor", "measured", "n", "mean/floor [quartiles]  p50/floor  (us, or MB/s)");
	for (i = 0; i < n_cells; i++)
		print(&cells[i]);
	for (i = 0; i < n_cells; i++)
		print_spin(&cells[i]);
	zh_histogram_free(histogram);
	return 0;
}
