/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stretch of traffic in a lab, and its account: a one-way load, beside it a victim that sends
 * requests at fixed times and waits for the replies, and where all their packets went.
 *
 * Of UDP every packet is accounted for: load sent + requests sent = load received + replies
 * received + drops by place + what is left, `unattributed`. (A request and its reply are lost once,
 * and what the responder received it also sent, so it cancels out.) A TCP victim's segments and
 * their repetitions cannot be told from drops elsewhere: then nothing is reckoned up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "lab/places.h"
#include "probe/load/load.h"

struct lab_victim {
	enum zh_transport_id transport;
	const char *address; /* numeric; of Unix sockets NULL */
	uint32_t count;      /* requests; 0: no victim */
	uint64_t gap_ns, timeout_ns;
	uint32_t size_bytes;
	int cpu, peer_cpu;
	int netns_fd, peer_netns_fd;
};

struct lab_traffic_config {
	const struct zh_lab_ns *ns; /* all namespaces in which packets may get lost */
	bool has_load;
	struct zh_load_config load;
	struct lab_victim victim;
	uint64_t settle_ns;   /* of load alone, before the window */
	uint64_t duration_ns; /* without a victim */
	bool (*stop)(void *arg);
	void *arg;
};

struct lab_victim_result {
	uint32_t requests, answered;              /* answered: in time */
	uint32_t late;                            /* answered, but after the timeout */
	uint64_t p50_ns, p99_ns, p999_ns, max_ns; /* from the intended time of the request */
};

struct lab_traffic {
	struct zh_load_result load;
	struct lab_victim_result victim;
	struct lab_places places;
	uint64_t window_ns;                /* load and victim both ran */
	uint64_t sent, received;           /* of the load, in the window */
	uint64_t softirq_ns[LAB_CPUS_MAX]; /* in the window */
	size_t n_cpus;                     /* 0: softirq time is not measured */
	uint64_t busy_ns;                  /* of all CPUs, everybody's, in the window */
	bool is_reckoned;                  /* UDP only */
	int64_t unattributed;
	bool interrupted;
	char not_measured[480]; /* "" or why */
};

/* A connection made and ended, before a load: every neighbour on the way is known afterwards, and
 * no packet waits for one. */
int lab_warm_up(const struct zh_lab_ns *ns, const char *address, struct zh_err *err);

/* Negative with err when it could not run, or ended by itself; with *ret filled as far as known. */
int lab_traffic_run(
	const struct lab_traffic_config *config, struct lab_traffic *ret, struct zh_err *err);
/* Packets a second that the load sent, from its first to its last. */
uint64_t lab_traffic_offered(const struct lab_traffic *traffic);
/* Share of the load's packets that did not arrive, in all; 0 when none was sent. */
double lab_traffic_lost(const struct lab_traffic *traffic);
