/* SPDX-License-Identifier: BSD-2-Clause */
/* The proof: what was sent, which devices and hooks saw it, where it got lost. */
#include "explain/path-describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/path-facts.h"

#define IDLE_SHOWN 3 /* devices that saw nothing */
#define IDLE_BRIEF 2

/* Idle ones behind busy ones of the same place, lo before others. */
static int compare_devices(const void *left, const void *right)
{
	const struct zh_path_device *a = left, *b = right;
	bool a_busy = a->requests || a->replies, b_busy = b->requests || b->replies;
	bool a_lo = strcmp(a->dev, "lo") == 0, b_lo = strcmp(b->dev, "lo") == 0;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a_busy != b_busy)
		return a_busy ? -1 : 1;
	if (a_lo != b_lo)
		return a_lo ? -1 : 1;
	return strcmp(a->dev, b->dev);
}

static struct zh_path_device *device_of(
	struct zh_path_device *devices, size_t *n, size_t max, uint64_t place, const char *dev)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (devices[i].place == place && !strcmp(devices[i].dev, dev))
			return &devices[i];
	if (*n == max)
		return NULL;
	devices[*n] = (struct zh_path_device){.place = place};
	snprintf(devices[*n].dev, sizeof(devices[*n].dev), "%s", dev);
	return &devices[(*n)++];
}

size_t zh_path_devices(
	const struct zh_record *record, size_t way, struct zh_path_device *ret, size_t max)
{
	static const char *const legs[] = {"requests", "replies"};
	const struct zh_fact_set *facts = zh_path_facts(record);
	const struct zh_fact *fact;
	struct zh_path_device *device;
	char pattern[96], place[32], dev[64];
	size_t n = 0, leg, pos;

	for (leg = 0; leg < ZH_ARRAY_SIZE(legs); leg++) {
		snprintf(pattern, sizeof(pattern), "path.way.%zu.proof.dev.*.*.%s", way, legs[leg]);
		for (pos = 0; (fact = zh_fact_next(facts, pattern, &pos));) {
			if (fact->type != ZH_FACT_NUMBER)
				continue;
			zh_fact_part(place, sizeof(place), fact, pattern, 0);
			zh_fact_part(dev, sizeof(dev), fact, pattern, 1);
			device = device_of(ret, &n, max, strtoull(place, NULL, 10), dev);
			if (device)
				*(leg ? &device->replies : &device->requests) = fact->number;
		}
	}
	qsort(ret, n, sizeof(*ret), compare_devices);
	return n;
}

/* "lo", or "veth1 in netns blue". */
static void name_device(
	const struct zh_record *record, const struct zh_path_device *device, char *buf, size_t size)
{
	char place[96];

	if (device->place == 0)
		snprintf(buf, size, "%s", device->dev);
	else
		snprintf(buf, size, "%s in %s", device->dev,
			zh_path_place(record, device->place, place, sizeof(place)));
}

void zh_path_add_devices(const struct zh_record *record, size_t way, bool brief, struct zh_buf *ret)
{
	struct zh_path_device devices[ZH_PATH_DEVICES_MAX];
	size_t n = zh_path_devices(record, way, devices, ZH_PATH_DEVICES_MAX), i;
	size_t idle_shown = brief ? IDLE_BRIEF : IDLE_SHOWN, n_idle = 0, shown = 0;
	char name[192];

	for (i = 0; i < n; i++) {
		const struct zh_path_device *device = &devices[i];
		bool is_idle = !device->requests && !device->replies;

		if (device->place && (brief || is_idle))
			continue;
		if (is_idle && ++n_idle > idle_shown)
			continue;
		name_device(record, device, name, sizeof(name));
		zh_buf_addf(ret, "%s%s %" PRIu64, shown++ ? ", " : "", name, device->requests);
	}
	if (!brief && n_idle > idle_shown)
		zh_buf_addf(ret, ", %zu other%s 0", n_idle - idle_shown,
			n_idle - idle_shown == 1 ? "" : "s");
}

