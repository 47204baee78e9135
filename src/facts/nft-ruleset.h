/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An nftables ruleset, as `nft -j list ruleset` prints it, in a form that answers: which rules does
 * a packet at a hook meet, and which of them can meet a packet on lo?
 *
 * "Can meet lo" is judged without evaluating sets, maps or marks: a rule is ruled out only by a
 * device, an address or an earlier `accept` that plainly excludes loopback. So what is reported is
 * what may act on lo, and nothing that may act is missed.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Hooks as bits; ZH_NFT_LOCAL are the ones that loopback traffic passes. */
enum {
	ZH_NFT_PREROUTING,
	ZH_NFT_INPUT,
	ZH_NFT_FORWARD,
	ZH_NFT_OUTPUT,
	ZH_NFT_POSTROUTING,
	ZH_NFT_INGRESS,
	ZH_NFT_EGRESS,
	ZH_NFT_HOOKS
};
#define ZH_NFT_LOCAL                                                                               \
	(1u << ZH_NFT_PREROUTING | 1u << ZH_NFT_INPUT | 1u << ZH_NFT_OUTPUT |                      \
		1u << ZH_NFT_POSTROUTING)
extern const char *const zh_nft_hook_names[ZH_NFT_HOOKS];

struct zh_nft_chain {
	const char *family, *table, *name, *type, *policy; /* in the document */
	int hook;                                          /* or -1 for a chain without one */
	int64_t prio;
	uint64_t rules;
	uint64_t reach;     /* rules here and in every chain that can be reached from here */
	uint64_t accept_at; /* rule that accepts all of lo, from 1; 0: none */
	unsigned int hooks; /* bits: hooks that lead here */
	unsigned int lo;    /* those of them by which a packet on lo can come */
	size_t mark;        /* for walks */
};

struct zh_nft_rule {
	size_t chain;
	uint64_t position; /* in the chain, from 1 */
	uint64_t handle;
	const json_t *expr;
	const char *jump; /* chain that it may go to, or NULL; of several the first */
	bool lo;          /* can meet a packet on lo, as far as the rule itself goes */
};

struct zh_nft {
	json_t *doc;
	struct zh_nft_chain *chains;
	struct zh_nft_rule *rules;
	size_t n_chains, n_rules, tables, flowtables;
	struct zh_nft_edge *edges; /* jumps, more than one a rule with a verdict map */
	size_t n_edges;
};

struct zh_nft_edge {
	size_t from, to; /* chains */
	bool lo;         /* a packet on lo can take it */
};

/* Takes the text apart. 0, -EBADMSG when it is not what nft prints, -ENOMEM. */
int zh_nft_parse(struct zh_nft *ret, const char *text, struct zh_err *err);
void zh_nft_done(struct zh_nft *nft);

/* The expression of a kind ("drop", "counter", "log") in a rule; NULL without one. A JSON null
 * stands for "there, without details". */
const json_t *zh_nft_expr(const struct zh_nft_rule *rule, const char *kind);

/* True when a match of the rule is about that state of the connection ("invalid"). */
bool zh_nft_matches_state(const struct zh_nft_rule *rule, const char *state);

/* True when the rule looks at connection tracking at all, which switches tracking on. */
bool zh_nft_uses_ct(const struct zh_nft_rule *rule);

/* The rule in short ("ct state invalid drop"), cut to fit. Returns buf. */
char *zh_nft_text(char *buf, size_t size, const struct zh_nft_rule *rule);
