/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the running kernel offers, learned from its BTF in one pass: tracepoints and how many
 * arguments they have, netfilter programs, names of drop reasons.
 */
#pragma once

#include "base/err.h"
#include "trace/shared.h"

#define ZH_DROP_REASONS 512 /* of the core; subsystems have numbers from 65536 on */

struct zh_features {
	bool hooks[ZH_HOOK_MAX];
	bool netfilter;
	bool has_prev_state, has_drop_reason; /* as in struct zh_trace_settings */
	uint32_t no_socket;                   /* number of that drop reason, or ZH_NONE */
	char reasons[ZH_DROP_REASONS][40];    /* "NETFILTER_DROP"; "" unknown */
};

/* 0, or a negative errno: without BTF nothing can be traced. */
int zh_features_read(struct zh_features *ret, struct zh_err *err);
/* "NETFILTER_DROP", "subsystem 3 reason 7" (in buf), NULL when unknown. */
const char *zh_features_reason(
	const struct zh_features *features, uint32_t reason, char *buf, size_t size);
/* The number of a reason, or ZH_NONE. */
uint32_t zh_features_reason_number(const struct zh_features *features, const char *name);
