/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"

#define KEY_MAX 256
#define SWEEP_MIN_ANSWERS 10
#define SWEEP_MIN_RATIO 4

uint64_t zh_check_delta(const struct zh_explain *ex, const char *pattern)
{
	uint64_t sum = 0;

	return zh_explain_delta_sum(ex, pattern, &sum) ? sum : 0;
}

uint64_t zh_check_number(const struct zh_explain *ex, uint64_t fallback, const char *key, ...)
{
	char text[KEY_MAX];
	uint64_t value;
	va_list args;

	va_start(args, key);
	vsnprintf(text, sizeof(text), key, args);
	va_end(args);
	return zh_explain_number(ex, &value, "%s", text) ? value : fallback;
}

const char *zh_check_text(const struct zh_explain *ex, const char *key, ...)
{
	char name[KEY_MAX];
	const char *text;
	va_list args;

	va_start(args, key);
	vsnprintf(name, sizeof(name), key, args);
	va_end(args);
	text = zh_explain_text(ex, "%s", name);
	return text ? text : "";
}

double zh_check_window_s(const struct zh_explain *ex)
{
	uint64_t from = ex->record->before.taken_ns, to = ex->record->after.taken_ns;

	return from && to > from ? (double)(to - from) / 1e9 : zh_explain_seconds(ex);
}

bool zh_check_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

/* Severity that the growth of one counter earns; -1: below every threshold. */
static int counter_severity(
	const struct zh_check_counter *counter, uint64_t growth, bool probes_lost)
{
	if (growth == 0)
		return -1;
	if (counter->warning && growth >= counter->warning)
		return ZH_SEVERITY_WARNING;
	if (counter->explains_loss && probes_lost)
		return ZH_SEVERITY_WARNING;
	return counter->low && growth >= counter->low ? ZH_SEVERITY_LOW : -1;
}

struct zh_finding *zh_check_counters(const struct zh_check *check, struct zh_explain *ex,
	const struct zh_check_counter *counters, const char *what)
{
	zh_autobuf text = {};
	const struct zh_check_counter *c;
	struct zh_finding *finding;
	double seconds = zh_check_window_s(ex);
	int severity = -1;

	for (c = counters; c->key; c++) {
		uint64_t growth = zh_check_delta(ex, c->key);
		int level = counter_severity(c, growth, zh_explain_lost(ex) > 0);

		if (growth)
			zh_buf_addf(&text, "%s%s +%llu", text.len ? ", " : "", c->name,
				(unsigned long long)growth);
		severity = ZH_MAX(severity, level);
	}
	if (severity < 0)
		return NULL;
	finding = zh_finding_add(ex, &check->rule, (enum zh_severity)severity, ZH_CONFIDENCE_HIGH,
		"%s: %s in %.1f s", what, text.failed ? "" : text.text, seconds);
	for (c = counters; c->key; c++) {
		uint64_t growth = zh_check_delta(ex, c->key);

		if (growth)
			zh_finding_evidence(finding, "%s +%llu (%.2f/s)", c->name,
				(unsigned long long)growth, (double)growth / seconds);
	}
	zh_check_add_loss(ex, finding);
	return finding;
}

void zh_check_add_loss(const struct zh_explain *ex, struct zh_finding *finding)
{
	if (zh_explain_lost(ex))
		zh_finding_evidence(finding, "%llu of %llu probes were lost meanwhile",
			(unsigned long long)zh_explain_lost(ex),
			(unsigned long long)zh_explain_sent(ex));
}

const struct zh_phase *zh_check_main_phase(const struct zh_explain *ex)
{
	size_t i;

	for (i = 0; i < ex->record->n_phases; i++)
		if (!ex->record->phases[i].clean_room)
			return &ex->record->phases[i];
	return NULL;
}

bool zh_check_is_loopback(const struct zh_explain *ex)
{
	const struct zh_phase *phase = zh_check_main_phase(ex);
	const char *host;

	if (!phase || phase->transport >= ZH_TRANSPORT_UNIX_STREAM)
		return true;
	/* "127.0.0.1", "icmp:127.0.0.1", "udp:[::1]:53" */
	host = strncmp(phase->target, "icmp:", 5) == 0 ? phase->target + 5 : phase->target;
	if (strncmp(host, "udp:", 4) == 0 || strncmp(host, "tcp:", 4) == 0)
		host += 4;
	return strncmp(host, "127.", 4) == 0 || strncmp(host, "localhost", 9) == 0 ||
	       strcmp(host, "::1") == 0 || strncmp(host, "[::1]", 5) == 0;
}

bool zh_check_probed(const struct zh_explain *ex, enum zh_transport_id transport)
{
	size_t i;

	for (i = 0; i < ex->record->n_phases; i++)
		if (ex->record->phases[i].transport == transport)
			return true;
	return false;
}

bool zh_check_get_sweep(const struct zh_explain *ex, struct zh_check_sweep *ret)
{
	const struct zh_phase *first = zh_check_main_phase(ex);
	struct zh_check_sweep sweep = {.near_gap_ns = UINT64_MAX};
	size_t i;

	for (i = 0; first && i < ex->record->n_phases; i++) {
		const struct zh_phase *phase = &ex->record->phases[i];
		const struct zh_rtt *rtt = &ex->out->phase_rtt[i];

		if (phase->clean_room || strcmp(phase->target, first->target) != 0 ||
			phase->gap_ns == 0 || rtt->count < SWEEP_MIN_ANSWERS)
			continue;
		if (phase->gap_ns < sweep.near_gap_ns) {
			sweep.near = rtt;
			sweep.near_gap_ns = phase->gap_ns;
		}
		if (phase->gap_ns > sweep.far_gap_ns) {
			sweep.far = rtt;
			sweep.far_gap_ns = phase->gap_ns;
		}
	}
	if (!sweep.near || sweep.far_gap_ns / SWEEP_MIN_RATIO < sweep.near_gap_ns)
		return false;
	*ret = sweep;
	return true;
}

bool zh_check_get_clean_room(const struct zh_explain *ex, const struct zh_rtt **ret_real,
	const struct zh_rtt **ret_clean)
{
	const struct zh_record *record = ex->record;
	size_t i, k;

	for (i = 0; i < record->n_phases; i++) {
		if (!record->phases[i].clean_room ||
			ex->out->phase_rtt[i].count < SWEEP_MIN_ANSWERS)
			continue;
		for (k = 0; k < record->n_phases; k++) {
			if (record->phases[k].clean_room ||
				record->phases[k].gap_ns != record->phases[i].gap_ns ||
				record->phases[k].transport != record->phases[i].transport ||
				ex->out->phase_rtt[k].count < SWEEP_MIN_ANSWERS)
				continue;
			*ret_real = &ex->out->phase_rtt[k];
			*ret_clean = &ex->out->phase_rtt[i];
			return true;
		}
	}
	return false;
}
