/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a figure of each row was in the last readings, kept by the row's identity, since rows come,
 * go and change places. Bounded: SCREEN_SAMPLES a row and SCREEN_HISTORIES rows; a row that was not
 * seen for SCREEN_SAMPLES readings is forgotten, and when there are too many, new ones have none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SCREEN_SAMPLES 120
#define SCREEN_HISTORIES 8192

struct screen_history;

struct screen_history *screen_history_new(void);
struct screen_history *screen_history_free(struct screen_history *history);

/* Begins the next reading; then each row's figure is added once (negative: not known). */
void screen_history_begin(struct screen_history *history);
void screen_history_add(struct screen_history *history, uint64_t identity, double value);

/* The last n samples, oldest first, the newest last; -1 where there is none. n is at most
 * SCREEN_SAMPLES. */
void screen_history_get(
	const struct screen_history *history, uint64_t identity, float *ret_samples, size_t n);
size_t screen_history_count(const struct screen_history *history);

/* An identity from its parts: start with SCREEN_IDENTITY and mix in each. */
#define SCREEN_IDENTITY 0xcbf29ce484222325ull
uint64_t screen_identity_number(uint64_t identity, uint64_t part);
uint64_t screen_identity_text(uint64_t identity, const char *part);
