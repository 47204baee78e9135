/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/units.h"
#include "base/util.h"
#include "cmd/describe.h"
#include "session/prove.h"

static void describe_arm(struct zh_node *parent, const char *key, const struct zh_proof_arm *arm)
{
	struct zh_node *node = zh_node_object(parent, key, NULL);

	zh_node_value(node, "count", NULL, zh_count(arm->n));
	zh_node_value(node, "lost", NULL, zh_count(arm->lost));
	zh_node_value(node, "p50_ns", NULL, zh_ns(arm->p50_ns));
	zh_node_value(node, "p99_ns", NULL, zh_ns(arm->p99_ns));
	zh_node_value(node, "max_ns", NULL, zh_ns(arm->max_ns));
}

/* A difference can be negative: a real number of ns in JSON, a sentence for people. */
static void describe_difference(struct zh_node *parent, const char *key,
	const struct zh_interval *difference, double p_value)
{
	struct zh_node *node = zh_node_object(parent, key, NULL);

	zh_node_value(node, "difference_ns", NULL, zh_ns_signed(difference->estimate));
	zh_node_value(node, "low_ns", NULL, zh_ns_signed(difference->low));
	zh_node_value(node, "high_ns", NULL, zh_ns_signed(difference->high));
	zh_node_value(node, "p_value", NULL, zh_real(p_value));
}

static void add_row(struct zh_node *table, const char *what, uint64_t plain_ns, uint64_t awake_ns,
	const struct zh_interval *difference, double p_value)
{
	char interval[96];

	snprintf(interval, sizeof(interval), "%+.1f us (%+.1f to %+.1f)",
		difference->estimate / 1e3, difference->low / 1e3, difference->high / 1e3);
	zh_node_row(table, (struct zh_cell[]){zh_string(what), zh_ns(plain_ns), zh_ns(awake_ns),
				   zh_string(interval), zh_real(p_value)});
}

void cmd_describe_proof(struct zh_node *root, const struct zh_proof *proof)
{
	static const struct zh_column columns[] = {{NULL, "RTT"}, {NULL, "as it is"},
		{NULL, "CPUs kept awake"}, {NULL, "difference (95 % interval)"}, {NULL, "p"}};
	struct zh_node *node = zh_node_object(root, "experiment", "Experiment"), *table;
	char text[160], gap[32];

	snprintf(text, sizeof(text),
		"Keeping the CPUs awake: %s (%u random pairs of blocks, probes %s apart)",
		proof->verdict, proof->blocks, zh_format_ns(gap, sizeof(gap), proof->gap_ns));
	zh_node_text(node, text);
	zh_node_value(node, "what", NULL, zh_string("keep the CPUs awake"));
	zh_node_value(node, "verdict", NULL, zh_string(proof->verdict));
	zh_node_value(node, "pairs", NULL, zh_count(proof->blocks));
	describe_arm(node, "plain", &proof->plain);
	describe_arm(node, "awake", &proof->awake);
	describe_difference(node, "p50", &proof->p50_ns, proof->p50_p_value);
	describe_difference(node, "p99", &proof->p99_ns, proof->p99_p_value);
	table = zh_node_table(node, NULL, "RTT in both arms", columns, ZH_ARRAY_SIZE(columns));
	add_row(table, "p50", proof->plain.p50_ns, proof->awake.p50_ns, &proof->p50_ns,
		proof->p50_p_value);
	add_row(table, "p99", proof->plain.p99_ns, proof->awake.p99_ns, &proof->p99_ns,
		proof->p99_p_value);
}
