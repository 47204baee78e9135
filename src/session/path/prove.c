/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof: real packets of the flow, counted on every device and at every hook without a capture.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/path/internal.h"
#include "session/path/send.h"
#include "session/path/tally.h"
#include "trace/trail.h"

#define SETTLE_NS (20 * ZH_NSEC_PER_MSEC) /* what is under way when the last answer came */

#define COUNTED_MAX 64 /* devices whose own counters are shown */

#define FACT(p, way, value, key) zh_fact_number((p)->out, value, "path.way.%zu.proof." key, way)
#define FACT_TEXT(p, way, value, key)                                                              \
	zh_fact_string((p)->out, value, "path.way.%zu.proof." key, way)

static const char *const methods[] = {
	[ZH_TRAIL_BPF] = "bpf",
	[ZH_TRAIL_SOCKETS] = "packet sockets",
	[ZH_TRAIL_NONE] = "device counters",
};

static const struct path_hop *find_hop(const struct path_way *way, enum path_hop_kind kind)
{
	size_t i;

	for (i = 0; i < way->n_hops; i++)
		if (way->hops[i].kind == kind)
			return &way->hops[i];
	return NULL;
}

const char *path_why_not_sent(
	const struct path *p, const struct path_way *way, char *buf, size_t size)
{
	const struct zh_path_config *config = p->config;
	const struct path_hop *leaves = find_hop(way, PATH_LEAVES);

	if (!config->count)
		return "none were asked for (--count 0)";
	if (config->iif) {
		snprintf(buf, size, "packets that come in by %.32s cannot be sent from here",
			config->iif);
		return buf;
	}
	if (way->refusal)
		return "the kernel has no way for it";
	if (!way->route.type)
		return "the kernel's way for it is not known";
	if (!strcmp(way->route.type, "broadcast") ||
		(!strcmp(way->route.type, "multicast") && !config->count_given)) {
		snprintf(buf, size, "it is a %s address: everybody there would get it",
			way->route.type);
		return buf;
	}
	if (leaves && !config->count_given) {
		snprintf(buf, size, "it leaves this machine by %.32s (--count N sends anyway)",
			leaves->dev);
		return buf;
	}
	return NULL;
}

static struct zh_trail *open_trail(struct path *p, const struct path_way *way, uint32_t run)
{
	int fds[ZH_PATH_PLACES_MAX];
	struct zh_trail_config config = {.run = run,
		.remote_port = way->flow.to_port,
		.netns_fds = fds,
		.n_netns = p->n_places,
		.no_bpf = p->config->no_bpf};
	struct zh_trail *trail = NULL;
	struct zh_err err = {};
	size_t i;

	for (i = 0; i < p->n_places; i++)
		fds[i] = p->places[i].netns_fd;
	config.transport = way->flow.protocol == IPPROTO_UDP   ? ZH_TRANSPORT_UDP
			   : way->flow.protocol == IPPROTO_TCP ? ZH_TRANSPORT_TCP
							       : ZH_TRANSPORT_ICMP;
	if (zh_trail_open(&config, p->record, &trail, &err) < 0)
		zh_record_not_measured(p->record, "packets on devices", "%s", err.text);
	return trail;
}

/* The namespace in which the way ends, when it is one that was reached. Entering the own one again
 * would take a privilege. */
static void set_end(struct path_send *send, const struct path *p, const struct path_way *way)
{
	const struct path_hop *last = way->n_hops ? &way->hops[way->n_hops - 1] : NULL;
	bool is_known = last && last->kind == PATH_END;

	send->ends_here = is_known && last->place == 0;
	send->end_netns_fd = is_known ? p->places[last->place].netns_fd : -1;
	if (last && last->ends && !is_known)
		send->spare_port = PATH_SPARE_PORT;
	send->end_address = is_known ? way->end_address : way->flow.to;
}

static uint64_t count_outcome(const struct path_send *send, enum path_outcome outcome)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < send->n_sent; i++)
		n += send->sent[i].outcome == outcome;
	return n;
}

