/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the load: what the two processes share, and the senders to choose from. */
#pragma once

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/un.h>

#include "probe/load/load.h"

#define ZH_LOAD_BATCH 64

/* Counters of both sides in a mapping that maker, sender and receiver share. Each is written by one
 * side only; the two sides' lie on lines of their own. */
struct load_shared {
	struct {
		_Atomic uint64_t sent, failed, cpu_ns, first_ns, last_ns;
		_Atomic int32_t error; /* positive errno that it ended with */
		_Atomic uint32_t ready;
	} sender __attribute__((aligned(64)));
	struct {
		_Atomic uint64_t received, drops, cpu_ns;
		_Atomic int32_t error;
		_Atomic uint32_t ready;
		_Atomic uint32_t port; /* network order, once it is bound */
	} receiver __attribute__((aligned(64)));
	_Atomic uint32_t stop __attribute__((aligned(64)));
};

union load_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
};

struct zh_load {
	struct zh_load_config config;
	struct load_shared *shared;
	union load_address to, from; /* the receiver's, with its port; the sender's */
	socklen_t to_len, from_len;  /* from_len 0: not given */
	int listen_fd;               /* of streams: bound before the fork; -1 otherwise */
	pid_t sender, receiver;
	const char *engine;
	char why_not_xdp[120];
};

/* Both run in their process until shared->stop; they return 0 or a negative errno. */
int load_send_udp(struct zh_load *load);
int load_send_stream(struct zh_load *load);
int load_receive(struct zh_load *load);

/* Whether frames can be injected: 0, or a negative errno with the reason in err. In the sender's
 * namespace. */
int load_xdp_check(const struct zh_load *load, struct zh_err *err);
int load_send_xdp(struct zh_load *load);

/* Pacing: the time of turn number `turn`, when turns carry `burst` each; 0: no pacing. */
struct load_pace {
	uint64_t start_ns, burst;
	double gap_ns; /* between turns; 0: none */
};
struct load_pace load_pace_start(const struct zh_load_config *config);
/* Waits for turn `turn`; false when it is time to stop. */
bool load_pace_wait(const struct load_pace *pace, uint64_t turn, const struct load_shared *shared);

/* Notes what the calling process used so far, and when it sent first and last. */
void load_note_sender(struct load_shared *shared);
uint64_t load_cpu_ns(void);
