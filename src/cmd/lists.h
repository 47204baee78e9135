/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that take several values: "1,64,1k", "same-cpu,free".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CMD_LIST_MAX 32

struct cmd_list {
	uint64_t values[CMD_LIST_MAX];
	size_t n;
};

/* Reads one item; -EINVAL or -ERANGE with what is allowed. `arg` is the list's. */
typedef int cmd_item_reader(const void *arg, const char *text, uint64_t *ret, struct zh_err *err);

/* A size from 1 byte up. */
cmd_item_reader cmd_item_size;
/* One of a NULL-terminated array of names (arg); its index. */
cmd_item_reader cmd_item_choice;
/* A rate a second, from 1 to a million; cmd_item_rate_or_max also takes "max", which is 0. */
cmd_item_reader cmd_item_rate, cmd_item_rate_or_max;

/* Values in the order given, none twice. 0, or -EINVAL with one line that starts with the option's
 * name. */
int cmd_list_read(const char *option, const char *text, cmd_item_reader *read, const void *arg,
	struct cmd_list *ret, struct zh_err *err);
