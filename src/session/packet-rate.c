/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many packets pass the busiest CPU just now? Hooks that fire for each of them cost those
 * packets; the session leaves out what it can do without where a flood passes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/internal.h"
#include "sys/root.h"

#define WATCH_NS (25 * ZH_NSEC_PER_MSEC)
#define LINES_MAX 1024

/* The first column of each line of softnet_stat: packets processed, hexadecimal, one line a CPU. */
static size_t read_processed(uint32_t *counts, size_t size)
{
	zh_autofree char *text = NULL;
	char *line, *rest;
	size_t n = 0;

	if (zh_sys_slurp(&text, "/proc/net/softnet_stat") < 0)
		return 0;
	for (line = strtok_r(text, "\n", &rest); line && n < size;
		line = strtok_r(NULL, "\n", &rest))
		counts[n++] = (uint32_t)strtoul(line, NULL, 16);
	return n;
}

uint64_t session_packet_rate(void)
{
	uint32_t first[LINES_MAX], last[LINES_MAX], most = 0;
	uint64_t start_ns = zh_now_ns();
	size_t n = read_processed(first, LINES_MAX), i;

	zh_sleep_until(start_ns + WATCH_NS);
	n = ZH_MIN(n, read_processed(last, LINES_MAX));
	for (i = 0; i < n; i++)
		most = ZH_MAX(most, last[i] - first[i]);
	return most * ZH_NSEC_PER_SEC / (zh_now_ns() - start_ns);
}
