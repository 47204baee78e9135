/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/prove.h"

#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "session/awake.h"
#include "stats/summary.h"

#define PAIRS 10
#define BLOCK_PROBES 25
#define BLOCK_GAP_NS (20 * ZH_NSEC_PER_MSEC)
#define MIN_PROBES 100 /* of each arm, for a verdict */
#define ROUNDS 1000
#define P_VALUE 0.01
#define MIN_EFFECT 0.05 /* of the plain arm's figure; smaller differences do not matter */

struct arm {
	uint64_t rtt_ns[PAIRS * BLOCK_PROBES];
	size_t n;
	uint64_t lost;
};

static void take(struct arm *arm, const struct zh_record *record)
{
	size_t i;

	for (i = 0; i < record->n_samples; i++) {
		const struct zh_sample *sample = &record->samples[i];

		if (zh_sample_answered(sample) && arm->n < ZH_ARRAY_SIZE(arm->rtt_ns))
			arm->rtt_ns[arm->n++] = zh_sample_rtt(sample);
		else if (!(sample->flags & ZH_SAMPLE_WARMUP))
			arm->lost++;
	}
}

static int run_block(
	const struct zh_session_config *config, struct arm *arm, bool is_awake, struct zh_err *err)
{
	const struct zh_session_phase phase = {
		.label = "block", .count = BLOCK_PROBES, .gap_ns = BLOCK_GAP_NS};
	struct zh_session_config block = *config;
	struct zh_record *record = NULL;
	struct awake *awake = NULL;
	int r = 0;

	block.phases = &phase;
	block.n_phases = 1;
	block.tier = ZH_TIER_NONE;
	block.facts = block.overhead = false;
	block.progress = NULL;
	if (is_awake)
		r = awake_start(&awake, err);
	if (r == 0)
		r = zh_session_run(&block, &record, err);
	awake_stop(awake);
	if (r == 0)
		take(arm, record);
	zh_record_free(record);
	return r;
}

static struct zh_proof_arm summarize(struct arm *arm)
{
	struct zh_proof_arm result = {.n = arm->n, .lost = arm->lost};

	zh_stats_sort(arm->rtt_ns, arm->n);
	if (!arm->n)
		return result;
	result.p50_ns = zh_stats_quantile(arm->rtt_ns, arm->n, 0.5);
	result.p99_ns = zh_stats_quantile(arm->rtt_ns, arm->n, 0.99);
	result.max_ns = arm->rtt_ns[arm->n - 1];
	return result;
}

/* -1 better, 1 worse, 0 neither: significant, and large enough to matter. */
static int effect(const struct zh_interval *difference, double p_value, uint64_t plain_ns)
{
	if (p_value >= P_VALUE || (difference->low <= 0 && difference->high >= 0))
		return 0;
	if (difference->estimate < -MIN_EFFECT * (double)plain_ns)
		return -1;
	return difference->estimate > MIN_EFFECT * (double)plain_ns;
}

static const char *judge(const struct zh_proof *proof)
{
	int p50 = effect(&proof->p50_ns, proof->p50_p_value, proof->plain.p50_ns);
	int p99 = effect(&proof->p99_ns, proof->p99_p_value, proof->plain.p99_ns);

	if (proof->plain.n < MIN_PROBES || proof->awake.n < MIN_PROBES)
		return "inconclusive";
	if (p50 + p99 < 0)
		return "helps";
	if (p50 + p99 > 0)
		return "harms";
	return p50 ? "inconclusive" : "no effect";
}

static int compare(struct arm *plain, struct arm *awake, struct zh_proof *proof, struct zh_err *err)
{
	const uint64_t *a = plain->rtt_ns, *b = awake->rtt_ns;

	proof->plain = summarize(plain);
	proof->awake = summarize(awake);
	proof->p50_p_value = proof->p99_p_value = 1;
	if (plain->n && awake->n &&
		(!zh_stats_quantile_difference(
			 a, plain->n, b, awake->n, 0.5, 0.95, ROUNDS, &proof->p50_ns) ||
			!zh_stats_quantile_difference(
				a, plain->n, b, awake->n, 0.99, 0.95, ROUNDS, &proof->p99_ns) ||
			!zh_stats_quantile_permutation(
				a, plain->n, b, awake->n, 0.5, ROUNDS, &proof->p50_p_value) ||
			!zh_stats_quantile_permutation(
				a, plain->n, b, awake->n, 0.99, ROUNDS, &proof->p99_p_value)))
		return zh_err_set(err, -ENOMEM, "out of memory");
	proof->verdict = judge(proof);
	return 0;
}

int zh_session_prove(const struct zh_session_config *config, uint64_t seed, struct zh_proof *ret,
	struct zh_err *err)
{
	struct arm arms[2] = {};
	struct zh_proof proof = {.gap_ns = BLOCK_GAP_NS};
	unsigned int i, k;
	int r;

	for (i = 0; i < PAIRS && !(config->stop && config->stop(config->arg)); i++) {
		unsigned int first = (seed >> (i % 64)) & 1;

		for (k = 0; k < 2; k++) {
			unsigned int which = first ^ k;

			r = run_block(config, &arms[which], which == 1, err);
			if (r < 0)
				return r;
		}
		proof.blocks++;
	}
	r = compare(&arms[0], &arms[1], &proof, err);
	if (r == 0)
		*ret = proof;
	return r;
}
