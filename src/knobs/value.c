/* SPDX-License-Identifier: BSD-2-Clause */
/* Three texts of one value: the user's, the canonical one, the kernel's. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "knobs/knob.h"
#include "stats/rps-mask.h"
#include "sys/root.h"

static bool has_bounds(const struct zh_knob *knob)
{
	return knob->min || knob->max;
}

static bool is_within(const struct zh_knob *knob, long long value)
{
	return !has_bounds(knob) || (value >= knob->min && value <= knob->max);
}

char *zh_knob_values(const struct zh_knob *knob, char *buf, size_t size)
{
	size_t len = 0;

	switch (knob->type) {
	case ZH_KNOB_NUMBER:
	case ZH_KNOB_NUMBERS:
		if (knob->type == ZH_KNOB_NUMBERS)
			len = (size_t)snprintf(
				buf, size, "%u numbers in quotes, each ", knob->n_numbers);
		if (has_bounds(knob))
			snprintf(buf + len, size - len, "%lld to %lld%s%s", knob->min, knob->max,
				knob->unit ? " " : "", knob->unit ? knob->unit : "");
		else
			snprintf(buf + len, size - len, "a whole number%s%s",
				knob->unit ? " of " : "", knob->unit ? knob->unit : "");
		break;
	case ZH_KNOB_BOOL:
	case ZH_KNOB_FLAG_YN:
		snprintf(buf, size, "on (1) or off (0)");
		break;
	case ZH_KNOB_WORD:
		buf[0] = '\0';
		for (size_t i = 0; knob->words && knob->words[i] && len < size; i++)
			len += (size_t)snprintf(
				buf + len, size - len, "%s%s", i ? ", " : "", knob->words[i]);
		break;
	case ZH_KNOB_CPU_MASK:
	case ZH_KNOB_CPU_LIST:
		snprintf(buf, size, "a CPU list (0-3,8)%s",
			knob->type == ZH_KNOB_CPU_MASK ? " or none" : "");
		break;
	case ZH_KNOB_TEXT:
		snprintf(buf, size, "text");
	}
	if (knob->choose)
		snprintf(buf + strlen(buf), size - strlen(buf), ", or auto");
	return buf;
}

static int not_allowed(const struct zh_knob *knob, const char *text, int code, struct zh_err *err)
{
	char values[200];

	return zh_err_set(err, code, "%s=%.60s: it takes %s", knob->id, text,
		zh_knob_values(knob, values, sizeof(values)));
}

/* A whole number without anything around it. */
static int read_number(const char *text, long long *ret)
{
	char *end;

	if (!isdigit((unsigned char)text[*text == '-']))
		return -EINVAL;
	errno = 0;
	*ret = strtoll(text, &end, 10);
	return errno ? -errno : *end ? -EINVAL : 0;
}

static bool is_unit(const struct zh_knob *knob, const char *unit)
{
	return knob->unit && !strcmp(knob->unit, unit);
}

static int parse_quantity(const struct zh_knob *knob, const char *text, long long *ret)
{
	uint64_t value;
	int r = read_number(text, ret);

	if (r == 0 || r == -ERANGE)
		return r;
	if (is_unit(knob, "us") || is_unit(knob, "ns")) {
		uint64_t divisor = is_unit(knob, "us") ? ZH_NSEC_PER_USEC : 1;

		r = zh_parse_duration(text, &value, NULL);
		if (r == 0 && value % divisor)
			r = -EINVAL;
		value /= divisor;
	} else if (is_unit(knob, "bytes")) {
		r = zh_parse_size(text, &value, NULL);
	}
	if (r == 0)
		*ret = (long long)value;
	return r;
}

