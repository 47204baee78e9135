/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/nft-ruleset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "facts/nft-match.h"

#define IIF(op, right) "{'op':'" op "','left':{'meta':{'key':'iifname'}},'right':" right "}"
#define ADDR(op, right)                                                                            \
	"{'op':'" op "','left':{'payload':{'protocol':'ip','field':'daddr'}},'right':" right "}"
#define CT(op, right) "{'op':'" op "','left':{'ct':{'key':'state'}},'right':" right "}"

/* JSON with ' for ". */
static json_t *parse(const char *text)
{
	char buf[2048], *c;
	json_t *value;

	snprintf(buf, sizeof(buf), "%s", text);
	for (c = buf; *c; c++)
		if (*c == '\'')
			*c = '"';
	value = json_loads(buf, 0, NULL);
	assert_non_null(value);
	return value;
}

static void matches(void **state)
{
	static const struct {
		const char *text;
		bool excludes, is_lo, invalid;
	} cases[] = {
		{IIF("==", "'lo'"), false, true, false},
		{IIF("!=", "'lo'"), true, false, false},
		{IIF("==", "'eth0'"), true, false, false},
		{IIF("!=", "'eth0'"), false, false, false},
		{IIF("==", "'@devices'"), false, false, false},
		{IIF("==", "{'set':['eth0','lo']}"), false, true, false},
		{IIF("==", "{'set':['eth0','eth1']}"), true, false, false},
		{ADDR("==", "'127.0.0.1'"), false, false, false},
		{ADDR("==", "'10.0.0.1'"), false, false, false}, /* may be an own address */
		{ADDR("==", "'@bad'"), false, false, false},
		{ADDR("==", "'255.255.255.255'"), true, false, false},
		{ADDR("==", "{'prefix':{'addr':'224.0.0.0','len':4}}"), true, false, false},
		{ADDR("!=", "{'prefix':{'addr':'127.0.0.0','len':8}}"), true, false, false},
		{ADDR("==", "{'prefix':{'addr':'0.0.0.0','len':0}}"), false, false, false},
		{CT("in", "'invalid'"), false, false, true},
		{CT("in", "['invalid','untracked']"), false, false, true},
		{CT("in", "{'set':['new','invalid']}"), false, false, true},
		{CT("in", "'new'"), false, false, false},
		{CT("!=", "'invalid'"), false, false, false},
		{"{}", false, false, false},
		{"[]", false, false, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		json_t *match = parse(cases[i].text);

		if (zh_nft_match_excludes_lo(match) != cases[i].excludes ||
			zh_nft_match_is_lo(match) != cases[i].is_lo ||
			zh_nft_match_state(match, "invalid") != cases[i].invalid)
			fail_msg("%s", cases[i].text);
		json_decref(match);
	}
}

#define CHAIN(name, rest)                                                                          \
	"{'chain':{'family':'inet','table':'t','name':'" name "','handle':1" rest "}},"
#define RULE(chain, handle, expr)                                                                  \
	"{'rule':{'family':'inet','table':'t','chain':'" chain "','handle':" handle                \
	",'expr':[" expr "]}},"
#define BASE(hook) ",'type':'filter','hook':'" hook "','prio':0,'policy':'accept'"

/* A rule behind `iif lo accept` does not meet lo, nor does a chain that is entered behind it. */
static void reach(void **state)
{
	static const char text[] =
		"{'nftables':[{'table':{'family':'inet','name':'t','handle':1}}," CHAIN(
			"in", BASE("input")) CHAIN("early", "") CHAIN("late", "") CHAIN("loose",
			"") RULE("in", "1", "{'jump':{'target':'early'}}")
			RULE("in", "2", "{'match':" IIF("==", "'lo'") "},{'accept':null}") RULE(
				"in", "3", "{'drop':null}") RULE("in", "4",
				"{'vmap':{'key':{'ct':{'key':'state'}},'data':{'set':[['new',"
				"{'goto':{'target':'late'}}]]}}}")
				RULE("early", "5", "{'drop':null}")
					RULE("late", "6", "{'drop':null}") "{'metainfo':{}}]}";
	json_t *doc = parse(text);
	char *dumped = json_dumps(doc, 0);
	struct zh_nft nft;

	(void)state;
	assert_int_equal(zh_nft_parse(&nft, dumped, NULL), 0);
	assert_int_equal(nft.n_chains, 4);
	assert_int_equal(nft.n_rules, 6);
	assert_int_equal(nft.n_edges, 2);
	assert_int_equal(nft.chains[0].accept_at, 2);
	assert_int_equal(nft.chains[0].reach, 6);
	assert_true(nft.rules[0].lo);
	assert_false(nft.rules[2].lo);
	assert_int_equal(nft.chains[1].lo, 1u << ZH_NFT_INPUT);
	assert_int_equal(nft.chains[2].lo, 0);
	assert_int_equal(nft.chains[2].hooks, 1u << ZH_NFT_INPUT);
	assert_int_equal(nft.chains[3].hooks, 0);
	assert_true(zh_nft_uses_ct(&nft.rules[3]));
	assert_false(zh_nft_uses_ct(&nft.rules[2]));
	zh_nft_done(&nft);
	free(dumped);
	json_decref(doc);
}

static void bad_input(void **state)
{
	static const char *const bad[] = {"", "{", "[]", "{\"nftables\":3}", "nft: not permitted"};
	static const char *const harmless[] = {"{\"nftables\":[]}", "{\"nftables\":[1,null,{}]}",
		"{\"nftables\":[{\"rule\":{\"expr\":7}},{\"chain\":[]}]}"};
	struct zh_nft nft;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(bad); i++)
		assert_int_equal(zh_nft_parse(&nft, bad[i], NULL), -EBADMSG);
	for (i = 0; i < ZH_ARRAY_SIZE(harmless); i++) {
		assert_int_equal(zh_nft_parse(&nft, harmless[i], NULL), 0);
		assert_int_equal(nft.n_rules, 0);
		zh_nft_done(&nft);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
		cmocka_unit_test(reach),
		cmocka_unit_test(bad_input),
	};

	return cmocka_run_group_tests_name("facts-nft", tests, NULL, NULL);
}
