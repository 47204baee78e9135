/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Topologies as data: namespaces, devices in them, addresses, routes. Everything is made through
 * netlink in namespaces without a name, so that closing their descriptors removes it all.
 */
#pragma once

#include <stdbool.h>

#include "lab/lab.h"

#define LAB_DEVICE_NAME 16 /* IFNAMSIZ */

enum lab_side { LAB_NEAR, LAB_FAR, LAB_HOST, LAB_SIDES };

enum lab_device_kind {
	LAB_END = 1, /* the end of a veth pair that was made before, as `peer` of another row */
	LAB_VETH,    /* one end; the other one is `peer`, on `peer_side` */
	LAB_BRIDGE,
	LAB_MACVLAN, /* child, in bridge mode, of `parent`, which is on LAB_HOST */
};

/* A device, made in order. Names, addresses with prefix length; NULL: none. */
struct lab_device {
	enum lab_device_kind kind;
	enum lab_side side;
	const char *name;
	const char *named; /* in a lab with a name: NAME-named; NULL: `name` there too */
	const char *peer, *parent, *master;
	enum lab_side peer_side;
	const char *v4, *v6;
};

struct lab_route {
	enum lab_side side;
	const char *to, *via, *device;
};

struct lab_plan {
	bool has_far, has_host;
	bool forwarding;                  /* of LAB_HOST */
	const struct lab_device *devices; /* ends with a NULL name */
	const struct lab_route *routes;   /* ends with a NULL `to`; or NULL */
};

/* Builds it, for a lab with that name or NULL; on failure nothing is left. -EPERM, -EOPNOTSUPP (no
 * such kind of device here) ... */
int lab_build(
	const struct lab_plan *plan, const char *name, struct zh_lab_ns *ret, struct zh_err *err);
/* The name that a device has in a lab of that name (NULL: none); in buf, or static. */
const char *lab_device_name(
	const struct lab_device *device, const char *lab, char buf[static LAB_DEVICE_NAME]);
void lab_unbuild(struct zh_lab_ns *ns);
