/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/fact-set.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define FIRST_SIZE 256

static void fact_done(struct zh_fact *fact)
{
	free(fact->key);
	free(fact->text);
}

void zh_fact_set_done(struct zh_fact_set *set)
{
	size_t i;

	if (!set)
		return;
	for (i = 0; i < set->n; i++)
		fact_done(&set->facts[i]);
	free(set->facts);
	*set = (struct zh_fact_set){};
}

void zh_fact_set_remove(struct zh_fact_set *set, const char *prefix)
{
	size_t len = strlen(prefix), i, n = 0;

	for (i = 0; i < set->n; i++)
		if (strncmp(set->facts[i].key, prefix, len) == 0)
			fact_done(&set->facts[i]);
		else
			set->facts[n++] = set->facts[i];
	set->n = n;
}

static bool reserve_one(struct zh_fact_set *set)
{
	size_t size = set->size ? 2 * set->size : FIRST_SIZE;
	struct zh_fact *facts;

	if (set->n < set->size)
		return true;
	facts = reallocarray(set->facts, size, sizeof(*facts));
	if (!facts)
		return false;
	set->facts = facts;
	set->size = size;
	return true;
}

/* Adds one fact; `text` is copied, NULL stays NULL. */
static void add(struct zh_fact_set *set, enum zh_fact_type type, uint64_t number, const char *text,
	const char *key, va_list ap)
{
	struct zh_fact fact = {.type = type, .number = number};

	if (vasprintf(&fact.key, key, ap) < 0)
		fact.key = NULL;
	if (text)
		fact.text = strdup(text);
	if (!fact.key || (text && !fact.text) || !reserve_one(set)) {
		fact_done(&fact);
		set->failed = true;
		return;
	}
	set->facts[set->n++] = fact;
	set->sorted = false;
}

void zh_fact_number(struct zh_fact_set *set, uint64_t value, const char *key, ...)
{
	va_list ap;

	va_start(ap, key);
	add(set, ZH_FACT_NUMBER, value, NULL, key, ap);
	va_end(ap);
}

void zh_fact_string(struct zh_fact_set *set, const char *value, const char *key, ...)
{
	va_list ap;

	va_start(ap, key);
	add(set, ZH_FACT_STRING, 0, value ? value : "", key, ap);
	va_end(ap);
}

void zh_fact_unavailable(struct zh_fact_set *set, const char *why, const char *key, ...)
{
	va_list ap;

	va_start(ap, key);
	add(set, ZH_FACT_UNAVAILABLE, 0, why ? why : "", key, ap);
	va_end(ap);
}

/* By key, then by age: qsort() is not stable, and the last one added has to win. */
static int compare_indices(const void *a, const void *b, void *arg)
{
	const struct zh_fact *facts = arg;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	int order = strcmp(facts[i].key, facts[j].key);

	return order ? order : (i > j) - (i < j);
}

void zh_fact_set_sort(struct zh_fact_set *set)
{
	zh_autofree size_t *order = NULL;
	zh_autofree struct zh_fact *sorted = NULL;
	size_t i, n = 0;

	if (set->sorted)
		return;
	order = calloc(set->n + 1, sizeof(*order));
	sorted = calloc(set->n + 1, sizeof(*sorted));
	if (!order || !sorted) {
		set->failed = true;
		return;
	}
	for (i = 0; i < set->n; i++)
		order[i] = i;
	qsort_r(order, set->n, sizeof(*order), compare_indices, set->facts);
	for (i = 0; i < set->n; i++) {
		struct zh_fact *fact = &set->facts[order[i]];

		if (n > 0 && !strcmp(sorted[n - 1].key, fact->key))
			fact_done(&sorted[--n]);
		sorted[n++] = *fact;
	}
	free(set->facts);
	set->size = set->n + 1;
	set->facts = zh_take(sorted);
	set->n = n;
	set->sorted = true;
}

/* Looking up in an unsorted set would find nothing and look like "nobody looked". */
static void check_sorted(const struct zh_fact_set *set)
{
	assert(set->sorted || set->failed || set->n == 0);
}

