/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every function registered at a netfilter hook, from the kernel itself (nfnetlink_hook, 5.14):
 * nftables chains, legacy iptables, connection tracking and BPF programs alike.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_hook.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define HOOKS_MAX 512

/* Kinds of registrations and a BPF registration's attribute, newer than Debian 12's headers. */
enum { TYPE_NFT = 1, TYPE_BPF = 2 };
enum { INFO_DESC = 1, INFO_TYPE = 2 };
enum { BPF_ID = 1 };

static const char *const hook_names[] = {[NF_INET_PRE_ROUTING] = "prerouting",
	[NF_INET_LOCAL_IN] = "input",
	[NF_INET_FORWARD] = "forward",
	[NF_INET_LOCAL_OUT] = "output",
	[NF_INET_POST_ROUTING] = "postrouting"};

static const struct {
	uint8_t family;
	const char *name;
} families[] = {{NFPROTO_IPV4, "4"}, {NFPROTO_IPV6, "6"}, {NFPROTO_BRIDGE, "bridge"}};

static void add_info(struct zh_fact_set *set, const char *prefix, const struct nlattr *info)
{
	const struct nlattr *attrs[NFNLA_HOOK_INFO_MAX + 2], *desc[NFNLA_CHAIN_MAX + 1];
	char table[64], name[64], text[144];
	uint32_t type;

	zh_attrs_nested(attrs, INFO_TYPE, info);
	type = info ? zh_attr_be32(attrs[INFO_TYPE], 0) : 0;
	zh_fact_string(set,
		type == TYPE_NFT   ? "nft"
		: type == TYPE_BPF ? "bpf"
				   : "function",
		"%s.type", prefix);
	if (type == TYPE_NFT) {
		zh_attrs_nested(desc, NFNLA_CHAIN_MAX, attrs[INFO_DESC]);
		snprintf(text, sizeof(text), "%s %s",
			zh_attr_string(desc[NFNLA_CHAIN_TABLE], table, sizeof(table)),
			zh_attr_string(desc[NFNLA_CHAIN_NAME], name, sizeof(name)));
		zh_fact_string(set, text, "%s.chain", prefix);
	} else if (type == TYPE_BPF) {
		zh_attrs_nested(desc, NFNLA_CHAIN_MAX, attrs[INFO_DESC]);
		zh_fact_number(set, zh_attr_be32(desc[BPF_ID], 0), "%s.bpf_id", prefix);
	}
}

int zh_facts_hook_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct nlattr *attrs[NFNLA_HOOK_MAX + 1];
	char prefix[64], text[128];

	if (!zh_message_header(reply, sizeof(struct nfgenmsg)) || walk->n++ >= HOOKS_MAX)
		return 0;
	zh_attrs_of(attrs, NFNLA_HOOK_MAX, reply, sizeof(struct nfgenmsg));
	snprintf(prefix, sizeof(prefix), "nfhook.%s.%zu", walk->device, walk->listed++);
	snprintf(text, sizeof(text), "%d", (int)zh_attr_be32(attrs[NFNLA_HOOK_PRIORITY], 0));
	zh_fact_string(walk->set, text, "%s.prio", prefix);
	if (attrs[NFNLA_HOOK_FUNCTION_NAME])
		zh_fact_string(walk->set,
			zh_attr_string(attrs[NFNLA_HOOK_FUNCTION_NAME], text, sizeof(text)),
			"%s.function", prefix);
	if (attrs[NFNLA_HOOK_MODULE_NAME])
		zh_fact_string(walk->set,
			zh_attr_string(attrs[NFNLA_HOOK_MODULE_NAME], text, sizeof(text)),
			"%s.module", prefix);
	add_info(walk->set, prefix, attrs[NFNLA_HOOK_CHAIN_INFO]);
	return 0;
}

/* One hook of one family. `device` of the walk carries "4.input". A negative errno: refused. */
static int list_hook(struct zh_netlink *nl, struct zh_facts_walk *walk, size_t family,
	uint32_t hook, struct zh_err *err)
{
	struct nfgenmsg header = {.nfgen_family = families[family].family, .version = NFNETLINK_V0};
	struct nl_msg *msg = zh_netlink_message(
		NFNL_SUBSYS_HOOK << 8 | NFNL_MSG_HOOK_GET, NLM_F_DUMP, &header, sizeof(header));
	char name[32];
	int r;

	if (msg)
		nla_put_u32(msg, NFNLA_HOOK_HOOKNUM, htonl(hook));
	snprintf(name, sizeof(name), "%s.%s", families[family].name, hook_names[hook]);
	walk->device = name;
	walk->listed = 0;
	r = zh_netlink_ask(nl, msg, zh_facts_hook_reply, walk, err);
	if (r >= 0)
		zh_fact_number(walk->set, walk->listed, "nfhook.%s.count", name);
	return r;
}

static void collect(struct zh_fact_set *set)
{
	struct zh_facts_walk walk = {.set = set};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_NETFILTER, "nfhook");
	struct zh_err err;
	uint32_t hook;
	size_t i;
	int r;

	for (i = 0; nl && i < ZH_ARRAY_SIZE(families); i++)
		for (hook = 0; hook < ZH_ARRAY_SIZE(hook_names); hook++) {
			/* A kernel without bridge filtering refuses that family; IPv4 is there. */
			r = list_hook(nl, &walk, i, hook, &err);
			if (r >= 0 || i > 0)
				continue;
			if (r == -EINVAL)
				zh_fact_unavailable(set,
					"this kernel cannot list its netfilter hooks "
					"(CONFIG_NETFILTER_NETLINK_HOOK, since 5.14)",
					"nfhook");
			else
				zh_facts_refused(set, &err, "netfilter hooks", "nfhook");
			return;
		}
	if (walk.n > HOOKS_MAX)
		zh_facts_truncated(set, "nf-hooks", HOOKS_MAX, walk.n, "hook functions");
}

static const struct zh_fact_schema schema[] = {
	{"nfhook.*.*.count", ZH_FACT_NUMBER, "count", "functions at a netfilter hook"},
	{"nfhook.*.*.*.prio", ZH_FACT_STRING, "", "priority; lower is earlier"},
	{"nfhook.*.*.*.function", ZH_FACT_STRING, "", "kernel function"},
	{"nfhook.*.*.*.module", ZH_FACT_STRING, "", "its module"},
	{"nfhook.*.*.*.type", ZH_FACT_STRING, "", "nft, bpf, or function for anything else"},
	{"nfhook.*.*.*.chain", ZH_FACT_STRING, "", "table and chain of nftables"},
	{"nfhook.*.*.*.bpf_id", ZH_FACT_NUMBER, "", "number of the BPF program"},
	{"nfhook", ZH_FACT_UNAVAILABLE, "", "why the hooks could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_nf_hooks = {
	.id = "nf-hooks",
	.summary = "everything registered at netfilter hooks",
	.schema = schema,
	.collect = collect,
};
