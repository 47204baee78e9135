/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours by state: what zh_facts_neighbour_reply() fills, as the walk's `more`. */
#pragma once

#include <stdint.h>

#define ZH_NEIGHBOUR_STATES 8

struct zh_neighbour_counts {
	uint64_t of[2][ZH_NEIGHBOUR_STATES]; /* IPv4, IPv6 */
};
