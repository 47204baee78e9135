/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs every check on facts on which it must speak, and on near ones on which it must not. */
#include "explain/checks/test-cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explain/checks/support.h"
#include "explain/checks/test-facts-text.h"
#include "explain/finding.h"

#define N_SAMPLES 100
#define N_PHASES 4

struct fixture {
	struct zh_record record;
	struct zh_explanation out;
	struct zh_explain ex;
	struct zh_phase phases[N_PHASES];
	struct zh_rtt rtts[N_PHASES];
	struct zh_sample samples[N_SAMPLES];
};

static void add_phase(struct fixture *f, const char *label, const struct zh_case_run *run,
	uint64_t gap_ms, uint32_t p50_us, uint32_t p99_us)
{
	struct zh_phase *phase = &f->phases[f->record.n_phases];
	struct zh_rtt *rtt = &f->rtts[f->record.n_phases++];

	snprintf(phase->label, sizeof(phase->label), "%s", label);
	snprintf(phase->target, sizeof(phase->target), "%s",
		run->target ? run->target : "127.0.0.1");
	phase->transport = run->transport;
	phase->gap_ns = gap_ms * ZH_NSEC_PER_MSEC;
	rtt->count = N_SAMPLES;
	rtt->p50_ns = p50_us * ZH_NSEC_PER_USEC;
	rtt->p99_ns = ZH_MAX(p99_us, p50_us) * ZH_NSEC_PER_USEC;
}

static void add_samples(struct fixture *f, const struct zh_case_run *run)
{
	size_t i;

	for (i = 0; i < N_SAMPLES; i++) {
		struct zh_sample *s = &f->samples[i];
		bool marked = i >= N_SAMPLES - run->marked;

		s->seq = (uint32_t)i;
		s->send_ns = (101 + i) * ZH_NSEC_PER_MSEC;
		s->recv_ns = s->send_ns + 20 * ZH_NSEC_PER_USEC;
		if (!marked)
			continue;
		s->flags = run->marked_flags;
		s->send_errno = run->marked_errno;
		if (run->marked_rtt_ms)
			s->recv_ns = s->send_ns + run->marked_rtt_ms * ZH_NSEC_PER_MSEC;
		if (s->flags & ZH_SAMPLE_SEND_FAILED)
			s->recv_ns = 0;
	}
	f->record.samples = f->samples;
	f->record.n_samples = N_SAMPLES;
	f->phases[0].n = N_SAMPLES;
}

static void build(struct fixture *f, const struct zh_case *c)
{
	const struct zh_case_run *run = &c->run;

	memset(f, 0, sizeof(*f));
	zh_test_facts_parse(c->facts, &f->record.before, &f->record.after);
	add_phase(f, "gap-1ms", run, 1, run->near_us ? run->near_us : 20, 0);
	if (run->far_us)
		add_phase(f, "gap-200ms", run, 200, run->far_us, run->far_p99_us);
	if (run->clean_us) {
		add_phase(f, "clean-1ms", run, 1, run->clean_us, 0);
		f->phases[f->record.n_phases - 1].clean_room = 1;
	}
	add_samples(f, run);
	f->record.phases = f->phases;
	f->record.n_cpus = 4;
	f->record.hz = 250;
	f->out.phase_rtt = f->rtts;
	f->out.rtt = f->rtts[0];
	f->out.rtt.count = N_SAMPLES - run->lost;
	f->out.rtt.lost = run->lost;
	f->out.spikes.count = run->spikes;
	f->ex.record = &f->record;
	f->ex.out = &f->out;
}

static void done(struct fixture *f)
{
	zh_findings_done(&f->ex);
	zh_fact_set_done(&f->record.before);
	zh_fact_set_done(&f->record.after);
}

static bool has_digit(const char *text)
{
	return text[strcspn(text, "0123456789")] != '\0';
}

static void run_case(const struct zh_case *c)
{
	struct fixture f;
	int severity = SILENT;
	size_t i;

	build(&f, c);
	c->check->run(c->check, &f.ex);
	assert_false(f.ex.failed);
	for (i = 0; i < f.ex.n_found; i++) {
		const struct zh_finding *finding = f.ex.found[i];

		severity = ZH_MAX(severity, (int)finding->severity);
		assert_ptr_equal(finding->rule, &c->check->rule);
		if (!has_digit(finding->summary))
			fail_msg("%s: no number in \"%s\"", c->name, finding->summary);
		if (strlen(finding->summary) >= sizeof(finding->summary) - 1)
			fail_msg("%s: the summary is cut: %s", c->name, finding->summary);
		if (strstr(finding->summary, "(null)"))
			fail_msg("%s: %s", c->name, finding->summary);
	}
	if (severity != c->expected)
		fail_msg("%s (%s): expected severity %d, got %d: %s", c->check->rule.id, c->name,
			c->expected, severity, f.ex.n_found ? f.ex.found[0]->summary : "silent");
	done(&f);
}

