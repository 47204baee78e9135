/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/backlog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "sys/net-tune.h"

#define FILE_NAME "backlog"

static void undo(const void *arg)
{
	const struct lab_state *state = arg;
	uint64_t before, ours, now;

	if (sscanf(state->text, "%" SCNu64 " %" SCNu64, &before, &ours) == 2 &&
		zh_nettune_backlog(&now, NULL) == 0 && now == ours)
		zh_nettune_backlog_set(before, NULL);
	lab_state_remove(state);
}

static int note(struct lab_backlog *backlog, struct zh_err *err)
{
	struct lab_state *state = &backlog->state;
	int r;

	*state = (struct lab_state){.file = FILE_NAME};
	snprintf(state->text, sizeof(state->text), "%" PRIu64 " %" PRIu64, backlog->before,
		backlog->now);
	r = lab_state_own(state, err);
	if (r == 0)
		r = lab_state_write(state, err);
	if (r == -EEXIST)
		return zh_err_set(err, -EBUSY,
			"another lab has net.core.netdev_max_backlog changed at the moment");
	return r;
}

int lab_backlog_set(struct lab_backlog *backlog, uint64_t packets, struct zh_err *err)
{
	int r;

	*backlog = (struct lab_backlog){.now = packets};
	r = zh_nettune_backlog(&backlog->before, err);
	if (r < 0 || backlog->before == packets)
		return r;
	r = note(backlog, err);
	if (r < 0)
		return r;
	r = lab_guard_start(undo, &backlog->state, &backlog->guard, err);
	if (r < 0) {
		lab_state_remove(&backlog->state);
		return r;
	}
	r = zh_nettune_backlog_set(packets, err);
	if (r < 0)
		lab_backlog_restore(backlog);
	return r;
}

void lab_backlog_restore(struct lab_backlog *backlog)
{
	if (backlog->guard.pid > 0 && lab_guard_end(&backlog->guard) < 0)
		undo(&backlog->state);
}

unsigned int lab_backlog_gc(void)
{
	struct lab_state state;

	if (lab_state_read(FILE_NAME, &state) < 0 || lab_state_is_alive(&state))
		return 0;
	undo(&state);
	return 1;
}
