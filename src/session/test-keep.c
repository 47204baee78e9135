/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/keep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool feed(struct keep *keep, uint64_t rtt_ns, uint64_t late_ns)
{
	struct zh_sample sample = {.intended_ns = 1000, .send_ns = 1000 + late_ns};

	sample.recv_ns = sample.send_ns + rtt_ns;
	return keep_sample(keep, &sample);
}

static void usual_samples_are_thinned(void **state)
{
	struct keep keep;
	int kept = 0, i;

	(void)state;
	keep_start(&keep);
	for (i = 0; i < 1000; i++)
		kept += feed(&keep, 10000 + (uint64_t)(i % 7) * 100, 0);
	assert_in_range(kept, 24, 24 + 1000 / 32 + 1);
}

static void slow_late_and_lost_ones_are_kept(void **state)
{
	struct keep keep;
	struct zh_sample lost = {.intended_ns = 1, .send_ns = 1, .flags = ZH_SAMPLE_LOST};
	int i;

	(void)state;
	keep_start(&keep);
	for (i = 0; i < 201; i++)
		feed(&keep, 10000, 0);
	assert_true(feed(&keep, 50000, 0));
	assert_true(feed(&keep, 10000, 300000));
	assert_true(keep_sample(&keep, &lost));
	assert_false(feed(&keep, 10000, 0));
}

static void the_median_follows_a_drift(void **state)
{
	struct keep keep;
	int kept = 0, i;

	(void)state;
	keep_start(&keep);
	for (i = 0; i < 200; i++)
		feed(&keep, 10000, 0);
	for (i = 0; i < 400; i++)
		kept += feed(&keep, 100000, 0);
	assert_in_range(kept, 1, 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_samples_are_thinned),
		cmocka_unit_test(slow_late_and_lost_ones_are_kept),
		cmocka_unit_test(the_median_follows_a_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
