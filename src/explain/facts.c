/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules may ask about facts and about the run as a whole; see internal.h. */
#include "explain/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define KEY_MAX 256

static const struct zh_fact *find(const struct zh_explain *ex, const char *key)
{
	const struct zh_fact *fact = zh_fact_find(&ex->record->after, key);

	if (fact && fact->type != ZH_FACT_UNAVAILABLE)
		return fact;
	return zh_fact_find(&ex->record->before, key);
}

bool zh_explain_number(const struct zh_explain *ex, uint64_t *ret, const char *key, ...)
{
	const struct zh_fact *fact;
	char text[KEY_MAX];
	va_list args;

	va_start(args, key);
	vsnprintf(text, sizeof(text), key, args);
	va_end(args);
	fact = find(ex, text);
	if (!fact || fact->type != ZH_FACT_NUMBER)
		return false;
	*ret = fact->number;
	return true;
}

const char *zh_explain_text(const struct zh_explain *ex, const char *key, ...)
{
	const struct zh_fact *fact;
	char text[KEY_MAX];
	va_list args;

	va_start(args, key);
	vsnprintf(text, sizeof(text), key, args);
	va_end(args);
	fact = find(ex, text);
	return fact && fact->type == ZH_FACT_STRING ? fact->text : NULL;
}

const struct zh_fact_set *zh_explain_facts(const struct zh_explain *ex)
{
	return ex->record->after.n ? &ex->record->after : &ex->record->before;
}

bool zh_explain_delta(const struct zh_explain *ex, uint64_t *ret, const char *key, ...)
{
	char text[KEY_MAX];
	va_list args;

	va_start(args, key);
	vsnprintf(text, sizeof(text), key, args);
	va_end(args);
	return zh_fact_delta(&ex->record->before, &ex->record->after, ret, "%s", text);
}

bool zh_explain_delta_sum(const struct zh_explain *ex, const char *pattern, uint64_t *ret)
{
	return zh_fact_delta_sum(&ex->record->before, &ex->record->after, pattern, ret);
}

static const struct zh_rtt *answered(const struct zh_explain *ex, size_t phase)
{
	const struct zh_rtt *rtt = &ex->out->phase_rtt[phase];

	return rtt->count ? rtt : NULL;
}

const struct zh_rtt *zh_explain_phase_rtt(const struct zh_explain *ex, const char *label)
{
	size_t i;

	for (i = 0; i < ex->record->n_phases; i++)
		if (strcmp(ex->record->phases[i].label, label) == 0)
			return answered(ex, i);
	return NULL;
}

const struct zh_rtt *zh_explain_clean_room_rtt(const struct zh_explain *ex)
{
	size_t i;

	for (i = 0; i < ex->record->n_phases; i++)
		if (ex->record->phases[i].clean_room)
			return answered(ex, i);
	return NULL;
}

uint64_t zh_explain_sent(const struct zh_explain *ex)
{
	return ex->out->rtt.count + ex->out->rtt.lost;
}

uint64_t zh_explain_lost(const struct zh_explain *ex)
{
	return ex->out->rtt.lost;
}

double zh_explain_seconds(const struct zh_explain *ex)
{
	const struct zh_record *r = ex->record;
	uint64_t from = r->start_ns, to = r->end_ns;

	if (r->n_phases) {
		from = r->phases[0].start_ns;
		to = r->phases[r->n_phases - 1].end_ns;
	}
	return to > from ? ZH_MAX((double)(to - from) / 1e9, 1e-3) : 1e-3;
}
