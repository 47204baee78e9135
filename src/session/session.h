/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions: probing, tracing and facts of one run, put into one record.
 * The only place where probe, trace and facts meet.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "probe/probe.h"
#include "record/record.h"
#include "session/watch/watch.h"

/* What is traced; each tier includes the one before. */
enum zh_trace_tier {
	ZH_TIER_NONE,     /* user-space and kernel time stamps only */
	ZH_TIER_RECORDER, /* scheduler, interrupts, idle: costs packets nothing */
	ZH_TIER_PACKETS,  /* our own packets, and when softirqs ran */
	ZH_TIER_FULL,     /* also softirq raises and NAPI polls: two more hooks on every packet */
};

struct zh_session_phase {
	const char *label;
	uint32_t count;
	uint64_t gap_ns;
	bool clean_room;    /* in a fresh network namespace with only lo */
	const char *target; /* NULL: the session's */
	bool placed;        /* on these CPUs (-1: anywhere) instead of the session's */
	int cpu, peer_cpu;
};

struct zh_session_config {
	const char *command; /* for the record */
	struct zh_probe_config probe;
	bool udp_fallback; /* where ICMP is not permitted; false: that is an error */
	uint64_t timeout_ns;
	enum zh_trace_tier tier;
	bool facts;    /* snapshots before and after */
	bool overhead; /* measure the own cost by A/B (a few ms) */
	/* A device to watch meanwhile; the run is then in its namespace. NULL: none. */
	const struct zh_watch_config *watch;
	const struct zh_session_phase *phases;
	size_t n_phases;
	bool (*stop)(void *arg); /* Ctrl-C */
	/* a sample ended; for progress on a terminal. Called between probes of slow phases only. */
	void (*progress)(void *arg, const struct zh_record *record);
	void *arg;
};

/* Runs it all. On success (also when interrupted, or all probes were lost) *ret is the record. */
int zh_session_run(
	const struct zh_session_config *config, struct zh_record **ret, struct zh_err *err);
