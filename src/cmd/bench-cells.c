/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of values become cells: every mode with every transport, size, buffer, placement and rate.
 *
 * A value that a named transport cannot do is the user's mistake. What the program chose itself (a
 * default list, all placements of the matrix) is made to fit, or listed with the reason.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cmd/bench.h"
#include "session/placement.h"
#include "sys/sched.h"

#define CELLS_MAX 4096
#define ROUNDS_MAX 60000
#define DEFAULT_RATE 1000
#define DEFAULT_BYTES (1ull << 30)
/* What one cell may take of a run, all rounds together, and the whole run unless asked. */
#define CELL_NS (550 * ZH_NSEC_PER_MSEC)
#define BUDGET_MIN_NS (850 * ZH_NSEC_PER_MSEC)
#define BUDGET_MAX_NS (30 * ZH_NSEC_PER_SEC)

static const struct cmd_list default_sizes[ZH_BENCH_MODE_MAX] = {
	[ZH_BENCH_PINGPONG] = {{1}, 1},
	[ZH_BENCH_STREAM] = {{64 << 10}, 1},
	[ZH_BENCH_RATE] = {{64}, 1},
};
static const struct cmd_list matrix_sizes = {{1, 64, 1 << 10, 64 << 10}, 4};
static const struct cmd_list matrix_bufs = {{64 << 10, 256 << 10, 1 << 20}, 3};
static const struct cmd_list no_value = {{0}, 1};

/* All lists of a run. */
struct lists {
	const struct zh_bench_transport *transports[CMD_LIST_MAX];
	size_t n_transports;
	bool named; /* the transports were */
	struct cmd_list modes, sizes, bufs, placements, rates;
	bool has_sizes, has_bufs; /* given, or of the matrix */
	bool given_sizes, given_bufs;
};

/* One cell on its way, and what of it was the user's choice. */
struct draft {
	const struct bench_options *options;
	const struct lists *lists;
	const struct zh_bench_transport *transport;
	struct zh_bench_cell cell;
	struct bench_plan *plan;
	struct zh_err *err;
	size_t n_fine;
	struct zh_err refusal; /* of the last cell that makes no sense here */
};

static int read_transports(int n_words, char **words, const struct bench_options *options,
	struct lists *ret, struct zh_err *err)
{
	static const char *const usual[] = {"tcp", "udp", "unix-stream"};
	bool crosses = options->over || options->peer_netns;
	size_t n = n_words ? (size_t)n_words : crosses ? 2 : ZH_ARRAY_SIZE(usual), i, k;
	const struct zh_bench_transport *t;
	struct zh_bench_cell cell = {};

	if (n > CMD_LIST_MAX)
		return zh_err_set(err, -EINVAL, "at most %d transports", CMD_LIST_MAX);
	ret->named = n_words > 0;
	for (i = 0; i < n; i++) {
		const char *word = n_words ? words[i] : usual[i];

		t = zh_bench_transport_find(word);
		if (!t) { /* says which there are */
			snprintf(cell.transport, sizeof(cell.transport), "%s", word);
			return zh_bench_check(&cell, err);
		}
		for (k = 0; k < i; k++)
			if (ret->transports[k] == t)
				return zh_err_set(err, -EINVAL, "'%s' is there twice", t->name);
		ret->transports[i] = t;
	}
	ret->n_transports = n;
	return 0;
}

static int read_modes(
	const struct bench_options *options, bool named, struct cmd_list *ret, struct zh_err *err)
{
	const char *names[ZH_BENCH_MODE_MAX + 1] = {};
	unsigned int i;

	for (i = 0; i < ZH_BENCH_MODE_MAX; i++)
		names[i] = zh_bench_mode_name(i);
	if (options->modes)
		return cmd_list_read("mode", options->modes, cmd_item_choice, names, ret, err);
	if (options->rate)
		*ret = (struct cmd_list){{ZH_BENCH_RATE}, 1};
	else if (options->bytes && named)
		*ret = (struct cmd_list){{ZH_BENCH_STREAM}, 1};
	else if (options->matrix || !named)
		*ret = (struct cmd_list){{ZH_BENCH_PINGPONG, ZH_BENCH_STREAM}, 2};
	else
		*ret = (struct cmd_list){{ZH_BENCH_PINGPONG}, 1};
	return 0;
}

/* Without a word from the user: the two sides on two CPUs, as two busy programs are, since where
 * the scheduler puts them changes from run to run. */