static void add_place(const struct zh_record *record, size_t way, size_t n, struct zh_buf *ret)
{
	const struct zh_fact *place =
		zh_path_fact(record, "path.way.%zu.proof.lost.%zu.place", way, n);
	char name[96];

	if (place && place->type == ZH_FACT_NUMBER && place->number)
		zh_buf_addf(
			ret, " in %s", zh_path_place(record, place->number, name, sizeof(name)));
}

/* "hop" is the number of a hop, or what the tracer calls the point. */
static void add_point(const struct zh_record *record, size_t way, size_t n, struct zh_buf *ret)
{
	const struct zh_fact *hop = zh_path_fact(record, "path.way.%zu.proof.lost.%zu.hop", way, n);
	const char *dev = zh_path_text(record, "path.way.%zu.proof.lost.%zu.dev", way, n);
	/* That of the packet itself: what a reply passes is the mirror of the request's hop. */
	const char *hook = zh_path_text(record, "path.way.%zu.proof.lost.%zu.hook", way, n);
	const char *kind = NULL;

	if (hop && hop->type == ZH_FACT_NUMBER) {
		unsigned long long number = hop->number;

		kind = zh_path_text(record, "path.way.%zu.hop.%llu.kind", way, number);
		if (!hook)
			hook = zh_path_text(record, "path.way.%zu.hop.%llu.hook", way, number);
		if (kind && !strcmp(kind, "xdp"))
			kind = "the XDP program of";
	} else if (hop && hop->type == ZH_FACT_STRING) {
		kind = hop->text;
	}
	if (hook && (!kind || !strcmp(kind, "netfilter")))
		zh_buf_addf(ret, "the %s hook", hook);
	else if (kind && dev && !strstr(kind, dev))
		zh_buf_addf(ret, "%s %s", kind, dev);
	else if (kind || dev)
		zh_buf_adds(ret, kind ? kind : dev);
	else
		zh_buf_adds(ret, "the socket that sent them");
}

/* "3 requests", "1 reply"; "packets" when it is not known which. */
static void add_packets(const struct zh_record *record, size_t way, size_t n, struct zh_buf *ret)
{
	uint64_t packets = zh_path_number(record, "path.way.%zu.proof.lost.%zu.packets", way, n);
	const char *leg = zh_path_text(record, "path.way.%zu.proof.lost.%zu.leg", way, n);
	const char *one = "packet", *many = "packets";

	if (leg && !strcmp(leg, "request")) {
		one = "request";
		many = "requests";
	} else if (leg && !strcmp(leg, "reply")) {
		one = "reply";
		many = "replies";
	}
	zh_buf_addf(ret, "%" PRIu64 " %s", packets, packets == 1 ? one : many);
}

void zh_path_lost_text(const struct zh_record *record, size_t way, size_t n, struct zh_buf *ret)
{
	const char *reason = zh_path_text(record, "path.way.%zu.proof.lost.%zu.reason", way, n);
	const char *function = zh_path_text(record, "path.way.%zu.proof.lost.%zu.function", way, n);
	bool is_rejected = zh_path_number(record, "path.way.%zu.proof.lost.%zu.rejected", way, n);

	add_packets(record, way, n, ret);
	zh_buf_adds(ret, " last seen at ");
	add_point(record, way, n, ret);
	add_place(record, way, n, ret);
	if (reason || function)
		zh_buf_addf(ret, ": %s, %s%s%s", is_rejected ? "rejected" : "dropped",
			reason ? reason : "no reason given", function ? " in " : "",
			function ? function : "");
	else if (is_rejected)
		zh_buf_adds(ret, ": rejected");
	else
		zh_buf_adds(ret, ": the reason is not known");
}

/* Keys of places beside the first one bear the place: "netns blue:veth1". */
static void place_key(
	const struct zh_record *record, uint64_t place, const char *name, char *buf, size_t size)
{
	char text[96];

	if (place)
		snprintf(
			buf, size, "%s:%s", zh_path_place(record, place, text, sizeof(text)), name);
	else
		snprintf(buf, size, "%s", name);
}

