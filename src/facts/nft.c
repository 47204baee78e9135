/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nftables ruleset: chains by hook, how many rules a packet may meet, and the rules that can
 * hurt local traffic. Read by running nft, so that its JSON, not a library's version, is the
 * interface; set elements are left out (-t), since they can be many and do not matter here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/nft-ruleset.h"
#include "facts/read.h"
#include "sys/root.h"
#include "sys/run.h"

#define TIMEOUT_NS (3 * ZH_NSEC_PER_SEC)
#define OUTPUT_MAX (64u << 20)
#define CHAINS_MAX 256
#define NOTABLE_MAX 256
#define COUNTERS_MAX 512

/* "inet:filter:input:12" */
static void rule_name(
	char *buf, size_t size, const struct zh_nft *nft, const struct zh_nft_rule *rule)
{
	const struct zh_nft_chain *chain = &nft->chains[rule->chain];
	char text[256];

	snprintf(text, sizeof(text), "%s:%s:%s:%" PRIu64, chain->family, chain->table, chain->name,
		rule->handle);
	zh_facts_name(buf, size, text);
}

static const char *first_hook(unsigned int hooks)
{
	int i;

	for (i = 0; i < ZH_NFT_HOOKS; i++)
		if (hooks >> i & 1)
			return zh_nft_hook_names[i];
	return "";
}

/* What makes a rule worth naming, or NULL. */
static const char *what_is_notable(const struct zh_nft_rule *rule)
{
	static const struct {
		const char *kind, *what;
	} kinds[] = {
		{"drop", "drop"},
		{"reject", "reject"},
		{"queue", "queue"},
		{"masquerade", "masquerade"},
		{"snat", "masquerade"},
		{"redirect", "redirect"},
		{"dnat", "redirect"},
		{"tproxy", "redirect"},
		{"log", "log"},
	};
	size_t i;

	if ((zh_nft_expr(rule, "drop") || zh_nft_expr(rule, "reject")) &&
		zh_nft_matches_state(rule, "invalid"))
		return "invalid-drop";
	for (i = 0; i < ZH_ARRAY_SIZE(kinds); i++)
		if (zh_nft_expr(rule, kinds[i].kind))
			return kinds[i].what;
	return NULL;
}

static void add_notable(struct zh_fact_set *set, const struct zh_nft *nft,
	const struct zh_nft_rule *rule, const char *what)
{
	const struct zh_nft_chain *chain = &nft->chains[rule->chain];
	const json_t *counter = zh_nft_expr(rule, "counter");
	char name[ZH_FACTS_NAME_MAX], text[256];

	rule_name(name, sizeof(name), nft, rule);
	zh_fact_string(set, what, "nft.notable.%s.what", name);
	snprintf(text, sizeof(text), "%s %s %s", chain->family, chain->table, chain->name);
	zh_fact_string(set, text, "nft.notable.%s.chain", name);
	zh_fact_string(set, first_hook(chain->lo & ZH_NFT_LOCAL), "nft.notable.%s.hook", name);
	zh_fact_number(set, rule->position, "nft.notable.%s.position", name);
	if (!rule->handle) {
		zh_fact_string(set, "policy drop", "nft.notable.%s.text", name);
		return;
	}
	zh_fact_string(set, zh_nft_text(text, 160, rule), "nft.notable.%s.text", name);
	if (json_is_object(counter))
		zh_fact_number(set,
			(uint64_t)json_integer_value(json_object_get(counter, "packets")),
			"nft.notable.%s.pkts", name);
}

/* Bridge, arp and netdev chains see no loopback traffic. */
static bool sees_ip(const struct zh_nft_chain *chain)
{
	return !strcmp(chain->family, "ip") || !strcmp(chain->family, "ip6") ||
	       !strcmp(chain->family, "inet");
}

static void add_notables(struct zh_fact_set *set, const struct zh_nft *nft)
{
	size_t i, n = 0;

	for (i = 0; i < nft->n_chains; i++) {
		const struct zh_nft_chain *chain = &nft->chains[i];
		struct zh_nft_rule policy = {.chain = i, .position = chain->rules + 1};

		if (sees_ip(chain) && chain->lo & ZH_NFT_LOCAL && chain->hook >= 0 &&
			!strcmp(chain->policy, "drop") && !chain->accept_at && n++ < NOTABLE_MAX)
			add_notable(set, nft, &policy, "policy-drop");
	}
	for (i = 0; i < nft->n_rules; i++) {
		const struct zh_nft_rule *rule = &nft->rules[i];
		const struct zh_nft_chain *chain = &nft->chains[rule->chain];
		const char *what = rule->lo && sees_ip(chain) && chain->lo & ZH_NFT_LOCAL
					   ? what_is_notable(rule)
					   : NULL;

		if (what && n++ < NOTABLE_MAX)
			add_notable(set, nft, rule, what);
	}
	if (n > NOTABLE_MAX)
		zh_facts_truncated(set, "nft-notable", NOTABLE_MAX, n, "notable rules");
}