static const struct zh_case *const all_cases[] = {
	zh_cases_path, zh_cases_way, zh_cases_cpu, zh_cases_queues, zh_cases_links, zh_cases_watch};

static void cases_are_judged_as_expected(void **state)
{
	const struct zh_case *c;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(all_cases); i++)
		for (c = all_cases[i]; c->check; c++)
			run_case(c);
}

static void every_check_has_a_case_that_fires_and_one_that_does_not(void **state)
{
	const struct zh_check *const *check;

	(void)state;
	for (check = zh_check_registry; *check; check++) {
		int fires = 0, silent = 0;
		const struct zh_case *c;
		size_t i;

		for (i = 0; i < ZH_ARRAY_SIZE(all_cases); i++)
			for (c = all_cases[i]; c->check; c++)
				if (c->check == *check)
					*(c->expected == SILENT ? &silent : &fires) += 1;
		if (!fires || !silent)
			fail_msg("%s has %d firing and %d silent cases", (*check)->rule.id, fires,
				silent);
	}
}

/* Without facts nobody looked: no check may claim anything. */
static void no_facts_no_findings(void **state)
{
	const struct zh_check *const *check;

	(void)state;
	for (check = zh_check_registry; *check; check++) {
		struct zh_case c = {*check, "no facts", SILENT, "", {}};

		run_case(&c);
	}
}

static void documentation_is_complete(void **state)
{
	const struct zh_check *const *check, *const *other;

	(void)state;
	for (check = zh_check_registry; *check; check++) {
		const struct zh_rule *r = &(*check)->rule;
		const char *const texts[] = {
			r->title, r->summary, r->why, r->evidence, r->verify, r->cure, r->cost};
		size_t i;

		assert_int_equal(
			strspn(r->id, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(r->id));
		assert_int_equal(r->code[0], 'C');
		assert_in_range(strtol(r->code + 1, NULL, 10), 1, 25);
		for (i = 0; i < ZH_ARRAY_SIZE(texts); i++)
			if (!texts[i] || !*texts[i])
				fail_msg("%s: text %zu is missing", r->id, i);
		if (!r->needs || !r->needs[0])
			fail_msg("%s needs nothing", r->id);
		for (other = check + 1; *other; other++)
			if (strcmp(r->id, (*other)->rule.id) == 0)
				fail_msg("two checks are called %s", r->id);
	}
}

/* Families 1-25 of the catalogue, but for 17 and 19 whose per-sample part causes judge. */
static void every_family_has_a_check(void **state)
{
	int family;

	(void)state;
	for (family = 1; family <= 25; family++) {
		const struct zh_check *const *check;
		bool found = false;

		for (check = zh_check_registry; *check; check++)
			found |= strtol((*check)->rule.code + 1, NULL, 10) == family;
		if (!found)
			fail_msg("no check of family %d", family);
	}
}

static void prefixes(void **state)
{
	(void)state;
	assert_true(zh_check_prefix_has("127.0.0.0/8", "127.0.0.1"));
	assert_true(zh_check_prefix_has("default", "::1"));
	assert_true(zh_check_prefix_has("::1", "::1"));
	assert_true(zh_check_prefix_has("10.20.0.0/15", "10.21.255.255"));
	assert_false(zh_check_prefix_has("10.20.0.0/15", "10.22.0.0"));
	assert_false(zh_check_prefix_has("127.0.0.1", "127.0.0.2"));
	assert_false(zh_check_prefix_has("::/0", "127.0.0.1"));
	assert_false(zh_check_prefix_has("", "127.0.0.1"));
	assert_false(zh_check_prefix_has("127.0.0.0/99", "127.0.0.1"));
	assert_false(zh_check_prefix_has("127.0.0.0/8", "127.0.0.0/4"));
	assert_true(zh_check_prefixes_overlap("172.17.0.0/16", "172.16.0.0/12"));
	assert_false(zh_check_prefixes_overlap("172.17.0.0/16", "172.18.0.0/16"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_are_judged_as_expected),
		cmocka_unit_test(every_check_has_a_case_that_fires_and_one_that_does_not),
		cmocka_unit_test(no_facts_no_findings),
		cmocka_unit_test(documentation_is_complete),
		cmocka_unit_test(every_family_has_a_check),
		cmocka_unit_test(prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
