/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of all devices, as the kernel lists them for each namespace. In a captured tree the
 * facts stand in.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/util.h"
#include "facts/facts.h"
#include "session/top/internal.h"
#include "sys/netlink-attr.h"
#include "sys/netns.h"
#include "sys/root.h"

struct walk {
	struct top_links *links;
	uint64_t netns;
};

static struct top_link *append(struct top_links *links)
{
	return zh_grow((void **)&links->list, &links->n, &links->size, sizeof(*links->list), 0);
}

static int on_link(void *arg, const struct nlmsghdr *reply)
{
	struct walk *walk = arg;
	const struct ifinfomsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	struct rtnl_link_stats64 stats;
	struct top_link *link = header ? append(walk->links) : NULL;

	if (!link)
		return header != NULL;
	zh_attrs_of(attrs, IFLA_MAX, reply, sizeof(*header));
	zh_attrs_nested(info, IFLA_INFO_MAX, attrs[IFLA_LINKINFO]);
	link->netns = walk->netns;
	link->ifindex = (uint32_t)header->ifi_index;
	link->is_up = header->ifi_flags & IFF_UP;
	link->master = zh_attr_u32(attrs[IFLA_MASTER], 0);
	link->below = attrs[IFLA_LINK_NETNSID] ? 0 : zh_attr_u32(attrs[IFLA_LINK], 0);
	zh_attr_string(attrs[IFLA_IFNAME], link->name, sizeof(link->name));
	zh_attr_string(info[IFLA_INFO_KIND], link->kind, sizeof(link->kind));
	if (!link->kind[0])
		snprintf(link->kind, sizeof(link->kind), "%s",
			header->ifi_flags & IFF_LOOPBACK ? "loopback" : "device");
	zh_attr_string(attrs[IFLA_QDISC], link->qdisc, sizeof(link->qdisc));
	link->has_counts = zh_attr_copy(attrs[IFLA_STATS64], &stats, sizeof(stats)) > 0;
	if (link->has_counts)
		link->counts = (struct top_counts){.rx = stats.rx_packets,
			.tx = stats.tx_packets,
			.rx_bytes = stats.rx_bytes,
			.tx_bytes = stats.tx_bytes,
			.rx_dropped = stats.rx_dropped,
			.tx_dropped = stats.tx_dropped};
	return 0;
}

static int by_identity(const void *left, const void *right)
{
	const struct top_link *a = left, *b = right;

	if (a->netns != b->netns)
		return a->netns < b->netns ? -1 : 1;
	return a->ifindex < b->ifindex ? -1 : a->ifindex > b->ifindex;
}

/* The devices of the namespace that the thread is in. */
static int dump(struct top_links *links, uint64_t netns, struct zh_err *err)
{
	struct ifinfomsg all = {.ifi_family = AF_UNSPEC};
	struct walk walk = {links, netns};
	zh_autonetlink *nl = NULL;
	int r = zh_netlink_open(&nl, NETLINK_ROUTE, err);

	if (r == 0)
		r = zh_netlink_dump(nl, RTM_GETLINK, &all, sizeof(all), on_link, &walk, err);
	if (r == 2)
		return zh_err_set(err, -ENOMEM, "out of memory");
	return r < 0 ? r : 0;
}

/* A namespace may end between two reads: then its devices are gone. */
static void dump_other(const struct path *path, size_t i, struct top_links *links)
{
	const struct path_netns *netns = &path->map.netns[i];
	zh_autoclose int fd = netns->inode ? zh_netns_by_name(netns->source, NULL) : -1;
	uint64_t inode;

	/* A name or a process number may have come to mean another one. */
	if (fd < 0 || zh_netns_inode(fd, &inode) < 0 || inode != netns->inode ||
		zh_netns_enter(fd, NULL) < 0)
		return;
	dump(links, netns->inode, NULL);
	zh_netns_enter(path->places[0].netns_fd, NULL);
}

static uint64_t fact(const struct zh_fact_set *facts, const char *device, const char *key)
{
	uint64_t value = 0;

	zh_fact_get(facts, &value, "link.%s.%s", device, key);
	return value;
}

static int read_captured(struct top_links *links, struct zh_err *err)
{
	static const char *const groups[] = {"links"};
	struct zh_fact_set facts = {};
	const struct zh_fact *index;
	size_t pos = 0;
	int r = zh_facts_collect_some(&facts, groups, ZH_ARRAY_SIZE(groups), err);

	while (r == 0 && (index = zh_fact_next(&facts, "link.*.ifindex", &pos))) {
		struct top_link *link = append(links);
		const char *key = index->key + strlen("link."), *kind;
		char device[128];

		if (!link) {
			r = zh_err_set(err, -ENOMEM, "out of memory");
			break;
		}
		snprintf(device, sizeof(device), "%.*s", (int)strcspn(key, "."), key);
		zh_fact_part(link->name, sizeof(link->name), index, "link.*.ifindex", 0);
		link->ifindex = (uint32_t)index->number;
		link->is_up = fact(&facts, device, "flags.up");
		kind = zh_fact_text(&facts, "link.%s.kind", device);
		snprintf(link->kind, sizeof(link->kind), "%s", kind ? kind : "device");
		link->has_counts = true;
		link->counts = (struct top_counts){.rx = fact(&facts, device, "rx_pkts"),
			.tx = fact(&facts, device, "tx_pkts"),
			.rx_bytes = fact(&facts, device, "rx_bytes"),
			.tx_bytes = fact(&facts, device, "tx_bytes"),
			.rx_dropped = fact(&facts, device, "rx_dropped_pkts"),
			.tx_dropped = fact(&facts, device, "tx_dropped_pkts")};
	}
	zh_fact_set_done(&facts);
	return r;
}

int top_links_read(const struct top_map *map, struct top_links *ret, struct zh_err *err)
{
	int r;

	ret->n = 0;
	if (!map->path) {
		r = read_captured(ret, err);
	} else {
		r = dump(ret, map->path->map.netns[0].inode, err);
		for (size_t i = 1; r == 0 && i < map->path->map.n_netns; i++)
			dump_other(map->path, i, ret);
	}
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_identity);
	return r;
}

void top_links_done(struct top_links *links)
{
	free(links->list);
	*links = (struct top_links){};
}

const struct top_link *top_links_find(
	const struct top_links *links, uint64_t netns, uint32_t ifindex)
{
	const struct top_link key = {.netns = netns, .ifindex = ifindex};

	if (!links->n)
		return NULL;
	return bsearch(&key, links->list, links->n, sizeof(key), by_identity);
}
