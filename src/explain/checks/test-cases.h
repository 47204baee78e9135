/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases for the checks: a small set of facts, a run, and what the check must say about them.
 * The text of facts is that of test-facts-text.h.
 */
#pragma once

#include <stdint.h>

#include "explain/internal.h"

#define SILENT (-1)

/* The run around the facts. All zero: 100 answered probes to 127.0.0.1 and nothing more. */
struct zh_case_run {
	const char *target; /* NULL: 127.0.0.1 */
	uint8_t transport;
	uint32_t lost;                        /* of 100 */
	uint32_t near_us, far_us, far_p99_us; /* gap sweep of 1 and 200 ms; 0: none */
	uint32_t clean_us;                    /* median in the clean room; needs near_us */
	uint32_t spikes;
	/* of the last `marked` of the 100 samples of the main phase */
	uint32_t marked, marked_rtt_ms;
	uint16_t marked_flags;
	int16_t marked_errno;
};

struct zh_case {
	const struct zh_check *check;
	const char *name;
	int expected; /* the highest severity among the findings, or SILENT */
	const char *facts;
	struct zh_case_run run;
};

/* Each ends with a NULL check. */
extern const struct zh_case zh_cases_path[];   /* loopback, routes, names, firewall, hooks */
extern const struct zh_case zh_cases_way[];    /* what a path run finds */
extern const struct zh_case zh_cases_cpu[];    /* softirqs, scheduling, clock, power */
extern const struct zh_case zh_cases_queues[]; /* sockets, memory, ports */
extern const struct zh_case zh_cases_links[];  /* bridges, neighbours, virtual links */
extern const struct zh_case zh_cases_watch[];  /* a device under watch */
