/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A typed value of a document. The unit is in the type, so that producers never format a number.
 * Strings are borrowed until the cell is handed to a document, which copies them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum zh_cell_type {
	ZH_CELL_NULL,        /* JSON null, text "-" */
	ZH_CELL_NS,          /* u: duration in ns */
	ZH_CELL_NS_SIGNED,   /* d: a difference of durations, whole ns */
	ZH_CELL_BYTES,       /* u */
	ZH_CELL_BYTES_PER_S, /* u: throughput */
	ZH_CELL_PACKETS,     /* u */
	ZH_CELL_COUNT,       /* u */
	ZH_CELL_SHARE,       /* d: 0..1, text as percent */
	ZH_CELL_RATE,        /* d: a second, text as "12.3k" */
	ZH_CELL_REAL,        /* d: a plain number (ratio, p-value) */
	ZH_CELL_BOOL,        /* u: 0 or 1 */
	ZH_CELL_STRING,      /* s */
	ZH_CELL_CPUS,        /* s: a CPU list already in list format */
	ZH_CELL_UNAVAILABLE, /* s: the reason; JSON null, text "not available: why" (below a table)
			      */
};

struct zh_cell {
	enum zh_cell_type type;
	uint64_t u;
	double d;
	const char *s;
};

static inline struct zh_cell zh_ns(uint64_t ns)
{
	return (struct zh_cell){.type = ZH_CELL_NS, .u = ns};
}
/* A difference of times; rounded to whole ns. */
static inline struct zh_cell zh_ns_signed(double ns)
{
	return (struct zh_cell){.type = ZH_CELL_NS_SIGNED, .d = ns};
}

static inline struct zh_cell zh_count(uint64_t n)
{
	return (struct zh_cell){.type = ZH_CELL_COUNT, .u = n};
}
static inline struct zh_cell zh_bytes(uint64_t n)
{
	return (struct zh_cell){.type = ZH_CELL_BYTES, .u = n};
}
static inline struct zh_cell zh_bytes_per_s(uint64_t n)
{
	return (struct zh_cell){.type = ZH_CELL_BYTES_PER_S, .u = n};
}
static inline struct zh_cell zh_packets(uint64_t n)
{
	return (struct zh_cell){.type = ZH_CELL_PACKETS, .u = n};
}
static inline struct zh_cell zh_share(double share)
{
	return (struct zh_cell){.type = ZH_CELL_SHARE, .d = share};
}
static inline struct zh_cell zh_rate(double per_second)
{
	return (struct zh_cell){.type = ZH_CELL_RATE, .d = per_second};
}
static inline struct zh_cell zh_real(double value)
{
	return (struct zh_cell){.type = ZH_CELL_REAL, .d = value};
}
static inline struct zh_cell zh_bool(bool value)
{
	return (struct zh_cell){.type = ZH_CELL_BOOL, .u = value};
}
static inline struct zh_cell zh_string(const char *text)
{
	return (struct zh_cell){.type = text ? ZH_CELL_STRING : ZH_CELL_NULL, .s = text};
}
static inline struct zh_cell zh_cpus(const char *list)
{
	return (struct zh_cell){.type = ZH_CELL_CPUS, .s = list};
}
static inline struct zh_cell zh_unavailable(const char *why)
{
	return (struct zh_cell){.type = ZH_CELL_UNAVAILABLE, .s = why};
}
static inline struct zh_cell zh_null(void)
{
	return (struct zh_cell){.type = ZH_CELL_NULL};
}
