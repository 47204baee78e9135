/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plan: what would be written, and what not and why. Making one changes nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "knobs/knob.h"
#include "knobs/place.h"

#define ZH_PLAN_MAX 256

enum zh_change_action {
	ZH_CHANGE_WRITE,
	ZH_CHANGE_SAME, /* it is so already */
	ZH_CHANGE_SKIP, /* note says why */
};

/* In the order in which a change goes through them. */
enum zh_change_phase {
	ZH_PHASE_PLANNED,
	ZH_PHASE_INTENT, /* it may have been written */
	ZH_PHASE_DONE,
	ZH_PHASE_UNDONE,
	ZH_PHASE_FOREIGN, /* somebody else changed it since; left alone */
	ZH_PHASE_GONE,    /* what it was set on is no more */
	ZH_PHASE_FAILED,  /* could not be put back */
};

struct zh_change {
	const struct zh_knob *knob; /* NULL in history: a knob this program does not know */
	char knob_id[48];
	struct zh_knob_place place; /* owned */
	char prior[ZH_KNOB_VALUE], wanted[ZH_KNOB_VALUE], expected[ZH_KNOB_VALUE];
	char observed[ZH_KNOB_VALUE];                               /* after the write */
	char prior_raw[ZH_KNOB_VALUE], observed_raw[ZH_KNOB_VALUE]; /* the kernel's texts */
	enum zh_change_action action;
	enum zh_change_phase phase;
	char note[320];
};

struct zh_plan {
	struct zh_change *changes; /* owned */
	size_t n;
	bool anyway; /* also what does nothing or harms here */
};

/*
 * Adds "KNOB[@INSTANCE]=VALUE"; several changes when the instance leaves queues or CPUs open.
 * 0; -EINVAL, -ERANGE: the word is wrong; or the knob cannot be read, and why.
 */
int zh_plan_add(struct zh_plan *plan, const char *word, const struct zh_knob_where *where,
	struct zh_err *err);
/* Into the order of writing. Call it once, after the last zh_plan_add(). */
void zh_plan_sort(struct zh_plan *plan);
size_t zh_plan_writes(const struct zh_plan *plan);
void zh_plan_done(struct zh_plan *plan);
const char *zh_change_phase_name(enum zh_change_phase phase);
