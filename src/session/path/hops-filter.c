/* SPDX-License-Identifier: BSD-2-Clause */
/* What looks at packets and may drop or change them: netfilter, traffic control, XDP. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>

#include "base/buf.h"
#include "base/util.h"
#include "facts/read.h"
#include "session/path/hops.h"
#include "session/path/sighting.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

/* enum bpf_attach_type since 6.6, newer than Debian 12's headers. */
enum { TCX_INGRESS = 46, TCX_EGRESS = 47 };

/* What stands at one hook. */
struct hook {
	const struct zh_fact_set *facts;
	const char *name;   /* "output" */
	const char *family; /* "4" */
	bool nat, rules_unknown;
};

static const char *hook_text(const struct hook *hook, uint64_t i, const char *key)
{
	return zh_fact_text(
		hook->facts, "nfhook.%s.%s.%" PRIu64 ".%s", hook->family, hook->name, i, key);
}

/* The chain of nftables that a registration at the hook stands for; the registration does not tell
 * its family: "inet" and "ip" are both seen by IPv4. */
static bool find_chain(const struct hook *hook, const char *table_and_name, char *ret, size_t size)
{
	static const char pattern[] = "nft.chain.*.table";
	const char *own = strcmp(hook->family, "6") ? "ip" : "ip6";
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(hook->facts, pattern, &pos))) {
		const char *name, *at, *family;
		char text[200];

		zh_fact_part(ret, size, fact, pattern, 0);
		name = zh_fact_text(hook->facts, "nft.chain.%s.name", ret);
		at = zh_fact_text(hook->facts, "nft.chain.%s.hook", ret);
		family = zh_fact_text(hook->facts, "nft.chain.%s.family", ret);
		if (!name || !at || !family || strcmp(at, hook->name) != 0 ||
			(strcmp(family, own) != 0 && strcmp(family, "inet") != 0))
			continue;
		snprintf(text, sizeof(text), "%s %s", fact->text, name);
		if (!strcmp(text, table_and_name))
			return true;
	}
	return false;
}

/* `number` of nft.chain. */
static void note_known_chain(
	struct walk *w, struct hook *hook, const char *number, const char *prio)
{
	const char *policy = zh_fact_text(hook->facts, "nft.chain.%s.policy", number);
	const char *type = zh_fact_text(hook->facts, "nft.chain.%s.type", number);
	const char *family = zh_fact_text(hook->facts, "nft.chain.%s.family", number);
	const char *table = zh_fact_text(hook->facts, "nft.chain.%s.table", number);
	const char *name = zh_fact_text(hook->facts, "nft.chain.%s.name", number);
	uint64_t rules = 0;

	zh_fact_get(hook->facts, &rules, "nft.chain.%s.reach_rules", number);
	hook->nat |= type && !strcmp(type, "nat");
	hop_note(w, "nftables %s %s %s, priority %s: %s, %" PRIu64 " rule%s, policy %s",
		family ? family : "?", table ? table : "?", name ? name : "?", prio,
		type ? type : "filter", rules, rules == 1 ? "" : "s", policy ? policy : "accept");
}

static void note_chain(struct walk *w, struct hook *hook, uint64_t i, const char *prio)
{
	const char *chain = hook_text(hook, i, "chain");
	char number[24];

	if (chain && find_chain(hook, chain, number, sizeof(number))) {
		note_known_chain(w, hook, number, prio);
		return;
	}
	hook->rules_unknown = true;
	hop_note(w, "nftables chain %s, priority %s: its rules were not read", chain ? chain : "?",
		prio);
}

static void note_function(struct walk *w, struct hook *hook, uint64_t i, const char *prio)
{
	const char *function = hook_text(hook, i, "function");
	const char *module = hook_text(hook, i, "module");

	if (!function)
		function = "?";
	if (strstr(function, "nat"))
		hook->nat = true;
	hop_note(w, "%s%s%s%s, priority %s", function, module ? " (" : "", module ? module : "",
		module ? ")" : "", prio);
}

static void note_registration(struct walk *w, struct hook *hook, uint64_t i)
{
	const char *prio = hook_text(hook, i, "prio"), *type = hook_text(hook, i, "type");
	uint64_t id = 0;

	if (!prio)
		prio = "?";
	if (type && !strcmp(type, "nft")) {
		note_chain(w, hook, i, prio);
	} else if (type && !strcmp(type, "bpf")) {
		zh_fact_get(hook->facts, &id, "nfhook.%s.%s.%" PRIu64 ".bpf_id", hook->family,
			hook->name, i);
		hop_note(w, "BPF program %" PRIu64 ", priority %s", id, prio);
	} else {
		note_function(w, hook, i, prio);
	}
}

