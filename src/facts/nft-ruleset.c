/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/nft-ruleset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/nft-match.h"

#define DEPTH_MAX 12 /* of nested values; nft prints less */

const char *const zh_nft_hook_names[ZH_NFT_HOOKS] = {
	"prerouting", "input", "forward", "output", "postrouting", "ingress", "egress"};

void zh_nft_done(struct zh_nft *nft)
{
	json_decref(nft->doc);
	free(nft->chains);
	free(nft->rules);
	free(nft->edges);
	*nft = (struct zh_nft){};
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

const json_t *zh_nft_expr(const struct zh_nft_rule *rule, const char *kind)
{
	const json_t *expr, *found;
	size_t i;

	json_array_foreach(rule->expr, i, expr)
	{
		found = json_object_get(expr, kind);
		if (found)
			return found;
	}
	return NULL;
}

bool zh_nft_matches_state(const struct zh_nft_rule *rule, const char *state)
{
	const json_t *expr;
	size_t i;

	json_array_foreach(rule->expr, i,
		expr) if (zh_nft_match_state(json_object_get(expr, "match"), state)) return true;
	return false;
}

static bool holds_key(const json_t *value, const char *wanted, int depth)
{
	const json_t *item;
	const char *key;
	size_t i;

	if (depth > DEPTH_MAX)
		return false;
	json_array_foreach(value, i, item) if (holds_key(item, wanted, depth + 1)) return true;
	json_object_foreach((json_t *)value, key,
		item) if (!strcmp(key, wanted) || holds_key(item, wanted, depth + 1)) return true;
	return false;
}

bool zh_nft_uses_ct(const struct zh_nft_rule *rule)
{
	return holds_key(rule->expr, "ct", 0);
}

/* Grows an array by one element, doubling; returns the new element, zeroed, or NULL. */
static void *push(void *array, size_t *n, size_t size)
{
	void **items = array, *bigger;

	if (!(*n & (*n - 1))) {
		bigger = reallocarray(*items, *n ? 2 * *n : 1, size);
		if (!bigger)
			return NULL;
		*items = bigger;
	}
	return memset((char *)*items + (*n)++ * size, 0, size);
}

static int add_chain(struct zh_nft *nft, const json_t *object)
{
	struct zh_nft_chain *chain = push(&nft->chains, &nft->n_chains, sizeof(*chain));
	const char *hook = text_of(object, "hook");
	int i;

	if (!chain)
		return -ENOMEM;
	chain->family = text_of(object, "family");
	chain->table = text_of(object, "table");
	chain->name = text_of(object, "name");
	chain->type = text_of(object, "type");
	chain->policy = text_of(object, "policy");
	chain->prio = json_integer_value(json_object_get(object, "prio"));
	chain->hook = -1;
	for (i = 0; i < ZH_NFT_HOOKS; i++)
		if (!strcmp(hook, zh_nft_hook_names[i]))
			chain->hook = i;
	return 0;
}

/* The chain of a rule. Rules of a chain follow one another, so the last one found is tried first.
 */
static size_t find_chain(const struct zh_nft *nft, const char *family, const char *table,
	const char *name, size_t hint)
{
	size_t i, at;

	for (i = 0; i < nft->n_chains; i++) {
		at = (hint + i) % nft->n_chains;
		if (!strcmp(nft->chains[at].name, name) && !strcmp(nft->chains[at].table, table) &&
			!strcmp(nft->chains[at].family, family))
			return at;
	}
	return SIZE_MAX;
}

/* Accepts every packet on lo: the device is all that it asks for. */
static bool accepts_lo(const struct zh_nft_rule *rule)
{
	const json_t *expr, *match;
	bool is_lo = false;
	size_t i;

	if (!zh_nft_expr(rule, "accept"))
		return false;
	json_array_foreach(rule->expr, i, expr)
	{
		match = json_object_get(expr, "match");
		if (match && !zh_nft_match_is_lo(match))
			return false;
		is_lo = is_lo || match;
	}
	return is_lo;
}

static int add_rule(struct zh_nft *nft, const json_t *object)
{
	struct zh_nft_rule *last = nft->n_rules ? &nft->rules[nft->n_rules - 1] : NULL, *rule;
	size_t at = find_chain(nft, text_of(object, "family"), text_of(object, "table"),
		text_of(object, "chain"), last ? last->chain : 0);
	const json_t *expr;
	size_t i;

	if (at == SIZE_MAX)
		return 0;
	rule = push(&nft->rules, &nft->n_rules, sizeof(*rule));
	if (!rule)
		return -ENOMEM;
	rule->chain = at;
	rule->position = ++nft->chains[at].rules;
	rule->handle = (uint64_t)json_integer_value(json_object_get(object, "handle"));
	rule->expr = json_object_get(object, "expr");
	rule->lo = !nft->chains[at].accept_at;
	json_array_foreach(rule->expr, i,
		expr) if (zh_nft_match_excludes_lo(json_object_get(expr, "match"))) rule->lo =
		false;
	if (!nft->chains[at].accept_at && accepts_lo(rule))
		nft->chains[at].accept_at = rule->position;
	return 0;
}

static int read_objects(struct zh_nft *nft, const json_t *list)
{
	const json_t *item, *object;
	int r = 0;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if ((object = json_object_get(item, "chain")))
			r = add_chain(nft, object);
		else if ((object = json_object_get(item, "rule")))
			r = add_rule(nft, object);
		else if (json_object_get(item, "table"))
			nft->tables++;
		else if (json_object_get(item, "flowtable"))
			nft->flowtables++;
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_edge(struct zh_nft *nft, struct zh_nft_rule *rule, const json_t *verdict)
{
	const struct zh_nft_chain *chain = &nft->chains[rule->chain];
	const char *target = text_of(verdict, "target");
	size_t to = find_chain(nft, chain->family, chain->table, target, 0);
	struct zh_nft_edge *edge;

	if (to == SIZE_MAX)
		return 0;
	edge = push(&nft->edges, &nft->n_edges, sizeof(*edge));
	if (!edge)
		return -ENOMEM;
	*edge = (struct zh_nft_edge){rule->chain, to, rule->lo};
	rule->jump = rule->jump ? rule->jump : target;
	return 0;
}

/* Verdicts hide anywhere inside an expression: in a rule, in a map of verdicts. */
static int find_edges(struct zh_nft *nft, struct zh_nft_rule *rule, const json_t *value, int depth)
{
	const json_t *item;
	const char *key;
	size_t i;
	int r = 0;

	if (depth > DEPTH_MAX)
		return 0;
	if (json_is_array(value)) {
		json_array_foreach(value, i,
			item) if ((r = find_edges(nft, rule, item, depth + 1)) < 0) return r;
	} else if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, item)
		{
			if (!strcmp(key, "jump") || !strcmp(key, "goto"))
				r = add_edge(nft, rule, item);
			else
				r = find_edges(nft, rule, item, depth + 1);
			if (r < 0)
				return r;
		}
	}
	return r;
}