static int parse_bool(const char *text, char *ret)
{
	static const char *const words[][2] = {
		{"0", "1"}, {"off", "on"}, {"no", "yes"}, {"false", "true"}, {"N", "Y"}};

	for (size_t i = 0; i < ZH_ARRAY_SIZE(words); i++) {
		for (int on = 0; on < 2; on++) {
			if (!strcmp(text, words[i][on])) {
				snprintf(ret, ZH_KNOB_VALUE, "%d", on);
				return 0;
			}
		}
	}
	return -EINVAL;
}

static int parse_cpus(const struct zh_knob *knob, const char *text, char *ret)
{
	struct zh_cpuset cpus = {};

	if (knob->type == ZH_KNOB_CPU_MASK && (!*text || !strcmp(text, "none"))) {
		ret[0] = '\0';
		return 0;
	}
	if (zh_parse_cpulist(text, &cpus, NULL) < 0)
		return -EINVAL;
	zh_format_cpulist(ret, ZH_KNOB_VALUE, &cpus);
	return 0;
}

/* Words with single spaces between them. */
static int squeeze(const char *text, char *ret)
{
	size_t len = 0;

	for (; *text; text++) {
		if (isspace((unsigned char)*text)) {
			if (len && ret[len - 1] != ' ')
				ret[len++] = ' ';
		} else if (iscntrl((unsigned char)*text)) {
			return -EINVAL;
		} else {
			ret[len++] = *text;
		}
		if (len >= ZH_KNOB_VALUE - 1)
			return -E2BIG;
	}
	ret[len && ret[len - 1] == ' ' ? len - 1 : len] = '\0';
	return 0;
}

static int parse_numbers(const struct zh_knob *knob, const char *text, char *ret)
{
	char words[ZH_KNOB_VALUE], *save = NULL;
	size_t len = 0;
	unsigned int n = 0;
	long long value;
	int r = squeeze(text, words);

	ret[0] = '\0';
	for (char *word = r == 0 ? strtok_r(words, " ", &save) : NULL; word;
		word = strtok_r(NULL, " ", &save), n++) {
		r = read_number(word, &value);
		if (r < 0 || !is_within(knob, value))
			return -EINVAL;
		len += (size_t)snprintf(
			ret + len, ZH_KNOB_VALUE - len, "%s%lld", n ? " " : "", value);
	}
	return r < 0 || n != knob->n_numbers ? -EINVAL : 0;
}

static int parse_word(const struct zh_knob *knob, const char *text, char *ret)
{
	for (size_t i = 0; knob->words && knob->words[i]; i++) {
		if (!strcmp(knob->words[i], text)) {
			snprintf(ret, ZH_KNOB_VALUE, "%s", text);
			return 0;
		}
	}
	return -EINVAL;
}

static int parse(const struct zh_knob *knob, const char *text, char *ret)
{
	long long value = 0;
	int r;

	switch (knob->type) {
	case ZH_KNOB_NUMBER:
		r = parse_quantity(knob, text, &value);
		if (r == 0 && !is_within(knob, value))
			r = -ERANGE;
		if (r == 0)
			snprintf(ret, ZH_KNOB_VALUE, "%lld", value);
		return r;
	case ZH_KNOB_BOOL:
	case ZH_KNOB_FLAG_YN:
		return parse_bool(text, ret);
	case ZH_KNOB_CPU_MASK:
	case ZH_KNOB_CPU_LIST:
		return parse_cpus(knob, text, ret);
	case ZH_KNOB_NUMBERS:
		return parse_numbers(knob, text, ret);
	case ZH_KNOB_WORD:
		return parse_word(knob, text, ret);
	case ZH_KNOB_TEXT:
		return squeeze(text, ret);
	}
	return -EINVAL;
}

int zh_knob_parse(const struct zh_knob *knob, const char *text, char ret[static ZH_KNOB_VALUE],
	struct zh_err *err)
{
	int r = strlen(text) < ZH_KNOB_VALUE ? parse(knob, text, ret) : -E2BIG;

	return r < 0 ? not_allowed(knob, text, r == -ERANGE ? r : -EINVAL, err) : 0;
}