static void add_part(struct zh_buf *text, uint64_t n, const char *what)
{
	if (n)
		zh_buf_addf(text, "%s%" PRIu64 " %s%s", text->len ? ", " : "", n, what,
			n == 1 ? "" : "s");
}

static void add_word(struct zh_buf *text, bool is_there, const char *word)
{
	if (is_there)
		zh_buf_addf(text, "%s%s", text->len ? ", " : "", word);
}

struct count {
	uint64_t chains, rules, programs, functions;
	bool conntrack, nat;
};

/* Counts first, since the title stands before the notes. */
static void title_of(const struct hook *hook, uint64_t n, struct zh_buf *ret)
{
	struct count count = {};
	uint64_t i;
	char number[24];

	for (i = 0; i < n; i++) {
		const char *type = hook_text(hook, i, "type"), *chain = hook_text(hook, i, "chain");
		const char *function = hook_text(hook, i, "function");
		uint64_t rules = 0;

		count.programs += type && !strcmp(type, "bpf");
		count.conntrack |= function && (strstr(function, "conntrack") ||
						       strstr(function, "nf_confirm"));
		count.nat |= function && strstr(function, "nat");
		count.functions += type && !strcmp(type, "function");
		if (!type || strcmp(type, "nft") != 0)
			continue;
		count.chains++;
		if (chain && find_chain(hook, chain, number, sizeof(number)))
			zh_fact_get(hook->facts, &rules, "nft.chain.%s.reach_rules", number);
		count.rules += rules;
	}
	add_part(ret, count.chains, "chain");
	add_part(ret, count.rules, "rule");
	add_part(ret, count.programs, "BPF program");
	add_word(ret, count.conntrack, "conntrack");
	add_word(ret, count.nat, "NAT");
	if (!count.conntrack && !count.nat)
		add_part(ret, count.functions, "function");
	if (!ret->len)
		zh_buf_adds(ret, "nothing");
}

/* The number of a chain at the hook that the family's packets meet: the next one, or false. */
static bool next_chain(const struct hook *hook, size_t *pos, char *ret, size_t size)
{
	static const char pattern[] = "nft.chain.*.hook";
	const char *own = strcmp(hook->family, "6") ? "ip" : "ip6", *family;
	const struct zh_fact *fact;

	while ((fact = zh_fact_next(hook->facts, pattern, pos))) {
		zh_fact_part(ret, size, fact, pattern, 0);
		family = zh_fact_text(hook->facts, "nft.chain.%s.family", ret);
		if (fact->text && !strcmp(fact->text, hook->name) && family &&
			(!strcmp(family, own) || !strcmp(family, "inet")))
			return true;
	}
	return false;
}

static void rulesets_title(const struct hook *hook, struct zh_buf *ret)
{
	uint64_t chains = 0, rules = 0, legacy = 0, n;
	char number[24];
	size_t pos = 0;

	while (next_chain(hook, &pos, number, sizeof(number))) {
		chains++;
		if (zh_fact_get(hook->facts, &n, "nft.chain.%s.reach_rules", number))
			rules += n;
	}
	zh_fact_get(hook->facts, &legacy, "xtables.%s.count", hook->family);
	add_part(ret, chains, "chain");
	add_part(ret, rules, "rule");
	add_part(ret, legacy, "iptables table");
	if (!ret->len)
		zh_buf_adds(ret, "no rules");
}

/* Without the list of registrations (before 5.14, or unprivileged) the rulesets still tell much. */
static void from_rulesets(struct walk *w, struct hook *hook)
{
	const char *no_nft = walk_why_not(w, "nft"), *why = walk_why_not(w, "nfhook"), *tables;
	char number[24];
	size_t pos = 0;

	while (!no_nft && next_chain(hook, &pos, number, sizeof(number))) {
		const char *prio = zh_fact_text(hook->facts, "nft.chain.%s.prio", number);

		note_known_chain(w, hook, number, prio ? prio : "?");
	}
	tables = zh_fact_text(hook->facts, "xtables.%s.tables", hook->family);
	if (tables && *tables)
		hop_note(w, "iptables (legacy): %s", tables);
	hook->nat |= tables && strstr(tables, "nat");
	if (no_nft)
		hop_unseen(w, "%s", no_nft);
	else
		zh_record_not_measured(w->p->record, "conntrack, BPF and others at netfilter hooks",
			"%s", why ? why : "nobody looked");
}

