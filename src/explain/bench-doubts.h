/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a cell's figures can be believed. Private to explain. */
#pragma once

#include "explain/bench.h"

/* The measured rounds of one cell. */
struct zh_bench_rounds {
	const struct zh_bench_data *bench;
	const struct zh_bench_round *const *list;
	size_t n;
	double *scratch; /* room for n values */
	uint32_t n_cpus; /* of the machine; 0: unknown */
};

/* Sets doubts and shares of figures that are complete otherwise. */
void zh_bench_doubt(struct zh_bench_figures *figures, const struct zh_bench_rounds *rounds);
