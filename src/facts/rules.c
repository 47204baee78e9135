/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Policy routing rules of both families, in the order in which the kernel walks them. A healthy
 * table starts with "0: from all lookup local": whatever stands before it decides first, also about
 * packets to the machine's own addresses.
 */
#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define RULES_MAX 1024

static const char *const actions[] = {[FR_ACT_TO_TBL] = "lookup",
	[FR_ACT_GOTO] = "goto",
	[FR_ACT_NOP] = "nop",
	[FR_ACT_BLACKHOLE] = "blackhole",
	[FR_ACT_UNREACHABLE] = "unreachable",
	[FR_ACT_PROHIBIT] = "prohibit"};

/* Names as `ip rule` prints them; others are numbers. */
static const struct {
	uint32_t number;
	const char *name;
} tables[] = {{RT_TABLE_LOCAL, "local"}, {RT_TABLE_MAIN, "main"}, {RT_TABLE_DEFAULT, "default"}},
  protocols[] = {{IPPROTO_ICMP, "icmp"}, {IPPROTO_TCP, "tcp"}, {IPPROTO_UDP, "udp"},
	  {IPPROTO_ICMPV6, "ipv6-icmp"}, {IPPROTO_SCTP, "sctp"}};

/* enum of linux/fib_rules.h since 6.14 and 6.15, newer than Debian 12's headers. */
enum {
	ATTR_DSCP = 25,
	ATTR_FLOWLABEL,
	ATTR_FLOWLABEL_MASK,
	ATTR_SPORT_MASK,
	ATTR_DPORT_MASK,
	ATTR_DSCP_MASK,
	ATTRS
};
#define DSCP_BITS 0x3f
#define FLOWLABEL_BITS 0xfffff

struct rule {
	struct zh_fact_set *set;
	char prefix[32];
	const struct fib_rule_hdr *header;
	const struct nlattr *attrs[ATTRS];
	struct zh_buf text; /* as `ip rule` shows it */
	bool selective;     /* it does not match everything */
};

/* Adds a selector to the facts and to the text. */
static void select_by(struct rule *rule, const char *key, const char *value)
{
	zh_fact_string(rule->set, value, "%s.%s", rule->prefix, key);
	zh_buf_addf(&rule->text, "%s %s ", key, value);
	rule->selective = true;
}

static void add_prefixes(struct rule *rule)
{
	char ip[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];

	if (rule->header->flags & FIB_RULE_INVERT) {
		zh_fact_number(rule->set, 1, "%s.invert", rule->prefix);
		zh_buf_adds(&rule->text, "not ");
		rule->selective = true;
	}
	if (rule->attrs[FRA_SRC]) {
		snprintf(text, sizeof(text), "%s/%u", zh_attr_ip(rule->attrs[FRA_SRC], ip),
			rule->header->src_len);
		select_by(rule, "from", text);
	} else {
		zh_buf_adds(&rule->text, "from all ");
	}
	if (rule->attrs[FRA_DST]) {
		snprintf(text, sizeof(text), "%s/%u", zh_attr_ip(rule->attrs[FRA_DST], ip),
			rule->header->dst_len);
		select_by(rule, "to", text);
	}
}

static void add_devices(struct rule *rule)
{
	char name[64];

	if (rule->attrs[FRA_IIFNAME])
		select_by(
			rule, "iif", zh_attr_string(rule->attrs[FRA_IIFNAME], name, sizeof(name)));
	if (rule->attrs[FRA_OIFNAME])
		select_by(
			rule, "oif", zh_attr_string(rule->attrs[FRA_OIFNAME], name, sizeof(name)));
}

static uint16_t attr_u16(const struct nlattr *attr, uint16_t missing)
{
	uint16_t value = missing;

	if (attr)
		zh_attr_copy(attr, &value, sizeof(value));
	return value;
}

/* "80", "80-90", or "0x50/0xfff0" where only some bits count. */
static void add_ports(struct rule *rule, int attr, int mask_attr, const char *key)
{
	uint16_t mask = attr_u16(rule->attrs[mask_attr], UINT16_MAX);
	struct fib_rule_port_range range = {};
	char text[32];

	if (!rule->attrs[attr])
		return;
	zh_attr_copy(rule->attrs[attr], &range, sizeof(range));
	if (range.start == range.end && mask && mask != UINT16_MAX)
		snprintf(text, sizeof(text), "0x%x/0x%x", range.start, mask);
	else if (range.start == range.end)
		snprintf(text, sizeof(text), "%u", range.start);
	else
		snprintf(text, sizeof(text), "%u-%u", range.start, range.end);
	select_by(rule, key, text);
}

