/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trials: does a change help here? Blocks of measurements with and without it alternate in random
 * order (stats/trial.h), the change is made and taken back between them, and the verdict comes as
 * soon as the numbers allow. Whatever happens, the machine is as it was when this returns.
 *
 * What is measured (a method) and what is changed (a change) are independent of each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "session/session.h"
#include "stats/trial.h"

/* What one block gave: round trips, or a value of each figure. */
struct zh_trial_block {
	bool is_b;
	uint64_t *rtt_ns; /* sorted; owned; NULL: values instead */
	size_t n;
	uint64_t lost;
	double value[ZH_TRIAL_FIGURES]; /* NAN: none */
};

/* How a block is measured; `figures` says what is made of it. */
struct zh_trial_method {
	const struct zh_trial_figure *figures;
	size_t n_figures;
	bool has_round_trips; /* figures are those of zh_trial_round_trips */
	/* Fills a zeroed block. 0 or a negative errno, which ends the trial. */
	int (*measure)(void *arg, bool is_b, struct zh_trial_block *ret, struct zh_err *err);
};

/* What distinguishes B. Either may be NULL. */
struct zh_trial_change {
	/* Makes the change, or takes it back. When making fails nothing is left of it. */
	int (*set)(void *arg, bool on, struct zh_err *err);
	/* Changes how the probes of a block are sent (method: zh_trial_probes). */
	void (*shape)(void *arg, bool is_b, struct zh_session_config *session,
		struct zh_session_phase *phase);
};

struct zh_trial_config {
	const struct zh_trial_method *method;
	void *method_arg;
	const struct zh_trial_change *change; /* NULL: A against A */
	void *change_arg;
	uint64_t seed;      /* of the order */
	uint64_t settle_ns; /* before each block, where the change has something to set */
	size_t max_quads;   /* 0: as many as zh_trial_look() has */
	double margin;      /* of deciding ratios; 0: each figure's own */
	bool (*stop)(void *arg);
	void (*progress)(void *arg, size_t quads, size_t next_look);
	void *arg;
};

struct zh_trial_arm {
	uint64_t answered, lost;
	uint64_t p50_ns, p99_ns, max_ns, spikes; /* of round trips */
	double value[ZH_TRIAL_FIGURES];          /* median over blocks; NAN: none */
};

struct zh_trial_report {
	struct zh_trial_result result;
	struct zh_trial_figure figures[ZH_TRIAL_FIGURES]; /* as judged */
	size_t n_figures, quads;
	struct zh_trial_arm a, b;
	uint64_t spike_threshold_ns; /* UINT64_MAX: none */
	bool interrupted;
};

int zh_trial_run(
	const struct zh_trial_config *config, struct zh_trial_report *ret, struct zh_err *err);

/* Figures of round trips: p50, p99 and the share lost decide; max and spike rate are shown. */
extern const struct zh_trial_figure zh_trial_round_trips[];
#define ZH_TRIAL_ROUND_TRIPS 5

/* Probes of a session; its phases, facts and tracing are left out. */
struct zh_trial_probes {
	const struct zh_session_config *session;
	uint32_t count; /* a block */
	uint64_t gap_ns;
	const struct zh_trial_change *change; /* for its shape() */
	void *change_arg;
};
extern const struct zh_trial_method zh_trial_probes; /* arg: struct zh_trial_probes */

/* A program that prints a number as the last word of its output. */
struct zh_trial_command {
	char *const *argv; /* ends with NULL */
	uint64_t timeout_ns;
};
extern const struct zh_trial_method zh_trial_command_more; /* a larger number is better */
extern const struct zh_trial_method zh_trial_command_less;

/* Experiments that are no settings. */
struct zh_trial_experiment {
	const char *id, *summary;
	const char *const *values; /* NULL-terminated; NULL: takes none */
	const struct zh_trial_change *change;
	/* 0, with an arg for the change that free(3) ends, or a negative errno: not here, why. */
	int (*prepare)(const char *value, void **ret_arg, struct zh_err *err);
	const char *what; /* "the CPUs kept awake" */
};
extern const struct zh_trial_experiment *const zh_trial_experiments[];
const struct zh_trial_experiment *zh_trial_experiment_find(const char *id);
