/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the missing datagrams of a round went: counters of the kernel before and after it.
 *
 * The receivers' own sockets come first: SK_MEMINFO_DROPS is exact. What is left is looked for in
 * counters of the namespaces, and last of the whole host, which move for other traffic too: a
 * counter is never blamed for more than it moved, nor for more than is missing. What no counter
 * explains is "unattributed".
 */
#pragma once

#include "bench/internal.h"

#define ZH_BENCH_COUNTERS_MAX 400

enum zh_bench_counter_kind {
	ZH_BENCH_COUNTER,         /* of its own */
	ZH_BENCH_COUNTER_SOCKET,  /* drops of one end's socket */
	ZH_BENCH_COUNTER_SOCKETS, /* of all sockets of a namespace, those two among them */
};

struct zh_bench_counter {
	char name[64];
	uint64_t value;
	enum zh_bench_counter_kind kind;
};

/* In the order in which they are blamed. */
struct zh_bench_counters {
	struct zh_bench_counter rows[ZH_BENCH_COUNTERS_MAX];
	size_t n;
};

/* Reads the counters of both ends, the near socket's drops among them, from the maker's thread,
 * whose namespace is as before afterwards. What cannot be read is left out. */
void zh_bench_losses_read(const struct zh_bench_link *link, struct zh_bench_counters *ret);

/* SK_MEMINFO_DROPS of a socket; 0 for what is none. */
uint64_t zh_bench_socket_drops(int fd);

/* Shares `missing` out; the sum of ret[0..n) is `missing`. Returns n, at most max (>= 2). */
size_t zh_bench_losses_attribute(const struct zh_bench_counters *before,
	const struct zh_bench_counters *after, uint64_t missing, struct zh_bench_loss *ret,
	size_t max);
