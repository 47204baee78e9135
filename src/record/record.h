/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record: everything one run measured. Probes, tracing and facts write it, explain reads it,
 * and a file keeps it. All times are ns on CLOCK_MONOTONIC of the measured machine; 0 means
 * "not taken". All arrays are preallocated: nothing here allocates while probes run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/bench.h"
#include "record/event.h"
#include "record/fact-set.h"
#include "record/sample.h"

#define ZH_NONE UINT32_MAX

enum zh_transport_id {
	ZH_TRANSPORT_ICMP,
	ZH_TRANSPORT_UDP,
	ZH_TRANSPORT_TCP,
	ZH_TRANSPORT_UNIX_STREAM,
	ZH_TRANSPORT_UNIX_DGRAM,
	ZH_TRANSPORT_MAX
};

/* One stretch of probing with constant settings. */
struct zh_phase {
	char label[32];     /* "main", "gap-1ms", "clean-room", "app" */
	char target[128];   /* as resolved: "127.0.0.1", "udp:127.0.0.1:40000" */
	uint8_t transport;  /* enum zh_transport_id */
	uint8_t clean_room; /* probed in a fresh network namespace */
	uint8_t traced;     /* packet stamps and events were on */
	uint8_t own_responder;
	uint64_t gap_ns; /* intended time between sends */
	uint64_t timeout_ns;
	uint32_t size_bytes;
	uint32_t first, n;                  /* range of samples */
	uint32_t prober_pid, responder_pid; /* thread ids; 0 = no own responder */
	uint64_t start_ns, end_ns;
};

/* Something that could not be measured, with the reason. */
struct zh_not_measured {
	char what[64];
	char why[200];
};

/* A counter of the tool itself: losses and runs of its hooks. */
struct zh_counter {
	char name[64]; /* e.g. "trace.lost_events", "trace.runs.net_dev_queue" */
	uint64_t value;
};

struct zh_record {
	/* about the run */
	char version[32], command[32], host[64], kernel[96];
	uint64_t start_realtime_ns, start_ns, end_ns;
	uint32_t n_cpus, hz; /* hz 0 = unknown */
	bool interrupted;    /* ended early by Ctrl-C */

	struct zh_fact_set before, after; /* snapshots around the probing; may be empty */

	struct zh_phase *phases;
	size_t n_phases, max_phases;
	struct zh_sample *samples;
	size_t n_samples, max_samples;
	struct zh_stamp *stamps;
	size_t n_stamps, max_stamps;
	struct zh_event *events;
	size_t n_events, max_events;
	struct zh_not_measured *not_measured;
	size_t n_not_measured;
	struct zh_counter *counters; /* of the tool itself */
	size_t n_counters;
	struct zh_bench_data bench; /* of a benchmark; empty otherwise */

	/* own cost: median RTT of back-to-back probes without and with tracing; 0 = not measured */
	uint64_t overhead_bare_p50_ns, overhead_traced_p50_ns;
	double overhead_cpu_share; /* own CPU time / (wall time * CPUs); < 0 = not measured */
};

struct zh_record_limits {
	size_t phases, samples, stamps, events;
};

/* Allocates and touches all arrays. NULL only when out of memory. */
struct zh_record *zh_record_new(const struct zh_record_limits *limits);
struct zh_record *zh_record_free(struct zh_record *record);

/* Bounds of the two small lists; both are preallocated, so that noting something never allocates.
 */
#define ZH_NOT_MEASURED_MAX 128
#define ZH_COUNTERS_MAX 256

/* Notes that `what` could not be measured; printf-style reason. The same `what` is kept once, with
 * its first reason; when the list is full, its last entry says so. */
void zh_record_not_measured(struct zh_record *record, const char *what, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds `value` to the counter `name` (at most UINT64_MAX), which starts at 0. */
void zh_record_counter(struct zh_record *record, const char *name, uint64_t value);

/*
 * The file (extension .zhr): an SQLite database, so that users can query it. Writing goes to a
 * temporary file beside `path` and is renamed when complete: a full disk or a kill leaves the old
 * file or none. 0, or a negative errno with err set (-EINVAL: not a record, or damaged).
 */
int zh_record_save(const struct zh_record *record, const char *path, struct zh_err *err);

/* Whether zh_record_save() to `path` may work, to be asked before a long measurement: creates and
 * removes the temporary file. 0, or a negative errno with the sentence that saving would give. */
int zh_record_try_save(const char *path, struct zh_err *err);
int zh_record_load(const char *path, struct zh_record **ret_record, struct zh_err *err);