static void add_mark(struct rule *rule)
{
	uint32_t mark = zh_attr_u32(rule->attrs[FRA_FWMARK], 0);
	uint32_t mask = zh_attr_u32(rule->attrs[FRA_FWMASK], 0);

	if (!mark && !mask)
		return;
	zh_fact_number(rule->set, mark, "%s.fwmark", rule->prefix);
	zh_fact_number(rule->set, mask, "%s.fwmask", rule->prefix);
	zh_buf_addf(&rule->text, "fwmark 0x%x/0x%x ", mark, mask);
	rule->selective = true;
}

/* A value of which only the bits of a mask count. */
static void add_masked(
	struct rule *rule, const char *key, uint32_t value, uint32_t mask, uint32_t all)
{
	char mask_key[24];

	snprintf(mask_key, sizeof(mask_key), "%s_mask", key);
	zh_fact_number(rule->set, value, "%s.%s", rule->prefix, key);
	zh_fact_number(rule->set, mask, "%s.%s", rule->prefix, mask_key);
	if (mask == all)
		zh_buf_addf(&rule->text, "%s 0x%x ", key, value);
	else
		zh_buf_addf(&rule->text, "%s 0x%x/0x%x ", key, value, mask);
	rule->selective = true;
}

static uint64_t attr_be64(const struct nlattr *attr)
{
	uint8_t bytes[8] = {};
	uint64_t value = 0;
	size_t i;

	zh_attr_copy(attr, bytes, sizeof(bytes));
	for (i = 0; i < sizeof(bytes); i++)
		value = value << 8 | bytes[i];
	return value;
}

/* Of the DSCP the rule's own field (ip rule ... dscp) counts also when it is 0; the header's "tos"
 * of 0 is none. */
static void add_labels(struct rule *rule)
{
	const struct nlattr *const *attrs = rule->attrs;

	if (rule->header->tos) {
		zh_fact_number(rule->set, rule->header->tos, "%s.tos", rule->prefix);
		zh_buf_addf(&rule->text, "tos 0x%x ", rule->header->tos);
		rule->selective = true;
	}
	if (attrs[ATTR_DSCP])
		add_masked(rule, "dscp", zh_attr_u8(attrs[ATTR_DSCP], 0),
			zh_attr_u8(attrs[ATTR_DSCP_MASK], DSCP_BITS), DSCP_BITS);
	if (attrs[ATTR_FLOWLABEL])
		add_masked(rule, "flowlabel", ntohl(zh_attr_u32(attrs[ATTR_FLOWLABEL], 0)),
			ntohl(zh_attr_u32(attrs[ATTR_FLOWLABEL_MASK], htonl(FLOWLABEL_BITS))),
			FLOWLABEL_BITS);
	if (attrs[FRA_TUN_ID] && attr_be64(attrs[FRA_TUN_ID])) {
		unsigned long long id = attr_be64(attrs[FRA_TUN_ID]);

		zh_fact_number(rule->set, id, "%s.tun_id", rule->prefix);
		zh_buf_addf(&rule->text, "tun_id %llu ", id);
		rule->selective = true;
	}
}

static void add_protocol(struct rule *rule, uint8_t protocol)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(protocols); i++)
		if (protocols[i].number == protocol) {
			zh_buf_addf(&rule->text, "ipproto %s ", protocols[i].name);
			return;
		}
	zh_buf_addf(&rule->text, "ipproto %u ", protocol);
}

static void add_table(struct rule *rule, uint32_t table)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(tables); i++)
		if (tables[i].number == table) {
			zh_buf_addf(&rule->text, " %s", tables[i].name);
			return;
		}
	zh_buf_addf(&rule->text, " %u", table);
}

