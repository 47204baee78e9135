/* SPDX-License-Identifier: BSD-2-Clause */
/* What settings did, or did not do; and what limits a stream. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/bench-why.h"

#define NS(ns) zh_format_ns((char[24]){0}, 24, (uint64_t)llround(ns))
#define SIZE(bytes) zh_bench_size_text((char[24]){0}, 24, bytes)
#define MESSAGE(cell) zh_bench_settings((char[24]){0}, 24, cell, ZH_DIM_SIZE)

/* bbr and its descendants send by a model of the path's bandwidth and pace every burst. */
static bool is_pacing(const char *congestion)
{
	return !strncmp(congestion, "bbr", 3);
}

static void say_pacing(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i];

		if (!f->rounds || !is_pacing(f->cell->congestion) ||
			f->cell->mode != ZH_BENCH_STREAM)
			continue;
		zh_bench_say(why,
			"%s runs under %s, which paces what it sends by its own estimate of the "
			"bandwidth, also %s%s: the throughput is not the CPUs' alone "
			"(net.ipv4.tcp_congestion_control).",
			f->cell->transport, f->cell->congestion,
			*f->cell->over ? "over " : "on the loopback", f->cell->over);
		return;
	}
}

/* Loopback hands packets to a receiver who may keep them: the kernel copies what was to be sent
 * without a copy, and pays for the bookkeeping beside (Documentation/networking/msg_zerocopy.rst).
 */
static void say_zerocopy(struct zh_bench_why *why)
{
	size_t i, k;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i];
		double done = 0, copied = 0;

		for (k = 0; f->cell->zerocopy && k < f->rounds; k++) {
			done += (double)f->list[k]->zerocopy_done;
			copied += (double)f->list[k]->zerocopy_copied;
		}
		if (done > 0 && copied >= done / 2)
			zh_bench_say(why,
				"MSG_ZEROCOPY is a placebo for %s with %s here: %.0f %% of the "
				"sends were copied after all.",
				f->cell->transport, MESSAGE(f->cell), 100 * copied / done);
	}
}

static void say_busy_poll(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i];

		if (!f->rounds || !f->cell->busy_poll_us || f->cell->napi_id)
			continue;
		zh_bench_say(why,
			"SO_BUSY_POLL is a placebo for %s: its packets come from no NAPI instance "
			"that could be polled (SO_INCOMING_NAPI_ID is 0).",
			f->cell->transport);
		return;
	}
}

/* The kernel doubles what is asked for, to account for its own overhead (socket(7)). */
static void say_buffers(struct zh_bench_why *why)
{
	uint32_t said = 0;
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_cell *c = why->analysis->cells[i].cell;
		uint32_t least = ZH_MIN(c->sndbuf_bytes, c->rcvbuf_bytes) / 2;

		if (!why->analysis->cells[i].rounds || !least || least >= c->buf_bytes ||
			c->buf_bytes == said)
			continue;
		said = c->buf_bytes;
		zh_bench_say(why,
			"Buffers of %s were asked for, %s are in force for %s: "
			"net.core.%s limits them.",
			SIZE(c->buf_bytes), SIZE(least), c->transport,
			c->sndbuf_bytes <= c->rcvbuf_bytes ? "wmem_max" : "rmem_max");
	}
}

/* A side that is always busy limits the stream when the other is not. */
#define BUSY_SHARE 0.95
#define IDLE_SHARE 0.85

static void say_bottleneck(struct zh_bench_why *why)
{
	size_t i, k;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i];
		double elapsed = 0, sending = 0, receiving = 0, most, least;

		if (!zh_bench_is_usable(f) || f->cell->mode != ZH_BENCH_STREAM || f->cell->spin ||
			f->cell->placement != ZH_PLACE_CROSS_CPU)
			continue;
		for (k = 0; k < f->rounds; k++) {
			elapsed += (double)f->list[k]->elapsed_ns;
			sending += (double)f->list[k]->cpu_ns;
			receiving += (double)f->list[k]->peer_cpu_ns;
		}
		most = fmax(sending, receiving);
		least = fmin(sending, receiving);
		if (most >= BUSY_SHARE * elapsed && least <= IDLE_SHARE * elapsed)
			zh_bench_say(why,
				"%s with %s across two CPUs is limited by the %s side, which is busy "
				"%.0f %% of the time, the other %.0f %%.",
				f->cell->transport, MESSAGE(f->cell),
				sending > receiving ? "sending" : "receiving",
				fmin(100 * most / elapsed, 100), 100 * least / elapsed);
	}
}

/* The smallest and the largest message of a stream that is equal otherwise. */
static const struct zh_bench_figures *largest(
	const struct zh_bench_why *why, const struct zh_bench_figures *smallest)
{
	const struct zh_bench_figures *found = NULL;
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *g = &why->analysis->cells[i];

		if (!zh_bench_is_usable(g) || g->cell->mode != ZH_BENCH_STREAM ||
			strcmp(g->cell->transport, smallest->cell->transport) ||
			zh_bench_differences(g->cell, smallest->cell) != ZH_DIM_SIZE)
			continue;
		if (g->cell->size_bytes < smallest->cell->size_bytes)
			return NULL;
		if (!found || g->cell->size_bytes > found->cell->size_bytes)
			found = g;
	}
	return found;
}

static void say_message_cost(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i], *g;
		double small, large;

		if (!zh_bench_is_usable(f) || f->cell->mode != ZH_BENCH_STREAM ||
			!f->cell->size_bytes)
			continue;
		g = largest(why, f);
		if (!g)
			continue;
		small = zh_bench_busy(f) / f->cell->size_bytes;
		large = zh_bench_busy(g) / g->cell->size_bytes;
		if (large > 0 && small >= 2 * large && g->bytes_per_s > f->bytes_per_s &&
			zh_bench_is_apart(f, g))
			zh_bench_say(why,
				"A message of %s costs %s %s of CPU time, one of %s %s (both sides): "
				"a byte costs %.3g times as much in small messages.",
				MESSAGE(f->cell), f->cell->transport, NS(zh_bench_busy(f)),
				MESSAGE(g->cell), NS(zh_bench_busy(g)), small / large);
	}
}

zh_bench_why_rule *const zh_bench_setting_rules[] = {
	say_pacing,
	say_zerocopy,
	say_busy_poll,
	say_buffers,
	say_bottleneck,
	say_message_cost,
	NULL,
};
