/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of ways: namespaces of our own with cables between them, a path run in one of them, and
 * what its record must say. Everything fails the test that calls it.
 */
#pragma once

#include <stddef.h>

#include "session/path.h"
#include "sys/net-config.h"

#define LAB_SIDES 4

extern struct zh_err lab_err;

/* Namespaces of a test; [0] is where packets start. */
struct lab {
	int ns[LAB_SIDES];
	struct zh_netcfg *cfg[LAB_SIDES];
	char via[LAB_SIDES][32];
	size_t n;
};

struct run {
	struct zh_path_config config;
	const char *via[LAB_SIDES];
	struct zh_record *record;
	int result;
};

/* Fails with lab_err's sentence when r is negative. */
void must(int r);
/* n namespaces with lo up; skips the test without privileges. */
void lab_open(struct lab *lab, size_t n);
void lab_close(struct lab *lab);
/* An address (or NULL) for a device that is then up. */
void lab_address(struct lab *lab, size_t side, const char *dev, const char *ip);
/* A veth pair between two sides, up, with addresses (or NULL). */
void lab_cable(struct lab *lab, size_t a, const char *dev_a, const char *ip_a, size_t b,
	const char *dev_b, const char *ip_b);
void lab_route(struct lab *lab, size_t side, const char *to, const char *via, const char *dev);
void lab_set(struct lab *lab, size_t side, const char *name, const char *value);
/* Runs a struct run in the namespace that the thread is in. 0; the result is in it. */
int lab_run_inside(void *arg);
/* Follows the way in side `from`; the other sides are named to it. The result. */
int lab_follow(struct lab *lab, size_t from, struct run *run, const char *target);
struct zh_record *lab_path_from(struct lab *lab, size_t from, const char *target);
struct zh_record *lab_path(struct lab *lab, const char *target);
/* Facts below path.way.0: equal to a text, or containing it. */
void lab_is(const struct zh_record *record, const char *key, const char *expected);
void lab_has(const struct zh_record *record, const char *key, const char *part);
/* The hops: place, kind, device or hook; what depends on the machine (cgroups, receive steering) is
 * left out. And that all keys of the way are in explain's list. */
void lab_check(struct zh_record *record, const char *expected);
/* Why the way ends at its last hop; NULL: it does not. */
const char *lab_end_of(const struct zh_record *record);
void lab_ends(const struct zh_record *record, const char *part);
void lab_last_has(const struct zh_record *record, const char *part);

/* Parts of what lab_check() expects: "PLACE KIND DEVICE" or "PLACE HOOK", comma-separated. */
#define SENT "0 socket, 0 routing, 0 output, 0 postrouting, "
#define OUT(place, dev) place " qdisc " dev ", " place " device " dev
#define IN(place, dev) place " device " dev
#define UP(place) place " prerouting, " place " routing"
#define TAKEN(place) UP(place) ", " place " input, " place " end"