static void add_counters(struct zh_fact_set *set, const struct zh_nft *nft)
{
	static const char *const verdicts[] = {"accept", "drop", "reject", "jump", "goto", "return",
		"queue", "masquerade", "redirect", "dnat", "snat"};
	char name[ZH_FACTS_NAME_MAX];
	size_t i, v, n = 0;

	for (i = 0; i < nft->n_rules; i++) {
		const json_t *counter = zh_nft_expr(&nft->rules[i], "counter");
		const char *verdict = "none";

		if (!json_is_object(counter) || n++ >= COUNTERS_MAX)
			continue;
		for (v = 0; v < ZH_ARRAY_SIZE(verdicts); v++)
			if (zh_nft_expr(&nft->rules[i], verdicts[v]))
				verdict = verdicts[v];
		rule_name(name, sizeof(name), nft, &nft->rules[i]);
		zh_fact_number(set,
			(uint64_t)json_integer_value(json_object_get(counter, "packets")),
			"nft.counter.%s.pkts", name);
		zh_fact_number(set, (uint64_t)json_integer_value(json_object_get(counter, "bytes")),
			"nft.counter.%s.bytes", name);
		zh_fact_string(set, verdict, "nft.counter.%s.verdict", name);
	}
	if (n > COUNTERS_MAX)
		zh_facts_truncated(set, "nft-counters", COUNTERS_MAX, n, "counters");
}

static void add_chains(struct zh_fact_set *set, const struct zh_nft *nft)
{
	uint64_t chains[ZH_NFT_HOOKS] = {0}, rules[ZH_NFT_HOOKS] = {0};
	size_t i, n = 0;

	for (i = 0; i < nft->n_chains; i++) {
		const struct zh_nft_chain *chain = &nft->chains[i];
		char prio[24];

		if (chain->hook < 0)
			continue;
		chains[chain->hook]++;
		rules[chain->hook] += chain->reach;
		if (n++ >= CHAINS_MAX)
			continue;
		snprintf(prio, sizeof(prio), "%" PRId64, chain->prio);
		zh_fact_string(set, chain->family, "nft.chain.%zu.family", n - 1);
		zh_fact_string(set, chain->table, "nft.chain.%zu.table", n - 1);
		zh_fact_string(set, chain->name, "nft.chain.%zu.name", n - 1);
		zh_fact_string(set, zh_nft_hook_names[chain->hook], "nft.chain.%zu.hook", n - 1);
		zh_fact_string(set, prio, "nft.chain.%zu.prio", n - 1);
		zh_fact_string(set, chain->type, "nft.chain.%zu.type", n - 1);
		zh_fact_string(set, chain->policy, "nft.chain.%zu.policy", n - 1);
		zh_fact_number(set, chain->rules, "nft.chain.%zu.rules", n - 1);
		zh_fact_number(set, chain->reach, "nft.chain.%zu.reach_rules", n - 1);
		zh_fact_number(set, chain->accept_at, "nft.chain.%zu.lo_accept_at", n - 1);
	}
	for (i = 0; i < ZH_NFT_HOOKS; i++) {
		zh_fact_number(set, chains[i], "nft.hook.%s.chains", zh_nft_hook_names[i]);
		zh_fact_number(set, rules[i], "nft.hook.%s.rules", zh_nft_hook_names[i]);
	}
	if (n > CHAINS_MAX)
		zh_facts_truncated(set, "nft-chains", CHAINS_MAX, n, "base chains");
}

