/* SPDX-License-Identifier: BSD-2-Clause */
/* Offload features of every device, by the names that ethtool uses. */
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define DEVICES_MAX 2048

static const char *const features[] = {"rx-checksum", "tx-checksum-ip-generic", "tx-checksum-ipv4",
	"tx-checksum-ipv6", "tx-scatter-gather", "tx-tcp-segmentation", "tx-tcp6-segmentation",
	"tx-udp-segmentation", "tx-generic-segmentation", "rx-gro", "rx-gro-list",
	"rx-udp-gro-forwarding", "rx-lro"};

/* The active features come as a list of those that are on. */
static unsigned int active_features(const struct nlattr *active)
{
	const struct nlattr *set[ETHTOOL_A_BITSET_MAX + 1], *one[ETHTOOL_A_BITSET_BIT_MAX + 1];
	const struct nlattr *bit = NULL;
	unsigned int on = 0;
	char name[64];
	size_t i;

	zh_attrs_nested(set, ETHTOOL_A_BITSET_MAX, active);
	while ((bit = zh_attr_next(set[ETHTOOL_A_BITSET_BITS], bit))) {
		zh_attrs_nested(one, ETHTOOL_A_BITSET_BIT_MAX, bit);
		zh_attr_string(one[ETHTOOL_A_BITSET_BIT_NAME], name, sizeof(name));
		for (i = 0; i < ZH_ARRAY_SIZE(features); i++)
			if (!strcmp(name, features[i]))
				on |= 1u << i;
	}
	return on;
}

int zh_facts_features_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct nlattr *attrs[ETHTOOL_A_FEATURES_MAX + 1], *header[ETHTOOL_A_HEADER_MAX + 1];
	char name[64], device[ZH_FACTS_NAME_MAX];
	unsigned int on;
	size_t i;

	if (walk->n++ >= DEVICES_MAX)
		return 0;
	zh_attrs_of(attrs, ETHTOOL_A_FEATURES_MAX, reply, GENL_HDRLEN);
	zh_attrs_nested(header, ETHTOOL_A_HEADER_MAX, attrs[ETHTOOL_A_FEATURES_HEADER]);
	zh_facts_name(device, sizeof(device),
		zh_attr_string(header[ETHTOOL_A_HEADER_DEV_NAME], name, sizeof(name)));
	on = active_features(attrs[ETHTOOL_A_FEATURES_ACTIVE]);
	for (i = 0; i < ZH_ARRAY_SIZE(features); i++)
		zh_fact_number(walk->set, on >> i & 1, "offload.%s.%s", device, features[i]);
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	struct genlmsghdr header = {
		.cmd = ETHTOOL_MSG_FEATURES_GET, .version = ETHTOOL_GENL_VERSION};
	struct zh_facts_walk walk = {.set = set};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_GENERIC, "offload");
	struct nl_msg *msg;
	struct nlattr *nest;
	struct zh_err err;
	int family;

	if (!nl)
		return;
	family = zh_netlink_family(nl, ETHTOOL_GENL_NAME, &err);
	if (family < 0) {
		zh_fact_unavailable(set, err.text, "offload");
		return;
	}
	msg = zh_netlink_message(family, NLM_F_DUMP, &header, sizeof(header));
	/* The request header may be empty, but it must be there. */
	if (msg && (nest = nla_nest_start(msg, NLA_F_NESTED | ETHTOOL_A_FEATURES_HEADER))) {
		nla_put_u32(msg, ETHTOOL_A_HEADER_FLAGS, 0);
		nla_nest_end(msg, nest);
	}
	if (zh_netlink_ask(nl, msg, zh_facts_features_reply, &walk, &err) < 0)
		zh_facts_refused(set, &err, "list of offload features", "offload");
	else if (walk.n > DEVICES_MAX)
		zh_facts_truncated(set, "offload", DEVICES_MAX, walk.n, "devices");
}

static const struct zh_fact_schema schema[] = {
	{"offload.*.*", ZH_FACT_NUMBER, "", "1: the feature is on (ethtool's name)"},
	{"offload", ZH_FACT_UNAVAILABLE, "", "why the features could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_offload = {
	.id = "offload",
	.summary = "offload features of the devices",
	.schema = schema,
	.collect = collect,
};
