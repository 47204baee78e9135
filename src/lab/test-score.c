/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/score.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explain/explain.h"

static double store[2][8];

static struct zh_score_row row_of(const char *id, bool control)
{
	return (struct zh_score_row){.fault = zh_fault_find(id),
		.control = control,
		.attributed_share = -1,
		.unexplained_share = -1,
		.attributed = store[0],
		.unexplained = store[1]};
}

static struct zh_score_result named(const char *first, double share, double unexplained)
{
	struct zh_score_result result = {.unexplained_share = unexplained, .n_findings = !!first};

	if (first) {
		snprintf(result.named[0].id, sizeof(result.named[0].id), "%s", first);
		result.named[0].attributed_share = share;
	}
	return result;
}

static void add(struct zh_score_row *row, struct zh_score_result result)
{
	zh_score_add(row, &result);
}

/* A fault that expects what no rule can say would never be named right. */
static void every_answer_is_a_rule(void **state)
{
	const char *const *other;

	(void)state;
	for (size_t i = 0; zh_fault_registry[i]; i++) {
		assert_non_null(zh_rule_find(zh_fault_registry[i]->expects));
		for (other = zh_fault_registry[i]->accepts; other && *other; other++)
			assert_non_null(zh_rule_find(*other));
	}
}

static void right_and_wrong_are_counted(void **state)
{
	struct zh_score_row row = row_of("rt-hog", false);

	(void)state;
	add(&row, named("run-queue-wait", 0.9, 0.01));
	add(&row, named("idle-exit", 0.4, 0.2));
	add(&row, named("run-queue-wait", 0.7, 0.03));
	add(&row, named("run-queue-wait", 0.8, -1));
	add(&row, named(NULL, 0, -1));
	assert_int_equal(row.runs, 5);
	assert_int_equal(row.correct, 3);
	assert_true(fabs(row.attributed_share - 0.8) < 1e-9);
	assert_true(fabs(row.unexplained_share - 0.03) < 1e-9);
	assert_int_equal(row.n_named, 3);
	assert_string_equal(row.named[0].id, "run-queue-wait");
	assert_int_equal(row.named[0].runs, 3);
}

static void a_run_that_failed_is_no_answer(void **state)
{
	struct zh_score_row row = row_of("rt-hog", false);
	struct zh_score_result result = {.status = -EPERM, .why = "not permitted"};

	(void)state;
	add(&row, result);
	assert_int_equal(row.runs, 0);
	assert_int_equal(row.failed, 1);
	assert_string_equal(row.why, "not permitted");
}

static void every_finding_in_a_control_is_false(void **state)
{
	struct zh_score_row row = row_of("rt-hog", true);
	struct zh_score_result result = named("run-queue-wait", 0.9, 0);

	(void)state;
	result.n_findings = 2;
	snprintf(result.named[1].id, sizeof(result.named[1].id), "idle-exit");
	add(&row, named(NULL, 0, -1));
	add(&row, result);
	assert_int_equal(row.runs, 2);
	assert_int_equal(row.n_false, 2);
	assert_int_equal(row.n_named, 2);
}

static void more_names_than_room_do_no_harm(void **state)
{
	struct zh_score_row row = row_of("rt-hog", false);
	char id[16];

	(void)state;
	for (int i = 0; i < 3 * ZH_SCORE_NAMED; i++) {
		snprintf(id, sizeof(id), "cause-%d", i);
		add(&row, named(id, 0, -1));
	}
	assert_int_equal(row.n_named, ZH_SCORE_NAMED);
	assert_int_equal(row.runs, 3 * ZH_SCORE_NAMED);
}

static char *render(const struct zh_score *score, bool json)
{
	const struct zh_text_style style = {.ascii = true};
	struct zh_doc *doc = zh_doc_new("lab");
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	zh_score_describe(score, zh_doc_root(doc));
	assert_int_equal(
		json ? zh_render_json(doc, f, NULL) : zh_render_text(doc, &style, f, NULL), 0);
	fclose(f);
	zh_doc_free(doc);
	return text;
}

static void the_table_says_what_was_named_instead(void **state)
{
	struct zh_score_row fault = row_of("rt-hog", false), control = row_of("rt-hog", true);
	struct zh_score score = {
		.seed = 7, .faults = &fault, .n_faults = 1, .controls = &control, .n_controls = 1};
	char *text, *json;

	(void)state;
	add(&fault, named("run-queue-wait", 0.9, 0.01));
	add(&fault, named("idle-exit", 0.4, 0.01));
	add(&control, named(NULL, 0, -1));
	assert_true(fabs(zh_score_recall(&score) - 0.5) < 1e-9);
	assert_int_equal(zh_score_controls_false(&score), 0);
	assert_false(zh_score_is_perfect(&score));
	text = render(&score, false);
	json = render(&score, true);
	assert_non_null(strstr(text, "50.0 % of runs; 0 false findings"));
	assert_non_null(strstr(text, "rt-hog was also taken for: idle-exit 1"));
	assert_non_null(strstr(json, "\"controls_false\""));
	assert_non_null(strstr(json, "\"instead\""));
	free(text);
	free(json);
}

static void perfect_needs_every_run(void **state)
{
	struct zh_score_row fault = row_of("rt-hog", false);
	struct zh_score score = {.faults = &fault, .n_faults = 1};
	struct zh_score_result failed = {.status = -EIO};

	(void)state;
	assert_true(zh_score_recall(&score) < 0);
	assert_false(zh_score_is_perfect(&score));
	add(&fault, named("run-queue-wait", 0.9, 0));
	assert_true(zh_score_is_perfect(&score));
	add(&fault, failed);
	assert_false(zh_score_is_perfect(&score));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_answer_is_a_rule),
		cmocka_unit_test(right_and_wrong_are_counted),
		cmocka_unit_test(a_run_that_failed_is_no_answer),
		cmocka_unit_test(every_finding_in_a_control_is_false),
		cmocka_unit_test(more_names_than_room_do_no_harm),
		cmocka_unit_test(the_table_says_what_was_named_instead),
		cmocka_unit_test(perfect_needs_every_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
