/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks on tc share: a device's root qdisc apart from its clsact or ingress hooks. */
#pragma once

#include "explain/checks/support.h"

struct zh_qdisc_facts {
	uint64_t drops_pkts, overlimits;             /* growth in the window */
	uint64_t qlen_pkts, rate_bytes, limit_bytes; /* after the run; rate per second, 0: none */
	uint64_t burst_ns;
};

/* The root qdisc of the device (its name as in keys); all 0 when it is not listed. Children are
 * left out: their drops are counted by their parent as well. */
struct zh_qdisc_facts zh_qdisc_root(const struct zh_explain *ex, const char *dev);

/* Growth of the drops of the device's clsact and ingress hooks. */
uint64_t zh_qdisc_hook_drops(const struct zh_explain *ex, const char *dev);