static void describe_devices(const struct zh_record *record, size_t way, struct zh_node *proof)
{
	static const struct zh_column columns[] = {
		{"place", NULL}, {"dev", NULL}, {"requests", NULL}, {"replies", NULL}};
	struct zh_path_device devices[ZH_PATH_DEVICES_MAX];
	size_t n = zh_path_devices(record, way, devices, ZH_PATH_DEVICES_MAX), i;
	struct zh_node *sums = zh_node_object(proof, "devices", NULL);
	struct zh_node *table =
		zh_node_table(proof, "device_counts", NULL, columns, ZH_ARRAY_SIZE(columns));
	char key[192], place[96];

	for (i = 0; i < n; i++) {
		const struct zh_path_device *d = &devices[i];

		place_key(record, d->place, d->dev, key, sizeof(key));
		zh_node_value(sums, key, NULL, zh_count(d->requests));
		zh_node_row(table,
			(struct zh_cell[]){
				zh_string(zh_path_place(record, d->place, place, sizeof(place))),
				zh_string(d->dev), zh_count(d->requests), zh_count(d->replies)});
	}
}

static void describe_hooks(const struct zh_record *record, size_t way, struct zh_node *proof)
{
	static const struct zh_column columns[] = {{"place", NULL}, {"hook", NULL},
		{"requests_in", NULL}, {"requests_out", NULL}, {"replies_in", NULL},
		{"replies_out", NULL}};
	const struct zh_fact_set *facts = zh_path_facts(record);
	struct zh_node *sums = zh_node_object(proof, "hooks", NULL);
	struct zh_node *table =
		zh_node_table(proof, "hook_counts", NULL, columns, ZH_ARRAY_SIZE(columns));
	char pattern[96], key[192], number[32], hook[64], place[96];
	const struct zh_fact *fact;
	size_t pos = 0;

	snprintf(pattern, sizeof(pattern), "path.way.%zu.proof.hook.*.*.requests_in", way);
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		unsigned long long p;
		int len = (int)(strlen(fact->key) - strlen("requests_in"));

		zh_fact_part(number, sizeof(number), fact, pattern, 0);
		zh_fact_part(hook, sizeof(hook), fact, pattern, 1);
		p = strtoull(number, NULL, 10);
		place_key(record, p, hook, key, sizeof(key));
		zh_node_value(sums, key, NULL, zh_path_cell(record, "%s", fact->key));
		zh_node_row(
			table, (struct zh_cell[]){
				       zh_string(zh_path_place(record, p, place, sizeof(place))),
				       zh_string(hook), zh_path_cell(record, "%s", fact->key),
				       zh_path_cell(record, "%.*srequests_out", len, fact->key),
				       zh_path_cell(record, "%.*sreplies_in", len, fact->key),
				       zh_path_cell(record, "%.*sreplies_out", len, fact->key)});
	}
}

static struct zh_cell place_cell(
	const struct zh_record *record, const struct zh_fact *fact, char *buf, size_t size)
{
	if (!fact || fact->type != ZH_FACT_NUMBER)
		return zh_null();
	return zh_string(zh_path_place(record, fact->number, buf, size));
}

static void describe_lost(const struct zh_record *record, size_t way, struct zh_node *proof)
{
	static const struct zh_column columns[] = {{"packets", NULL}, {"leg", NULL},
		{"place", NULL}, {"dev", NULL}, {"hop", NULL}, {"hook", NULL}, {"reason", NULL},
		{"function", NULL}, {"rejected", NULL}};
	struct zh_node *table = zh_node_table(proof, "lost", NULL, columns, ZH_ARRAY_SIZE(columns));
	size_t n = zh_path_n_lost(record, way), i, k;
	char key[96], place[96];

	for (i = 0; i < n; i++) {
		struct zh_cell cells[ZH_ARRAY_SIZE(columns)];

		for (k = 0; k < ZH_ARRAY_SIZE(columns); k++) {
			snprintf(key, sizeof(key), "path.way.%zu.proof.lost.%zu.%s", way, i,
				columns[k].key);
			cells[k] = k == 2 ? place_cell(record, zh_path_fact(record, "%s", key),
						    place, sizeof(place))
					  : zh_path_cell(record, "%s", key);
		}
		zh_node_row(table, cells);
	}
}

