/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device under watch: while a session probes, who works for the device's packets, and where they
 * are dropped. The device is found in the calling thread's namespace, else in any other one that a
 * name or a process leads to; the thread then enters that namespace for the session's facts.
 *
 * All goes into the record's facts as watch.* (explain/watch-facts.h lists the keys): what the
 * kernel's live counters say into those after the run; link, queue and socket counters of the
 * device's other end into those before and after.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "record/record.h"

struct zh_watch_config {
	const char *device; /* NULL: the busiest of the namespace that is no loopback */
};

struct watch;

/*
 * Finds the device and enters its namespace. -EINVAL: no such device, or several (err lists them);
 * the caller ends it with watch_close().
 */
int watch_open(const struct zh_watch_config *config, struct watch **ret, struct zh_err *err);
/* Counts from now on; adds the facts of the other end to record->before. What cannot be counted is
 * listed as not measured. */
void watch_start(struct watch *watch, struct zh_record *record);
/* Adds what was counted, and the facts of the other end, to record->after. */
void watch_stop(struct watch *watch, struct zh_record *record);
/* The thread goes back to its namespace. Accepts NULL; returns NULL. */
struct watch *watch_close(struct watch *watch);
