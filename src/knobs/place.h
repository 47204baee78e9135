/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From "lo/rx-0" to the thing itself, and from a journal's entry to the same thing later: names and
 * numbers are used again by the kernel, so a place also carries what is not.
 */
#pragma once

#include "knobs/knob.h"

/* Where a knob is looked for when its word does not say. */
struct zh_knob_where {
	int netns_fd;       /* borrowed; -1: the caller's namespace */
	const char *device; /* NULL: none given */
	pid_t task;         /* 0: none given */
	const char *state_dir;
};

/*
 * instance: "eth0", "eth0/1" (a queue), "3" (a CPU, an interrupt, a task); NULL: as `where` says.
 * 0, or -EINVAL: it is missing or wrong; -ENODEV, -ESRCH, -ENOENT: there is no such thing.
 * The caller ends *ret with zh_knob_place_done().
 */
int zh_knob_place_find(const struct zh_knob *knob, const char *instance,
	const struct zh_knob_where *where, struct zh_knob_place *ret, struct zh_err *err);
/* Opens the namespace of a place that came from a journal, and checks that device, interrupt and
 * task are the same ones. -ENOENT: gone. */
int zh_knob_place_again(const struct zh_knob *knob, struct zh_knob_place *place);
void zh_knob_place_done(struct zh_knob_place *place);
/* "lo/rx-0", "cpu 3", "" for the host. Returns buf. */
char *zh_knob_place_name(
	const struct zh_knob *knob, const struct zh_knob_place *place, char *buf, size_t size);
