/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/util.h"
#include "cmd/screen/history.h"
#include "cmd/screen/view.h"

#define ROW(row) ((const struct zh_top_drop *)(row))

SCREEN_NUMBER(rate, zh_top_drop, rate)
SCREEN_STRING(reason, zh_top_drop, reason)
SCREEN_STRING(function, zh_top_drop, function)
SCREEN_STRING(device, zh_top_drop, device)
SCREEN_STRING(place, zh_top_drop, place)

static double total(const void *row)
{
	return (double)ROW(row)->total;
}

static const struct screen_column columns[] = {
	{"DROP/s", "packets dropped", SCREEN_RATE, 6, 6, 1e-9, 1e-9, rate},
	{"REASON", "the kernel's reason", SCREEN_TEXT, 12, 40, .text = reason},
	{"DEVICE", "device of the packet; empty: it had none", SCREEN_TEXT, 10, 15, .text = device},
	{"WHERE", "namespace or pod of that device", SCREEN_TEXT, 14, 40, .text = place},
	{"FUNCTION", "kernel function that dropped it", SCREEN_TEXT, 12, 40, .text = function},
	{"TOTAL", "since the start", SCREEN_COUNT, 6, 7, .number = total},
	{"HISTORY", "of DROP/s, newest at the right; full height is the row's largest",
		SCREEN_HISTORY, 8, SCREEN_SAMPLES},
};

static const void *row_at(const struct zh_top_reading *reading, size_t i, size_t *ret_n)
{
	*ret_n = reading->n_drops;
	return i < reading->n_drops ? &reading->drops[i] : NULL;
}

static uint64_t identity(const void *row)
{
	const struct zh_top_drop *drop = row;
	uint64_t identity = screen_identity_text(SCREEN_IDENTITY, "drop");

	identity = screen_identity_text(identity, drop->reason);
	identity = screen_identity_text(identity, drop->function);
	identity = screen_identity_text(identity, drop->device);
	return screen_identity_text(identity, drop->place);
}

static bool is_apart(const void *row)
{
	return ROW(row)->is_benign;
}

static const char *empty(const struct zh_top_reading *reading)
{
	return reading->has_drops ? "nothing was dropped"
				  : "drops are not counted by reason here: ? says why";
}

const struct screen_view screen_view_drops = {
	.name = "Drops",
	.empty = empty,
	.columns = columns,
	.n_columns = ZH_ARRAY_SIZE(columns),
	.row = row_at,
	.identity = identity,
	.figure = rate,
	.is_apart = is_apart,
	.apart = "freed, but no loss:",
};
_Static_assert(ZH_ARRAY_SIZE(columns) <= SCREEN_COLUMNS, "too many columns");
