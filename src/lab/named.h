/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Labs with a name: a topology that stays up, for people to look into. A keeper process holds its
 * namespaces; /run/netns/NAME-client, NAME-server and NAME-host are symbolic links to what it
 * holds, so that `ip netns exec` and --netns find them. When the keeper dies the namespaces are
 * gone (but for processes that are still in them), and its guard removes the names; when both were
 * killed at once, zh_lab_gc() does.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/units.h"
#include "lab/lab.h"
#include "report/doc.h"

/* Devices are called NAME-client-host, and device names have at most 15 characters. */
#define ZH_LAB_NAME_MAX 3
#define ZH_LAB_NAME_DEFAULT "lab"
#define ZH_LABS_MAX 64

struct zh_named_lab {
	char name[ZH_LAB_NAME_MAX + 1];
	const struct zh_topology *topology;
	pid_t keeper;
};

struct zh_named_config {
	const struct zh_topology *topology;
	const char *name;
	struct zh_cpuset steer; /* what the host's devices receive, to these CPUs; empty: not */
	unsigned int rules;     /* nft rules that every forwarded packet passes */
};

/* 0; -EINVAL: not a name, or nothing to steer; -EEXIST: that lab is up already; or why it cannot be
 * built. */
int zh_named_up(const struct zh_named_config *config, struct zh_named_lab *ret, struct zh_err *err);
/* Nothing of it is left when it returns. -ENOENT: no such lab. */
int zh_named_down(const char *name, struct zh_err *err);
/* -ENOENT: no such lab is up. */
int zh_named_find(const char *name, struct zh_named_lab *ret, struct zh_err *err);
/* Those that are up; returns how many. */
size_t zh_named_list(struct zh_named_lab *ret, size_t max);
/* Opens its namespaces, to be closed by lab.topology->down(). */
int zh_named_open(const struct zh_named_lab *lab, struct zh_lab_ns *ret, struct zh_err *err);
/* Removes the names of labs whose keeper is dead; returns how many labs. */
unsigned int zh_named_gc(void);

/* `name`, `topology`, `keeper_pid`, `address`, `namespaces`, `devices`. */
void zh_named_describe(const struct zh_named_lab *lab, struct zh_node *node);
