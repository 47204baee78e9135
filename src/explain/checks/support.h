/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the checks share: defaults for missing facts, tables of counters, the gap sweep, prefixes.
 *
 * Every helper treats a missing or unavailable fact as "nobody looked": it yields 0, NULL or false,
 * so that a check stays silent. Counters are differences between the two snapshots of the run and
 * never lifetime values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "explain/internal.h"

/* Writes an array of strings that ends with NULL, for `needs` and `remedies`. */
#define ZH_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A counter whose growth is evidence by itself. Thresholds are growth over the run; 0 = never. */
struct zh_check_counter {
	const char *key;       /* fact key, or a pattern: then summed over its matches */
	const char *name;      /* as the kernel shows it: "TcpExt ListenDrops" */
	uint64_t low, warning; /* from this growth on the finding is low / a warning */
	bool explains_loss;    /* growth together with lost probes is a warning */
};

/* Growth of a counter, or of all that match a pattern; 0 when missing in one snapshot. */
uint64_t zh_check_delta(const struct zh_explain *ex, const char *pattern);
/* The number of a key, or `fallback` when missing. */
uint64_t zh_check_number(const struct zh_explain *ex, uint64_t fallback, const char *key, ...)
	__attribute__((format(printf, 3, 4)));
/* The text of a key, or "" when missing. */
const char *zh_check_text(const struct zh_explain *ex, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
/* Seconds between the two snapshots (or of the probing, where they carry no time); never 0. */
double zh_check_window_s(const struct zh_explain *ex);

/* Whether `text` is one of the words. */
bool zh_check_one_of(const char *text, const char *const *words);

/*
 * Judges a table of counters that ends with a NULL key. Adds one finding when any reached its
 * threshold, with "WHAT: NAME +N, ... in S s" as the summary and each counter that moved as
 * evidence. Returns the finding, or NULL when nothing reached a threshold.
 */
struct zh_finding *zh_check_counters(const struct zh_check *check, struct zh_explain *ex,
	const struct zh_check_counter *counters, const char *what);

/* Adds "N of M probes were lost meanwhile" when probes were lost. */
void zh_check_add_loss(const struct zh_explain *ex, struct zh_finding *finding);

/* The first phase outside the clean room, or NULL; and whether it goes to 127/8, ::1 or a Unix
 * socket (true as well when there is no phase). */
const struct zh_phase *zh_check_main_phase(const struct zh_explain *ex);
bool zh_check_is_loopback(const struct zh_explain *ex);
/* Whether a phase of that transport was probed. */
bool zh_check_probed(const struct zh_explain *ex, enum zh_transport_id transport);

/*
 * The gap sweep: the phases of the main target with the shortest and the longest gap. False when
 * there are not two gaps at least 4 times apart with 10 answers each.
 */
struct zh_check_sweep {
	const struct zh_rtt *near, *far; /* shortest and longest gap */
	uint64_t near_gap_ns, far_gap_ns;
};
bool zh_check_get_sweep(const struct zh_explain *ex, struct zh_check_sweep *ret);

/* RTT in the clean room and in the same setting outside it; false without such a pair of at least
 * 10 answers each. */
bool zh_check_get_clean_room(const struct zh_explain *ex, const struct zh_rtt **ret_real,
	const struct zh_rtt **ret_clean);

/*
 * Whether the prefix (as `ip` prints it: "default", "10.0.0.0/8", "::1") contains the address.
 * False for text that is not a prefix or of the other family.
 */
bool zh_check_prefix_has(const char *prefix, const char *address);
/* Whether two prefixes share addresses; "default" shares with everything of its family. */
bool zh_check_prefixes_overlap(const char *left, const char *right);
