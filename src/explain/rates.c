/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/rates.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/bench-parts.h"
#include "explain/rtt.h"
#include "explain/stage-phases.h"

enum share {
	SHARE_WAKE_UP, /* the scheduler: waiting for the CPU, and the switch to the waiting thread
			*/
	SHARE_IDLE,    /* the CPU leaves its idle state; the interrupt that tells it to */
	SHARE_KERNEL,  /* system calls, softirq, protocols: work on the packet */
	SHARE_PROGRAM, /* the peer's and the prober's own code */
	SHARE_UNKNOWN, /* no stamps inside */
	SHARE_MAX
};

static const struct {
	const char *key, *heading;
} share_names[SHARE_MAX] = {
	{"wake_up", "wake-up"},
	{"idle_exit_and_ipi", "idle, IPI"},
	{"kernel", "kernel"},
	{"program", "program"},
	{"unknown", "unknown"},
};

static const uint8_t share_of[ZH_STAGE_MAX] = {
	[ZH_STAGE_SEND] = SHARE_KERNEL,
	[ZH_STAGE_HELD] = SHARE_KERNEL,
	[ZH_STAGE_QDISC] = SHARE_KERNEL,
	[ZH_STAGE_DEVICE] = SHARE_KERNEL,
	[ZH_STAGE_BACKLOG] = SHARE_KERNEL,
	[ZH_STAGE_FORWARD] = SHARE_KERNEL,
	[ZH_STAGE_PROTOCOL] = SHARE_KERNEL,
	[ZH_STAGE_NETFILTER] = SHARE_KERNEL,
	[ZH_STAGE_DELIVER] = SHARE_KERNEL,
	[ZH_STAGE_WAKE_IPI] = SHARE_IDLE,
	[ZH_STAGE_IDLE_EXIT] = SHARE_IDLE,
	[ZH_STAGE_RUN_QUEUE] = SHARE_WAKE_UP,
	[ZH_STAGE_RESUME] = SHARE_WAKE_UP,
	[ZH_STAGE_PICK_UP] = SHARE_PROGRAM,
	[ZH_STAGE_PEER] = SHARE_PROGRAM,
	[ZH_STAGE_REQUEST] = SHARE_UNKNOWN,
	[ZH_STAGE_REPLY] = SHARE_UNKNOWN,
	[ZH_STAGE_ROUND_TRIP] = SHARE_UNKNOWN,
};

static const char *const transport_names[ZH_TRANSPORT_MAX] = {
	[ZH_TRANSPORT_ICMP] = "icmp",
	[ZH_TRANSPORT_UDP] = "udp",
	[ZH_TRANSPORT_TCP] = "tcp",
	[ZH_TRANSPORT_UNIX_STREAM] = "unix-stream",
	[ZH_TRANSPORT_UNIX_DGRAM] = "unix-dgram",
};

/* All stretches with the same settings. */
struct row {
	const struct zh_phase *phase; /* the first of them */
	struct zh_rtt rtt, kernel_rtt;
	double share[SHARE_MAX]; /* sum to 1 */
	bool has_shares;
};

bool zh_rates_is(const struct zh_record *record)
{
	return record->n_phases &&
	       !strncmp(record->phases[0].label, ZH_RATE_LABEL, strlen(ZH_RATE_LABEL));
}

static const char *transport_name(const struct zh_phase *phase)
{
	return phase->transport < ZH_TRANSPORT_MAX ? transport_names[phase->transport] : "unknown";
}

/* The targets differ in the port of the own responder only. */
static bool same(const struct zh_phase *a, const struct zh_phase *b)
{
	return a->transport == b->transport && a->gap_ns == b->gap_ns &&
	       !strcmp(a->label, b->label);
}

/* By the kernel's receive stamp or the application's; 0: this sample has none. */
static uint64_t time_of(const struct zh_sample *s, bool by_kernel)
{
	uint64_t end_ns = by_kernel ? s->krx_ns : s->recv_ns;

	if (!zh_sample_answered(s) || end_ns < s->send_ns || end_ns > s->recv_ns)
		return 0;
	return end_ns - s->send_ns;
}

