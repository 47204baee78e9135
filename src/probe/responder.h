/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The own responder: a thread that answers each request at once and notes when. It blocks in the
 * receive itself, so that its wake-up is a plain one.
 *
 * Its stamps of request `seq` stand in a slot array, indexed by seq modulo its size, written by
 * this thread only and read by the engine without a lock. An answer arrives before the responder's
 * send call has returned, so a slot is complete a little later than the reply.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "probe/probe.h"
#include "probe/transport.h"

#define ZH_RESPONDER_SLOTS 4096 /* more than twice the requests in flight */

struct zh_peer_stamps {
	uint64_t recv_ns, send_ns, sent_ns; /* sent_ns 0: the send call has not returned yet */
	uint16_t cpu;
};

/*
 * Binds a socket to `at` in the responder's namespace (port 0: any; a Unix address is always a
 * fresh abstract one) and starts the thread. Waits until it runs. *ret_address is where it answers.
 * `config` must outlive the responder's stop; -EADDRNOTAVAIL: the address is not on this machine.
 */
int zh_responder_start(const struct zh_probe_config *config, const struct zh_transport *transport,
	const struct zh_address *at, struct zh_responder **ret, struct zh_address *ret_address,
	struct zh_err *err);
/* Waits a bounded time until the connection is accepted, for transports that have one. */
void zh_responder_wait_accepted(struct zh_responder *responder);
/* Ends the thread and frees everything. When the thread does not come to a CPU for seconds, it is
 * left alone and frees its own memory as soon as it runs. Returns NULL. */
struct zh_responder *zh_responder_stop(struct zh_responder *responder);

uint32_t zh_responder_tid(const struct zh_responder *responder);
/* 0 when complete, -EINPROGRESS when the reply was sent but the call has not returned, -ENOENT when
 * request `seq` was not seen since `since_ns`. */
int zh_responder_stamps(const struct zh_responder *responder, uint32_t seq, uint64_t since_ns,
	struct zh_peer_stamps *ret);

/* The loops of the transports. */
void zh_respond_datagrams(struct zh_responder *responder);
void zh_respond_stream(struct zh_responder *responder);
