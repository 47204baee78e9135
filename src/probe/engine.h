/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe object, inside the module: made by probe.c, driven by engine.c, received by receive.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "probe/flight.h"
#include "probe/probe.h"
#include "probe/responder.h"
#include "probe/transport.h"

struct zh_probe {
	struct zh_probe_config config; /* a copy */
	struct zh_channel channel;
	struct zh_responder *responder; /* NULL: the kernel or somebody else answers */
	struct zh_flight flight;
	const struct zh_record *last_record; /* of the phase before */
	char target[128];
	bool has_locked_memory;

	/* of the running phase */
	bool is_stopped;
	uint64_t block_ns;           /* the socket's SO_RCVTIMEO */
	uint64_t block_min_ns;       /* time left from which on blocking in the receive is safe */
	uint64_t realtime_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
};

/* Sets SO_RCVTIMEO so that a receive may block for about `span_ns`, the time until the next thing
 * to do. `is_closed_loop`: that time may be overrun. */
void zh_receive_prepare(struct zh_probe *probe, uint64_t span_ns, bool is_closed_loop);
/*
 * Waits for something to arrive until `until_ns` and notes it. Blocks in the receive call itself
 * where that is precise enough, otherwise in ppoll(). Returns the time when it came back: right
 * behind the receive call when there was a message.
 */
uint64_t zh_receive(struct zh_probe *probe, uint64_t now_ns, uint64_t until_ns);
/* Notes what is there already. */
void zh_receive_pending(struct zh_probe *probe);
/* CLOCK_REALTIME - CLOCK_MONOTONIC, good to some 100 ns. */
uint64_t zh_realtime_offset_ns(void);
