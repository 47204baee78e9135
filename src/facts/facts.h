/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fact collectors: what is set up in the current network namespace and on this host.
 *
 * One collector a file, registered by its file name. A collector adds keys of its own schema; what
 * it cannot read it adds as "unavailable" with the reason, so absence is never mistaken for health.
 * Everything is read through sys, so a captured tree (ZH_SYSROOT) can stand in for the machine.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "record/fact-set.h"

struct zh_fact_schema {
	const char *pattern; /* "link.*.mtu" */
	enum zh_fact_type type;
	const char *unit; /* "bytes", "ns", "pkts", "count", "" */
	const char *help;
};

struct zh_fact_group {                       /* a collector */
	const char *id;                      /* "links" */
	const char *summary;                 /* one line */
	const struct zh_fact_schema *schema; /* ends with a NULL pattern */
	/* Adds its facts. Never fails as a whole: what is missing becomes "unavailable". */
	void (*collect)(struct zh_fact_set *set);
};

/* All collectors, NULL-terminated. */
extern const struct zh_fact_group *const zh_fact_group_registry[];

/* Runs every collector and sorts the set. 0 or -ENOMEM. */
int zh_facts_collect(struct zh_fact_set *set, struct zh_err *err);
/* Runs only those of the n collectors `ids`, in the registry's order, and sorts the set. */
int zh_facts_collect_some(
	struct zh_fact_set *set, const char *const *ids, size_t n, struct zh_err *err);

/* The schema entry that `key` belongs to, or NULL. */
const struct zh_fact_schema *zh_facts_schema_of(const char *key);
