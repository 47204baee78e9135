/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands at the head of every probe's payload, in host byte order: it tells the sample a
 * packet belongs to, to the receiver and to tracing alike.
 */
#pragma once

#include <stdint.h>

#define ZH_WIRE_MAGIC 0x5a48574952453031ull

struct zh_wire {        /* 24 bytes, without holes */
	uint64_t magic; /* ZH_WIRE_MAGIC */
	uint32_t run;   /* random, tells two runs apart */
	uint32_t seq;   /* the sample's seq */
	uint32_t leg;   /* 0 request, 1 reply (ICMP: told by its type, this stays 0) */
	uint32_t size;  /* of the whole message, for streams */
};
