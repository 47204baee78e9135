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
	/* NULL: the one that the namespace's default route leads over, or the first that is up */
	const char *device;
	/* How the caller came into its namespace: as given with --pod or --pid. NULL and 0:
	 * neither. */
	const char *pod;
	long pid;
};

struct watch;

/*
 * Finds the device and enters its namespace. -EINVAL: no such device, several (err lists them), or
 * a pod on the machine's own network; -ENODEV: no device was named, and there is none. The caller
 * ends it with watch_close().
 */
int watch_open(const struct zh_watch_config *config, struct watch **ret, struct zh_err *err);
/* Counts from now on; adds the facts of the other end to record->before. What cannot be counted is
 * listed as not measured. */
void watch_start(struct watch *watch, struct zh_record *record);
/* Adds what was counted, and the facts of the other end, to record->after. -ENODEV: the device, the
 * process or the pod has gone meanwhile. */
int watch_stop(struct watch *watch, struct zh_record *record, struct zh_err *err);
/* The thread goes back to its namespace. Accepts NULL; returns NULL. */
struct watch *watch_close(struct watch *watch);