static void add_numbers(struct rule *rule)
{
	struct fib_rule_uid_range uids;
	char text[32];

	add_mark(rule);
	add_labels(rule);
	if (rule->attrs[FRA_IP_PROTO]) {
		uint8_t protocol = zh_attr_u8(rule->attrs[FRA_IP_PROTO], 0);

		zh_fact_number(rule->set, protocol, "%s.ipproto", rule->prefix);
		add_protocol(rule, protocol);
		rule->selective = true;
	}
	add_ports(rule, FRA_SPORT_RANGE, ATTR_SPORT_MASK, "sport");
	add_ports(rule, FRA_DPORT_RANGE, ATTR_DPORT_MASK, "dport");
	if (rule->attrs[FRA_UID_RANGE]) {
		zh_attr_copy(rule->attrs[FRA_UID_RANGE], &uids, sizeof(uids));
		snprintf(text, sizeof(text), "%u-%u", uids.start, uids.end);
		select_by(rule, "uid", text);
	}
}

/* Routes that do not count. The kernel sends -1 for "no limit". */
static void add_limit(struct rule *rule, int attr, const char *key, const char *word)
{
	uint32_t limit = zh_attr_u32(rule->attrs[attr], UINT32_MAX);

	if (limit == UINT32_MAX)
		return;
	zh_fact_number(rule->set, limit, "%s.%s", rule->prefix, key);
	zh_buf_addf(&rule->text, " %s %u", word, limit);
	rule->selective = true;
}

/* What the rule does; returns its table, 0 when it has none. */
static uint32_t add_action(struct rule *rule)
{
	uint8_t action = rule->header->action;
	uint32_t table = zh_attr_u32(rule->attrs[FRA_TABLE], rule->header->table);
	const char *name =
		action < ZH_ARRAY_SIZE(actions) && actions[action] ? actions[action] : "other";

	zh_fact_string(rule->set, name, "%s.action", rule->prefix);
	zh_buf_adds(&rule->text, name);
	if (zh_attr_u8(rule->attrs[FRA_L3MDEV], 0)) {
		zh_fact_number(rule->set, 1, "%s.l3mdev", rule->prefix);
		zh_buf_adds(&rule->text, " [l3mdev-table]");
		rule->selective = true;
	} else if (action == FR_ACT_TO_TBL) {
		zh_fact_number(rule->set, table, "%s.table", rule->prefix);
		add_table(rule, table);
	} else if (action == FR_ACT_GOTO) {
		uint32_t target = zh_attr_u32(rule->attrs[FRA_GOTO], 0);

		zh_fact_number(rule->set, target, "%s.goto", rule->prefix);
		zh_buf_addf(&rule->text, " %u", target);
	}
	add_limit(rule, FRA_SUPPRESS_PREFIXLEN, "suppress_prefix", "suppress_prefixlength");
	add_limit(rule, FRA_SUPPRESS_IFGROUP, "suppress_ifgroup", "suppress_ifgroup");
	return action == FR_ACT_TO_TBL ? table : 0;
}

int zh_facts_rule_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	struct rule rule = {.set = walk->set};
	uint32_t pref, table;

	rule.header = zh_message_header(reply, sizeof(*rule.header));
	if (!rule.header || walk->n >= RULES_MAX) {
		walk->n++;
		return 0;
	}
	zh_attrs_of(rule.attrs, ATTRS - 1, reply, sizeof(*rule.header));
	snprintf(rule.prefix, sizeof(rule.prefix), "rule.%d.%zu", walk->family, walk->n);
	pref = zh_attr_u32(rule.attrs[FRA_PRIORITY], 0);
	zh_fact_number(walk->set, pref, "%s.pref", rule.prefix);
	zh_buf_addf(&rule.text, "%u: ", pref);
	add_prefixes(&rule);
	add_devices(&rule);
	add_numbers(&rule);
	table = add_action(&rule);
	if (!walk->found && table == RT_TABLE_LOCAL && !rule.selective) {
		walk->found = true;
		walk->last = walk->n;
	}
	zh_fact_string(walk->set, rule.text.text, "%s.text", rule.prefix);
	zh_buf_done(&rule.text);
	walk->n++;
	return 0;
}

