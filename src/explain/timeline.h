/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timeline of one sample: its stamps in order, cut into contiguous segments whose lengths sum
 * to the RTT exactly, each of one stage; and, where events were kept, each segment cut into pieces
 * that say what had the CPU. Pieces of a segment are contiguous and sum to it exactly too.
 *
 * Times are ns on CLOCK_MONOTONIC.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/stage.h"

#define ZH_CPU_NONE UINT16_MAX

/* What passed the time, strongest claim first where several apply at once. */
enum zh_activity {
	ZH_ACTIVITY_HOST,      /* the whole machine stood still */
	ZH_ACTIVITY_NMI,       /* non-maskable interrupt */
	ZH_ACTIVITY_IRQ,       /* hard interrupt; arg = number, or vector with ZH_PIECE_VECTOR */
	ZH_ACTIVITY_SOFTIRQ,   /* softirq that does not work on this packet; arg = its number */
	ZH_ACTIVITY_THROTTLED, /* own thread parked by its CPU quota */
	ZH_ACTIVITY_SLEEP,     /* own thread asleep or stopped; arg = its task state */
	ZH_ACTIVITY_TASK,      /* another task */
	ZH_ACTIVITY_IDLE,      /* the CPU was idle */
	ZH_ACTIVITY_RECLAIM,   /* own thread in direct reclaim or compaction */
	ZH_ACTIVITY_OWN,       /* work on this packet, or the probe's thread itself */
	ZH_ACTIVITY_UNKNOWN,   /* no events were kept for this stretch */
	ZH_ACTIVITY_MAX
};

enum zh_piece_flag {
	ZH_PIECE_VECTOR = 1 << 0,   /* arg is an enum zh_vector */
	ZH_PIECE_RT = 1 << 1,       /* a task of a real-time class */
	ZH_PIECE_KTHREAD = 1 << 2,  /* a kernel thread */
	ZH_PIECE_IN_RX = 1 << 3,    /* own work inside NET_RX softirq */
	ZH_PIECE_BUDGET = 1 << 4,   /* a NAPI poll used up its budget in this stretch */
	ZH_PIECE_MEASURED = 1 << 5, /* from events, not a guess for lack of them */
};

struct zh_piece {
	uint64_t from_ns, to_ns;
	uint64_t excess_ns;  /* above the baseline; set by the attribution */
	uint64_t claimed_ns; /* how much of it `cause` explains; the rest is unexplained */
	uint32_t pid, arg;
	uint16_t cpu;
	uint8_t activity, flags;
	char comm[ZH_COMM_LEN];
	const struct zh_cause *cause; /* who claims it; NULL: all of it is unexplained */
};

struct zh_segment {
	uint64_t from_ns, to_ns;
	uint32_t first_piece, n_pieces;
	uint32_t pid; /* the probe's thread that should run or waits here; 0 unknown */
	uint32_t arg; /* of the stamp that ends it */
	uint16_t cpu; /* whose activity explains it; ZH_CPU_NONE unknown */
	uint8_t stage, leg;
	uint8_t from_point, to_point;
};

struct zh_timeline {
	uint32_t sample; /* index into the record's samples */
	bool incomplete; /* a stamp stepped back by more than ZH_STEP_BACK_NS, or was left out */
	bool measured;   /* events were kept */
	struct zh_segment *segments;
	size_t n_segments, size_segments;
	struct zh_piece *pieces;
	size_t n_pieces, size_pieces;
	/* set by the attribution */
	uint64_t excess_ns, unexplained_ns;
};

/* Stamps of different CPUs may disagree by this much before a sample counts as incomplete. */
#define ZH_STEP_BACK_NS 5000

/*
 * Cuts an answered sample into segments; `tl` is reused, its arrays grow. The segments cover
 * [send_ns, recv_ns] without gaps. False when out of memory or when the sample was not answered.
 */
bool zh_timeline_build(
	const struct zh_record *record, const struct zh_sample *sample, struct zh_timeline *tl);

/* One segment of stage `lateness` over [intended_ns, send_ns]; false when there is none. */
bool zh_timeline_build_lateness(
	const struct zh_record *record, const struct zh_sample *sample, struct zh_timeline *tl);

/* Cuts every segment into pieces (activity.c). False when out of memory. */
struct zh_ticks;
bool zh_timeline_cut(
	const struct zh_record *record, const struct zh_ticks *ticks, struct zh_timeline *tl);

/* Appends to the growing arrays; NULL when out of memory. The caller fills the new entry. */
struct zh_segment *zh_timeline_segment(struct zh_timeline *tl);
struct zh_piece *zh_timeline_piece(struct zh_timeline *tl);

void zh_timeline_done(struct zh_timeline *tl);

const struct zh_phase *zh_timeline_phase(
	const struct zh_record *record, const struct zh_sample *sample);
/* "idle", "interrupt timer", "task stress (1234)", ... for people. Returns buf. */
char *zh_piece_name(const struct zh_piece *piece, char *buf, size_t size);
