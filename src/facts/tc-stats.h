/* SPDX-License-Identifier: BSD-2-Clause */
/* What qdiscs and filters have in common: handles and statistics. */
#pragma once

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fact-set.h"

/* "8001:", "1:10", "root", "ingress" (the parent of ingress and clsact). Returns buf. */
char *zh_tc_handle(char *buf, size_t size, uint32_t handle);

/* Adds pkts, bytes, drops_pkts, ... of a TCA_STATS2 attribute under `prefix`. */
void zh_tc_stats(struct zh_fact_set *set, const struct nlattr *stats, const char *prefix);

/* Packets and drops of such an attribute. */
void zh_tc_counts(const struct nlattr *stats, uint64_t *ret_pkts, uint64_t *ret_drops);
