/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is set for devices: queues, steering, GRO. These are files and questions a device, and in
 * another namespace the files have to be mounted first, so a read looks at few namespaces: at those
 * with a device that is new, and at one of the others in turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "session/top/internal.h"
#include "sys/net-config.h"
#include "sys/netns.h"

#define NEW_MAX 16       /* namespaces a read */
#define DEVICES_A_READ 8 /* looked at again, on average */

static int by_name(const void *left, const void *right)
{
	const struct top_setting *a = left, *b = right;

	if (a->netns != b->netns)
		return a->netns < b->netns ? -1 : 1;
	return strcmp(a->name, b->name);
}

const struct top_setting *top_settings_find(
	const struct top_settings *settings, uint64_t netns, const char *name)
{
	struct top_setting key = {.netns = netns};

	snprintf(key.name, sizeof(key.name), "%s", name);
	if (!settings->n)
		return NULL;
	return bsearch(&key, settings->list, settings->n, sizeof(key), by_name);
}

static int collect_here(void *arg)
{
	static const char *const groups[] = {"queues", "offload"};

	return zh_facts_collect_some(arg, groups, ZH_ARRAY_SIZE(groups), NULL);
}

static int collect_inside(void *arg)
{
	zh_netns_show_devices(NULL);
	return collect_here(arg);
}

static int number(
	const struct zh_fact_set *facts, const char *group, const char *device, const char *key)
{
	uint64_t value;

	return zh_fact_get(facts, &value, "%s.%s.%s", group, device, key) ? (int)value : -1;
}

static void copy(char *buf, size_t size, const char *text)
{
	snprintf(buf, size, "%s", text ? text : "");
}

static void set_of(struct top_setting *ret, const struct zh_fact_set *facts)
{
	char device[ZH_FACTS_NAME_MAX];

	zh_facts_name(device, sizeof(device), ret->name);
	copy(ret->rps, sizeof(ret->rps), zh_fact_text(facts, "queue.%s.rx.0.rps_cpus", device));
	copy(ret->xps, sizeof(ret->xps), zh_fact_text(facts, "queue.%s.tx.0.xps_cpus", device));
	ret->rx_queues = number(facts, "queue", device, "rx.count");
	ret->tx_queues = number(facts, "queue", device, "tx.count");
	ret->threaded = number(facts, "queue", device, "threaded");
	ret->gro = number(facts, "offload", device, "rx-gro");
}

static void remove_netns(struct top_settings *settings, uint64_t netns)
{
	size_t kept = 0;

	for (size_t i = 0; i < settings->n; i++)
		if (settings->list[i].netns != netns)
			settings->list[kept++] = settings->list[i];
	settings->n = kept;
}

static struct top_setting *append(struct top_settings *settings)
{
	return zh_grow((void **)&settings->list, &settings->n, &settings->size,
		sizeof(*settings->list), 0);
}

/* Settings of all devices of one namespace. */
static void read_netns(struct zh_top *top, const struct top_links *links, uint64_t netns)
{
	const struct path *path = top->map.path;
	size_t index = top_map_netns(&top->map, netns);
	struct zh_fact_set facts = {};
	struct top_setting *setting;

	if (!path || index == 0) {
		collect_here(&facts);
	} else if (index != SIZE_MAX) {
		zh_autoclose int fd = zh_netns_by_name(path->map.netns[index].source, NULL);

		if (fd >= 0)
			zh_netns_call(fd, collect_inside, &facts, NULL);
	}
	remove_netns(&top->settings, netns);
	for (size_t i = 0; i < links->n; i++) {
		if (links->list[i].netns != netns || !(setting = append(&top->settings)))
			continue;
		setting->netns = netns;
		memcpy(setting->name, links->list[i].name, sizeof(setting->name));
		set_of(setting, &facts);
	}
	zh_fact_set_done(&facts);
	if (top->settings.n)
		qsort(top->settings.list, top->settings.n, sizeof(*top->settings.list), by_name);
}

/* The first device of the next namespace. */
static size_t after(const struct top_links *links, size_t turn)
{
	size_t next = turn;

	while (next < links->n && links->list[next].netns == links->list[turn].netns)
		next++;
	return next < links->n ? next : 0;
}

void top_settings_refresh(struct zh_top *top, const struct top_links *links)
{
	uint64_t last = UINT64_MAX;
	size_t n = 0;

	for (size_t i = 0; i < links->n && n < NEW_MAX; i++) {
		const struct top_link *link = &links->list[i];

		if (link->netns == last ||
			top_settings_find(&top->settings, link->netns, link->name))
			continue;
		last = link->netns;
		read_netns(top, links, last);
		n++;
	}
	/* In turn: the namespace of the device that the turn is at; then a pause as long as it is
	 * large. */
	if (n || !links->n || top->settings_pause-- > 0)
		return;
	top->settings_turn = after(links, top->settings_turn % links->n);
	last = links->list[top->settings_turn].netns;
	read_netns(top, links, last);
	for (n = 0; n < links->n && links->list[(top->settings_turn + n) % links->n].netns == last;)
		n++;
	top->settings_pause = (int)(n / DEVICES_A_READ);
}
