/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/global.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names of the notes; enum zh_nettune_global is the index. */
static const char *const files[ZH_NETTUNE_GLOBALS] = {"backlog", "budget"};

static enum zh_nettune_global which_of(const struct lab_state *state)
{
	return strcmp(state->file, files[ZH_NETTUNE_BUDGET]) ? ZH_NETTUNE_BACKLOG
							     : ZH_NETTUNE_BUDGET;
}

static void undo(const void *arg)
{
	const struct lab_state *state = arg;
	const enum zh_nettune_global which = which_of(state);
	uint64_t before, ours, now;

	if (sscanf(state->text, "%" SCNu64 " %" SCNu64, &before, &ours) == 2 &&
		zh_nettune_global(which, &now, NULL) == 0 && now == ours)
		zh_nettune_global_set(which, before, NULL);
	lab_state_remove(state);
}

static int note(struct lab_global *global, struct zh_err *err)
{
	struct lab_state *state = &global->state;
	int r;

	*state = (struct lab_state){};
	snprintf(state->file, sizeof(state->file), "%s", files[global->which]);
	snprintf(state->text, sizeof(state->text), "%" PRIu64 " %" PRIu64, global->before,
		global->now);
	r = lab_state_own(state, err);
	if (r == 0)
		r = lab_state_write(state, err);
	if (r == -EEXIST)
		return zh_err_set(err, -EBUSY, "another lab has %s changed at the moment",
			zh_nettune_global_name(global->which));
	return r;
}

int lab_global_set(
	struct lab_global *global, enum zh_nettune_global which, uint64_t value, struct zh_err *err)
{
	int r;

	*global = (struct lab_global){.which = which, .now = value};
	r = zh_nettune_global(which, &global->before, err);
	if (r < 0 || global->before == value)
		return r;
	r = note(global, err);
	if (r < 0)
		return r;
	r = lab_guard_start(undo, &global->state, &global->guard, err);
	if (r < 0) {
		lab_state_remove(&global->state);
		return r;
	}
	r = zh_nettune_global_set(which, value, err);
	if (r < 0)
		lab_global_restore(global);
	return r;
}

void lab_global_restore(struct lab_global *global)
{
	if (global->guard.pid > 0 && lab_guard_end(&global->guard) < 0)
		undo(&global->state);
}

unsigned int lab_global_gc(void)
{
	struct lab_state state;
	unsigned int n = 0;

	for (size_t i = 0; i < ZH_NETTUNE_GLOBALS; i++) {
		if (lab_state_read(files[i], &state) < 0 || lab_state_is_alive(&state))
			continue;
		undo(&state);
		n++;
	}
	return n;
}
