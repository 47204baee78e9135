/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A visit of the calling thread to another network namespace. Sockets stay in the namespace in
 * which they were made, so a visit is all that opening them takes.
 */
#pragma once

#include "base/err.h"

struct zh_netns_scope {
	int back_fd; /* -1: there was nowhere to go */
};

/* Enters the namespace of `fd`; -1 means stay. 0 or a negative errno. */
int zh_netns_scope_enter(struct zh_netns_scope *scope, int fd, struct zh_err *err);
int zh_netns_scope_leave(struct zh_netns_scope *scope, struct zh_err *err);