/* Hexadecimal digits, the highest first; commas are for the eye. */
static int decode_mask(const char *raw, char *ret)
{
	struct zh_cpuset cpus = {};
	unsigned int cpu = 0;

	if (!*raw)
		return -EBADMSG;
	for (const char *p = raw + strlen(raw); p > raw;) {
		int c = tolower((unsigned char)*--p), digit;

		if (c == ',')
			continue;
		if (!isxdigit(c))
			return -EBADMSG;
		digit = isdigit(c) ? c - '0' : c - 'a' + 10;
		for (unsigned int bit = 0; bit < 4; bit++, cpu++) {
			if (!(digit >> bit & 1))
				continue;
			if (cpu >= ZH_CPU_MAX)
				return -EBADMSG;
			zh_cpuset_add(&cpus, cpu);
		}
	}
	zh_format_cpulist(ret, ZH_KNOB_VALUE, &cpus);
	return 0;
}

int zh_knob_decode(const struct zh_knob *knob, const char *raw, char ret[static ZH_KNOB_VALUE])
{
	const char *open = strchr(raw, '['), *close = open ? strchr(open, ']') : NULL;
	long long value;

	switch (knob->type) {
	case ZH_KNOB_NUMBER: /* its bounds are those of what may be set, not of what is */
		if (read_number(raw, &value) < 0)
			return -EBADMSG;
		snprintf(ret, ZH_KNOB_VALUE, "%lld", value);
		return 0;
	case ZH_KNOB_CPU_MASK:
		return decode_mask(raw, ret);
	case ZH_KNOB_CPU_LIST:
		if (!*raw) {
			ret[0] = '\0';
			return 0;
		}
		return parse_cpus(knob, raw, ret) < 0 ? -EBADMSG : 0;
	case ZH_KNOB_WORD:
		if (close) {
			snprintf(ret, ZH_KNOB_VALUE, "%.*s", (int)(close - open - 1), open + 1);
			return 0;
		}
		return squeeze(raw, ret) < 0 ? -EBADMSG : 0;
	case ZH_KNOB_BOOL:
	case ZH_KNOB_FLAG_YN:
		return parse_bool(raw, ret) < 0 ? -EBADMSG : 0;
	case ZH_KNOB_NUMBERS:
	case ZH_KNOB_TEXT:
		return squeeze(raw, ret) < 0 ? -EBADMSG : 0;
	}
	return -EBADMSG;
}

/* The kernel refuses a mask with more words than it has CPU numbers for. */
static void encode_mask(const char *canonical, char *ret)
{
	struct zh_rps_topology *topology = calloc(1, sizeof(*topology));
	struct zh_cpuset cpus = {};
	char possible[256];

	if (*canonical)
		zh_parse_cpulist(canonical, &cpus, NULL);
	if (topology &&
		zh_sys_read(possible, sizeof(possible), "/sys/devices/system/cpu/possible") > 0)
		zh_parse_cpulist(possible, &topology->possible, NULL);
	/* A CPU that cannot exist is for the kernel to refuse, not for us to leave out. */
	for (unsigned int cpu = 0; topology && cpu < ZH_CPU_MAX; cpu++)
		if (zh_cpuset_has(&cpus, cpu))
			zh_cpuset_add(&topology->possible, cpu);
	zh_rps_format(ret, ZH_KNOB_VALUE, &cpus, topology ? zh_rps_cpu_ids(topology) : ZH_CPU_MAX);
	free(topology);
}

void zh_knob_encode(
	const struct zh_knob *knob, const char *canonical, char ret[static ZH_KNOB_VALUE])
{
	if (knob->type == ZH_KNOB_CPU_MASK)
		encode_mask(canonical, ret);
	else if (knob->type == ZH_KNOB_FLAG_YN)
		snprintf(ret, ZH_KNOB_VALUE, "%s", *canonical == '1' ? "Y" : "N");
	else
		snprintf(ret, ZH_KNOB_VALUE, "%s", canonical);
}
