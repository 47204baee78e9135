/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the probe is compared with: a bare loop without any of its bookkeeping, and the tools that
 * people use. Each measures the median RTT of a closed loop on the given CPUs.
 */
#pragma once

#include <stdint.h>

#include "record/record.h"

#define BENCH_SIZE 64 /* payload bytes; the same for all */

/* Median RTT in ns of `count` round trips; 0 when it cannot be measured. Two clock reads a round
 * trip, right beside the send and the receive call: what any measuring loop needs. */
uint64_t bench_bare(enum zh_transport_id transport, int cpu, int peer_cpu, uint32_t count);
/* The same by ping -U -A: user-space stamps, next request right after the reply. Its figures are
 * whole microseconds, cut. The kernel answers. */
uint64_t bench_ping(int cpu, uint32_t count);
/* The same by sockperf ping-pong, two processes, one second; UDP and TCP. */
uint64_t bench_sockperf(enum zh_transport_id transport, int cpu, int peer_cpu);
