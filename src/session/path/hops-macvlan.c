/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * macvlan: children with addresses of their own on one parent. In bridge mode siblings reach each
 * other inside the kernel; a child and its parent never do (drivers/net/macvlan.c).
 */
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/hops.h"

static bool is_macvlan(const struct path_link *link)
{
	return !strcmp(link->kind, "macvlan") || !strcmp(link->kind, "macvtap");
}

static const char *mode_name(uint32_t mode)
{
	switch (mode) {
	case MACVLAN_MODE_PRIVATE:
		return "private";
	case MACVLAN_MODE_VEPA:
		return "vepa";
	case MACVLAN_MODE_BRIDGE:
		return "bridge";
	case MACVLAN_MODE_PASSTHRU:
		return "passthru";
	default:
		return "source";
	}
}

const struct path_link *walk_child(struct walk *w, const struct path_link *parent)
{
	const struct path_map *map = path_map_take(w->p);
	size_t i;

	for (i = 0; i < map->n_links; i++) {
		const struct path_link *link = &map->links[i];

		if (is_macvlan(link) && link->link == parent->ifindex &&
			path_map_has_address(map, link, w->flow.family, &w->next) &&
			path_link_is_on(w->p, link, parent))
			return link;
	}
	return NULL;
}

static void to_child(struct walk *w, const struct path_link *from, const struct path_link *child)
{
	size_t n = child->netns;

	hop_add(w, PATH_MACVLAN, from, "%s mode: to %s%s%s", mode_name(child->macvlan_mode),
		child->name, n == from->netns ? "" : " in ",
		n == from->netns ? "" : w->p->map.netns[n].name);
	if (!child->is_up)
		hop_ends(w, "%s is down", child->name);
	else
		walk_move(w, child);
}

bool hops_to_child(struct walk *w)
{
	const struct path_link *child = walk_child(w, w->link);

	if (child)
		to_child(w, w->link, child);
	return child != NULL;
}

/*
 * Between siblings in bridge mode the frame arrives at the parent's receive side, for its taps, and
 * only there the child is chosen: the parent's steering, backlog and filters are on the way.
 */
static void to_sibling(struct walk *w, const struct path_link *parent)
{
	const struct path_link *link = w->link;

	hop_add(w, PATH_MACVLAN, link, "%s mode: to the receive side of the parent %s%s%s",
		mode_name(link->macvlan_mode), parent->name,
		parent->netns == link->netns ? "" : " in ",
		parent->netns == link->netns ? "" : w->p->map.netns[parent->netns].name);
	walk_move(w, parent);
}

/* Out by the parent, whose own stack does not see it. */
static void by_parent(struct walk *w, const struct path_link *parent)
{
	if (walk_move(w, parent))
		w->step = WALK_SEND;
}

void hops_macvlan(struct walk *w)
{
	const struct path_link *link = w->link, *parent, *sibling;
	const char *mode = mode_name(link->macvlan_mode);
	char why[200] = "";

	parent = path_link_other(w->p, link, why, sizeof(why));
	if (!parent) {
		hop_add(w, PATH_MACVLAN, link, "%s mode: by its parent", mode);
		hop_unseen(w, "%s", why);
		w->step = WALK_OVER;
		return;
	}
	sibling = walk_child(w, parent);
	if (sibling && link->macvlan_mode == MACVLAN_MODE_BRIDGE &&
		sibling->macvlan_mode == MACVLAN_MODE_BRIDGE) {
		to_sibling(w, parent);
		return;
	}
	hop_add(w, PATH_MACVLAN, link, "%s mode: out by the parent %s%s%s", mode, parent->name,
		parent->netns == link->netns ? "" : " in ",
		parent->netns == link->netns ? "" : w->p->map.netns[parent->netns].name);
	if (path_map_has_address(&w->p->map, parent, w->flow.family, &w->next))
		hop_ends(w, "a macvlan device cannot reach its own parent: %s has the address",
			parent->name);
	else if (sibling && link->macvlan_mode != MACVLAN_MODE_VEPA)
		hop_ends(w, "%s is a sibling, but they may not talk to each other (%s mode)",
			sibling->name,
			link->macvlan_mode == MACVLAN_MODE_BRIDGE ? mode_name(sibling->macvlan_mode)
								  : mode);
	else
		by_parent(w, parent);
}
