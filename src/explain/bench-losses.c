/* SPDX-License-Identifier: BSD-2-Clause */
/* Where datagrams of a benchmark went. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-parts.h"

#define SHOWN_MAX 64

/* Adds to the counter's entry, made when there is room. */
static void add(
	struct zh_bench_loss *losses, size_t *n, size_t max, const char *counter, uint64_t count)
{
	size_t i;

	if (!count)
		return;
	for (i = 0; i < *n; i++)
		if (!strcmp(losses[i].counter, counter))
			break;
	if (i == max)
		return;
	if (i == *n) {
		losses[(*n)++] = (struct zh_bench_loss){};
		snprintf(losses[i].counter, sizeof(losses[i].counter), "%s", counter);
	}
	losses[i].count += count;
}

static int by_count(const void *a, const void *b)
{
	const struct zh_bench_loss *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->counter, y->counter);
}

size_t zh_bench_losses(const struct zh_record *record, const struct zh_bench_figures *figures,
	struct zh_bench_loss *losses, size_t max)
{
	const struct zh_bench_data *bench = &record->bench;
	uint64_t sum = 0;
	size_t i, k, n = 0;

	for (i = 0; i < figures->n_list; i++) {
		const struct zh_bench_round *round = figures->list[i];

		for (k = round->first_loss; k < round->first_loss + round->n_losses; k++) {
			add(losses, &n, max - 1, bench->losses[k].counter, bench->losses[k].count);
			sum += bench->losses[k].count;
		}
	}
	if (figures->missing > sum)
		add(losses, &n, max, ZH_BENCH_UNATTRIBUTED, figures->missing - sum);
	qsort(losses, n, sizeof(losses[0]), by_count);
	return n;
}

/* "1200 socket drops (SK_MEMINFO_DROPS), 34 unattributed" */
static void list_losses(
	struct zh_buf *text, const struct zh_record *record, const struct zh_bench_figures *f)
{
	struct zh_bench_loss losses[SHOWN_MAX];
	size_t n = zh_bench_losses(record, f, losses, SHOWN_MAX), i;

	for (i = 0; i < n; i++)
		zh_buf_addf(text, "%s%" PRIu64 " %s", i ? ", " : "", losses[i].count,
			losses[i].counter);
}

void zh_bench_describe_losses(const struct zh_bench_analysis *analysis,
	const struct zh_record *record, struct zh_node *root)
{
	static const struct zh_column columns[] = {{NULL, "cell"}, {NULL, "sent"},
		{NULL, "missing"}, {NULL, "share"}, {NULL, "where they went"}};
	char name[ZH_BENCH_NAME_MAX];
	struct zh_node *table = NULL;
	size_t i;

	for (i = 0; i < analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &analysis->cells[i];
		uint64_t sent = ZH_MAX(f->sent, f->missing);
		zh_autobuf where = {};

		if (!f->missing)
			continue;
		if (!table)
			table = zh_node_table(
				root, NULL, "Missing datagrams", columns, ZH_ARRAY_SIZE(columns));
		list_losses(&where, record, f);
		zh_bench_full_name(name, sizeof(name), analysis, f->cell);
		zh_node_row(table,
			(struct zh_cell[]){zh_string(name), zh_packets(sent),
				zh_packets(f->missing), zh_share((double)f->missing / (double)sent),
				zh_string(where.text)});
	}
}
