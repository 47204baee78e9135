/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target of everything that a user types: targets, quantities, options. The first byte says
 * which parser gets the rest. Any text gives a value within its bounds, or one line that says what
 * is wrong, and then leaves the output as it was.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/units.h"
#include "base/util.h"
#include "probe/probe.h"

#define MAX_WORDS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(int r, const struct zh_err *err)
{
	assert(r == -EINVAL || r == -ERANGE);
	assert(err->code == -EINVAL || err->code == -ERANGE);
	assert(err->text[0] && memchr(err->text, 0, sizeof(err->text)));
}

static void fuzz_target(const char *text)
{
	struct zh_target target, untouched;
	struct zh_err err = {0};
	int r;

	memset(&target, 0x5a, sizeof(target));
	untouched = target;
	r = zh_target_parse(text, &target, &err);
	if (r < 0) {
		check_error(r, &err);
		assert(!memcmp(&target, &untouched, sizeof(target)));
		return;
	}
	assert(target.transport < ZH_TRANSPORT_MAX);
	assert(strlen(target.host) < sizeof(target.host));
	assert(strlen(target.path) < sizeof(target.path));
	assert(!target.host[0] || !target.path[0]);
	assert(!target.port || target.host[0]);
}

static void fuzz_number(
	int (*parse)(const char *text, uint64_t *ret, struct zh_err *err), const char *text)
{
	uint64_t value = 0x5a5a5a5a5a5a5a5aull;
	struct zh_err err = {0};
	int r = parse(text, &value, &err);

	if (r < 0) {
		check_error(r, &err);
		assert(value == 0x5a5a5a5a5a5a5a5aull);
	}
}

static void fuzz_cpus(const char *text)
{
	struct zh_cpuset set, again;
	struct zh_err err = {0};
	char list[8192];
	int r;

	memset(&set, 0x5a, sizeof(set));
	again = set;
	r = zh_parse_cpulist(text, &set, &err);
	if (r < 0) {
		check_error(r, &err);
		assert(!memcmp(&set, &again, sizeof(set)));
		return;
	}
	/* What is printed means the same set. */
	zh_format_cpulist(list, sizeof(list), &set);
	assert(zh_parse_cpulist(list, &again, &err) == 0);
	assert(!memcmp(&set, &again, sizeof(set)));
}

struct config {
	uint64_t count, gap_ns, size_bytes;
	struct zh_cpuset cpus;
	const char *name;
	int mode;
	bool is_fast;
};

static const char *const modes[] = {"slow", "quick", NULL};

static const struct zh_option options[] = {
	{"count", 'c', ZH_OPTION_COUNT, offsetof(struct config, count), "N", "how many", .min = 1,
		.max = 1000},
	{"interval", 'i', ZH_OPTION_DURATION, offsetof(struct config, gap_ns), "TIME", "gap"},
	{"size", 's', ZH_OPTION_SIZE, offsetof(struct config, size_bytes), "SIZE", "payload"},
	{"cpu", 0, ZH_OPTION_CPUS, offsetof(struct config, cpus), "LIST", "where"},
	{"name", 'n', ZH_OPTION_STRING, offsetof(struct config, name), "NAME", "how called"},
	{"mode", 'm', ZH_OPTION_CHOICE, offsetof(struct config, mode), "MODE", "how",
		.choices = modes},
	{"fast", 'f', ZH_OPTION_FLAG, offsetof(struct config, is_fast), NULL, "hurry"},
	{NULL},
};

/* One word a line. */
static void fuzz_options(char *text)
{
	char *argv[MAX_WORDS + 2] = {(char[]){"zerohop"}}, *rest = text;
	struct config config = {.count = 1};
	struct zh_err err = {0};
	int argc = 1, words = 0, r;

	while (rest && argc <= MAX_WORDS)
		argv[argc++] = strsep(&rest, "\n");
	r = zh_options_parse(options, &config, argc, argv, &words, &err);
	if (r < 0) {
		assert(r == -EINVAL);
		check_error(r, &err);
		return;
	}
	assert(words >= 1 && words <= argc);
	assert(config.count >= 1 && config.count <= 1000);
	assert(config.mode >= 0 && (size_t)config.mode < ZH_ARRAY_SIZE(modes) - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zh_autofree char *text = NULL;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0]) {
	case 't':
		fuzz_target(text);
		break;
	case 'd':
		fuzz_number(zh_parse_duration, text);
		break;
	case 's':
		fuzz_number(zh_parse_size, text);
		break;
	case 'n':
		fuzz_number(zh_parse_u64, text);
		break;
	case 'c':
		fuzz_cpus(text);
		break;
	case 'o':
		fuzz_options(text);
		break;
	default:
		break;
	}
	return 0;
}
