/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stages of a packet's way: where time was spent. A segment between two consecutive stamps
 * belongs to exactly one stage, found by a table from the pair of points; pairs that the table does
 * not know (stamps were not taken) fall back to a whole leg.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "explain/explain.h"
#include "record/record.h"

enum zh_stage_id {
	ZH_STAGE_SEND,       /* S1 send call, routing, output hooks, tc egress */
	ZH_STAGE_HELD,       /* TCP keeps the data after the send call returned */
	ZH_STAGE_QDISC,      /* S2 */
	ZH_STAGE_DEVICE,     /* S3 */
	ZH_STAGE_BACKLOG,    /* S4 */
	ZH_STAGE_FORWARD,    /* bridged or routed to the next device */
	ZH_STAGE_PROTOCOL,   /* S5 */
	ZH_STAGE_NETFILTER,  /* hook functions, where brackets are attached */
	ZH_STAGE_WAKE_IPI,   /* S6 */
	ZH_STAGE_IDLE_EXIT,  /* S7 */
	ZH_STAGE_RUN_QUEUE,  /* S8 */
	ZH_STAGE_PICK_UP,    /* in the socket's queue, receiver not waiting for it */
	ZH_STAGE_RESUME,     /* S9 */
	ZH_STAGE_PEER,       /* S10 */
	ZH_STAGE_REQUEST,    /* a whole leg: no stamps inside */
	ZH_STAGE_REPLY,      /* a whole leg: no stamps inside */
	ZH_STAGE_DELIVER,    /* from the kernel's receive stamp to user space */
	ZH_STAGE_ROUND_TRIP, /* nothing known inside */
	ZH_STAGE_LATENESS,   /* before the send: not part of the RTT */
	ZH_STAGE_MAX
};

/* A point that records do not hold: the kernel's receive stamp (krx_ns). */
#define ZH_POINT_KRX ZH_POINT_MAX

/* What one stage may cost when nothing is wrong, at most: the baseline of its own work is the run's
 * median, but never above this, so that a fault that hits every sample is not taken for normal. */
uint64_t zh_stage_cap_ns(enum zh_stage_id stage);

/* Whose time passes in a stage. */
enum zh_stage_kind {
	ZH_STAGE_WORK,   /* code works on the packet: in a task or in NET_RX softirq */
	ZH_STAGE_THREAD, /* a thread of the probe should be running */
	ZH_STAGE_WAIT,   /* a thread of the probe waits for a CPU */
	ZH_STAGE_QUEUE,  /* the packet waits for its turn, nobody works on it */
	ZH_STAGE_WHOLE,  /* several of these */
};
enum zh_stage_kind zh_stage_kind(enum zh_stage_id stage);

static inline const char *zh_stage_name(enum zh_stage_id stage)
{
	return zh_stage_rules[stage].id;
}

/* The stage of the time between two consecutive points. */
enum zh_stage_id zh_stage_between(
	unsigned int from, unsigned int from_leg, unsigned int to, unsigned int to_leg);
