/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame: registries, RTT figures, spikes, ranking, verdict, document. */
#include "explain/explain.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/test-build.h"

static void check_rule(const struct zh_rule *rule)
{
	const char *c;

	for (c = rule->id; *c; c++)
		assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '-');
	assert_true(rule->code && rule->title && rule->summary && rule->why && rule->evidence);
}

static void rules_are_documented(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; zh_cause_registry[i]; i++) {
		check_rule(&zh_cause_registry[i]->rule);
		/* the one that is found is this one, so ids are unique */
		assert_ptr_equal(
			zh_rule_find(zh_cause_registry[i]->rule.id), &zh_cause_registry[i]->rule);
		assert_true(zh_cause_registry[i]->rule.verify && zh_cause_registry[i]->rule.cure &&
			    zh_cause_registry[i]->rule.cost);
	}
	assert_true(i >= 30);
	for (i = 0; zh_check_registry[i]; i++) {
		check_rule(&zh_check_registry[i]->rule);
		assert_ptr_equal(
			zh_rule_find(zh_check_registry[i]->rule.id), &zh_check_registry[i]->rule);
	}
	/* A stage may share its name with the cause that is about it: idle-exit. */
	for (i = 0; zh_stage_rules[i].id; i++) {
		check_rule(&zh_stage_rules[i]);
		assert_non_null(zh_rule_find(zh_stage_rules[i].id));
	}
	assert_int_equal(i, ZH_STAGE_MAX);
	assert_null(zh_rule_find("no-such-rule"));
}

