/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/hgrm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static char *hgrm_of(const uint64_t *values, size_t n, double unit)
{
	struct zh_histogram *histogram = zh_histogram_new();
	zh_autobuf out = {};
	size_t i;

	assert_non_null(histogram);
	for (i = 0; i < n; i++)
		zh_histogram_add(histogram, values[i]);
	zh_histogram_write_hgrm(histogram, unit, &out);
	zh_histogram_free(histogram);
	return zh_buf_take(&out);
}

/*
 * By hand: of ten values 100 ... 1000 ns, each reaches 10 % more. From 50 % on the steps are 5 %:
 * 600 ns reach 55 and 60, 700 ns 65 and 70, 800 ns 75 and (steps of 2.5 % now) 77.5 and 80,
 * 900 ns 82.5, 85, 87.5, 88.75 and 90. The last value has the next level, 91.25, and 100 %.
 * Mean 550, deviation sqrt(82500) = 287.228.
 */
static void ten_values(void **state)
{
	static const uint64_t values[] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000};
	static const char expected[] = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
				       "       0.100 0.000000000000          1           1.00\n"
				       "       0.100 0.100000000000          1           1.11\n"
				       "       0.200 0.200000000000          2           1.25\n"
				       "       0.300 0.300000000000          3           1.43\n"
				       "       0.400 0.400000000000          4           1.67\n"
				       "       0.500 0.500000000000          5           2.00\n"
				       "       0.600 0.550000000000          6           2.22\n"
				       "       0.600 0.600000000000          6           2.50\n"
				       "       0.700 0.650000000000          7           2.86\n"
				       "       0.700 0.700000000000          7           3.33\n"
				       "       0.800 0.750000000000          8           4.00\n"
				       "       0.800 0.775000000000          8           4.44\n"
				       "       0.800 0.800000000000          8           5.00\n"
				       "       0.900 0.825000000000          9           5.71\n"
				       "       0.900 0.850000000000          9           6.67\n"
				       "       0.900 0.875000000000          9           8.00\n"
				       "       0.900 0.887500000000          9           8.89\n"
				       "       0.900 0.900000000000          9          10.00\n"
				       "       1.000 0.912500000000         10          11.43\n"
				       "       1.000 1.000000000000         10\n"
				       "#[Mean    =        0.550, StdDeviation   =        0.287]\n"
				       "#[Max     =        1.000, Total count    =           10]\n"
				       "#[Buckets =           54, SubBuckets     =         2048]\n";
	zh_autofree char *text = hgrm_of(values, ZH_ARRAY_SIZE(values), 1000);

	(void)state;
	assert_string_equal(text, expected);
}

static void nothing_and_one(void **state)
{
	static const uint64_t one[] = {15500};
	zh_autofree char *empty = hgrm_of(NULL, 0, 1000), *single = hgrm_of(one, 1, 1);

	(void)state;
	assert_non_null(strstr(empty, "Percentile)\n\n#[Mean    =        0.000, Std"));
	assert_non_null(strstr(single, "\n   15500.000 0.000000000000          1           1.00\n"
				       "   15500.000 1.000000000000          1\n#[Mean"));
}

/* A large count far out: levels stay in order, total counts ascend, and the table ends. */
static void long_tails_end(void **state)
{
	struct zh_histogram *histogram = zh_histogram_new();
	double value, level, last = -1;
	uint64_t total, before = 0;
	zh_autobuf out = {};
	const char *line;
	size_t lines = 0;

	(void)state;
	assert_non_null(histogram);
	zh_histogram_add(histogram, 1000);
	zh_histogram_add(histogram, 2000);
	zh_histogram_add(histogram, UINT64_MAX);
	histogram->counts[1000] = UINT64_MAX / 2;
	histogram->n = UINT64_MAX / 2 + 2;
	zh_histogram_write_hgrm(histogram, 1, &out);
	assert_false(out.failed);
	for (line = strstr(out.text, "\n\n") + 2; *line != '#'; line = strchr(line, '\n') + 1) {
		assert_int_equal(sscanf(line, "%lf %lf %lu", &value, &level, &total), 3);
		assert_true(level >= last && total >= before);
		last = level;
		before = total;
		lines++;
	}
	assert_true(lines > 5 * 62 && lines < 5 * 66);
	assert_true(total == histogram->n && level == 1);
	zh_histogram_free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_values),
		cmocka_unit_test(nothing_and_one),
		cmocka_unit_test(long_tails_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
