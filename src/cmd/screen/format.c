/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/format.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"

/* Three digits and a power of 1000. */
static void format_scaled(double value, char *buf, size_t size)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P"};
	size_t unit = 0;

	while (value >= 999.5 && unit + 1 < ZH_ARRAY_SIZE(units)) {
		value /= 1000;
		unit++;
	}
	if (value == 0)
		snprintf(buf, size, "0");
	else if (value < 0.05 && !unit)
		snprintf(buf, size, "<0.1");
	else if (value < 9.995 && unit)
		snprintf(buf, size, "%.2f%s", value, units[unit]);
	else if (value < (unit ? 99.95 : 9.95))
		snprintf(buf, size, "%.1f%s", value, units[unit]);
	else
		snprintf(buf, size, "%.0f%s", ZH_MIN(value, 999999.0), units[unit]);
}

static void format_share(double share, char *buf, size_t size)
{
	if (share == 0)
		snprintf(buf, size, "0");
	else if (share < 0.0005)
		snprintf(buf, size, "<0.1");
	else
		snprintf(buf, size, share < 0.9995 ? "%.1f" : "%.0f", 100 * ZH_MIN(share, 999.0));
}

char *screen_format(enum screen_kind kind, double value, char *buf, size_t size)
{
	if (!(value >= 0))
		snprintf(buf, size, SCREEN_UNKNOWN);
	else if (kind == SCREEN_SHARE)
		format_share(value, buf, size);
	else if (kind == SCREEN_COUNT && value < 99999.5)
		snprintf(buf, size, "%.0f", value);
	else if (kind == SCREEN_NS && value < 1e18)
		zh_format_ns(buf, size, (uint64_t)value);
	else
		format_scaled(value, buf, size);
	return buf;
}

char *screen_shorten(const char *text, char *buf, size_t width)
{
	size_t length = strlen(text), head, tail;

	if (length <= width) {
		memcpy(buf, text, length + 1);
		return buf;
	}
	if (!width) {
		buf[0] = '\0';
		return buf;
	}
	tail = (width - 1) / 2;
	head = width - 1 - tail;
	memcpy(buf, text, head);
	buf[head] = '~';
	memcpy(buf + head + 1, text + length - tail, tail + 1);
	return buf;
}

static double largest(const float *samples, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = ZH_MAX(most, (double)samples[i]);
	return most;
}

char *screen_sparkline(const float *samples, size_t n, double full, bool ascii, char *buf)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const letters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
	const size_t top = ZH_ARRAY_SIZE(blocks) - 1;
	char *out = buf;

	if (full <= 0)
		full = largest(samples, n);
	for (size_t i = 0; i < n; i++) {
		double part = full > 0 ? ZH_MIN(samples[i] / full, 1.0) : 0;
		/* More than nothing is above the ground. */
		size_t level = samples[i] > 0 ? 1 + (size_t)(part * (double)(top - 1) + 0.5) : 0;
		const char *text = ascii ? letters[level] : blocks[level];

		out = stpcpy(out, samples[i] >= 0 ? text : " ");
	}
	*out = '\0';
	return buf;
}
