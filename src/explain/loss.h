/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why probes were lost. Each lost probe is given to one cause, by the best evidence there is:
 * the error of its send call, the kernel's drop reason, where its last stamp was, and at last the
 * counters that moved meanwhile.
 */
#pragma once

#include "explain/internal.h"

enum zh_loss_evidence {
	ZH_LOSS_BY_ERROR,   /* arg = errno of send */
	ZH_LOSS_BY_REASON,  /* arg = drop reason number */
	ZH_LOSS_BY_STAMP,   /* arg = the last point that was seen */
	ZH_LOSS_BY_COUNTER, /* arg = how far the counter moved */
	ZH_LOSS_BY_REFUSAL, /* arg = errno that came instead of a reply */
	ZH_LOSS_BY_SILENCE, /* somebody else's service was to answer */
	ZH_LOSS_BY_NOTHING,
};

struct zh_loss {
	uint32_t sample;
	uint32_t arg;
	enum zh_loss_evidence evidence;
	char detail[80]; /* reason, counter or device, for people */
	const struct zh_cause *cause;
};

struct zh_losses {
	struct zh_loss *list;
	size_t n;
};

/* All lost probes outside the clean room, in order of time. Sets ex->failed when out of memory. */
void zh_losses_find(struct zh_explain *ex, struct zh_losses *ret);

/* The usual life of a drop cause: count, judge, add a finding with evidence. NULL: no loss. */
struct zh_finding *zh_loss_report(struct zh_explain *ex, const struct zh_cause *cause);

/* "NETFILTER_DROP" of a drop reason number, as the record names those that occurred (counter
 * drop_reason.NAME), or NULL. */
const char *zh_loss_reason_name(const struct zh_record *record, uint32_t reason);
