/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where packets of a lab are lost: every dropped packet in its namespaces by reason, device and
 * function (BPF), and the full buffers of sockets by the namespaces' own counters, since a packet
 * in a socket's queue no longer knows its device. Without BPF the counters of the backlogs (the
 * whole machine's) and of sockets are what is left; `notes` of the watch say so.
 *
 * The same watch measures the time in softirqs of each CPU, by entry and exit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "record/record.h"

#define LAB_PLACES 24
#define LAB_PLACE_NAME 96
#define LAB_CPUS_MAX 256

struct lab_place {
	char name[LAB_PLACE_NAME]; /* "CPU_BACKLOG at zh-client in host" */
	uint64_t count;
};

struct lab_places {
	struct lab_place place[LAB_PLACES]; /* most first; what does not fit is in the last */
	size_t n;
	uint64_t total;
	bool by_counters; /* no BPF */
};

struct lab_watch;

/* From now on; the namespaces must stay open. Without BPF it still works, see above. */
int lab_watch_open(const struct zh_lab_ns *ns, struct lab_watch **ret, struct zh_err *err);
/* So far. */
void lab_watch_places(struct lab_watch *watch, struct lab_places *ret);
/* Softirq time of each CPU since opening; how many CPUs, 0 when not measured. */
size_t lab_watch_softirq(struct lab_watch *watch, uint64_t *ret_ns, size_t max);
/* Why something is not measured; owned by the watch. */
const struct zh_record *lab_watch_notes(const struct lab_watch *watch);
struct lab_watch *lab_watch_close(struct lab_watch *watch);
