/* SPDX-License-Identifier: BSD-2-Clause */
/* Every knob documents itself; values have one canonical text, whoever wrote them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "knobs/knob.h"
#include "stats/rps-mask.h"

static void knobs_are_complete(void **state)
{
	const struct zh_knob *knob;
	char values[200];

	(void)state;
	for (size_t i = 0; (knob = zh_knob_at(i)); i++) {
		assert_non_null(knob->id);
		assert_ptr_equal(zh_knob_find(knob->id), knob); /* and no id twice */
		assert_true(strspn(knob->id, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
			    strlen(knob->id));
		if (!knob->summary || !knob->why || !knob->cost || !knob->verify || !knob->ops)
			fail_msg("%s does not document itself", knob->id);
		if (knob->ops == &zh_knob_file && (!knob->arg || knob->arg[0] != '/'))
			fail_msg("%s has no path", knob->id);
		assert_true(*zh_knob_values(knob, values, sizeof(values)));
		assert_true((knob->type == ZH_KNOB_WORD) == (knob->words != NULL));
	}
	assert_non_null(zh_knob_at(5));
}

static void underscores_and_aliases_are_names_too(void **state)
{
	(void)state;
	assert_ptr_equal(zh_knob_find("netdev_max_backlog"), zh_knob_find("netdev-max-backlog"));
	assert_ptr_equal(zh_knob_find("rps"), zh_knob_find("rps_cpus"));
	assert_null(zh_knob_find("rps-"));
	assert_null(zh_knob_find(""));
}

struct reading {
	enum zh_knob_type type;
	const char *unit, *text, *canonical; /* canonical NULL: refused */
};

