/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the round trips of TCP probes gather: TCP's timers leave marks at fixed times.
 */
#pragma once

#include "explain/internal.h"

struct zh_tcp_modes {
	uint64_t n;      /* answered TCP probes */
	uint64_t ack40;  /* 38 to 60 ms: the delayed ACK's 40 ms, up to a tick more */
	uint64_t rto200; /* 200 to 260 ms: the least retransmission timeout */
};
struct zh_tcp_modes zh_tcp_modes_find(const struct zh_explain *ex);
