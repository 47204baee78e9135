/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a lab notes for others to find, and for zh_lab_gc() when all its processes were killed:
 * small files in /run/zerohop that begin with their owner: "PID START TEXT". A file appears
 * complete and under a name that nobody has, or not at all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define LAB_STATE_DIR "/run/zerohop"
#define LAB_STATE_TEXT 64

struct lab_state {
	char file[32]; /* its name in the directory */
	pid_t owner;
	uint64_t start_ticks;      /* of the owner */
	char text[LAB_STATE_TEXT]; /* one line */
};

/* Fills in the calling process as the owner. */
int lab_state_own(struct lab_state *state, struct zh_err *err);
/* 0, or -EEXIST when somebody has that file. */
int lab_state_write(const struct lab_state *state, struct zh_err *err);
/* 0, or -ENOENT; -EBADMSG: not one of ours. */
int lab_state_read(const char *file, struct lab_state *ret);
/* Removes the file when it is that owner's, and the directory when nothing else is in it. */
void lab_state_remove(const struct lab_state *state);
bool lab_state_is_alive(const struct lab_state *state);
/* The files whose name begins with `prefix`, sorted; returns how many, at most `max`. */
size_t lab_state_list(const char *prefix, struct lab_state *ret, size_t max);
