/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot of facts: sorted keys ("link.lo.mtu", "cpu.3.idle.C6.exit_ns") with typed values.
 *
 * A value is a number, a string, or "unavailable" with the reason; a missing key means that nobody
 * looked. Keys are made of [A-Za-z0-9_:@/-] parts joined by '.'; a part that stands for a name with
 * a dot in it ("eth0.100") has the dot replaced by '/'. Units are in the last part (`_ns`,
 * `_bytes`, `_pkts`); numbers are uint64_t. Two snapshots are compared key by key, with no code of
 * their own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum zh_fact_type { ZH_FACT_NUMBER, ZH_FACT_STRING, ZH_FACT_UNAVAILABLE };

struct zh_fact {
	char *key; /* owned by the set */
	enum zh_fact_type type;
	uint64_t number;
	char *text; /* owned; the string, or the reason it is unavailable */
};

struct zh_fact_set {
	struct zh_fact *facts; /* sorted by key once zh_fact_set_sort() ran */
	size_t n, size;
	uint64_t taken_ns;   /* CLOCK_MONOTONIC */
	bool sorted, failed; /* failed: out of memory, the set is incomplete */
};

void zh_fact_set_done(struct zh_fact_set *set);

/* Adding; the key is a printf format made with the arguments behind it. The last one added under
 * a key wins. */
void zh_fact_number(struct zh_fact_set *set, uint64_t value, const char *key, ...)
	__attribute__((format(printf, 3, 4)));
void zh_fact_string(struct zh_fact_set *set, const char *value, const char *key, ...)
	__attribute__((format(printf, 3, 4)));
void zh_fact_unavailable(struct zh_fact_set *set, const char *why, const char *key, ...)
	__attribute__((format(printf, 3, 4)));

/* Takes out all whose key begins with that. */
void zh_fact_set_remove(struct zh_fact_set *set, const char *prefix);

/* Sorts and drops duplicates; needed once before the look-ups below, and again after adding. A set
 * whose sorting failed for want of memory is `failed`, and look-ups find nothing in it. */
void zh_fact_set_sort(struct zh_fact_set *set);

/* Look-ups by exact key; NULL / false / `fallback` when missing or of another type. */
const struct zh_fact *zh_fact_find(const struct zh_fact_set *set, const char *key);
bool zh_fact_get(const struct zh_fact_set *set, uint64_t *ret, const char *key, ...)
	__attribute__((format(printf, 3, 4)));
const char *zh_fact_text(const struct zh_fact_set *set, const char *key, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Iterates over the keys that match `pattern`, where '*' stands for one part ("link.*.mtu").
 * Start with *pos = 0; returns NULL at the end. zh_fact_part() copies the part that the n-th '*'
 * matched (n from 0) into buf, with '/' turned back into '.', and returns buf.
 */
const struct zh_fact *zh_fact_next(const struct zh_fact_set *set, const char *pattern, size_t *pos);
char *zh_fact_part(char *buf, size_t size, const struct zh_fact *fact, const char *pattern, int n);

/* after[key] - before[key], saturating at 0; false when either is missing or not a number. */
bool zh_fact_delta(const struct zh_fact_set *before, const struct zh_fact_set *after, uint64_t *ret,
	const char *key, ...) __attribute__((format(printf, 4, 5)));
/* Sum of the deltas of all keys that match `pattern`; false when no key matched. */
bool zh_fact_delta_sum(const struct zh_fact_set *before, const struct zh_fact_set *after,
	const char *pattern, uint64_t *ret);
