/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"

#define OPTIONS_MAX 64
#define HELP_INDENT 26

static int parse_choice(
	const struct zh_option *option, const char *text, int *ret, struct zh_err *err)
{
	char allowed[200] = "";
	size_t len = 0;
	int i;

	for (i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], text)) {
			*ret = i;
			return 0;
		}
		if (len < sizeof(allowed))
			len += (size_t)snprintf(allowed + len, sizeof(allowed) - len, "%s%s",
				i ? ", " : "", option->choices[i]);
	}
	return zh_err_set(err, -EINVAL, "'%.100s' is not one of: %s", text, allowed);
}

static int check_bounds(const struct zh_option *option, uint64_t value, struct zh_err *err)
{
	char low[32], high[32];

	if (value >= option->min && (!option->max || value <= option->max))
		return 0;
	if (option->type == ZH_OPTION_DURATION) {
		zh_format_ns(low, sizeof(low), option->min);
		zh_format_ns(high, sizeof(high), option->max);
	} else {
		snprintf(low, sizeof(low), "%llu", (unsigned long long)option->min);
		snprintf(high, sizeof(high), "%llu", (unsigned long long)option->max);
	}
	if (!option->max)
		return zh_err_set(err, -EINVAL, "must be at least %s", low);
	return zh_err_set(err, -EINVAL, "must be from %s to %s", low, high);
}

static int store(const struct zh_option *option, void *config, const char *text, struct zh_err *err)
{
	void *field = (char *)config + option->offset;
	uint64_t value = 0;
	int r = 0;

	switch (option->type) {
	case ZH_OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case ZH_OPTION_STRING:
		*(const char **)field = text;
		return 0;
	case ZH_OPTION_CHOICE:
		return parse_choice(option, text, field, err);
	case ZH_OPTION_CPUS:
		return zh_parse_cpulist(text, field, err);
	case ZH_OPTION_COUNT:
		r = zh_parse_u64(text, &value, err);
		break;
	case ZH_OPTION_DURATION:
		r = zh_parse_duration(text, &value, err);
		break;
	case ZH_OPTION_SIZE:
		r = zh_parse_size(text, &value, err);
		break;
	}
	if (r < 0)
		return r;
	r = check_bounds(option, value, err);
	if (r < 0)
		return r;
	*(uint64_t *)field = value;
	return 0;
}

/* The getopt tables of `options`; the value that getopt_long() returns is 256 + index. */
static int build_tables(const struct zh_option *options, bool mixed, struct option *ret_long,
	char *ret_short, size_t size)
{
	size_t len = 0;
	int i;

	if (!mixed)
		ret_short[len++] = '+';
	ret_short[len++] = ':';
	for (i = 0; options[i].name; i++) {
		bool has_arg = options[i].type != ZH_OPTION_FLAG;

		if (i >= OPTIONS_MAX || len + 3 >= size)
			return -E2BIG;
		ret_long[i] = (struct option){
			options[i].name, has_arg ? required_argument : no_argument, NULL, 256 + i};
		if (!options[i].letter)
			continue;
		ret_short[len++] = options[i].letter;
		if (has_arg)
			ret_short[len++] = ':';
	}
	ret_long[i] = (struct option){};
	ret_short[len] = '\0';
	return 0;
}

static const struct zh_option *find(const struct zh_option *options, int c)
{
	int i;

	if (c >= 256)
		return &options[c - 256];
	for (i = 0; options[i].name; i++)
		if (options[i].letter == c)
			return &options[i];
	return NULL;
}

static int unknown(int c, char **argv, struct zh_err *err)
{
	const char *word = argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};

	if (optopt > 0 && optopt < 256)
		word = letter;
	if (c == ':')
		return zh_err_set(err, -EINVAL, "option '%.100s' needs a value", word);
	return zh_err_set(err, -EINVAL, "unknown option '%.100s' (--help lists them)", word);
}

static int parse(const struct zh_option *options, bool mixed, void *config, int argc, char **argv,
	int *ret_words, struct zh_err *err)
{
	struct option long_options[OPTIONS_MAX + 1];
	char letters[3 * OPTIONS_MAX];
	const struct zh_option *option;
	int c, r;

	r = build_tables(options, mixed, long_options, letters, sizeof(letters));
	if (r < 0)
		return zh_err_set(err, r, "too many options in a table");
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return unknown(c, argv, err);
		option = find(options, c);
		r = store(option, config, optarg, err);
		if (r < 0) {
			zh_err_wrap(err, "--%s", option->name);
			return -EINVAL;
		}
	}
	*ret_words = optind;
	return 0;
}

int zh_options_parse(const struct zh_option *options, void *config, int argc, char **argv,
	int *ret_words, struct zh_err *err)
{
	return parse(options, true, config, argc, argv, ret_words, err);
}

int zh_options_parse_head(const struct zh_option *options, void *config, int argc, char **argv,
	int *ret_words, struct zh_err *err)
{
	return parse(options, false, config, argc, argv, ret_words, err);
}

void zh_options_help(const struct zh_option *options, struct zh_buf *buf)
{
	char head[80];
	int i, len;

	for (i = 0; options[i].name; i++) {
		len = options[i].letter
			      ? snprintf(head, sizeof(head), "  -%c, --%s", options[i].letter,
					options[i].name)
			      : snprintf(head, sizeof(head), "      --%s", options[i].name);
		if (options[i].arg && len > 0 && (size_t)len < sizeof(head))
			snprintf(head + len, sizeof(head) - (size_t)len, " %s", options[i].arg);
		zh_buf_addf(buf, "%-*s  %s\n", HELP_INDENT, head, options[i].help);
	}
}