static struct cmd_list usual_placements(const struct bench_options *options)
{
	if (options->matrix)
		return (struct cmd_list){{ZH_PLACE_SAME_CPU, ZH_PLACE_CROSS_CPU, ZH_PLACE_FREE}, 3};
	return (struct cmd_list){
		{cmd_bench_can_cross() ? ZH_PLACE_CROSS_CPU : ZH_PLACE_SAME_CPU}, 1};
}

static int read_sizes(const struct bench_options *options, struct lists *ret, struct zh_err *err)
{
	size_t i;
	int r = 0;

	ret->given_sizes = options->sizes != NULL;
	ret->given_bufs = options->bufs != NULL;
	ret->has_sizes = ret->given_sizes || options->matrix;
	ret->has_bufs = ret->given_bufs || options->matrix;
	ret->sizes = matrix_sizes;
	ret->bufs = matrix_bufs;
	ret->rates = (struct cmd_list){{DEFAULT_RATE}, 1};
	if (options->sizes)
		r = cmd_list_read("size", options->sizes, cmd_item_size, NULL, &ret->sizes, err);
	if (r >= 0 && options->bufs)
		r = cmd_list_read("buf", options->bufs, cmd_item_size, NULL, &ret->bufs, err);
	if (r >= 0 && options->rate)
		r = cmd_list_read("rate", options->rate, cmd_item_rate, NULL, &ret->rates, err);
	for (i = 0; r >= 0 && i < ret->sizes.n; i++)
		if (ret->sizes.values[i] > UINT32_MAX)
			r = zh_err_set(err, -EINVAL, "--size: at most 64M");
	for (i = 0; r >= 0 && i < ret->bufs.n; i++)
		if (ret->bufs.values[i] > INT32_MAX)
			r = zh_err_set(err, -EINVAL, "--buf: at most %d bytes", INT32_MAX);
	return r;
}

static int read_lists(const struct bench_options *options, int n_words, char **words,
	struct lists *ret, struct zh_err *err)
{
	bool has_rate = false;
	size_t i;
	int r = read_transports(n_words, words, options, ret, err);

	if (r >= 0)
		r = read_modes(options, ret->named, &ret->modes, err);
	ret->placements = usual_placements(options);
	if (r >= 0)
		r = cmd_bench_placements(options, &ret->placements, err);
	if (r >= 0)
		r = read_sizes(options, ret, err);
	for (i = 0; r >= 0 && i < ret->modes.n; i++)
		has_rate |= ret->modes.values[i] == ZH_BENCH_RATE;
	if (r >= 0 && options->rate && !has_rate)
		return zh_err_set(err, -EINVAL, "--rate goes with --mode rate");
	return r;
}

/* 0 with the cell in the plan, or -EINVAL, -ENOMEM. */
static int add_cell(struct draft *d)
{
	struct zh_bench_cell *grown, cell = d->cell;
	struct zh_err err = {};
	int r;

	/* First without a place: does the transport do what is asked at all? */
	cell.placement = ZH_PLACE_FREE;
	cell.cpu = cell.peer_cpu = -1;
	r = zh_bench_check(&cell, &err);
	if (r < 0 && d->lists->named) {
		*d->err = err;
		return r;
	}
	cell.placement = d->cell.placement;
	if (r >= 0)
		r = session_place_cpus(cell.placement, &cell.cpu, &cell.peer_cpu, &err);
	if (r >= 0)
		r = zh_bench_check(&cell, &err);
	if (r < 0) {
		snprintf(cell.why_not, sizeof(cell.why_not), "%.*s", (int)sizeof(cell.why_not) - 1,
			err.text);
		d->refusal = err;
	}
	if (d->plan->n_cells == CELLS_MAX)
		return zh_err_set(
			d->err, -EINVAL, "more than %d combinations: ask for less", CELLS_MAX);
	grown = realloc(d->plan->cells, (d->plan->n_cells + 1) * sizeof(cell));
	if (!grown)
		return zh_err_set(d->err, -ENOMEM, "out of memory");
	d->plan->cells = grown;
	grown[d->plan->n_cells++] = cell;
	d->n_fine += r >= 0;
	return 0;
}

static int add_places(struct draft *d)
{
	const struct cmd_list *rates = d->cell.mode == ZH_BENCH_RATE ? &d->lists->rates : &no_value;
	size_t i, k;
	int r = 0;

	for (i = 0; i < d->lists->placements.n && r >= 0; i++) {
		d->cell.placement = (uint8_t)d->lists->placements.values[i];
		for (k = 0; k < rates->n && r >= 0; k++) {
			uint64_t rate = rates->values[k];

			d->cell.gap_ns = rate ? ZH_NSEC_PER_SEC / rate : 0;
			r = add_cell(d);
		}
	}
	return r;
}

/* The buffers that the program chose matter to streams; those that the user chose are set wherever
 * there are any. */
