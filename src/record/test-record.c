/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/util.h"

static const struct zh_record_limits small = {2, 100, 1000, 1000};

/* All pages of a large array are resident, so that probing does not fault. */
static void arrays_are_touched(void **state)
{
	const struct zh_record_limits limits = {1, 20000, 200000, 0};
	struct zh_record *record = zh_record_new(&limits);
	unsigned char pages[1024];
	uintptr_t first;
	size_t i, n;

	(void)state;
	assert_non_null(record);
	assert_int_equal(record->max_samples, 20000);
	assert_int_equal(record->n_samples, 0);
	first = ((uintptr_t)record->stamps + 4095) & ~(uintptr_t)4095;
	n = 200000 * sizeof(struct zh_stamp) / 4096 - 1;
	assert_true(n < ZH_ARRAY_SIZE(pages));
	assert_int_equal(mincore((void *)first, n * 4096, pages), 0);
	for (i = 0; i < n; i++)
		assert_true(pages[i] & 1);
	assert_true(record->overhead_cpu_share < 0);
	assert_string_equal(record->version, ZH_VERSION);
	assert_null(zh_record_free(record));
	assert_null(zh_record_free(NULL));
}

static void huge_limits_give_null(void **state)
{
	const struct zh_record_limits limits = {1, SIZE_MAX / 2, 1, 1};

	(void)state;
	assert_null(zh_record_new(&limits));
}

static void not_measured_keeps_the_first_reason(void **state)
{
	struct zh_record *record = zh_record_new(&small);
	char what[32];
	int i;

	(void)state;
	zh_record_not_measured(record, "trace.qdisc", "no tracepoint '%s'", "qdisc_enqueue");
	zh_record_not_measured(record, "trace.qdisc", "another reason");
	assert_int_equal(record->n_not_measured, 1);
	assert_string_equal(record->not_measured[0].why, "no tracepoint 'qdisc_enqueue'");
	for (i = 0; i < 2 * ZH_NOT_MEASURED_MAX; i++) {
		snprintf(what, sizeof(what), "thing.%d", i);
		zh_record_not_measured(record, what, "no");
	}
	assert_int_equal(record->n_not_measured, ZH_NOT_MEASURED_MAX);
	assert_string_equal(record->not_measured[ZH_NOT_MEASURED_MAX - 1].what, "more");
	zh_record_free(record);
}

static void long_names_are_cut_and_still_unique(void **state)
{
	struct zh_record *record = zh_record_new(&small);
	char what[100];

	(void)state;
	memset(what, 'x', sizeof(what) - 1);
	what[sizeof(what) - 1] = '\0';
	zh_record_not_measured(record, what, "no");
	zh_record_not_measured(record, what, "no");
	assert_int_equal(record->n_not_measured, 1);
	assert_int_equal(strlen(record->not_measured[0].what), 63);
	zh_record_counter(record, what, 1);
	zh_record_counter(record, what, 1);
	assert_int_equal(record->n_counters, 1);
	zh_record_free(record);
}

static void counters_add_up(void **state)
{
	struct zh_record *record = zh_record_new(&small);
	char name[32];
	int i;

	(void)state;
	zh_record_counter(record, "trace.lost_events", 5);
	zh_record_counter(record, "trace.lost_events", 18);
	zh_record_counter(record, "trace.runs", 0);
	assert_int_equal(record->n_counters, 2);
	assert_int_equal(record->counters[0].value, 23);
	zh_record_counter(record, "trace.lost_events", UINT64_MAX);
	assert_true(record->counters[0].value == UINT64_MAX);
	for (i = 0; i < ZH_COUNTERS_MAX; i++) {
		snprintf(name, sizeof(name), "c.%d", i);
		zh_record_counter(record, name, 1);
	}
	assert_int_equal(record->n_counters, ZH_COUNTERS_MAX);
	assert_string_equal(record->not_measured[0].what, "record.counters");
	zh_record_free(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_touched),
		cmocka_unit_test(huge_limits_give_null),
		cmocka_unit_test(not_measured_keeps_the_first_reason),
		cmocka_unit_test(long_names_are_cut_and_still_unique),
		cmocka_unit_test(counters_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
