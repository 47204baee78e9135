/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the collectors share: taking text files apart, keys from names, and tables of files that
 * hold one value each. Paths go through sys/root.h, so all of it works below a captured root.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fact-set.h"

#define ZH_FACTS_NAME_MAX 128 /* longest key part made from a name, with its NUL */

/* "/proc/net" of the calling thread, which may be in another network namespace than the process's
 * first thread; in a captured tree it is plain /proc/net. */
const char *zh_facts_net(void);

/* Turns a name into a key part: '.' becomes '/', what a key cannot hold becomes '_'; "" becomes
 * "_". Returns buf. */
char *zh_facts_name(char *buf, size_t size, const char *name);

/* Cuts the next line (or the next word, separated by any of `separators`) off *cursor in place.
 * NULL at the end; empty words are skipped, empty lines are not. */
char *zh_facts_line(char **cursor);
char *zh_facts_word(char **cursor, const char *separators);

/* An unsigned number in `base` (0: by prefix) that fills the whole text. */
bool zh_facts_parse(const char *text, int base, uint64_t *ret);

/* Adds "<source>: <what errno -r means>" as the reason that `key` is unavailable. */
void zh_facts_missing(struct zh_fact_set *set, int r, const char *source, const char *key, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds the fact that a bound cut a list: "<shown> of <all> <what>". */
void zh_facts_truncated(
	struct zh_fact_set *set, const char *group, size_t shown, size_t all, const char *what);

enum zh_facts_form {
	ZH_FORM_NUMBER,  /* one unsigned number, times `scale` (0 counts as 1) */
	ZH_FORM_STRING,  /* the text, first line */
	ZH_FORM_MASK,    /* a hexadecimal CPU mask, given as a CPU list */
	ZH_FORM_CHOICE,  /* "always [madvise] never", gives the one in brackets */
	ZH_FORM_NUMBERS, /* several numbers; `key` holds their names: "min default max" */
};

struct zh_facts_file {
	const char *file; /* below the directory */
	const char *key;  /* behind the prefix */
	enum zh_facts_form form;
	uint64_t scale;
	bool wanted; /* a missing file is "unavailable", not silence */
};

/* Adds "<prefix>.<key>" (or "<key>" when prefix is "") for each file of the table in `dir`. The
 * table ends with a NULL file. */
void zh_facts_files(struct zh_fact_set *set, const struct zh_facts_file *table, const char *dir,
	const char *prefix);

/* Turns "ff,00000001" into a CPU list ("0,32-39"); "" for an empty or malformed mask. Returns buf.
 */
char *zh_facts_mask(char *buf, size_t size, const char *mask);

/* Calls f(set, arg, n) for each CPU that has a directory in /sys/devices/system/cpu. */
void zh_facts_each_cpu(struct zh_fact_set *set,
	void (*f)(struct zh_fact_set *set, void *arg, unsigned int cpu), void *arg);