static void collect_family(struct zh_fact_set *set, struct zh_netlink *nl, int family)
{
	struct fib_rule_hdr header = {.family = family == 4 ? AF_INET : AF_INET6};
	struct zh_facts_walk walk = {.set = set, .family = family};
	struct zh_err err;
	char key[16];

	snprintf(key, sizeof(key), "rule.%d", family);
	if (zh_netlink_dump(nl, RTM_GETRULE, &header, sizeof(header), zh_facts_rule_reply, &walk,
		    &err) < 0) {
		zh_facts_refused(set, &err, "list of rules", key);
		return;
	}
	zh_fact_number(set, walk.n, "%s.count", key);
	zh_fact_number(set, walk.found, "%s.has_local", key);
	zh_fact_number(set, walk.found ? walk.last : walk.n, "%s.ahead_of_local", key);
	if (walk.n > RULES_MAX)
		zh_facts_truncated(set, "rules", RULES_MAX, walk.n, "rules");
}

static void collect(struct zh_fact_set *set)
{
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_ROUTE, "rule.4");

	if (!nl) {
		zh_fact_unavailable(set, "as for IPv4 (rule.4)", "rule.6");
		return;
	}
	collect_family(set, nl, 4);
	collect_family(set, nl, 6);
}

static const struct zh_fact_schema schema[] = {
	{"rule.*.count", ZH_FACT_NUMBER, "count", "rules of the family"},
	{"rule.*.has_local", ZH_FACT_NUMBER, "", "1: the local table is consulted for everything"},
	{"rule.*.ahead_of_local", ZH_FACT_NUMBER, "count", "rules that decide before it"},
	{"rule.*.*.pref", ZH_FACT_NUMBER, "", "priority; lower is earlier"},
	{"rule.*.*.text", ZH_FACT_STRING, "", "the rule as one line"},
	{"rule.*.*.action", ZH_FACT_STRING, "",
		"lookup, goto, nop, blackhole, unreachable, prohibit"},
	{"rule.*.*.table", ZH_FACT_NUMBER, "", "table looked up: 254 main, 255 local"},
	{"rule.*.*.goto", ZH_FACT_NUMBER, "", "priority of the rule at which it goes on"},
	{"rule.*.*.from", ZH_FACT_STRING, "", "source prefix"},
	{"rule.*.*.to", ZH_FACT_STRING, "", "destination prefix"},
	{"rule.*.*.iif", ZH_FACT_STRING, "", "device it came in by (lo: sent from here)"},
	{"rule.*.*.oif", ZH_FACT_STRING, "", "device that the socket is bound to"},
	{"rule.*.*.fwmark", ZH_FACT_NUMBER, "", "firewall mark"},
	{"rule.*.*.fwmask", ZH_FACT_NUMBER, "", "bits of the mark that count"},
	{"rule.*.*.ipproto", ZH_FACT_NUMBER, "", "IP protocol"},
	{"rule.*.*.sport", ZH_FACT_STRING, "", "source ports: 80, 80-90, or 0x50/0xfff0"},
	{"rule.*.*.dport", ZH_FACT_STRING, "", "destination ports, as source ports"},
	{"rule.*.*.uid", ZH_FACT_STRING, "", "users"},
	{"rule.*.*.tos", ZH_FACT_NUMBER, "", "type of service"},
	{"rule.*.*.dscp", ZH_FACT_NUMBER, "", "DSCP, also 0"},
	{"rule.*.*.dscp_mask", ZH_FACT_NUMBER, "", "bits of the DSCP that count"},
	{"rule.*.*.flowlabel", ZH_FACT_NUMBER, "", "flow label of IPv6"},
	{"rule.*.*.flowlabel_mask", ZH_FACT_NUMBER, "", "bits of the flow label that count"},
	{"rule.*.*.tun_id", ZH_FACT_NUMBER, "", "number of the tunnel it came in by"},
	{"rule.*.*.suppress_ifgroup", ZH_FACT_NUMBER, "",
		"routes by devices of this group do not count"},
	{"rule.*.*.invert", ZH_FACT_NUMBER, "", "1: applies to what does not match"},
	{"rule.*.*.l3mdev", ZH_FACT_NUMBER, "", "1: looks up the table of the VRF"},
	{"rule.*.*.suppress_prefix", ZH_FACT_NUMBER, "bits",
		"routes up to this length do not count"},
	{"rule.*", ZH_FACT_UNAVAILABLE, "", "why the rules could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_rules = {
	.id = "rules",
	.summary = "policy routing rules",
	.schema = schema,
	.collect = collect,
};
