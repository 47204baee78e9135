/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/bench-why.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void zh_bench_say(struct zh_bench_why *why, const char *format, ...)
{
	char text[400];
	va_list ap;

	if (why->n == ZH_WHY_MAX || why->n - why->n_before == ZH_WHY_MAX_A_RULE)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	why->sentences[why->n] = strdup(text);
	if (why->sentences[why->n])
		why->n++;
}

static unsigned int value_in(const struct zh_bench_cell *cell, enum zh_bench_dim dim)
{
	return dim == ZH_DIM_SPIN ? cell->spin : cell->placement;
}

const struct zh_bench_figures *zh_bench_twin(const struct zh_bench_why *why,
	const struct zh_bench_figures *f, enum zh_bench_dim dim, unsigned int value)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *g = &why->analysis->cells[i];

		if (zh_bench_is_usable(g) && g->cell->mode == f->cell->mode &&
			!strcmp(g->cell->transport, f->cell->transport) &&
			zh_bench_differences(f->cell, g->cell) == (unsigned int)dim &&
			value_in(g->cell, dim) == value)
			return g;
	}
	return NULL;
}

static void apply(struct zh_bench_why *why, zh_bench_why_rule *const *rules)
{
	for (; *rules; rules++) {
		why->n_before = why->n;
		(*rules)(why);
	}
}

void zh_bench_describe_why(const struct zh_bench_analysis *analysis, struct zh_node *root)
{
	struct zh_bench_why why = {.analysis = analysis};
	struct zh_node *list;
	size_t i;

	apply(&why, zh_bench_cost_rules);
	apply(&why, zh_bench_setting_rules);
	list = zh_node_list(root, "why", why.n ? "Why cells differ" : NULL);
	for (i = 0; i < why.n; i++) {
		zh_node_item(list, why.sentences[i]);
		free(why.sentences[i]);
	}
}
