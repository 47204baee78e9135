/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the screen can show: four views, each a list of columns over the rows of a reading. All
 * data: sorting, filtering, history, help and drawing are the same code for all of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/screen/format.h"
#include "session/top/top.h"

/* One column; either `number` or `text`, or neither for SCREEN_HISTORY. */
struct screen_column {
	const char *title, *help;
	enum screen_kind kind;
	uint8_t min, max; /* width: at least; texts at most */
	double warn, bad; /* from here on; 0: never */
	double (*number)(const void *row);
	void (*text)(const void *row, char *buf, size_t size);
};

#define SCREEN_COLUMNS 32

/* The columns are in order of importance: a window has as many as fit, from the first. */
struct screen_view {
	const char *name;
	const char *(*empty)(const struct zh_top_reading *reading); /* why there are no rows */
	const struct screen_column *columns;
	size_t n_columns, sorted_by; /* at the start */
	const void *(*row)(const struct zh_top_reading *reading, size_t i, size_t *ret_n);
	uint64_t (*identity)(const void *row);
	double (*figure)(const void *row); /* of which the history is kept; breaks ties, too */
	double full;                       /* its largest value; 0: has none */
	bool (*is_apart)(const void *row); /* rows below all others, whatever the order; or NULL */
	const char *apart;                 /* their title */
};

enum screen_views { SCREEN_CPUS, SCREEN_DEVICES, SCREEN_FLOWS, SCREEN_DROPS, SCREEN_VIEWS };

extern const struct screen_view *const screen_views[SCREEN_VIEWS];
extern const struct screen_view screen_view_cpus, screen_view_devices, screen_view_flows,
	screen_view_drops;

size_t screen_rows(const struct screen_view *view, const struct zh_top_reading *reading);
const void *screen_row(
	const struct screen_view *view, const struct zh_top_reading *reading, size_t i);

/* A getter of a member that is a double, or can be one. */
#define SCREEN_NUMBER(function, type, member)                                                      \
	static double function(const void *row)                                                    \
	{                                                                                          \
		return ((const struct type *)row)->member;                                         \
	}
#define SCREEN_STRING(function, type, member)                                                      \
	static void function(const void *row, char *buf, size_t size)                              \
	{                                                                                          \
		snprintf(buf, size, "%s", ((const struct type *)row)->member);                     \
	}
