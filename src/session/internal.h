/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The working state of one session, shared by its files.
 */
#pragma once

#include <sys/resource.h>

#include "facts/facts.h"
#include "session/keep.h"
#include "session/session.h"
#include "trace/trace.h"

struct session {
	const struct zh_session_config *config;
	struct zh_record *record;
	struct zh_trace *trace; /* NULL: tier 0 */
	struct watch *watch;    /* NULL: none */
	struct keep keep;
	int clean_netns;          /* -1 until the first clean-room phase */
	uint64_t foreign_ns;      /* last total of other people's BPF run time */
	size_t events_end;        /* the running phase may fill the event store up to here */
	uint64_t skipped_windows; /* slow samples whose events found no room */
};

/* Opens a probe that is connected with the session's trace. */
int session_open_probe(struct session *s, const struct zh_session_phase *phase,
	struct zh_probe **ret, struct zh_err *err);

/*
 * The tool's own cost: the median RTT of short bursts of back-to-back probes. Adds nothing to the
 * record's samples. Returns 0 ns when the target does not answer.
 */
uint64_t session_burst_p50(struct session *s);

/* Packets a second that the busiest CPU takes in; watches for 25 ms. 0 when it cannot be read. */
uint64_t session_packet_rate(void);

/* Adds closed_port.<family>.* to the facts: what a closed loopback port answers. */
void session_try_closed_ports(struct zh_fact_set *facts);

/*
 * Where ICMP is not permitted (it needs a privilege or a sysctl) and the config allows it, probes
 * the same host by UDP, and the record says so. Any other trouble is left for the first phase.
 */
void session_choose_transport(struct zh_session_config *config, struct zh_record *record);

/* What the tracing should watch, from the facts: queue disciplines and rules on the target's path.
 */
void session_choose_brackets(const struct zh_fact_set *facts, const struct zh_target *target,
	struct zh_trace_config *config);
