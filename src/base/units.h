/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing quantities: durations ("200ms", "1.5s", "50us"), sizes ("64", "1k", "1G",
 * powers of 1024), whole numbers and CPU lists ("0-3,8").
 *
 * Parsers accept the whole string or nothing; they return 0, or -EINVAL / -ERANGE with a sentence
 * in `err` that says what is allowed. Outputs are untouched on failure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ZH_CPU_MAX 1024 /* the largest CPU number we handle is ZH_CPU_MAX - 1 */

struct zh_cpuset {
	uint64_t bits[ZH_CPU_MAX / 64];
};

int zh_parse_duration(const char *text, uint64_t *ret_ns, struct zh_err *err);
int zh_parse_size(const char *text, uint64_t *ret_bytes, struct zh_err *err);
int zh_parse_u64(const char *text, uint64_t *ret_value, struct zh_err *err);
int zh_parse_cpulist(const char *text, struct zh_cpuset *ret_set, struct zh_err *err);

void zh_cpuset_add(struct zh_cpuset *set, unsigned int cpu);
int zh_cpuset_has(const struct zh_cpuset *set, unsigned int cpu);
unsigned int zh_cpuset_count(const struct zh_cpuset *set);

/* Writes "0-3,8" into buf; returns buf. An empty set gives "". */
char *zh_format_cpulist(char *buf, size_t size, const struct zh_cpuset *set);

/* Three significant digits and a unit: "6.41 us", "12.3 ms", "1.50 s". Returns buf. */
char *zh_format_ns(char *buf, size_t size, uint64_t ns);

/* A number of things a second, three significant digits: "0", "0.40", "350", "12.3k", "1.45M".
 * Returns buf. */
char *zh_format_rate(char *buf, size_t size, double rate);

/* "512 B", "64.0 KiB", "1.50 GiB". Returns buf. */
char *zh_format_bytes(char *buf, size_t size, uint64_t bytes);