/* Samples of all stretches like row->phase; the values go to `values`. */
static void find_rtt(const struct zh_record *r, const struct row *row, bool by_kernel,
	uint64_t *values, struct zh_rtt *ret)
{
	uint64_t lost = 0, ns;
	size_t n = 0, i, k;

	for (i = 0; i < r->n_phases; i++) {
		const struct zh_phase *phase = &r->phases[i];

		if (!same(phase, row->phase))
			continue;
		for (k = phase->first; k < phase->first + phase->n && k < r->n_samples; k++) {
			ns = time_of(&r->samples[k], by_kernel);
			if (ns)
				values[n++] = ns;
			else
				lost += !by_kernel && !(r->samples[k].flags & ZH_SAMPLE_WARMUP);
		}
	}
	zh_rtt_sum_up(values, n, lost, ret);
}

static void find_shares(
	const struct zh_explanation *explanation, const struct zh_record *r, struct row *row)
{
	uint64_t total = 0, ns[SHARE_MAX] = {};
	unsigned int stage;
	size_t i;

	for (i = 0; i < r->n_phases; i++) {
		const struct zh_phase_stages *s = &explanation->phase_stages[i];

		if (!same(&r->phases[i], row->phase))
			continue;
		total += s->rtt_ns;
		for (stage = 0; stage < ZH_STAGE_MAX; stage++)
			ns[share_of[stage]] += s->stage_ns[stage];
	}
	row->has_shares = total > 0 && ns[SHARE_UNKNOWN] < total;
	for (i = 0; i < SHARE_MAX && total; i++)
		row->share[i] = (double)ns[i] / (double)total;
}

/* By transport and placement, the slowest rate first. */
static int compare(const void *a, const void *b)
{
	const struct zh_phase *x = ((const struct row *)a)->phase;
	const struct zh_phase *y = ((const struct row *)b)->phase;
	int r = (int)x->transport - (int)y->transport;

	if (!r)
		r = strcmp(x->label, y->label);
	return r ? r : (x->gap_ns < y->gap_ns) - (x->gap_ns > y->gap_ns);
}

/* Returns the number of different settings. */
static size_t find_rows(const struct zh_explanation *explanation, const struct zh_record *r,
	uint64_t *values, struct row *rows)
{
	size_t n = 0, i, k;

	for (i = 0; i < r->n_phases; i++) {
		for (k = 0; k < n && !same(rows[k].phase, &r->phases[i]); k++)
			;
		if (k < n)
			continue;
		rows[n].phase = &r->phases[i];
		find_rtt(r, &rows[n], false, values, &rows[n].rtt);
		find_rtt(r, &rows[n], true, values, &rows[n].kernel_rtt);
		find_shares(explanation, r, &rows[n]);
		n++;
	}
	qsort(rows, n, sizeof(*rows), compare);
	return n;
}

static const char *placement_of(const struct zh_phase *phase)
{
	return phase->label + strlen(ZH_RATE_LABEL);
}

static void rate_text(const struct zh_phase *phase, char *buf, size_t size)
{
	if (phase->gap_ns)
		snprintf(buf, size, "%.0f/s", 1e9 / (double)phase->gap_ns);
	else
		snprintf(buf, size, "max");
}

static struct zh_cell ns_or_null(uint64_t ns)
{
	return ns ? zh_ns(ns) : zh_null();
}

static void add_objects(struct zh_node *node, const struct row *row)
{
	struct zh_node *shares;
	unsigned int i;

	zh_rtt_describe(&row->rtt, zh_node_object(node, "rtt", NULL));
	if (row->kernel_rtt.count)
		zh_rtt_describe(&row->kernel_rtt, zh_node_object(node, "kernel_rtt", NULL));
	else
		zh_node_value(node, "kernel_rtt", NULL, zh_null());
	shares = zh_node_object(node, "shares", NULL);
	for (i = 0; i < SHARE_MAX; i++)
		zh_node_value(shares, share_names[i].key, NULL,
			row->has_shares || i == SHARE_UNKNOWN ? zh_share(row->share[i])
							      : zh_null());
}

static void name_row(const struct row *row, char *buf, size_t size)
{
	char rate[32];

	rate_text(row->phase, rate, sizeof(rate));
	snprintf(buf, size, "%s %s %s", transport_name(row->phase), placement_of(row->phase), rate);
}

#define FIXED_COLUMNS 7

