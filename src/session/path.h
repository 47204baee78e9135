/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where does a packet to a target go? Three steps, all into one record's facts: the kernel's
 * decision for this very flow, the hops in order from facts of every namespace on the way, and the
 * proof by counting real packets. explain/path.h lists the keys and turns them into an answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "probe/probe.h"
#include "record/record.h"

#define ZH_PATH_WAYS_MAX 8    /* addresses of a name */
#define ZH_PATH_PLACES_MAX 16 /* network namespaces on the way */

struct zh_path_config {
	struct zh_target target; /* Unix sockets too */
	uint8_t ip_version;      /* 4, 6, or 0: all that the name gives */
	const char *from;        /* source address, or NULL */
	bool has_mark, has_uid;
	uint32_t mark, uid;
	const char *iif; /* the packet came in by this device: decision and hops only */
	/* Namespaces that the way may lead through, beside those that are found by themselves:
	 * names or paths, as zh_netns_by_name() takes them. */
	const char *const *via;
	size_t n_via;
	uint32_t count;   /* packets of the proof, at most 1000; 0: none are sent */
	bool count_given; /* also where the way leaves this machine */
	uint64_t gap_ns, timeout_ns;
	bool no_bpf; /* count with packet sockets (tests) */
	bool (*stop)(void *arg);
	void *arg;
};

/*
 * Runs in the calling thread's namespace. 0 with the record, also when no way was found: that is
 * the answer. Negative with err: the target cannot be understood (-EINVAL) or nothing could be
 * asked.
 */
int zh_session_path(
	const struct zh_path_config *config, struct zh_record **ret, struct zh_err *err);
