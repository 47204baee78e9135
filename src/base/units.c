/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

struct unit {
	const char *name;
	double factor;
};

static const struct unit duration_units[] = {
	{"ns", 1},
	{"us", 1e3},
	{"ms", 1e6},
	{"s", 1e9},
	{"m", 60e9},
	{"h", 3600e9},
	{},
};

static const struct unit size_units[] = {
	{"", 1},
	{"k", 1024},
	{"K", 1024},
	{"M", 1024 * 1024},
	{"G", 1024 * 1024 * 1024},
	{},
};

/* A decimal number with an optional fraction, then one of `units`; no sign, no exponent. */
static int parse_quantity(const char *text, const struct unit *units, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789."), i;
	char number[32], *end;
	double value;

	if (!isdigit((unsigned char)text[0]) || digits >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, digits);
	number[digits] = '\0';
	value = strtod(number, &end);
	if (*end)
		return -EINVAL;
	for (i = 0; units[i].name; i++) {
		if (strcmp(units[i].name, text + digits))
			continue;
		value *= units[i].factor;
		if (value >= 9e18)
			return -ERANGE;
		*ret = (uint64_t)llround(value);
		return 0;
	}
	return -EINVAL;
}

int zh_parse_duration(const char *text, uint64_t *ret_ns, struct zh_err *err)
{
	uint64_t ns;
	int r = parse_quantity(text, duration_units, &ns);

	if (r < 0)
		return zh_err_set(
			err, r, "'%.100s' is not a duration (write 50us, 200ms, 1.5s, 2m)", text);
	*ret_ns = ns;
	return 0;
}

int zh_parse_size(const char *text, uint64_t *ret_bytes, struct zh_err *err)
{
	uint64_t bytes;
	int r = parse_quantity(text, size_units, &bytes);

	if (r < 0)
		return zh_err_set(err, r, "'%.100s' is not a size (write 64, 1k, 1M, 1G)", text);
	*ret_bytes = bytes;
	return 0;
}

int zh_parse_u64(const char *text, uint64_t *ret_value, struct zh_err *err)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
	if (!isdigit((unsigned char)text[0]) || *end)
		return zh_err_set(err, -EINVAL, "'%.100s' is not a whole number", text);
	if (errno)
		return zh_err_set(err, -ERANGE, "'%.100s' is too large", text);
	*ret_value = value;
	return 0;
}

void zh_cpuset_add(struct zh_cpuset *set, unsigned int cpu)
{
	if (cpu < ZH_CPU_MAX)
		set->bits[cpu / 64] |= 1ull << (cpu % 64);
}

int zh_cpuset_has(const struct zh_cpuset *set, unsigned int cpu)
{
	return cpu < ZH_CPU_MAX && (set->bits[cpu / 64] >> (cpu % 64) & 1);
}

unsigned int zh_cpuset_count(const struct zh_cpuset *set)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < ZH_CPU_MAX / 64; i++)
		count += (unsigned int)__builtin_popcountll(set->bits[i]);
	return count;
}

/* One "3" or "0-3" at *text; advances *text past it. */
static int parse_range(const char **text, struct zh_cpuset *set)
{
	unsigned long first, last;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	first = last = strtoul(*text, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		last = strtoul(end + 1, &end, 10);
	}
	*text = end;
	if (last < first || last >= ZH_CPU_MAX)
		return -ERANGE;
	for (; first <= last; first++)
		zh_cpuset_add(set, (unsigned int)first);
	return 0;
}

int zh_parse_cpulist(const char *text, struct zh_cpuset *ret_set, struct zh_err *err)
{
	struct zh_cpuset set = {};
	const char *p = text;
	int r = 0;

	while (!r) {
		r = parse_range(&p, &set);
		if (!r && !*p)
			break;
		if (!r && *p++ != ',')
			r = -EINVAL;
	}
	if (r < 0)
		return zh_err_set(err, r,
			"'%.100s' is not a CPU list (write 0, 0-3 or 0-3,8; below %d)", text,
			ZH_CPU_MAX);
	*ret_set = set;
	return 0;
}

char *zh_format_cpulist(char *buf, size_t size, const struct zh_cpuset *set)
{
	unsigned int cpu, last;
	size_t len = 0;

	buf[0] = '\0';
	for (cpu = 0; cpu < ZH_CPU_MAX && len < size; cpu = last + 1) {
		last = cpu;
		if (!zh_cpuset_has(set, cpu))
			continue;
		while (zh_cpuset_has(set, last + 1))
			last++;
		len += (size_t)snprintf(buf + len, size - len, last > cpu ? "%s%u-%u" : "%s%u",
			len ? "," : "", cpu, last);
	}
	return buf;
}

static char *format_scaled(char *buf, size_t size, double value, const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(buf, size, "%.*f %s", decimals, value, unit);
	return buf;
}

char *zh_format_ns(char *buf, size_t size, uint64_t ns)
{
	if (ns < 1000) {
		snprintf(buf, size, "%" PRIu64 " ns", ns);
		return buf;
	}
	if (ns < 999500)
		return format_scaled(buf, size, (double)ns / 1e3, "us");
	if (ns < 999500000)
		return format_scaled(buf, size, (double)ns / 1e6, "ms");
	return format_scaled(buf, size, (double)ns / 1e9, "s");
}

char *zh_format_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, size, "%" PRIu64 " B", bytes);
		return buf;
	}
	while (value >= 1024 && i + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1024;
		i++;
	}
	return format_scaled(buf, size, value, units[i]);
}

char *zh_format_rate(char *buf, size_t size, double rate)
{
	static const char *const units[] = {"", "k", "M", "G"};
	size_t unit = 0;

	/* 999.5 would be written as 1000. */
	while (rate >= 999.5 && unit + 1 < ZH_ARRAY_SIZE(units)) {
		rate /= 1000;
		unit++;
	}
	snprintf(buf, size, "%.*f%s",
		rate >= 99.95 || (rate == 0 && !unit) ? 0
		: rate >= 9.995                       ? 1
						      : 2,
		rate, units[unit]);
	return buf;
}
