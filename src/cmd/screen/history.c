/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/history.h"

#include <stdlib.h>

#include "base/util.h"

#define SLOTS (2 * SCREEN_HISTORIES) /* half empty: short walks */
#define FNV_PRIME 0x100000001b3ull   /* FNV-1a, 64 bit */

struct row {
	uint64_t identity;
	uint64_t seen; /* the reading that added last, from 1 */
	float samples[SCREEN_SAMPLES];
};

/* Open addressing: `slots` holds the number of a row + 1, or 0. */
struct screen_history {
	uint64_t reading;
	struct row *rows;
	size_t n, max;
	uint16_t slots[SLOTS];
};

struct screen_history *screen_history_new(void)
{
	return calloc(1, sizeof(struct screen_history));
}

struct screen_history *screen_history_free(struct screen_history *history)
{
	if (history)
		free(history->rows);
	free(history);
	return NULL;
}

static size_t slot_of(const struct screen_history *history, uint64_t identity)
{
	size_t slot = (identity ^ identity >> 32) % SLOTS;

	while (history->slots[slot] && history->rows[history->slots[slot] - 1].identity != identity)
		slot = (slot + 1) % SLOTS;
	return slot;
}

/* Keeps the rows that were seen in the last readings, and finds their slots anew. */
static void forget(struct screen_history *history)
{
	size_t kept = 0;

	for (size_t i = 0; i < SLOTS; i++)
		history->slots[i] = 0;
	for (size_t i = 0; i < history->n; i++) {
		if (history->rows[i].seen + SCREEN_SAMPLES <= history->reading)
			continue;
		history->rows[kept] = history->rows[i];
		history->slots[slot_of(history, history->rows[kept].identity)] =
			(uint16_t)(kept + 1);
		kept++;
	}
	history->n = kept;
}

void screen_history_begin(struct screen_history *history)
{
	history->reading++;
	if (history->reading % SCREEN_SAMPLES == 0)
		forget(history);
}

static struct row *add_row(struct screen_history *history, uint64_t identity, size_t slot)
{
	size_t max = history->max ? ZH_MIN(2 * history->max, (size_t)SCREEN_HISTORIES) : 256;
	struct row *rows;

	if (history->n == SCREEN_HISTORIES)
		return NULL;
	if (history->n == history->max) {
		rows = realloc(history->rows, max * sizeof(*rows));
		if (!rows)
			return NULL;
		history->rows = rows;
		history->max = max;
	}
	history->rows[history->n] = (struct row){.identity = identity};
	history->slots[slot] = (uint16_t)++history->n;
	return &history->rows[history->n - 1];
}

void screen_history_add(struct screen_history *history, uint64_t identity, double value)
{
	size_t slot = slot_of(history, identity);
	struct row *row = history->slots[slot] ? &history->rows[history->slots[slot] - 1]
					       : add_row(history, identity, slot);
	uint64_t from;

	if (!row)
		return;
	/* Readings without the row are gaps; the ring never holds what is older than itself. */
	from = ZH_MAX(row->seen + 1,
		history->reading > SCREEN_SAMPLES ? history->reading - SCREEN_SAMPLES + 1 : 1);
	for (uint64_t i = from; i < history->reading; i++)
		row->samples[i % SCREEN_SAMPLES] = -1;
	row->samples[history->reading % SCREEN_SAMPLES] = (float)value;
	row->seen = history->reading;
}

void screen_history_get(
	const struct screen_history *history, uint64_t identity, float *ret_samples, size_t n)
{
	size_t slot = slot_of(history, identity);
	const struct row *row =
		history->slots[slot] ? &history->rows[history->slots[slot] - 1] : NULL;

	for (size_t i = 0; i < n; i++) {
		size_t back = n - 1 - i;
		uint64_t reading = history->reading - back;
		bool is_kept = row && back < history->reading && reading <= row->seen &&
			       reading + SCREEN_SAMPLES > row->seen;

		ret_samples[i] = is_kept ? row->samples[reading % SCREEN_SAMPLES] : -1;
	}
}

size_t screen_history_count(const struct screen_history *history)
{
	return history->n;
}

uint64_t screen_identity_number(uint64_t identity, uint64_t part)
{
	for (size_t i = 0; i < sizeof(part); i++, part >>= 8)
		identity = (identity ^ (part & 0xff)) * FNV_PRIME;
	return identity;
}

uint64_t screen_identity_text(uint64_t identity, const char *part)
{
	for (; *part; part++)
		identity = (identity ^ (unsigned char)*part) * FNV_PRIME;
	return (identity ^ 0xff) * FNV_PRIME; /* "a" "b" is not "ab" */
}
