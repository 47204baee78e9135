/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of blocks, and that a change is taken back on every way out. */
#include "session/trial.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

#define BLOCKS_MAX (4 * ZH_TRIAL_QUADS)

static const struct zh_trial_figure value[] = {
	{.name = "value", .is_ratio = true, .decides = true, .margin = 0.03}};

/* A machine that is slow, drifts, and is faster with the change. */
struct machine {
	bool is_on, fails_to_set;
	int measured, fail_at, stop_at, switches;
	bool order[BLOCKS_MAX];
	double effect;
};

static int set(void *arg, bool on, struct zh_err *err)
{
	struct machine *m = arg;

	if (on && m->fails_to_set)
		return zh_err_set(err, -EPERM, "not permitted");
	assert_int_not_equal(on, m->is_on);
	m->is_on = on;
	m->switches++;
	return 0;
}

static int measure(void *arg, bool is_b, struct zh_trial_block *ret, struct zh_err *err)
{
	struct machine *m = arg;

	assert_int_equal(is_b, m->is_on);
	if (m->fail_at && m->measured == m->fail_at)
		return zh_err_set(err, -EIO, "the machine broke");
	m->order[m->measured] = is_b;
	ret->value[0] = 1000 + m->measured++ + (m->is_on ? m->effect : 0);
	return 0;
}

static bool stop(void *arg)
{
	const struct machine *m = arg;

	return m->stop_at && m->measured >= m->stop_at;
}

static int run(struct machine *m, uint64_t seed, struct zh_trial_report *ret, struct zh_err *err)
{
	static const struct zh_trial_method method = {
		.figures = value, .n_figures = 1, .measure = measure};
	static const struct zh_trial_change change = {.set = set};
	const struct zh_trial_config config = {.method = &method,
		.method_arg = m,
		.change = &change,
		.change_arg = m,
		.seed = seed,
		.stop = stop,
		.arg = m};
	int r = zh_trial_run(&config, ret, err);

	assert_false(m->is_on);
	return r;
}

static void quads_are_balanced_and_random(void **state)
{
	unsigned int a_outside = 0, quads = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct machine m = {.effect = 500};
		struct zh_trial_report report;
		struct zh_err err = {};

		assert_int_equal(run(&m, seed, &report, &err), 0);
		assert_int_equal(report.result.verdict, ZH_TRIAL_HARMS);
		assert_int_equal(m.measured, 4 * (int)report.quads);
		for (int i = 0; i < m.measured; i += 4) {
			assert_int_equal(m.order[i], m.order[i + 3]);
			assert_int_equal(m.order[i + 1], m.order[i + 2]);
			assert_int_not_equal(m.order[i], m.order[i + 1]);
			a_outside += !m.order[i];
			quads++;
		}
	}
	assert_in_range(a_outside, quads * 3 / 10, quads * 7 / 10);
}

/* The values rise by 1 a block, which cancels within a quad. */
static void drift_is_no_effect(void **state)
{
	struct machine m = {};
	struct zh_trial_report report;
	struct zh_err err = {};

	(void)state;
	assert_int_equal(run(&m, 7, &report, &err), 0);
	assert_int_equal(report.result.verdict, ZH_TRIAL_NO_EFFECT);
	assert_true(fabs(report.result.effect[0].interval.estimate - 1) < 1e-5);
	assert_int_equal(report.quads, zh_trial_look(0));
}

static void the_change_is_taken_back(void **state)
{
	struct zh_trial_report report;
	struct zh_err err = {};

	(void)state;
	for (int fail_at = 1; fail_at < 20; fail_at++) {
		struct machine m = {.fail_at = fail_at};

		assert_int_equal(run(&m, 3, &report, &err), -EIO);
		assert_string_equal(err.text, "the machine broke");
	}
	for (int stop_at = 1; stop_at < 20; stop_at++) {
		struct machine m = {.stop_at = stop_at};

		assert_int_equal(run(&m, 3, &report, &err), 0);
		assert_true(report.interrupted);
		assert_int_equal(report.quads, stop_at / 4);
		assert_int_equal(report.result.verdict, ZH_TRIAL_INCONCLUSIVE);
	}
}

static void a_change_that_fails(void **state)
{
	struct machine m = {.fails_to_set = true};
	struct zh_trial_report report;
	struct zh_err err = {};

	(void)state;
	assert_int_equal(run(&m, 3, &report, &err), -EPERM);
	assert_int_equal(m.switches, 0);
}

/* Round trips: pooled quantiles of a quad's arms, losses, spikes by one threshold for both arms. */
static int measure_round_trips(void *arg, bool is_b, struct zh_trial_block *ret, struct zh_err *err)
{
	int *blocks = arg;

	(void)err;
	ret->n = 100;
	ret->rtt_ns = calloc(ret->n, sizeof(*ret->rtt_ns));
	assert_non_null(ret->rtt_ns);
	for (size_t i = 0; i < ret->n; i++)
		ret->rtt_ns[i] = (is_b ? 20000 : 10000) + 10 * i;
	ret->rtt_ns[99] = is_b ? 900000 : 800000;
	ret->lost = is_b ? 25 : 0;
	(*blocks)++;
	return 0;
}

static void round_trips(void **state)
{
	static const struct zh_trial_method method = {.figures = zh_trial_round_trips,
		.n_figures = ZH_TRIAL_ROUND_TRIPS,
		.has_round_trips = true,
		.measure = measure_round_trips};
	int blocks = 0;
	const struct zh_trial_config config = {.method = &method, .method_arg = &blocks, .seed = 5};
	struct zh_trial_report report;
	struct zh_err err = {};

	(void)state;
	assert_int_equal(zh_trial_run(&config, &report, &err), 0);
	assert_int_equal(report.result.verdict, ZH_TRIAL_HARMS);
	assert_int_equal(report.a.answered, 50 * blocks);
	assert_int_equal(report.b.lost, 25 * blocks / 2);
	assert_int_equal(report.a.p50_ns, 10490);
	assert_int_equal(report.b.p50_ns, 20490);
	assert_int_equal(report.b.p99_ns, 20980);
	assert_int_equal(report.b.max_ns, 900000);
	assert_int_equal(report.a.spikes, blocks / 2);
	assert_true(fabs(report.result.effect[0].interval.estimate - 20490.0 / 10490) < 1e-9);
	assert_true(fabs(report.result.effect[4].interval.estimate - 0.2) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quads_are_balanced_and_random),
		cmocka_unit_test(drift_is_no_effect),
		cmocka_unit_test(the_change_is_taken_back),
		cmocka_unit_test(a_change_that_fails),
		cmocka_unit_test(round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