/* Index of the first fact whose key's first `len` characters are not less than `key`'s. */
static size_t lower_bound(const struct zh_fact_set *set, const char *key, size_t len)
{
	size_t first = 0, last = set->sorted ? set->n : 0, middle;

	while (first < last) {
		middle = first + (last - first) / 2;
		if (strncmp(set->facts[middle].key, key, len) < 0)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

const struct zh_fact *zh_fact_find(const struct zh_fact_set *set, const char *key)
{
	size_t i;

	check_sorted(set);
	i = lower_bound(set, key, strlen(key) + 1);
	if (!set->sorted || i == set->n || strcmp(set->facts[i].key, key))
		return NULL;
	return &set->facts[i];
}

/* Finds the fact under a formatted key; a key that does not fit into memory is not there. */
static const struct zh_fact *vfind(const struct zh_fact_set *set, const char *key, va_list ap)
{
	zh_autofree char *whole = NULL;

	if (vasprintf(&whole, key, ap) < 0) {
		whole = NULL;
		return NULL;
	}
	return zh_fact_find(set, whole);
}

bool zh_fact_get(const struct zh_fact_set *set, uint64_t *ret, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list ap;

	va_start(ap, key);
	fact = vfind(set, key, ap);
	va_end(ap);
	if (!fact || fact->type != ZH_FACT_NUMBER)
		return false;
	*ret = fact->number;
	return true;
}

const char *zh_fact_text(const struct zh_fact_set *set, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list ap;

	va_start(ap, key);
	fact = vfind(set, key, ap);
	va_end(ap);
	return fact && fact->type == ZH_FACT_STRING ? fact->text : NULL;
}

/* Compares part by part; a pattern part that is exactly "*" matches any part but an empty one. */
static bool matches(const char *pattern, const char *key)
{
	size_t pattern_len, key_len;

	for (;;) {
		pattern_len = strcspn(pattern, ".");
		key_len = strcspn(key, ".");
		if (pattern_len == 1 && *pattern == '*') {
			if (key_len == 0)
				return false;
		} else if (pattern_len != key_len || memcmp(pattern, key, key_len)) {
			return false;
		}
		pattern += pattern_len;
		key += key_len;
		if (!*pattern || !*key)
			return *pattern == *key;
		pattern++;
		key++;
	}
}

const struct zh_fact *zh_fact_next(const struct zh_fact_set *set, const char *pattern, size_t *pos)
{
	/* Keys that share the text before the first '*' stand side by side. */
	size_t prefix = strcspn(pattern, "*"), i;

	check_sorted(set);
	if (!set->sorted)
		return NULL;
	for (i = *pos ? *pos : lower_bound(set, pattern, prefix); i < set->n; i++) {
		if (strncmp(set->facts[i].key, pattern, prefix))
			break;
		if (matches(pattern, set->facts[i].key)) {
			*pos = i + 1;
			return &set->facts[i];
		}
	}
	*pos = set->n;
	return NULL;
}

char *zh_fact_part(char *buf, size_t size, const struct zh_fact *fact, const char *pattern, int n)
{
	const char *key = fact->key;
	size_t i, len, pattern_len;

	assert(size > 0);
	buf[0] = '\0';
	for (;;) {
		len = strcspn(key, ".");
		pattern_len = strcspn(pattern, ".");
		if (pattern_len == 1 && *pattern == '*' && n-- == 0)
			break;
		if (!key[len] || !pattern[pattern_len])
			return buf;
		key += len + 1;
		pattern += pattern_len + 1;
	}
	len = ZH_MIN(len, size - 1);
	for (i = 0; i < len; i++)
		buf[i] = key[i] == '/' ? '.' : key[i];
	buf[len] = '\0';
	return buf;
}

/* The increase from `before` to `after`, when both are numbers. */
static bool delta(const struct zh_fact *before, const struct zh_fact *after, uint64_t *ret)
{
	if (!before || !after || before->type != ZH_FACT_NUMBER || after->type != ZH_FACT_NUMBER)
		return false;
	*ret = after->number > before->number ? after->number - before->number : 0;
	return true;
}

bool zh_fact_delta(const struct zh_fact_set *before, const struct zh_fact_set *after, uint64_t *ret,
	const char *key, ...)
{
	const struct zh_fact *old;
	va_list ap;

	va_start(ap, key);
	old = vfind(before, key, ap);
	va_end(ap);
	return old && delta(old, zh_fact_find(after, old->key), ret);
}

bool zh_fact_delta_sum(const struct zh_fact_set *before, const struct zh_fact_set *after,
	const char *pattern, uint64_t *ret)
{
	const struct zh_fact *fact;
	uint64_t sum = 0, one;
	bool found = false;
	size_t pos = 0;

	while ((fact = zh_fact_next(after, pattern, &pos))) {
		if (!delta(zh_fact_find(before, fact->key), fact, &one))
			continue;
		sum += one;
		found = true;
	}
	if (found)
		*ret = sum;
	return found;
}