static void add_totals(struct zh_fact_set *set, const struct zh_nft *nft)
{
	uint64_t notrack = 0, state = 0;
	size_t i;

	for (i = 0; i < nft->n_rules; i++) {
		notrack += zh_nft_expr(&nft->rules[i], "notrack") != NULL;
		state += zh_nft_uses_ct(&nft->rules[i]);
	}
	zh_fact_number(set, nft->tables, "nft.tables");
	zh_fact_number(set, nft->n_chains, "nft.chains");
	zh_fact_number(set, nft->n_rules, "nft.rules");
	zh_fact_number(set, nft->flowtables, "nft.flowtables");
	zh_fact_number(set, notrack, "nft.notrack");
	zh_fact_number(set, state, "nft.ct");
}

/* The ruleset as nft prints it; a captured tree may hold what it printed. */
static int read_ruleset(char **ret, struct zh_err *err)
{
	static const char *const argv[] = {"nft", "-j", "-t", "list", "ruleset", NULL};
	int64_t r;

	if (!zh_sys_is_captured())
		return zh_sys_run(argv, TIMEOUT_NS, OUTPUT_MAX, ret, err);
	r = zh_sys_slurp(ret, "/nft.json");
	return r < 0 ? zh_err_set(err, (int)r, "captured root, without a ruleset") : 0;
}

static void collect(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	struct zh_nft nft;
	struct zh_err err;

	if (read_ruleset(&text, &err) < 0 || zh_nft_parse(&nft, text, &err) < 0) {
		zh_fact_unavailable(set, err.text, "nft");
		return;
	}
	add_totals(set, &nft);
	add_chains(set, &nft);
	add_notables(set, &nft);
	add_counters(set, &nft);
	zh_nft_done(&nft);
}

static const struct zh_fact_schema schema[] = {
	{"nft.tables", ZH_FACT_NUMBER, "count", "nftables tables"},
	{"nft.chains", ZH_FACT_NUMBER, "count", "chains"},
	{"nft.rules", ZH_FACT_NUMBER, "count", "rules"},
	{"nft.flowtables", ZH_FACT_NUMBER, "count", "flow tables"},
	{"nft.notrack", ZH_FACT_NUMBER, "count", "rules that switch connection tracking off"},
	{"nft.ct", ZH_FACT_NUMBER, "count", "rules that look at connection tracking"},
	{"nft.hook.*.chains", ZH_FACT_NUMBER, "count", "chains at the hook"},
	{"nft.hook.*.rules", ZH_FACT_NUMBER, "count", "rules that a packet there may meet"},
	{"nft.chain.*.family", ZH_FACT_STRING, "", "family of a chain at a hook"},
	{"nft.chain.*.table", ZH_FACT_STRING, "", "its table"},
	{"nft.chain.*.name", ZH_FACT_STRING, "", "its name"},
	{"nft.chain.*.hook", ZH_FACT_STRING, "", "its hook"},
	{"nft.chain.*.prio", ZH_FACT_STRING, "", "its priority at the hook; lower is earlier"},
	{"nft.chain.*.type", ZH_FACT_STRING, "", "filter, nat or route"},
	{"nft.chain.*.policy", ZH_FACT_STRING, "", "what happens to packets that meet no verdict"},
	{"nft.chain.*.rules", ZH_FACT_NUMBER, "count", "its rules"},
	{"nft.chain.*.reach_rules", ZH_FACT_NUMBER, "count", "and those it can jump to"},
	{"nft.chain.*.lo_accept_at", ZH_FACT_NUMBER, "", "rule that accepts all of lo, 0: none"},
	{"nft.notable.*.what", ZH_FACT_STRING, "", "why the rule can hurt traffic on lo"},
	{"nft.notable.*.chain", ZH_FACT_STRING, "", "its chain"},
	{"nft.notable.*.hook", ZH_FACT_STRING, "", "the first hook that leads to it"},
	{"nft.notable.*.position", ZH_FACT_NUMBER, "", "where it stands in the chain, from 1"},
	{"nft.notable.*.text", ZH_FACT_STRING, "", "the rule in short"},
	{"nft.notable.*.pkts", ZH_FACT_NUMBER, "pkts", "packets it has counted"},
	{"nft.counter.*.pkts", ZH_FACT_NUMBER, "pkts", "packets that a rule has counted"},
	{"nft.counter.*.bytes", ZH_FACT_NUMBER, "bytes", "bytes that a rule has counted"},
	{"nft.counter.*.verdict", ZH_FACT_STRING, "", "what that rule does"},
	{"nft", ZH_FACT_UNAVAILABLE, "", "why the ruleset could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_nft = {
	.id = "nft",
	.summary = "nftables ruleset, and what of it can act on lo",
	.schema = schema,
	.collect = collect,
};
