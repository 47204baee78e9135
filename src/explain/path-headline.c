/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer in one line. */
#include "explain/path-describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/path-facts.h"

/* "localhost (127.0.0.1)" where a name was asked for, else as way_name. */
static void add_target(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	const char *name = zh_path_text(record, "path.name.asked");
	char text[300];

	zh_path_way_name(record, way, text, sizeof(text));
	if (name && !zh_path_text(record, "path.way.%zu.unix.path", way))
		zh_buf_addf(ret, "%s (%s)", name, text);
	else
		zh_buf_adds(ret, text);
}

static void add_unix(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	zh_buf_adds(ret, " stays in the kernel, with no device and no route");
	if (zh_path_has(record, "path.way.%zu.unix.listening", way) &&
		!zh_path_number(record, "path.way.%zu.unix.listening", way))
		zh_buf_adds(ret, ", but nobody listens");
}

/* Where the last hop that was found lies: the place of the end, and whether hardware is there. */
static const char *last_kind(const struct zh_record *record, size_t way, uint64_t *ret_place)
{
	size_t n = zh_path_n_hops_of(record, way);

	*ret_place = 0;
	if (!n)
		return NULL;
	*ret_place = zh_path_number(record, "path.way.%zu.hop.%zu.place", way, n - 1);
	return zh_path_text(record, "path.way.%zu.hop.%zu.kind", way, n - 1);
}

static void add_route(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	const char *error = zh_path_text(record, "path.way.%zu.decision.error", way);
	const char *dev = zh_path_text(record, "path.way.%zu.decision.dev", way);
	const char *type = zh_path_text(record, "path.way.%zu.decision.type", way);
	char rule[240], place[96];
	uint64_t last_place;
	const char *kind = last_kind(record, way, &last_place);
	const char *other = zh_path_is_taken_away(record, way);

	if (error) {
		zh_path_rule(record, way, rule, sizeof(rule));
		if (rule[0])
			zh_buf_addf(ret, " goes nowhere: %s (%s)", rule, error);
		else
			zh_buf_addf(ret, " goes nowhere: %s", error);
		return;
	}
	if (!dev) {
		zh_buf_adds(ret, ": its way is not known");
		return;
	}
	if (zh_path_text(record, "path.way.%zu.iif", way) && type && !strcmp(type, "local")) {
		zh_buf_adds(ret, " is for this machine");
		return;
	}
	if (other) {
		zh_buf_addf(ret, " is routed by %s, but goes by %s", dev, other);
		return;
	}
	zh_buf_addf(ret, " goes by %s", dev);
	if (!strcmp(dev, "lo"))
		zh_buf_adds(ret, " and stays there");
	else if (kind && !strcmp(kind, "leaves"))
		zh_buf_adds(ret, " and leaves this machine");
	else if (last_place)
		zh_buf_addf(ret, " to %s", zh_path_place(record, last_place, place, sizeof(place)));
	else if (type && !strcmp(type, "local"))
		zh_buf_adds(ret, " and stays on this machine");
	if (zh_path_is_local(record, way) && strcmp(dev, "lo") != 0 &&
		!(type && !strcmp(type, "local")))
		zh_buf_adds(ret, ", not by lo");
}

static void add_way(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	const char *target = zh_path_translated(record, way);

	add_route(record, way, ret);
	if (target)
		zh_buf_addf(ret, ", by NAT to %s", target);
}

/* How many were seen at the end of the way in another namespace. */
static void add_arrived(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	size_t n = zh_path_n_hops_of(record, way);
	uint64_t place;

	last_kind(record, way, &place);
	if (place && zh_path_has(record, "path.way.%zu.proof.hop.%zu.requests", way, n - 1))
		zh_buf_addf(ret, ", %" PRIu64 " arrived",
			zh_path_number(record, "path.way.%zu.proof.hop.%zu.requests", way, n - 1));
}

static void add_counts(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	const char *not_sent = zh_path_text(record, "path.way.%zu.proof.not_sent", way);
	uint64_t sent = zh_path_number(record, "path.way.%zu.proof.sent", way);
	uint64_t lost = zh_path_lost(record, way);
	zh_autobuf devices = {};

	if (not_sent) {
		zh_buf_addf(ret, "; nothing was sent: %s", not_sent);
		return;
	}
	if (!zh_path_has(record, "path.way.%zu.proof.sent", way))
		return;
	zh_path_add_devices(record, way, true, &devices);
	zh_buf_addf(ret, ": %" PRIu64 " sent%s%s", sent, devices.len ? ", " : "",
		devices.len ? devices.text : "");
	if (!devices.len)
		zh_buf_addf(ret, ", %" PRIu64 " answered",
			zh_path_number(record, "path.way.%zu.proof.answered", way));
	add_arrived(record, way, ret);
	if (lost)
		zh_buf_addf(ret, "; %" PRIu64 " lost", lost);
}

/* What is wrong with the other addresses of the name. */
void zh_path_add_other_ways(const struct zh_record *record, struct zh_buf *ret)
{
	size_t n = zh_path_n_ways(record), way;

	for (way = 1; way < n; way++) {
		const char *address = zh_path_text(record, "path.way.%zu.address", way);
		const char *error = zh_path_text(record, "path.way.%zu.decision.error", way);
		uint64_t lost = zh_path_lost(record, way);

		if (error)
			zh_buf_addf(ret, "; %s: %s", address, error);
		else if (lost)
			zh_buf_addf(ret, "; of those to %s %" PRIu64 " lost", address, lost);
		else if (zh_path_number(record, "path.way.%zu.proof.sent", way) &&
			 !zh_path_number(record, "path.way.%zu.proof.answered", way))
			zh_buf_addf(ret, "; %s does not answer", address);
	}
}

void zh_path_headline(const struct zh_record *record, size_t way, struct zh_buf *ret)
{
	zh_buf_adds(ret, "a packet to ");
	add_target(record, way, ret);
	if (zh_path_text(record, "path.way.%zu.iif", way))
		zh_buf_addf(
			ret, " that came in by %s", zh_path_text(record, "path.way.%zu.iif", way));
	if (zh_path_text(record, "path.way.%zu.unix.path", way))
		add_unix(record, way, ret);
	else
		add_way(record, way, ret);
	add_counts(record, way, ret);
	if (record->interrupted)
		zh_buf_adds(ret, " (ended early)");
}
