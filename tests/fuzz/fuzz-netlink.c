/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Netlink replies: the first byte chooses the collector, the rest is one message of exactly that
 * length. Whatever it holds, the facts made of it belong to a schema.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/neighbour-counts.h"
#include "facts/netlink-facts.h"
#include "facts/route-tables.h"
#include "facts/sockets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* State that some collectors want behind the walk; cleared for each message. */
static union {
	struct zh_route_tables routes;
	struct zh_neighbour_counts neighbours;
	struct zh_listeners listeners;
} more;

static int (*const collectors[])(void *walk, const struct nlmsghdr *reply) = {
	zh_facts_link_reply,
	zh_facts_address_reply,
	zh_facts_rule_reply,
	zh_facts_route_reply,
	zh_facts_qdisc_reply,
	zh_facts_filter_reply,
	zh_facts_neighbour_reply,
	zh_facts_hook_reply,
	zh_facts_listener_reply,
	zh_facts_udp_reply,
	zh_facts_features_reply,
	zh_facts_audit_reply,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zh_fact_set set = {0};
	struct zh_facts_walk walk = {.set = &set, .family = 4, .device = "lo", .more = &more};
	struct nlmsghdr *reply;
	size_t which, i;

	if (size < 1 + sizeof(*reply) || size > 65536)
		return 0;
	which = data[0] % ZH_ARRAY_SIZE(collectors);
	if (collectors[which] == zh_facts_address_reply)
		walk.more = NULL;
	else if (collectors[which] == zh_facts_hook_reply)
		walk.device = "4.input";
	memset(&more, 0, sizeof(more));
	reply = malloc(size - 1);
	if (!reply)
		return 0;
	memcpy(reply, data + 1, size - 1);
	reply->nlmsg_len = (uint32_t)(size - 1);
	collectors[which](&walk, reply);
	collectors[which](&walk, reply);
	zh_fact_set_sort(&set);
	for (i = 0; i < set.n; i++)
		if (!zh_facts_schema_of(set.facts[i].key) &&
			set.facts[i].type != ZH_FACT_UNAVAILABLE)
			abort();
	zh_fact_set_done(&set);
	free(reply);
	return 0;
}