static void add_row(struct zh_node *table, const struct row *row)
{
	const struct zh_phase *phase = row->phase;
	bool any = row->rtt.count > 0;
	char name[80];
	struct zh_cell cells[FIXED_COLUMNS + SHARE_MAX];
	size_t n = 0, i;

	name_row(row, name, sizeof(name));
	cells[n++] = zh_string(name);
	cells[n++] = zh_string(transport_name(phase));
	cells[n++] =
		phase->gap_ns ? zh_count((uint64_t)(1e9 / (double)phase->gap_ns + 0.5)) : zh_null();
	cells[n++] = zh_string(placement_of(phase));
	cells[n++] = any ? zh_ns(row->rtt.p50_ns) : zh_null();
	cells[n++] = any ? zh_ns(row->rtt.p99_ns) : zh_null();
	cells[n++] = ns_or_null(row->kernel_rtt.p50_ns);
	for (i = 0; i < SHARE_MAX; i++)
		cells[n++] = row->has_shares ? zh_share(row->share[i]) : zh_null();
	add_objects(zh_node_row(table, cells), row);
}

static void describe_table(const struct row *rows, size_t n, struct zh_node *root)
{
	struct zh_column columns[FIXED_COLUMNS + SHARE_MAX] = {{NULL, "path"}, {"transport", NULL},
		{"rate_per_s", NULL}, {"placement", NULL}, {NULL, "p50"}, {NULL, "p99"},
		{NULL, "kernel's"}};
	struct zh_node *table;
	size_t i;

	for (i = 0; i < SHARE_MAX; i++)
		columns[FIXED_COLUMNS + i] = (struct zh_column){NULL, share_names[i].heading};
	table = zh_node_table(root, "rates", "Round trips by rate, and what they are made of",
		columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; i < n; i++)
		add_row(table, &rows[i]);
	zh_node_text(root,
		"kernel's: p50 as ping would show it, until the kernel's receive stamp. The shares "
		"are of ordinary round trips (the middle half). wake-up: waiting for the CPU and "
		"the switch; idle, IPI: the CPU leaves its idle state; kernel: calls, softirqs and "
		"protocols; after a pause with cold caches, too.");
}

/* The fastest and the slowest, and what the slowest waits for. */
static void describe_headline(const struct row *rows, size_t n, struct zh_node *root)
{
	const struct row *low = NULL, *high = NULL;
	char text[300], low_name[64], high_name[64], a[32], b[32];
	size_t i;

	for (i = 0; i < n; i++) {
		if (!rows[i].rtt.count)
			continue;
		if (!low || rows[i].rtt.p50_ns < low->rtt.p50_ns)
			low = &rows[i];
		if (!high || rows[i].rtt.p50_ns > high->rtt.p50_ns)
			high = &rows[i];
	}
	if (!low) {
		zh_node_headline(root, "answer", "no probe was answered");
		return;
	}
	zh_format_ns(a, sizeof(a), low->rtt.p50_ns);
	zh_format_ns(b, sizeof(b), high->rtt.p50_ns);
	name_row(low, low_name, sizeof(low_name));
	name_row(high, high_name, sizeof(high_name));
	if (low == high)
		snprintf(text, sizeof(text), "%s reads %s (p50)", low_name, a);
	else if (high->has_shares)
		snprintf(text, sizeof(text),
			"the same loopback reads %s (%s) to %s (%s, %.0f %% of it waking up)", a,
			low_name, b, high_name,
			100 * (high->share[SHARE_WAKE_UP] + high->share[SHARE_IDLE]));
	else
		snprintf(text, sizeof(text), "the same loopback reads %s (%s) to %s (%s)", a,
			low_name, b, high_name);
	zh_node_headline(root, "answer", text);
}

static void describe_not_measured(const struct zh_record *record, struct zh_node *root)
{
	static const struct zh_column columns[] = {{"what", "what"}, {"why", "why"}};
	struct zh_node *table = zh_node_table(root, "not_measured",
		record->n_not_measured ? "Not measured" : NULL, columns, ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; i < record->n_not_measured; i++)
		zh_node_row(table, (struct zh_cell[]){zh_string(record->not_measured[i].what),
					   zh_string(record->not_measured[i].why)});
}

void zh_rates_describe(const struct zh_explanation *explanation, const struct zh_record *record,
	struct zh_node *root)
{
	zh_autofree struct row *rows = calloc(record->n_phases + 1, sizeof(*rows));
	zh_autofree uint64_t *values = calloc(record->n_samples + 1, sizeof(*values));
	size_t n;

	if (!rows || !values) {
		zh_node_headline(root, "answer", "out of memory");
		return;
	}
	n = find_rows(explanation, record, values, rows);
	describe_headline(rows, n, root);
	zh_bench_describe_run(record, root);
	describe_table(rows, n, root);
	describe_not_measured(record, root);
}
