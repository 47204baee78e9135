/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers of the probe's tests: configurations, hooks that count, and foreign peers (echo services
 * with or without bad habits) on a thread.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"

struct zh_probe_config zh_test_config(const char *target);

struct zh_test_hooks {
	uint32_t n_samples, n_in_order, n_sockets[2], n_threads[2], n_stop_asked;
	uint32_t next_seq;
	uint32_t stop_after; /* 0: never */
};
void zh_test_hooks(struct zh_probe_config *config, struct zh_test_hooks *hooks);

/* Opens, runs one phase, closes; fails the test when something does not work or counts differ. */
void zh_test_phase(const struct zh_probe_config *config, struct zh_record *record, uint32_t count,
	uint64_t gap_ns, uint64_t timeout_ns);
/* The same with 5 probes; returns the first error. */
int zh_test_try_phase(const struct zh_probe_config *config, struct zh_record *record);

enum zh_test_peer_habit {
	ZH_TEST_PEER_ECHO,
	ZH_TEST_PEER_SILENT,
	ZH_TEST_PEER_TWICE,
	ZH_TEST_PEER_CLOSE, /* streams: closes after the first answer */
};

struct zh_test_peer {
	char target[128]; /* for zh_target_parse() */
	int fd;
	bool is_stream;
	enum zh_test_peer_habit habit;
	bool has_thread;
	pthread_t thread;
	char dir[64];
};

struct zh_test_peer zh_test_peer_udp(enum zh_test_peer_habit habit);
/* "udp", "tcp", "tcp-close", "unix" or "unix-dgram" */
struct zh_test_peer zh_test_peer_named(const char *name);
void zh_test_peer_stop(struct zh_test_peer *peer);

/* The first two CPUs that we may use (the same one twice when there is one). Returns how many. */
int zh_test_two_cpus(int ret[2]);