static void users_texts_become_canonical(void **state)
{
	static const struct reading readings[] = {
		{ZH_KNOB_NUMBER, NULL, "1000", "1000"},
		{ZH_KNOB_NUMBER, NULL, "007", "7"},
		{ZH_KNOB_NUMBER, NULL, "", NULL},
		{ZH_KNOB_NUMBER, NULL, "12x", NULL},
		{ZH_KNOB_NUMBER, NULL, "0x10", NULL},
		{ZH_KNOB_NUMBER, NULL, " 1", NULL},
		{ZH_KNOB_NUMBER, NULL, "99999999999999999999", NULL},
		{ZH_KNOB_NUMBER, NULL, "50us", NULL},
		{ZH_KNOB_NUMBER, "us", "50us", "50"},
		{ZH_KNOB_NUMBER, "us", "1ms", "1000"},
		{ZH_KNOB_NUMBER, "us", "50ns", NULL},
		{ZH_KNOB_NUMBER, "ns", "20us", "20000"},
		{ZH_KNOB_NUMBER, "bytes", "4k", "4096"},
		{ZH_KNOB_BOOL, NULL, "on", "1"},
		{ZH_KNOB_BOOL, NULL, "off", "0"},
		{ZH_KNOB_BOOL, NULL, "2", NULL},
		{ZH_KNOB_CPU_MASK, NULL, "0-1", "0-1"},
		{ZH_KNOB_CPU_MASK, NULL, "1,0", "0-1"},
		{ZH_KNOB_CPU_MASK, NULL, "none", ""},
		{ZH_KNOB_CPU_MASK, NULL, "ffff", NULL},
		{ZH_KNOB_CPU_LIST, NULL, "none", NULL},
		{ZH_KNOB_TEXT, NULL, "  a \t b ", "a b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		const struct reading *reading = &readings[i];
		const struct zh_knob knob = {
			.id = "test", .type = reading->type, .unit = reading->unit};
		char canonical[ZH_KNOB_VALUE];
		struct zh_err err = {};
		int r = zh_knob_parse(&knob, reading->text, canonical, &err);

		if ((r == 0) != (reading->canonical != NULL))
			fail_msg("'%s' gave %d", reading->text, r);
		if (r == 0)
			assert_string_equal(canonical, reading->canonical);
		else
			assert_true(err.text[0]);
	}
}

static void bounds_and_words_are_kept(void **state)
{
	static const char *const words[] = {"always", "never", NULL};
	const struct zh_knob number = {.id = "n", .type = ZH_KNOB_NUMBER, .min = 1, .max = 10};
	const struct zh_knob word = {.id = "w", .type = ZH_KNOB_WORD, .words = words};
	const struct zh_knob three = {
		.id = "t", .type = ZH_KNOB_NUMBERS, .n_numbers = 3, .min = 0, .max = 100};
	char value[ZH_KNOB_VALUE];

	(void)state;
	assert_int_equal(zh_knob_parse(&number, "11", value, NULL), -ERANGE);
	assert_int_equal(zh_knob_parse(&number, "0", value, NULL), -ERANGE);
	assert_int_equal(zh_knob_parse(&number, "10", value, NULL), 0);
	assert_int_equal(zh_knob_parse(&word, "sometimes", value, NULL), -EINVAL);
	assert_int_equal(zh_knob_parse(&word, "never", value, NULL), 0);
	assert_int_equal(zh_knob_decode(&word, "always [madvise] never", value), 0);
	assert_string_equal(value, "madvise");
	assert_int_equal(zh_knob_parse(&three, "1 2", value, NULL), -EINVAL);
	assert_int_equal(zh_knob_parse(&three, "1  2\t3", value, NULL), 0);
	assert_string_equal(value, "1 2 3");
	assert_int_equal(zh_knob_decode(&three, "4096\t131072\t6291456", value), 0);
	assert_string_equal(value, "4096 131072 6291456");
}

/* What we write, read as the kernel shows it, is the same set: for every number of CPUs, with the
 * zeros that some files pad with. */
static void masks_survive_the_kernels_form(void **state)
{
	const struct zh_knob knob = {.id = "m", .type = ZH_KNOB_CPU_MASK};
	char mask[288], list[ZH_KNOB_VALUE], back[ZH_KNOB_VALUE], padded[320];

	(void)state;
	for (unsigned int n = 1; n <= ZH_CPU_MAX; n++) {
		struct zh_cpuset cpus = {};

		/* Every seventh CPU would be longer than a value holds from some number on. */
		for (unsigned int cpu = n - 1; cpu < n; cpu -= ZH_CPU_MAX / 16 + 1)
			zh_cpuset_add(&cpus, cpu);
		zh_format_cpulist(list, sizeof(list), &cpus);
		zh_rps_format(mask, sizeof(mask), &cpus, n);
		assert_int_equal(zh_knob_decode(&knob, mask, back), 0);
		assert_string_equal(back, list);
		snprintf(padded, sizeof(padded), "00000000,%s", mask);
		/* A padded first group has 8 digits. */
		if (strcspn(mask, ",") == 8) {
			assert_int_equal(zh_knob_decode(&knob, padded, back), 0);
			assert_string_equal(back, list);
		}
	}
	assert_int_equal(zh_knob_decode(&knob, "", back), -EBADMSG);
	assert_int_equal(zh_knob_decode(&knob, "0x3", back), -EBADMSG);
}

static void tables_round_up(void **state)
{
	char value[ZH_KNOB_VALUE];

	(void)state;
	zh_knob_expect_power_of_two(NULL, "1000", value, sizeof(value));
	assert_string_equal(value, "1024");
	zh_knob_expect_power_of_two(NULL, "1024", value, sizeof(value));
	assert_string_equal(value, "1024");
	zh_knob_expect_power_of_two(NULL, "0", value, sizeof(value));
	assert_string_equal(value, "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knobs_are_complete),
		cmocka_unit_test(underscores_and_aliases_are_names_too),
		cmocka_unit_test(users_texts_become_canonical),
		cmocka_unit_test(bounds_and_words_are_kept),
		cmocka_unit_test(masks_survive_the_kernels_form),
		cmocka_unit_test(tables_round_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
