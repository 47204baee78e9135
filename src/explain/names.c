/* SPDX-License-Identifier: BSD-2-Clause */
/* What pieces are called in front of people. */
#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "explain/activity.h"

const char *zh_softirq_name(uint32_t vec)
{
	static const char *const names[] = {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
		"TASKLET", "SCHED", "HRTIMER", "RCU"};

	return vec < ZH_ARRAY_SIZE(names) ? names[vec] : NULL;
}

const char *zh_vector_name(uint32_t vector)
{
	static const char *const names[ZH_VECTOR_MAX] = {[ZH_VECTOR_TIMER] = "timer",
		[ZH_VECTOR_RESCHEDULE] = "reschedule",
		[ZH_VECTOR_CALL_FUNCTION] = "call function",
		[ZH_VECTOR_IRQ_WORK] = "irq work",
		[ZH_VECTOR_PLATFORM_IPI] = "platform",
		[ZH_VECTOR_THERMAL] = "thermal",
		[ZH_VECTOR_OTHER] = "other"};

	return vector < ZH_VECTOR_MAX ? names[vector] : "other";
}

static char *task_name(const struct zh_piece *piece, char *buf, size_t size)
{
	if (piece->comm[0])
		snprintf(buf, size, "%.*s (%" PRIu32 ")", ZH_COMM_LEN, piece->comm, piece->pid);
	else if (piece->pid)
		snprintf(buf, size, "pid %" PRIu32, piece->pid);
	else
		snprintf(buf, size, "an unknown task");
	return buf;
}

char *zh_piece_name(const struct zh_piece *piece, char *buf, size_t size)
{
	static const char *const fixed[ZH_ACTIVITY_MAX] = {
		[ZH_ACTIVITY_HOST] = "whole machine silent",
		[ZH_ACTIVITY_NMI] = "NMI",
		[ZH_ACTIVITY_THROTTLED] = "throttled by CPU quota",
		[ZH_ACTIVITY_SLEEP] = "asleep",
		[ZH_ACTIVITY_IDLE] = "CPU idle",
		[ZH_ACTIVITY_RECLAIM] = "memory reclaim",
		[ZH_ACTIVITY_OWN] = "own work",
		[ZH_ACTIVITY_UNKNOWN] = "not recorded",
	};
	const char *softirq;

	switch ((enum zh_activity)piece->activity) {
	case ZH_ACTIVITY_TASK:
		return task_name(piece, buf, size);
	case ZH_ACTIVITY_SOFTIRQ:
		softirq = zh_softirq_name(piece->arg);
		snprintf(buf, size, "softirq %s", softirq ? softirq : "?");
		return buf;
	case ZH_ACTIVITY_IRQ:
		if (piece->flags & ZH_PIECE_VECTOR)
			snprintf(buf, size, "%s interrupt", zh_vector_name(piece->arg));
		else
			snprintf(buf, size, "irq %" PRIu32 " %.*s", piece->arg, ZH_COMM_LEN,
				piece->comm);
		return buf;
	default:
		snprintf(buf, size, "%s",
			piece->activity < ZH_ACTIVITY_MAX ? fixed[piece->activity] : "?");
		return buf;
	}
}