/* Neither programs nor packet sockets: what the devices themselves counted meanwhile. */
static void tally_counters(struct path *p, size_t way, const struct zh_fact_set *before)
{
	static const char pattern[] = "link.*.tx_pkts";
	struct {
		char name[64];
		uint64_t moved;
	} devices[COUNTED_MAX];
	const struct zh_fact *fact;
	size_t pos = 0, n = 0, i;

	/* Looking up and adding exclude each other: a set that grew is not sorted. */
	while (n < COUNTED_MAX && (fact = zh_fact_next(before, pattern, &pos))) {
		zh_fact_part(devices[n].name, sizeof(devices[n].name), fact, pattern, 0);
		n += zh_fact_delta(before, &p->record->after, &devices[n].moved, "%s", fact->key);
	}
	for (i = 0; i < n; i++)
		zh_fact_number(p->out, devices[i].moved, "path.way.%zu.proof.dev.0.%s.requests",
			way, devices[i].name);
	zh_fact_set_sort(p->out);
	zh_record_not_measured(p->record, "which packets on a device are ours",
		"device counters hold other people's packets too");
}

static void tally_trails(
	struct path *p, size_t way, const struct path_send *send, struct zh_trail *trail)
{
	struct path_tally *tally =
		path_tally_new(p, way, send->n_sent, count_outcome(send, PATH_ANSWERED));
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	uint64_t lost;
	uint32_t i;
	size_t n;

	if (!tally)
		return;
	for (i = 0; i < send->n_sent; i++) {
		n = zh_trail_read(trail, i, steps, ZH_ARRAY_SIZE(steps));
		path_tally_add(tally, steps, n, &send->sent[i], trail);
	}
	path_tally_finish(tally);
	lost = zh_trail_lost(trail);
	if (lost)
		zh_record_not_measured(p->record, "some sightings of packets",
			"up to %llu were missed", (unsigned long long)lost);
}

static void write_result(
	struct path *p, size_t way, const struct path_send *send, enum zh_trail_method method)
{
	FACT(p, way, send->n_sent, "sent");
	FACT(p, way, count_outcome(send, PATH_ANSWERED), "answered");
	FACT(p, way, count_outcome(send, PATH_REFUSED), "refused");
	FACT(p, way, send->took_ns, "took_ns");
	FACT_TEXT(p, way, methods[method], "method");
}

static void prove(struct path *p, size_t index)
{
	const struct path_way *way = &p->ways[index];
	zh_autofree struct path_send *send = calloc(1, sizeof(*send));
	struct zh_trail *trail;
	struct zh_err err = {};
	int r;

	if (!send)
		return;
	send->flow = &way->flow;
	send->run = (uint32_t)zh_now_ns() | 1;
	send->count = ZH_MIN(p->config->count, (uint32_t)PATH_SENT_MAX);
	send->gap_ns = p->config->gap_ns;
	send->timeout_ns = p->config->timeout_ns;
	set_end(send, p, way);
	send->stop = p->config->stop;
	send->arg = p->config->arg;
	trail = open_trail(p, way, send->run);
	send->trail = trail;
	r = path_send_all(send, &err);
	if (r < 0 && !send->n_sent) {
		FACT_TEXT(p, index, err.text, "not_sent");
		zh_trail_close(trail);
		return;
	}
	if (r < 0)
		zh_record_not_measured(p->record, "further packets", "%s", err.text);
	zh_sleep_until(zh_now_ns() + SETTLE_NS);
	write_result(p, index, send, trail ? zh_trail_method(trail) : ZH_TRAIL_NONE);
	if (trail && zh_trail_method(trail) != ZH_TRAIL_NONE)
		tally_trails(p, index, send, trail);
	else
		p->counters_way = index + 1;
	zh_trail_close(trail);
}

void path_prove_counters(struct path *p)
{
	if (p->counters_way)
		tally_counters(p, p->counters_way - 1, &p->record->before);
}

void path_prove(struct path *p, size_t index)
{
	const struct path_way *way = &p->ways[index];
	char buf[128];
	const char *why;

	if (way->flow.family == AF_UNIX) {
		path_prove_unix(p, index);
		return;
	}
	why = path_why_not_sent(p, way, buf, sizeof(buf));
	if (why)
		FACT_TEXT(p, index, why, "not_sent");
	else
		prove(p, index);
}
