/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collectors that ask over netlink: how they start, and what turns one reply into facts. The
 * latter take any bytes that claim to be a message, so that they can be tested and fuzzed without a
 * kernel; `arg` is a struct zh_facts_walk.
 */
#pragma once

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fact-set.h"
#include "sys/netlink.h"

struct zh_facts_walk {
	struct zh_fact_set *set;
	int family;           /* 4 or 6, where it matters */
	size_t n;             /* replies seen so far */
	size_t listed;        /* of which so many were listed */
	bool found;           /* what the collector looks for was seen */
	uint64_t last;        /* what the previous reply was about, for numbering */
	unsigned int ifindex; /* the device asked about */
	const char *device;   /* and its name as a key part */
	void *more;           /* the collector's own state */
};

/*
 * Opens a socket for a collector. On a captured root or without permission it adds `key` as
 * unavailable with the reason and returns NULL.
 */
struct zh_netlink *zh_facts_netlink(struct zh_fact_set *set, int protocol, const char *key);

/* Adds `key` as unavailable with the error's sentence behind what was asked for. */
void zh_facts_refused(
	struct zh_fact_set *set, const struct zh_err *err, const char *what, const char *key);

/* A device's name as a key part; "if<N>" when there is none with that number. Returns buf, of at
 * least ZH_FACTS_NAME_MAX bytes. */
char *zh_facts_device(char *buf, unsigned int ifindex);

/* One reply each. They return 0. */
int zh_facts_link_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_address_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_rule_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_route_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_qdisc_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_filter_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_neighbour_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_hook_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_listener_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_udp_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_features_reply(void *walk, const struct nlmsghdr *reply);
int zh_facts_audit_reply(void *walk, const struct nlmsghdr *reply);
