/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading path.* facts (path.h has the list) from a record. A missing fact is NULL, false or 0:
 * nobody looked. All strings belong to the record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "report/cell.h"

#define ZH_PATH_KEY_MAX 256

/* Patterns of all path.* keys, NULL-terminated; a '*' is one part of a key. */
extern const char *const zh_path_keys[];
/* Whether two patterns of keys can stand for one key. */
bool zh_path_patterns_meet(const char *a, const char *b);
/* Whether `key`, or a pattern that may stand for it, is one of them. */
bool zh_path_is_key(const char *key);

/* The snapshot that holds the path.* facts. */
const struct zh_fact_set *zh_path_facts(const struct zh_record *record);

const struct zh_fact *zh_path_fact(const struct zh_record *record, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
const char *zh_path_text(const struct zh_record *record, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
/* The number, or 0 when missing. */
uint64_t zh_path_number(const struct zh_record *record, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
bool zh_path_has(const struct zh_record *record, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
/* A fact as a cell: a count, a string, why it is unavailable, or null when nobody looked. */
struct zh_cell zh_path_cell(const struct zh_record *record, const char *key, ...)
	__attribute__((format(printf, 2, 3)));

/* How many of a numbered list are there; `key` is the one that every entry has, its last
 * conversion "%zu" the entry's number. */
size_t zh_path_n_ways(const struct zh_record *record);
size_t zh_path_n_hops_of(const struct zh_record *record, size_t way);
size_t zh_path_n_before(const struct zh_record *record, size_t way);
size_t zh_path_n_lost(const struct zh_record *record, size_t way);
size_t zh_path_n_strays(const struct zh_record *record, size_t way);
size_t zh_path_n_translations(const struct zh_record *record, size_t way);

/* What NAT makes of the target on the way, at last ("10.0.0.5:80"); NULL: it stays what it is. */
const char *zh_path_translated(const struct zh_record *record, size_t way);

/* Whether lost packets of that group only met no listener: the kernel drops those, too, and tells
 * the sender. */
bool zh_path_lost_is_refusal(const struct zh_record *record, size_t way, size_t n);
/* Packets lost on the way, without those. */
uint64_t zh_path_lost(const struct zh_record *record, size_t way);

/* "here", "netns blue"; "place 3" when it has no name. */
const char *zh_path_place(const struct zh_record *record, uint64_t place, char *buf, size_t size);

/* The same of a stray sighting, whose namespace need not be on the way. */
const char *zh_path_stray_place(
	const struct zh_record *record, size_t way, size_t n, char *buf, size_t size);

/* "127.0.0.1", "tcp 127.0.0.1:80", "unix:/run/x": what the way leads to. */
const char *zh_path_way_name(const struct zh_record *record, size_t way, char *buf, size_t size);

/* Whether that text is an address of the loopback range (127/8, ::1). */
bool zh_path_is_loopback(const char *address);
/* Whether the way leads to this machine's own address: a loopback one, one of a device, or one that
 * routing calls local. */
bool zh_path_is_local(const struct zh_record *record, size_t way);
/* Whether the way, or the one it should have taken, uses lo. */
bool zh_path_uses_lo(const struct zh_record *record, size_t way);

/* Whether a rule refuses it although the address is this machine's own and lo is up. The plain
 * question may be refused too: the kernel takes it for UDP. */
bool zh_path_is_refused_by_rule(const struct zh_record *record, size_t way);
/* Whether the kernel's answer for the flow differs from that to the plain question. */
bool zh_path_is_diverted(const struct zh_record *record, size_t way);

/* The device by which packets go instead of the one that was decided on: NAT at the output hook is
 * known to send them there, or they were counted there, and the other one saw none: behind the
 * decision something (NAT, a mark, tc, BPF) sends them elsewhere. NULL: no. */
const char *zh_path_is_taken_away(const struct zh_record *record, size_t way);

/* "local by lo, table local", "refused: Invalid argument"; `base` is "decision" or
 * "decision.plain". "" when it was not asked. */
const char *zh_path_answer(
	const struct zh_record *record, size_t way, const char *base, char *buf, size_t size);
/* "rule 100: from all ipproto icmp blackhole", or "" when unknown. */
const char *zh_path_rule(const struct zh_record *record, size_t way, char *buf, size_t size);
