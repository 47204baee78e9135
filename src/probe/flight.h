/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests in flight: which samples of a phase still wait for a reply, which have one but lack the
 * responder's last stamp, which are over. No sockets and no clock here: times are arguments.
 *
 * A sample is open from its send on; it ends when its reply and the responder's stamps are in, or
 * when its time is up. Each ends once; what arrives later is noted in the sample (late, duplicate)
 * without a second call of the hook. Sequence numbers are indices into record->samples.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"
#include "probe/responder.h"
#include "record/record.h"

#define ZH_FLIGHT_MAX 1024 /* open samples; a power of two */

enum zh_flight_state { ZH_FLIGHT_ENDED, ZH_FLIGHT_OPEN, ZH_FLIGHT_ANSWERED };

struct zh_flight {
	struct zh_record *record;
	const struct zh_responder *responder; /* NULL: somebody else answers */
	const struct zh_probe_hooks *hooks;
	uint64_t timeout_ns;
	uint32_t first;        /* seq of the phase's first sample */
	uint32_t known;        /* replies to samples before this one are not ours to note */
	uint32_t next;         /* seq of the next one to be sent */
	uint32_t oldest;       /* all before it have ended */
	uint32_t n_open;       /* no reply yet */
	uint32_t n_overdue;    /* given up, still without a reply */
	uint32_t n_pushed_out; /* given up ahead of their timeout, for want of room */
	uint32_t pending_first, n_pending; /* answered, in order of arrival */
	uint32_t pending[ZH_FLIGHT_MAX];
	uint8_t state[ZH_FLIGHT_MAX]; /* by seq modulo; only of [oldest, next) */
	uint64_t next_send_ns;        /* for the hook's slack; 0: nothing waits */
};

/* What remains for the hook when no probe waits for its turn. */
#define ZH_FLIGHT_NO_HURRY_NS 1000000000ull

/* The next sample; makes room (gives the oldest up) when ZH_FLIGHT_MAX are open. All zero but its
 * number and phase. */
struct zh_sample *zh_flight_begin(struct zh_flight *flight, uint64_t now_ns);
/* The sample that zh_flight_begin() gave was sent, or was not (error: a positive errno). */
void zh_flight_sent(struct zh_flight *flight, struct zh_sample *sample);
void zh_flight_send_failed(
	struct zh_flight *flight, struct zh_sample *sample, int error, uint64_t now_ns);
/* A reply to `seq`. */
void zh_flight_reply(
	struct zh_flight *flight, uint32_t seq, uint64_t recv_ns, uint64_t krx_ns, uint16_t cpu);
/* The peer's refusal (a positive errno) came back instead of a reply: ends the oldest open one. */
void zh_flight_refused(struct zh_flight *flight, int error, uint64_t now_ns);
/* Gives up what has waited too long. */
void zh_flight_expire(struct zh_flight *flight, uint64_t now_ns);
/* Ends answered samples whose stamps are complete; with `force` all of them. Returns how many
 * remain. */
uint32_t zh_flight_settle(struct zh_flight *flight, uint64_t now_ns, bool force);
/* When the oldest open sample's time is up; UINT64_MAX when none is open. */
uint64_t zh_flight_deadline(const struct zh_flight *flight);
/* The phase was stopped: takes back the open samples at the end, which are neither answered nor
 * lost, and gives the others up. */
void zh_flight_abandon(struct zh_flight *flight, uint64_t now_ns);