void hops_netfilter(struct walk *w, int number)
{
	struct hook hook = {.facts = walk_facts(w),
		.name = sighting_hook_name((uint32_t)number),
		.family = w->flow.family == AF_INET ? "4" : "6"};
	zh_autobuf title = {};
	uint64_t n = 0, i;
	bool is_known = zh_fact_get(hook.facts, &n, "nfhook.%s.%s.count", hook.family, hook.name);

	if (is_known)
		title_of(&hook, n, &title);
	else if (!walk_why_not(w, "nft"))
		rulesets_title(&hook, &title);
	hop_add(w, PATH_NETFILTER, NULL, "%s hook%s%s", hook.name, title.len ? ": " : "",
		title.len ? title.text : "");
	hop_hook(w, number, hook.name);
	if (!is_known)
		from_rulesets(w, &hook);
	for (i = 0; i < n; i++)
		note_registration(w, &hook, i);
	if (hook.rules_unknown && walk_why_not(w, "nft"))
		hop_unseen(w, "rules: %s", walk_why_not(w, "nft"));
	if (hook.nat)
		hops_nat(w, number);
}

/* "bpf guard (id 12, direct action)", "u32" ... of one filter. */
static void note_filter(struct walk *w, const char *device, const char *number)
{
	const struct zh_fact_set *facts = walk_facts(w);
	const char *kind = zh_fact_text(facts, "filter.%s.%s.kind", device, number);
	const char *name = zh_fact_text(facts, "filter.%s.%s.bpf_name", device, number);
	const char *actions = zh_fact_text(facts, "filter.%s.%s.actions", device, number);
	uint64_t drops = 0;

	zh_fact_get(facts, &drops, "filter.%s.%s.drops_pkts", device, number);
	hop_note(w, "%s%s%s%s%s%s", kind ? kind : "?", name ? " " : "", name ? name : "",
		actions && *actions ? ": " : "", actions ? actions : "",
		drops ? ", has dropped packets" : "");
}

/* Calls note_filter for each when w is to be told; returns how many there are. */
static size_t filters(struct walk *w, const char *device, const char *side, bool note)
{
	char pattern[ZH_FACTS_NAME_MAX + 24], number[24];
	const struct zh_fact *fact;
	size_t pos = 0, n = 0;

	snprintf(pattern, sizeof(pattern), "filter.%s.*.parent", device);
	while ((fact = zh_fact_next(walk_facts(w), pattern, &pos))) {
		if (!fact->text || strcmp(fact->text, side) != 0)
			continue;
		n++;
		if (note)
			note_filter(
				w, device, zh_fact_part(number, sizeof(number), fact, pattern, 0));
	}
	return n;
}

static size_t tcx_programs(struct walk *w, const char *device, bool inbound, bool note)
{
	static const char pattern[] = "bpf.link.*.type";
	const struct zh_fact_set *facts = walk_facts(w);
	const struct zh_fact *fact;
	size_t pos = 0, n = 0;
	char number[24];

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		const char *dev;
		uint64_t attach = 0, program = 0;

		if (!fact->text || strcmp(fact->text, "tcx") != 0)
			continue;
		zh_fact_part(number, sizeof(number), fact, pattern, 0);
		dev = zh_fact_text(facts, "bpf.link.%s.dev", number);
		zh_fact_get(facts, &attach, "bpf.link.%s.attach", number);
		zh_fact_get(facts, &program, "bpf.link.%s.prog_id", number);
		if (!dev || strcmp(dev, device) != 0 ||
			attach != (inbound ? TCX_INGRESS : TCX_EGRESS))
			continue;
		n++;
		if (note)
			hop_note(w, "tcx: BPF program %" PRIu64, program);
	}
	return n;
}

void hops_tc(struct walk *w, const struct path_link *link, bool inbound)
{
	const char *side = inbound ? "ingress" : "egress", *why = walk_why_not(w, "filter");
	char device[ZH_FACTS_NAME_MAX];
	size_t n;

	walk_device_key(device, link);
	n = filters(w, device, side, false) + tcx_programs(w, device, inbound, false);
	if (!n && !why)
		return;
	hop_add(w, PATH_TC, link, "tc %s: %zu filter%s", side, n, n == 1 ? "" : "s");
	if (inbound)
		hop_inbound(w);
	filters(w, device, side, true);
	tcx_programs(w, device, inbound, true);
	if (why)
		hop_unseen(w, "%s", why);
}

void hops_xdp(struct walk *w, const struct path_link *link)
{
	char device[ZH_FACTS_NAME_MAX];
	const char *mode =
		zh_fact_text(walk_facts(w), "link.%s.xdp", walk_device_key(device, link));
	uint64_t id = 0;

	if (!mode || !strcmp(mode, "none"))
		return;
	zh_fact_get(walk_facts(w), &id, "link.%s.xdp_prog_id", device);
	hop_add(w, PATH_XDP, link, "XDP program %" PRIu64 " (%s)", id, mode);
	hop_inbound(w);
}
