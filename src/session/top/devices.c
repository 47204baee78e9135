/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of devices: counters as rates, with names, settings, drops and the CPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/top/internal.h"

static void set_rates(struct zh_top_device *ret, const struct top_link *now,
	const struct top_link *then, uint64_t interval_ns)
{
	const struct top_counts *a = &now->counts, *b = then ? &then->counts : a;

	if (!then || !now->has_counts || !then->has_counts)
		interval_ns = 0;
	ret->rx_rate = top_rate(a->rx, b->rx, interval_ns);
	ret->tx_rate = top_rate(a->tx, b->tx, interval_ns);
	ret->rx_bytes_rate = top_rate(a->rx_bytes, b->rx_bytes, interval_ns);
	ret->tx_bytes_rate = top_rate(a->tx_bytes, b->tx_bytes, interval_ns);
	ret->rx_dropped_rate = top_rate(a->rx_dropped, b->rx_dropped, interval_ns);
	ret->tx_dropped_rate = top_rate(a->tx_dropped, b->tx_dropped, interval_ns);
}

static void set_settings(const struct zh_top *top, struct zh_top_device *ret)
{
	const struct top_setting *setting =
		top_settings_find(&top->settings, ret->netns, ret->name);

	ret->rx_queues = setting ? setting->rx_queues : -1;
	ret->tx_queues = setting ? setting->tx_queues : -1;
	ret->gro = setting ? setting->gro : -1;
	ret->threaded = setting ? setting->threaded : -1;
	if (!setting)
		return;
	memcpy(ret->rps_mask, setting->rps, sizeof(ret->rps_mask));
	memcpy(ret->xps_mask, setting->xps, sizeof(ret->xps_mask));
}

/* The peer of a veth; what a macvlan sits on, or the bridge of a port. */
static void set_other(
	const struct zh_top *top, const struct top_link *link, struct zh_top_device *ret)
{
	const struct path_link *other = top_map_peer(&top->map, link->netns, link->ifindex);
	const struct top_link *parent =
		top_links_find(&top->links, link->netns, link->master ? link->master : link->below);

	if (other && !strcmp(link->kind, "veth")) {
		snprintf(ret->peer, sizeof(ret->peer), "%.31s", other->name);
		top_map_place(&top->map, top->map.path->map.netns[other->netns].inode,
			ret->peer_place, sizeof(ret->peer_place));
	} else if (other && !link->master) {
		snprintf(ret->parent, sizeof(ret->parent), "%.31s", other->name);
	}
	if (parent && (link->master || strcmp(link->kind, "veth") != 0))
		memcpy(ret->parent, parent->name, sizeof(ret->parent));
}

/* The CPU that receives most of the device's sampled packets. */
static void set_cpu(const struct zh_top *top, const struct top_link *link, uint64_t *by_cpu,
	struct zh_top_device *ret)
{
	uint64_t total = 0, most = 0;

	ret->cpu = -1;
	ret->cpu_share = -1;
	for (size_t i = 0; i < top->n_flows; i++) {
		const struct zh_live_flow *flow = &top->flows[i];

		if (flow->netns != link->netns || flow->ifindex != link->ifindex ||
			flow->cpu >= TOP_CPUS)
			continue;
		if (!total)
			memset(by_cpu, 0, TOP_CPUS * sizeof(*by_cpu));
		total += flow->packets;
		by_cpu[flow->cpu] += flow->packets;
		if (by_cpu[flow->cpu] > most) {
			most = by_cpu[flow->cpu];
			ret->cpu = flow->cpu;
		}
	}
	if (total)
		ret->cpu_share = (double)most / (double)total;
}

static void set_drops(const struct zh_top *top, struct zh_top_device *ret)
{
	bool is_known = top->reading.interval_ns && top->live && zh_live_has(top->live, "drops");

	ret->dropped_rate = is_known ? 0 : -1;
	for (size_t i = 0; is_known && i < top->reading.n_drops; i++) {
		const struct zh_top_drop *drop = &top->reading.drops[i];

		/* Losses stand first, by rate. */
		if (drop->is_benign || drop->rate <= 0)
			break;
		if (strcmp(drop->device, ret->name) != 0 || strcmp(drop->place, ret->place) != 0)
			continue;
		if (!ret->drop_reason[0])
			memcpy(ret->drop_reason, drop->reason, sizeof(ret->drop_reason));
		ret->dropped_rate += drop->rate;
	}
}

static void set_row(struct zh_top *top, const struct top_link *link, const struct top_link *then,
	uint64_t *by_cpu, struct zh_top_device *ret)
{
	*ret = (struct zh_top_device){
		.netns = link->netns, .ifindex = link->ifindex, .is_up = link->is_up};
	memcpy(ret->name, link->name, sizeof(ret->name));
	memcpy(ret->kind, link->kind, sizeof(ret->kind));
	memcpy(ret->qdisc, link->qdisc, sizeof(ret->qdisc));
	top_map_place(&top->map, link->netns, ret->place, sizeof(ret->place));
	set_rates(ret, link, then, top->reading.interval_ns);
	set_settings(top, ret);
	set_other(top, link, ret);
	set_cpu(top, link, by_cpu, ret);
	set_drops(top, ret);
	if (!top_map_peer(&top->map, link->netns, link->ifindex) && !strcmp(link->kind, "veth"))
		top->wants_scan = true;
}

int top_devices_read(struct zh_top *top, const struct top_links *then, struct zh_err *err)
{
	struct zh_top_reading *reading = &top->reading;
	zh_autofree uint64_t *by_cpu = calloc(TOP_CPUS, sizeof(*by_cpu));
	struct zh_top_device *rows = realloc(reading->devices, (top->links.n + 1) * sizeof(*rows));

	if (rows)
		reading->devices = rows;
	if (!rows || !by_cpu)
		return zh_err_set(err, -ENOMEM, "out of memory");
	reading->n_devices = 0;
	for (size_t i = 0; i < top->links.n; i++) {
		const struct top_link *link = &top->links.list[i];

		if (top->config.only_here && top->map.path &&
			link->netns != top->map.path->map.netns[0].inode)
			continue;
		set_row(top, link, top_links_find(then, link->netns, link->ifindex), by_cpu,
			&rows[reading->n_devices++]);
	}
	return 0;
}
