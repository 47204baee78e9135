/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets dropped, by reason, device, namespace and function. What a CPU's full backlog dropped is
 * counted by softnet_stat too; where the hook saw fewer, the rest is a row without a place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/top/internal.h"

#define ROWS_SHOWN 512

/* Frees that are no loss: what a socket still had when it was closed, packets that were for
 * somebody else, copies that nobody wanted (include/net/dropreason-core.h). */
static const char *const benign[] = {
	"NOT_DROPPED_YET", "CONSUMED", "OTHERHOST", "QUEUE_PURGE", "SOCKET_CLOSE", "TAP_FILTER"};

static bool is_benign(const char *reason)
{
	for (size_t i = 0; i < ZH_ARRAY_SIZE(benign); i++)
		if (!strcmp(reason, benign[i]))
			return true;
	return false;
}

static int by_place(const void *left, const void *right)
{
	const struct zh_live_drop *a = left, *b = right;

	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	if (a->netns != b->netns)
		return a->netns < b->netns ? -1 : 1;
	if (a->ifindex != b->ifindex)
		return a->ifindex < b->ifindex ? -1 : 1;
	return a->reason < b->reason ? -1 : a->reason > b->reason;
}

static uint64_t count_before(const struct zh_top *top, const struct zh_live_drop *drop)
{
	const struct zh_live_drop *then =
		top->n_drops ? bsearch(drop, top->drops, top->n_drops, sizeof(*drop), by_place)
			     : NULL;

	return then ? then->count : 0;
}

static void name_row(struct zh_top *top, const struct zh_live_drop *drop, struct zh_top_drop *ret)
{
	char buf[64];
	const char *reason = zh_live_reason(top->live, drop->reason, buf, sizeof(buf));
	const char *function = zh_live_function(top->live, drop->location);
	const struct top_link *link = top_links_find(&top->links, drop->netns, drop->ifindex);

	if (reason)
		snprintf(ret->reason, sizeof(ret->reason), "%s", reason);
	else
		snprintf(ret->reason, sizeof(ret->reason), "reason %u", drop->reason);
	snprintf(ret->function, sizeof(ret->function), "%s", function ? function : "");
	ret->is_benign = is_benign(ret->reason);
	if (!drop->netns)
		return;
	if (!top_map_place(&top->map, drop->netns, ret->place, sizeof(ret->place)))
		top->wants_scan = true;
	if (link)
		memcpy(ret->device, link->name, sizeof(ret->device));
	else if (drop->ifindex)
		snprintf(ret->device, sizeof(ret->device), "if%u", drop->ifindex);
}

static int by_rate(const void *left, const void *right)
{
	const struct zh_top_drop *a = left, *b = right;

	if (a->is_benign != b->is_benign)
		return a->is_benign - b->is_benign;
	if (a->rate != b->rate)
		return a->rate > b->rate ? -1 : 1;
	return a->total > b->total ? -1 : a->total < b->total;
}

/* Drops of full backlogs that softnet_stat counted and the hook did not see (or there is none). */
static void add_unseen(struct zh_top *top, uint64_t seen, uint64_t interval_ns)
{
	struct zh_top_reading *reading = &top->reading;
	double softnet = 0, hook;

	for (size_t i = 0; i < reading->n_cpus; i++)
		softnet += ZH_MAX(reading->cpus[i].dropped_rate, 0.0);
	hook = ZH_MAX(top_rate(seen, top->hook_backlog_drops, interval_ns), 0.0);
	top->hook_backlog_drops = seen;
	/* A packet either way is the time between two reads. */
	if (!interval_ns || (softnet - hook) * (double)interval_ns / 1e9 < 2)
		return;
	reading->drops[reading->n_drops++] = (struct zh_top_drop){.reason = "CPU_BACKLOG",
		.function = "(counted by softnet_stat only)",
		.rate = softnet - hook,
		.total = (uint64_t)((softnet - hook) * (double)interval_ns / 1e9)};
}

int top_drops_read(struct zh_top *top, uint64_t interval_ns, struct zh_err *err)
{
	struct zh_top_reading *reading = &top->reading;
	zh_autofree struct zh_live_drop *now = calloc(ZH_LIVE_DROPS, sizeof(*now));
	bool has_drops = top->live && zh_live_has(top->live, "drops");
	size_t n = now && has_drops ? zh_live_drops(top->live, now, ZH_LIVE_DROPS) : 0;
	uint64_t backlog = 0;

	free(reading->drops);
	reading->has_drops = has_drops;
	reading->n_drops = 0;
	reading->drops = calloc(n + 1, sizeof(*reading->drops));
	if (!now || !reading->drops)
		return zh_err_set(err, -ENOMEM, "out of memory");
	qsort(now, n, sizeof(*now), by_place);
	for (size_t i = 0; i < n; i++) {
		struct zh_top_drop *row = &reading->drops[reading->n_drops];

		name_row(top, &now[i], row);
		row->total = now[i].count;
		row->rate = top_rate(now[i].count, count_before(top, &now[i]), interval_ns);
		if (!strcmp(row->reason, "CPU_BACKLOG"))
			backlog += now[i].count;
		if (!top->config.only_here || top_map_netns(&top->map, now[i].netns) == 0)
			reading->n_drops++;
		else
			*row = (struct zh_top_drop){};
	}
	add_unseen(top, backlog, interval_ns);
	qsort(reading->drops, reading->n_drops, sizeof(*reading->drops), by_rate);
	reading->n_drops = ZH_MIN(reading->n_drops, (size_t)ROWS_SHOWN);
	free(top->drops);
	top->drops = zh_take(now);
	top->n_drops = n;
	return 0;
}
