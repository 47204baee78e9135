/* SPDX-License-Identifier: BSD-2-Clause */
/* How many routes each table holds: what zh_facts_route_reply() fills, as the walk's `more`. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ZH_ROUTE_TABLES_MAX 64

struct zh_route_tables {
	struct {
		uint32_t table;
		uint64_t routes;
	} table[ZH_ROUTE_TABLES_MAX];
	size_t n;
};
