/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/hops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "facts/read.h"

#define TEXT_MAX 400
#define KEY "path.way.%zu.hop.%zu."

const char *const path_hop_kinds[PATH_HOP_KINDS] = {
	[PATH_SOCKET] = "socket",
	[PATH_CGROUP_BPF] = "cgroup-bpf",
	[PATH_NETFILTER] = "netfilter",
	[PATH_ROUTING] = "routing",
	[PATH_QDISC] = "qdisc",
	[PATH_TC] = "tc",
	[PATH_XDP] = "xdp",
	[PATH_DEVICE] = "device",
	[PATH_WIRE] = "wire",
	[PATH_BRIDGE] = "bridge",
	[PATH_MACVLAN] = "macvlan",
	[PATH_STEERING] = "steering",
	[PATH_LEAVES] = "leaves",
	[PATH_END] = "end",
};

#define FORMAT(buf, format)                                                                        \
	({                                                                                         \
		va_list args_;                                                                     \
		va_start(args_, format);                                                           \
		vsnprintf(buf, sizeof(buf), format, args_);                                        \
		va_end(args_);                                                                     \
	})

static struct path_way *way_of(const struct walk *w)
{
	return &w->p->ways[w->way];
}

static struct path_hop *last(const struct walk *w)
{
	return &way_of(w)->hops[way_of(w)->n_hops - 1];
}

static size_t last_number(const struct walk *w)
{
	return way_of(w)->n_hops - 1;
}

void hop_add(struct walk *w, enum path_hop_kind kind, const struct path_link *link,
	const char *title, ...)
{
	struct path_way *way = way_of(w);
	struct path_hop *hop = &way->hops[way->n_hops];
	char text[TEXT_MAX];

	if (way->n_hops == PATH_HOPS_MAX) {
		if (w->step != WALK_OVER)
			hop_ends(w, "more than %d hops: it goes round in circles", PATH_HOPS_MAX);
		w->is_full = true;
		return;
	}
	FORMAT(text, title);
	*hop = (struct path_hop){.kind = kind, .place = w->place, .hook = -1};
	zh_fact_string(w->p->out, path_hop_kinds[kind], KEY "kind", w->way, way->n_hops);
	zh_fact_number(w->p->out, w->place, KEY "place", w->way, way->n_hops);
	zh_fact_string(w->p->out, text, KEY "title", w->way, way->n_hops);
	if (link) {
		hop->ifindex = link->ifindex;
		snprintf(hop->dev, sizeof(hop->dev), "%s", link->name);
		zh_fact_string(w->p->out, link->name, KEY "dev", w->way, way->n_hops);
		zh_fact_number(w->p->out, link->ifindex, KEY "ifindex", w->way, way->n_hops);
	}
	way->n_hops++;
}

void hop_hook(struct walk *w, int hook, const char *name)
{
	if (w->is_full)
		return;
	last(w)->hook = hook;
	zh_fact_string(w->p->out, name, KEY "hook", w->way, last_number(w));
	zh_fact_number(w->p->out, (uint64_t)hook, KEY "hook_number", w->way, last_number(w));
}

void hop_inbound(struct walk *w)
{
	if (w->is_full)
		return;
	last(w)->is_inbound = true;
}

void hop_note(struct walk *w, const char *format, ...)
{
	char text[TEXT_MAX];

	if (w->is_full)
		return;
	FORMAT(text, format);
	zh_fact_string(w->p->out, text, KEY "note.%zu", w->way, last_number(w), last(w)->n_notes++);
}

void hop_unseen(struct walk *w, const char *why, ...)
{
	char text[TEXT_MAX];

	if (w->is_full)
		return;
	FORMAT(text, why);
	zh_fact_string(w->p->out, text, KEY "unseen", w->way, last_number(w));
}

void hop_ends(struct walk *w, const char *why, ...)
{
	char text[TEXT_MAX];

	w->step = WALK_OVER;
	if (w->is_full)
		return;
	FORMAT(text, why);
	zh_fact_string(w->p->out, text, KEY "ends", w->way, last_number(w));
	last(w)->ends = true;
}

const struct zh_fact_set *walk_facts(const struct walk *w)
{
	return w->p->places[w->place].facts;
}

const char *walk_device_key(char *buf, const struct path_link *link)
{
	return zh_facts_name(buf, ZH_FACTS_NAME_MAX, link->name);
}

const char *walk_why_not(const struct walk *w, const char *key)
{
	const struct zh_fact *fact = zh_fact_find(walk_facts(w), key);

	return fact && fact->type == ZH_FACT_UNAVAILABLE ? fact->text : NULL;
}
