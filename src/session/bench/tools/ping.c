/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ping: echo requests, back to back (-f) or at a rate (-i). Its time ends at the kernel's receive
 * stamp, and is printed in whole microseconds; it needs 16 bytes for its own stamp.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "session/bench.h"
#include "session/bench/peer.h"

#define SIZE_MIN 16u
#define EXTRA_NS (5 * ZH_NSEC_PER_SEC)

static const char *refuses(const struct zh_bench_cell *cell)
{
	if (strcmp(cell->transport, "icmp"))
		return "ping knows icmp only";
	if (cell->mode == ZH_BENCH_STREAM)
		return "ping measures round trips only";
	if (cell->spin)
		return "ping cannot poll instead of sleeping";
	if (cell->buf_bytes)
		return "not run for cells with buffers of their own";
	return NULL;
}

/* "rtt min/avg/max/mdev = 0.002/0.003/0.100/0.001 ms, ..." */
static int parse(const char *text, struct zh_bench_tool *ret, struct zh_err *err)
{
	const char *at = strstr(text, "mdev = ");
	double min, mean, max;

	if (!at || sscanf(at, "mdev = %lf/%lf/%lf", &min, &mean, &max) != 3)
		return zh_err_set(err, -EBADMSG, "ping printed no round trip");
	ret->mean_ns = (uint64_t)llround(mean * 1e6);
	ret->max_ns = (uint64_t)llround(max * 1e6);
	return 0;
}

static int run(const struct zh_bench_cell *cell, uint64_t duration_ns, struct zh_bench_tool *ret,
	struct zh_err *err)
{
	static const char *const ask[] = {"ping", "-V", NULL};
	uint32_t size = ZH_MAX(cell->size_bytes, SIZE_MIN);
	unsigned int seconds = bench_peer_seconds(duration_ns);
	char size_text[BENCH_PEER_ARG], time[BENCH_PEER_ARG], gap[BENCH_PEER_ARG], version[24];
	const char *argv[16] = {"ping", "-q", "-n", "-s", size_text, "-w", time};
	size_t n = 7;
	zh_autofree char *text = NULL;
	int r;

	if (cell->mode == ZH_BENCH_PINGPONG && geteuid())
		return zh_err_set(err, -EPERM, "ping sends back to back (-f) for root only");
	bench_peer_version(ask, "iputils ", version, sizeof(version));
	snprintf(ret->version, sizeof(ret->version), size > cell->size_bytes ? "%s (%u B)" : "%s",
		version, size);
	snprintf(size_text, sizeof(size_text), "%u", size);
	snprintf(time, sizeof(time), "%u", seconds);
	snprintf(gap, sizeof(gap), "%.6f", (double)cell->gap_ns / 1e9);
	if (cell->mode == ZH_BENCH_RATE) {
		argv[n++] = "-i";
		argv[n++] = gap;
	} else {
		argv[n++] = "-f";
	}
	argv[n] = "127.0.0.1";
	r = bench_peer_client_run(
		argv, cell->cpu, seconds * ZH_NSEC_PER_SEC + EXTRA_NS, &text, err);
	return r < 0 ? r : parse(text, ret, err);
}

const struct zh_bench_peer_tool zh_bench_peer_tool_ping = {
	.name = "ping",
	.summary = "icmp round trips until the kernel's receive stamp, in whole microseconds; "
		   "messages of at least 16 bytes, runs of at least a second",
	.refuses = refuses,
	.run = run,
};
