/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the responder: shared by its life cycle (responder.c) and its loops (respond.c).
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "probe/responder.h"

/* tag: seq * 4 + state. Fields are atomic because a request with an old number may come again
 * (duplicates) while the engine reads; relaxed order suffices but for the tag. */
enum slot_state { SLOT_ANSWERING = 1, SLOT_DONE = 2 };

struct zh_responder_slot {
	_Atomic uint64_t tag, recv_ns, send_ns, sent_ns;
	_Atomic uint16_t cpu;
};

struct zh_responder {
	struct zh_probe_config config; /* a copy */
	const struct zh_transport *transport;
	atomic_int refs; /* the owner and the thread */
	atomic_bool stop;
	pthread_t thread;
	/* Guards fd, connection, has_*, start_* and calls of the hooks against stopping; never
	 * taken per probe. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int fd, connection; /* bound or listening; accepted, -1: none */
	int netns_fd;       /* own, -1: none */
	bool has_started, has_accepted;
	uint32_t tid;
	int start_code;
	struct zh_err start_err;
	uint8_t *buf;
	size_t buf_size;
	struct zh_responder_slot slots[ZH_RESPONDER_SLOTS];
};

/* Calls the socket hook for a connection and makes it known to the stopper; false when the
 * responder is being stopped. */
bool zh_responder_adopt(struct zh_responder *responder, int connection);
