/* SPDX-License-Identifier: BSD-2-Clause */
/* How cells are called: the transport, and what tells it apart from the others. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-parts.h"

unsigned int zh_bench_differences(const struct zh_bench_cell *a, const struct zh_bench_cell *b)
{
	unsigned int dims = 0;

	dims |= a->placement != b->placement ? ZH_DIM_PLACEMENT : 0;
	dims |= a->size_bytes != b->size_bytes ? ZH_DIM_SIZE : 0;
	dims |= a->buf_bytes != b->buf_bytes ? ZH_DIM_BUF : 0;
	dims |= strcmp(a->over, b->over) ? ZH_DIM_OVER : 0;
	dims |= a->gap_ns != b->gap_ns ? ZH_DIM_GAP : 0;
	dims |= a->spin != b->spin ? ZH_DIM_SPIN : 0;
	dims |= a->zerocopy != b->zerocopy ? ZH_DIM_ZEROCOPY : 0;
	dims |= a->busy_poll_us != b->busy_poll_us ? ZH_DIM_BUSY_POLL : 0;
	return dims;
}

static unsigned int dims_of(
	const struct zh_bench_analysis *analysis, enum zh_bench_mode mode, bool with_unmeasured)
{
	const struct zh_bench_cell *first = NULL;
	unsigned int dims = 0;
	size_t i;

	for (i = 0; i < analysis->n_cells; i++) {
		const struct zh_bench_cell *cell = analysis->cells[i].cell;

		if (cell->mode != mode || (!analysis->cells[i].rounds && !with_unmeasured))
			continue;
		if (!first)
			first = cell;
		dims |= zh_bench_differences(first, cell);
	}
	return dims;
}

unsigned int zh_bench_dims(const struct zh_bench_analysis *analysis, enum zh_bench_mode mode)
{
	return dims_of(analysis, mode, false);
}

char *zh_bench_full_name(char *buf, size_t size, const struct zh_bench_analysis *analysis,
	const struct zh_bench_cell *cell)
{
	char name[ZH_BENCH_NAME_MAX];
	bool many_modes = false;
	size_t i;

	zh_bench_name(
		name, sizeof(name), cell, dims_of(analysis, cell->mode, *cell->why_not != '\0'));
	for (i = 0; i < analysis->n_cells; i++)
		many_modes |= analysis->cells[i].cell->mode != cell->mode;
	snprintf(buf, size, "%s%s%s", many_modes ? zh_bench_mode_name(cell->mode) : "",
		many_modes ? " " : "", name);
	return buf;
}

char *zh_bench_size_text(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = {'G', 'M', 'k'};
	uint64_t unit = 1ull << 30;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(units); i++, unit >>= 10)
		if (bytes >= unit && bytes % unit == 0) {
			snprintf(buf, size, "%" PRIu64 "%c", bytes / unit, units[i]);
			return buf;
		}
	snprintf(buf, size, "%" PRIu64, bytes);
	return buf;
}

/* "1 B", "64k" */
static void add_size(struct zh_buf *text, uint32_t bytes)
{
	char size[24];

	zh_buf_addf(text, "%s%s", zh_bench_size_text(size, sizeof(size), bytes),
		bytes < 1024 ? " B" : "");
}

/* "1000/s"; below one a second the gap itself. */
static void add_rate(struct zh_buf *text, uint64_t gap_ns)
{
	if (gap_ns <= 1000000000)
		zh_buf_addf(text, "%.4g/s", 1e9 / (double)gap_ns);
	else
		zh_buf_addf(text, "each %.3g s", (double)gap_ns / 1e9);
}

/* A setting; nothing when it is not set. */
static void add_setting(
	struct zh_buf *text, const struct zh_bench_cell *cell, enum zh_bench_dim dim)
{
	char size[24];

	if (dim == ZH_DIM_PLACEMENT)
		zh_buf_adds(text, zh_bench_placement_name(cell->placement));
	else if (dim == ZH_DIM_SIZE)
		add_size(text, cell->size_bytes);
	else if (dim == ZH_DIM_BUF && cell->buf_bytes)
		zh_buf_addf(
			text, "buf %s", zh_bench_size_text(size, sizeof(size), cell->buf_bytes));
	else if (dim == ZH_DIM_OVER && *cell->over)
		zh_buf_addf(text, "over %s", cell->over);
	else if (dim == ZH_DIM_GAP && cell->gap_ns)
		add_rate(text, cell->gap_ns);
	else if (dim == ZH_DIM_SPIN && cell->spin)
		zh_buf_adds(text, "spin");
	else if (dim == ZH_DIM_ZEROCOPY && cell->zerocopy)
		zh_buf_adds(text, "zerocopy");
	else if (dim == ZH_DIM_BUSY_POLL && cell->busy_poll_us)
		zh_buf_addf(text, "busy-poll %" PRIu32 " us", cell->busy_poll_us);
}

char *zh_bench_settings(char *buf, size_t size, const struct zh_bench_cell *cell, unsigned int dims)
{
	zh_autobuf text = {};
	unsigned int dim;
	size_t before;

	for (dim = 1; dim & ZH_DIMS_ALL; dim <<= 1) {
		if (!(dims & dim))
			continue;
		before = text.len;
		if (before)
			zh_buf_addc(&text, ' ');
		add_setting(&text, cell, dim);
		if (before && !text.failed && text.len == before + 1)
			text.text[--text.len] = '\0';
	}
	snprintf(buf, size, "%s", text.text ? text.text : "");
	return buf;
}

char *zh_bench_name(char *buf, size_t size, const struct zh_bench_cell *cell, unsigned int dims)
{
	char settings[ZH_BENCH_NAME_MAX];

	zh_bench_settings(settings, sizeof(settings), cell, dims);
	snprintf(buf, size, "%s%s%s", cell->transport, *settings ? " " : "", settings);
	return buf;
}
