/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"

struct config {
	uint64_t count, interval_ns;
	bool json;
	const char *output;
	int tier;
	struct zh_cpuset cpus;
};

static const char *const tiers[] = {"none", "recorder", "packets", NULL};
static const struct zh_option options[] = {
	{"count", 'c', ZH_OPTION_COUNT, offsetof(struct config, count), "N", "probes", .min = 1,
		.max = 1000},
	{"interval", 'i', ZH_OPTION_DURATION, offsetof(struct config, interval_ns), "TIME", "gap"},
	{"json", 'j', ZH_OPTION_FLAG, offsetof(struct config, json), NULL, "JSON"},
	{"output", 'o', ZH_OPTION_STRING, offsetof(struct config, output), "FILE", "record"},
	{"trace", 0, ZH_OPTION_CHOICE, offsetof(struct config, tier), "TIER", "tier",
		.choices = tiers},
	{"cpu", 0, ZH_OPTION_CPUS, offsetof(struct config, cpus), "CPUS", "where"},
	{},
};

static int parse(struct config *config, int *words, struct zh_err *err, int argc, ...)
{
	char *argv[16] = {"prog"};
	va_list ap;
	int i;

	va_start(ap, argc);
	for (i = 1; i <= argc; i++)
		argv[i] = va_arg(ap, char *);
	va_end(ap);
	return zh_options_parse(options, config, argc + 1, argv, words, err);
}

static void options_and_words_mix(void **state)
{
	struct config config = {};
	int words;

	(void)state;
	assert_int_equal(parse(&config, &words, NULL, 8, "-c", "100", "host", "--interval=5ms",
				 "-j", "--trace", "packets", "--cpu=0-1"),
		0);
	assert_int_equal(config.count, 100);
	assert_int_equal(config.interval_ns, 5000000);
	assert_true(config.json);
	assert_int_equal(config.tier, 2);
	assert_int_equal(zh_cpuset_count(&config.cpus), 2);
	assert_int_equal(words, 8);
}

static void a_head_ends_at_the_first_word(void **state)
{
	char *argv[] = {"prog", "-jo", "ping", "--trac", "packets", "ping", "-c", "many", NULL};
	struct config config = {};
	int words;

	(void)state;
	assert_int_equal(zh_options_parse_head(options, &config, 8, argv, &words, NULL), 0);
	assert_int_equal(words, 5);
	assert_true(config.json);
	assert_string_equal(config.output, "ping");
	assert_int_equal(config.tier, 2);
	assert_int_equal(config.count, 0);
	assert_string_equal(argv[6], "-c");
}

static void bad_input_is_one_clear_line(void **state)
{
	static const struct {
		char *a, *b;
		const char *says;
	} cases[] = {
		{"--nope", "x", "unknown option '--nope'"},
		{"-q", "x", "unknown option '-q'"},
		{"x", "-c", "option '-c' needs a value"},
		{"-c", "0", "--count: must be from 1 to 1000"},
		{"-c", "many", "--count: 'many' is not a whole number"},
		{"-i", "5", "--interval: '5' is not a duration"},
		{"--trace", "all", "'all' is not one of: none, recorder, packets"},
		{"--cpu", "3-1", "'3-1' is not a CPU list"},
	};
	struct config config = {};
	struct zh_err err;
	int words;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		assert_true(parse(&config, &words, &err, 2, cases[i].a, cases[i].b) < 0);
		assert_non_null(strstr(err.text, cases[i].says));
	}
}

static void help_lists_every_option(void **state)
{
	zh_autobuf help = {};

	(void)state;
	zh_options_help(options, &help);
	assert_non_null(strstr(help.text, "-c, --count N"));
	assert_non_null(strstr(help.text, "    --trace TIER"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_words_mix),
		cmocka_unit_test(a_head_ends_at_the_first_word),
		cmocka_unit_test(bad_input_is_one_clear_line),
		cmocka_unit_test(help_lists_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
