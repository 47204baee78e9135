/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decisive experiment: does keeping the CPUs awake make this path faster? Blocks of probes with
 * and without it alternate in random order, so that a drifting machine favours neither; the
 * comparison is a permutation test and a bootstrap interval. Nothing is set, so nothing needs undo.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "session/session.h"
#include "stats/compare.h"

struct zh_proof_arm {
	size_t n; /* answered probes */
	uint64_t lost, p50_ns, p99_ns, max_ns;
};

struct zh_proof {
	unsigned int blocks; /* of each arm, as far as the run got */
	uint64_t gap_ns;
	struct zh_proof_arm plain, awake;
	struct zh_interval p50_ns, p99_ns; /* awake minus plain, 95 % interval */
	double p50_p_value, p99_p_value;
	const char *verdict; /* static: "helps", "harms", "no effect", "inconclusive" */
};

/*
 * Runs the experiment with the target and probe settings of `config` (its phases are ignored).
 * `seed` fixes the order of blocks. 0 or a negative errno.
 */
int zh_session_prove(const struct zh_session_config *config, uint64_t seed, struct zh_proof *ret,
	struct zh_err *err);