/* Carries the hooks along the jumps until nothing changes; chains cannot loop, and each round
 * settles at least one more level. */
static void spread_hooks(struct zh_nft *nft)
{
	size_t i;
	bool changed;

	for (i = 0; i < nft->n_chains; i++)
		if (nft->chains[i].hook >= 0)
			nft->chains[i].hooks = nft->chains[i].lo = 1u << nft->chains[i].hook;
	do {
		changed = false;
		for (i = 0; i < nft->n_edges; i++) {
			const struct zh_nft_edge *edge = &nft->edges[i];
			const struct zh_nft_chain *from = &nft->chains[edge->from];
			struct zh_nft_chain *to = &nft->chains[edge->to];
			unsigned int hooks = to->hooks | from->hooks;
			unsigned int lo = to->lo | (edge->lo ? from->lo : 0);

			changed = changed || hooks != to->hooks || lo != to->lo;
			to->hooks = hooks;
			to->lo = lo;
		}
	} while (changed);
}

/* Sums the rules that can be reached from a chain, each chain once. */
static uint64_t count_reach(struct zh_nft *nft, size_t start, size_t mark)
{
	uint64_t rules = 0;
	bool changed = true;
	size_t i;

	nft->chains[start].mark = mark;
	while (changed) {
		changed = false;
		for (i = 0; i < nft->n_edges; i++) {
			const struct zh_nft_edge *edge = &nft->edges[i];

			if (nft->chains[edge->from].mark == mark &&
				nft->chains[edge->to].mark != mark) {
				nft->chains[edge->to].mark = mark;
				changed = true;
			}
		}
	}
	for (i = 0; i < nft->n_chains; i++)
		if (nft->chains[i].mark == mark)
			rules += nft->chains[i].rules;
	return rules;
}

int zh_nft_parse(struct zh_nft *ret, const char *text, struct zh_err *err)
{
	struct zh_nft nft = {};
	json_error_t why;
	const json_t *list;
	size_t i;
	int r = 0;

	nft.doc = json_loads(text, 0, &why);
	if (!nft.doc)
		return zh_err_set(err, -EBADMSG, "nft printed no JSON: %s", why.text);
	list = json_object_get(nft.doc, "nftables");
	if (!json_is_array(list)) {
		zh_nft_done(&nft);
		return zh_err_set(err, -EBADMSG, "nft printed no ruleset");
	}
	r = read_objects(&nft, list);
	for (i = 0; i < nft.n_rules && r >= 0; i++)
		r = find_edges(&nft, &nft.rules[i], nft.rules[i].expr, 0);
	if (r < 0) {
		zh_nft_done(&nft);
		return zh_err_set(err, r, "out of memory");
	}
	spread_hooks(&nft);
	for (i = 0; i < nft.n_chains; i++)
		if (nft.chains[i].hook >= 0)
			nft.chains[i].reach = count_reach(&nft, i, i + 1);
	*ret = nft;
	return 0;
}
