/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between which namespaces `zerohop lab load` may send: those of one lab that is up, or inside one
 * namespace to an address of its own. Anything else is refused, so that a load never leaves.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "lab/named.h"

struct lab_load_site {
	bool has_lab;
	struct zh_named_lab lab; /* has_lab */
	struct zh_lab_ns ns;     /* owned; sender, receiver (-1: the sender's), host (-1: none) */
	char to[64];
	/* Where frames can be injected on their way to `to`; device "": nowhere. */
	int inject_netns_fd; /* not owned */
	char device[16], from[64];
};

/* From the client to the server of that lab. */
int lab_load_site_of_lab(const char *name, struct lab_load_site *ret, struct zh_err *err);
/* netns, peer: names or paths; netns NULL: the caller's own; peer NULL: the same as netns.
 * -EPERM: it could leave. */
int lab_load_site_between(const char *netns, const char *peer, const char *to,
	struct lab_load_site *ret, struct zh_err *err);
void lab_load_site_done(struct lab_load_site *site);