static void describe_strays(const struct zh_record *record, size_t way, struct zh_node *proof)
{
	static const struct zh_column columns[] = {
		{"place", NULL}, {"dev", NULL}, {"packets", NULL}};
	struct zh_node *table =
		zh_node_table(proof, "strays", NULL, columns, ZH_ARRAY_SIZE(columns));
	size_t n = zh_path_n_strays(record, way), i;
	char place[96];

	for (i = 0; i < n; i++)
		zh_node_row(table,
			(struct zh_cell[]){zh_string(zh_path_stray_place(
						   record, way, i, place, sizeof(place))),
				zh_path_cell(record, "path.way.%zu.proof.stray.%zu.dev", way, i),
				zh_path_cell(
					record, "path.way.%zu.proof.stray.%zu.packets", way, i)});
}

/* "12 answered in 1.20 ms, counted by bpf" */
static void add_answers(const struct zh_record *record, size_t way, struct zh_buf *text)
{
	uint64_t sent = zh_path_number(record, "path.way.%zu.proof.sent", way);
	uint64_t answered = zh_path_number(record, "path.way.%zu.proof.answered", way);
	uint64_t refused = zh_path_number(record, "path.way.%zu.proof.refused", way);
	uint64_t took_ns = zh_path_number(record, "path.way.%zu.proof.took_ns", way);
	const char *method = zh_path_text(record, "path.way.%zu.proof.method", way);
	char time[32];

	zh_buf_addf(text, "\n%" PRIu64 " answered", answered);
	if (refused)
		zh_buf_addf(text, ", %" PRIu64 " refused", refused);
	if (sent > answered + refused)
		zh_buf_addf(text, ", %" PRIu64 " without answer", sent - answered - refused);
	if (took_ns)
		zh_buf_addf(text, ", in %s", zh_format_ns(time, sizeof(time), took_ns));
	if (method)
		zh_buf_addf(text, "; counted by %s", method);
}

static void show_proof(const struct zh_record *record, size_t way, struct zh_node *parent)
{
	const char *not_sent = zh_path_text(record, "path.way.%zu.proof.not_sent", way);
	size_t n = zh_path_n_lost(record, way), i;
	zh_autobuf text = {}, devices = {};
	struct zh_node *list;

	if (!zh_path_has(record, "path.way.%zu.proof.sent", way)) {
		if (not_sent)
			zh_buf_addf(&text, "proof: nothing was sent: %s", not_sent);
		if (text.text)
			zh_node_text(parent, text.text);
		return;
	}
	zh_path_add_devices(record, way, false, &devices);
	zh_buf_addf(&text, "proof: %" PRIu64 " sent%s%s",
		zh_path_number(record, "path.way.%zu.proof.sent", way), devices.len ? ": " : "",
		devices.len ? devices.text : "");
	add_answers(record, way, &text);
	if (text.text)
		zh_node_text(parent, text.text);
	if (!zh_path_lost(record, way))
		return;
	list = zh_node_list(parent, NULL, "Lost on the way");
	for (i = 0; i < n; i++) {
		zh_autobuf lost = {};

		if (zh_path_lost_is_refusal(record, way, i))
			continue;
		zh_path_lost_text(record, way, i, &lost);
		zh_node_item(list, lost.text);
	}
}

void zh_path_describe_proof(
	const struct zh_record *record, size_t way, bool shown, struct zh_node *parent)
{
	static const char *const keys[] = {"method", "sent", "answered", "refused", "not_sent"};
	struct zh_node *proof = zh_node_object(parent, "proof", NULL);
	const struct zh_fact *took = zh_path_fact(record, "path.way.%zu.proof.took_ns", way);
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(proof, keys[i], NULL,
			zh_path_cell(record, "path.way.%zu.proof.%s", way, keys[i]));
	zh_node_value(proof, "took_ns", NULL,
		took && took->type == ZH_FACT_NUMBER ? zh_ns(took->number) : zh_null());
	describe_devices(record, way, proof);
	describe_hooks(record, way, proof);
	describe_strays(record, way, proof);
	describe_lost(record, way, proof);
	if (shown)
		show_proof(record, way, parent);
}