static const struct cmd_list *choose_bufs(const struct draft *d)
{
	const struct lists *lists = d->lists;
	bool any = false;
	size_t i;

	for (i = 0; i < lists->n_transports; i++)
		any |= (lists->transports[i]->flags & ZH_BENCH_BUFFERS) != 0;
	if (!lists->has_bufs || (!lists->given_bufs && d->cell.mode != ZH_BENCH_STREAM))
		return &no_value;
	if (!(d->transport->flags & ZH_BENCH_BUFFERS) && (any || !lists->given_bufs))
		return &no_value;
	return &lists->bufs;
}

/* The largest datagram stands for the round number just above it: 65507 bytes for 64k. */
static bool is_nearly(uint64_t size, uint64_t max)
{
	return size > max && size - max < size / 256;
}

static int add_sizes(struct draft *d)
{
	const struct lists *lists = d->lists;
	const struct cmd_list *sizes =
		lists->has_sizes ? &lists->sizes : &default_sizes[d->cell.mode];
	const struct cmd_list *bufs = choose_bufs(d);
	size_t i, k;
	int r = 0;

	for (i = 0; i < sizes->n && r >= 0; i++) {
		uint64_t size = sizes->values[i];

		if (!lists->given_sizes || is_nearly(size, d->transport->max_bytes))
			size = ZH_MIN(size, (uint64_t)d->transport->max_bytes);
		d->cell.size_bytes = (uint32_t)size;
		for (k = 0; k < bufs->n && r >= 0; k++) {
			d->cell.buf_bytes = (uint32_t)bufs->values[k];
			r = add_places(d);
		}
	}
	return r;
}

/* A mode that the program chose is left out for transports that do not have it. */
static bool lacks_mode(const struct draft *d)
{
	return !d->options->modes && d->cell.mode == ZH_BENCH_STREAM &&
	       !(d->transport->flags & ZH_BENCH_STREAM_MODE) && !d->options->bytes;
}

static int add_all(struct draft *d)
{
	const struct bench_options *options = d->options;
	const struct lists *lists = d->lists;
	size_t i, k;
	int r = 0;

	for (i = 0; i < lists->modes.n && r >= 0; i++) {
		for (k = 0; k < lists->n_transports && r >= 0; k++) {
			d->transport = lists->transports[k];
			d->cell = (struct zh_bench_cell){.mode = (uint8_t)lists->modes.values[i],
				.spin = options->spin,
				.zerocopy = options->zerocopy,
				.busy_poll_us = (uint32_t)(options->busy_poll_ns / 1000)};
			snprintf(d->cell.transport, sizeof(d->cell.transport), "%s",
				d->transport->name);
			snprintf(d->cell.over, sizeof(d->cell.over), "%s",
				options->over         ? options->over
				: options->peer_netns ? "netns"
						      : "");
			if (!lacks_mode(d))
				r = add_sizes(d);
		}
	}
	return r;
}

static void choose_budget(
	const struct bench_options *options, const struct lists *lists, struct bench_plan *plan)
{
	bool is_plain = !lists->named && !options->matrix && !options->modes;

	plan->bytes = options->bytes;
	if (!plan->bytes && is_plain && !options->for_ns)
		plan->bytes = DEFAULT_BYTES;
	plan->budget_ns = options->budget_ns;
	if (!plan->budget_ns)
		plan->budget_ns =
			ZH_MIN(ZH_MAX(plan->n_cells * CELL_NS, BUDGET_MIN_NS), BUDGET_MAX_NS);
}

int cmd_bench_plan(const struct bench_options *options, int n_words, char **words,
	struct bench_plan *ret, struct zh_err *err)
{
	struct lists lists = {};
	struct draft draft = {.options = options, .lists = &lists, .plan = ret, .err = err};

	*ret = (struct bench_plan){};
	if (read_lists(options, n_words, words, &lists, err) < 0 || add_all(&draft) < 0)
		return err->code == -ENOMEM ? ZH_EXIT_UNABLE : ZH_EXIT_USAGE;
	if (!draft.n_fine) {
		*err = draft.refusal;
		return ZH_EXIT_USAGE;
	}
	if (ret->n_cells * options->rounds > ROUNDS_MAX) {
		zh_err_set(err, -EINVAL, "%zu cells in %llu rounds are more than %d: ask for less",
			ret->n_cells, (unsigned long long)options->rounds, ROUNDS_MAX);
		return ZH_EXIT_USAGE;
	}
	choose_budget(options, &lists, ret);
	return 0;
}

void cmd_bench_plan_freep(struct bench_plan *plan)
{
	free(zh_take(plan->cells));
}