static void rtt_figures(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	uint64_t i;

	(void)state;
	build_start(&b, 200, ZH_TRANSPORT_UDP);
	for (i = 1; i <= 100; i++) {
		struct zh_sample *s = build_lost(&b);

		s->flags = 0;
		s->recv_ns = s->send_ns + i * US;
		s->krx_ns = s->recv_ns - US / 2;
	}
	build_lost(&b);
	build_phase(&b, "clean-room", 20 * MS, true);
	for (i = 0; i < 10; i++) {
		struct zh_sample *s = build_lost(&b);

		s->flags = i ? 0 : ZH_SAMPLE_WARMUP;
		s->recv_ns = s->send_ns + 7 * US;
	}
	e = explain_or_fail(&b);
	assert_int_equal(e->rtt.count, 100);
	assert_int_equal(e->rtt.lost, 1);
	assert_int_equal(e->rtt.min_ns, US);
	assert_int_equal(e->rtt.p50_ns, 50 * US);
	assert_int_equal(e->rtt.p99_ns, 99 * US);
	assert_int_equal(e->rtt.max_ns, 100 * US);
	assert_int_equal(e->rtt.mean_ns, 50500);
	assert_int_equal(e->kernel_rtt.p50_ns, 50 * US - US / 2);
	assert_int_equal(e->phase_rtt[1].count, 9);
	assert_int_equal(e->phase_rtt[1].p50_ns, 7 * US);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* Idle CPUs as in a guest with deep states: every tenth of 200 samples takes 12 ms. */
static void periodic_spikes(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, 200, ZH_TRANSPORT_UDP);
	b.gap_ns = 200 * MS;
	for (i = 0; i < 200; i++) {
		struct synth s = build_healthy(i);

		s.events = i % 10 == 3;
		if (i % 10 == 3)
			s.d[i / 10 % 2][ZH_STAGE_IDLE_EXIT] = 12 * MS;
		build_udp(&b, &s);
	}
	e = explain_or_fail(&b);
	assert_int_equal(e->spikes.count, 20);
	assert_true(e->spikes.p_value <= 0.005);
	assert_true(e->spikes.period_samples > 9.9 && e->spikes.period_samples < 10.1);
	assert_true(e->spikes.period_ns > 1990 * MS && e->spikes.period_ns < 2010 * MS);
	assert_string_equal(e->findings[0].rule->id, "idle-exit");
	assert_true(e->findings[0].severity >= ZH_SEVERITY_WARNING);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* At a slow pace every round trip pays idle exit and wake-up interrupts: told, but no warning. */
static void quiet_machines_are_healthy(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, 300, ZH_TRANSPORT_UDP);
	for (i = 0; i < 100; i++) {
		struct synth s = build_healthy(i);

		build_udp(&b, &s);
	}
	build_phase(&b, "gap-200ms", 200 * MS, false);
	for (i = 0; i < 100; i++) {
		struct synth s = build_healthy(i);
		unsigned int leg;

		for (leg = 0; leg < 2; leg++) {
			s.d[leg][ZH_STAGE_IDLE_EXIT] = 60 * US + i * 300;
			s.d[leg][ZH_STAGE_WAKE_IPI] = 80 * US;
		}
		build_udp(&b, &s);
	}
	e = explain_or_fail(&b);
	assert_non_null(finding_of(e, "idle-exit"));
	assert_non_null(finding_of(e, "ipi-send"));
	assert_true(e->findings[0].severity < ZH_SEVERITY_WARNING);
	assert_string_equal(zh_explanation_verdict(e, b.r), "healthy");
	assert_true(e->unexplained_share < 0.05);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

static void clean_room_is_not_explained(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, 200, ZH_TRANSPORT_UDP);
	build_healthy_run(&b, 100);
	build_phase(&b, "clean-room", 20 * MS, true);
	for (i = 0; i < 50; i++) {
		struct synth s = build_healthy(i);

		s.d[0][ZH_STAGE_QDISC] = 30 * MS;
		build_udp(&b, &s);
	}
	e = explain_or_fail(&b);
	assert_null(finding_of(e, "qdisc-delay"));
	assert_int_equal(e->n_slow, 0);
	assert_true(e->rtt.max_ns < MS);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

static void the_same_record_the_same_answer(void **state)
{
	struct zh_explanation *e[2];
	struct builder b;
	unsigned int i;
	size_t k;

	(void)state;
	build_start(&b, 100, ZH_TRANSPORT_UDP);
	for (i = 0; i < 100; i++) {
		struct synth s = build_healthy(i);

		s.d[0][ZH_STAGE_RUN_QUEUE] = i % 4 ? 0 : (uint64_t)i * 100 * US;
		s.events = i % 4 == 0;
		s.hog = i % 4 ? 0 : HOG;
		build_udp(&b, &s);
	}
	e[0] = explain_or_fail(&b);
	e[1] = explain_or_fail(&b);
	assert_int_equal(e[0]->n_findings, e[1]->n_findings);
	for (k = 0; k < e[0]->n_findings; k++) {
		assert_ptr_equal(e[0]->findings[k].rule, e[1]->findings[k].rule);
		assert_string_equal(e[0]->findings[k].summary, e[1]->findings[k].summary);
		if (k)
			assert_true(e[0]->findings[k].severity <= e[0]->findings[k - 1].severity);
	}
	zh_explanation_free(e[0]);
	zh_explanation_free(e[1]);
	zh_record_free(b.r);
}

/* What a person sees: who ran, and the unexplained share. */
static void document_names_the_culprit(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	struct zh_doc *doc = zh_doc_new("ping");
	struct zh_text_style style = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	unsigned int i;

	(void)state;
	build_start(&b, 100, ZH_TRANSPORT_UDP);
	for (i = 0; i < 100; i++) {
		struct synth s = build_healthy(i);

		s.d[0][ZH_STAGE_RUN_QUEUE] = i % 4 ? 0 : 5 * MS;
		s.events = i % 4 == 0;
		s.hog = i % 4 ? 0 : HOG;
		build_udp(&b, &s);
	}
	zh_record_not_measured(b.r, "netfilter time", "no rules");
	zh_fact_unavailable(&b.r->before, "nobody may look", "nft");
	zh_fact_set_sort(&b.r->before);
	e = explain_or_fail(&b);
	zh_explanation_describe(e, b.r, zh_doc_root(doc));
	assert_int_equal(zh_render_text(doc, &style, out, NULL), 0);
	fflush(out);
	assert_non_null(strstr(text, "hog (77)"));
	assert_non_null(strstr(text, "run-queue"));
	assert_non_null(strstr(text, "unexplained"));
	assert_non_null(strstr(text, "netfilter time"));
	assert_non_null(strstr(text, "nobody may look"));
	fclose(out);
	free(text);
	zh_doc_free(doc);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_documented),
		cmocka_unit_test(rtt_figures),
		cmocka_unit_test(periodic_spikes),
		cmocka_unit_test(quiet_machines_are_healthy),
		cmocka_unit_test(clean_room_is_not_explained),
		cmocka_unit_test(the_same_record_the_same_answer),
		cmocka_unit_test(document_names_the_culprit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
