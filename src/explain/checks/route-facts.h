/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks on policy routing share: the reading of rules and of FIB answers. */
#pragma once

#include "explain/checks/support.h"

#define ZH_TABLE_MAIN 254
#define ZH_TABLE_LOCAL 255

/* The loopback address of a family (4 or 6). */
const char *zh_route_loopback(int family);

/* Whether traffic of the family is worth judging: lo is up and has its loopback address. */
bool zh_route_is_used(const struct zh_explain *ex, int family);

/* How much of the traffic to the loopback address a rule can catch. */
enum zh_rule_reach {
	ZH_REACH_NONE, /* its selectors exclude it, or it decides nothing */
	ZH_REACH_SOME, /* by port, uid, mark or type of service: a part */
	ZH_REACH_ALL,  /* all of it, or all of one protocol */
};
enum zh_rule_reach zh_rule_reach(const struct zh_explain *ex, int family, uint64_t n);

/* Whether the rule refuses packets: blackhole, unreachable, prohibit. */
bool zh_rule_refuses(const struct zh_explain *ex, int family, uint64_t n);

/* Whether the kernel is bound to have a local route for the address: it is on a device here that is
 * up and outside a VRF, and duplicate address detection is over. */
bool zh_route_is_own(const struct zh_explain *ex, const char *address);

/* Whether any route of the table contains the address. */
bool zh_table_covers(const struct zh_explain *ex, int family, uint64_t table, const char *address);

/* Whether a rule ahead of local can divert or refuse loopback traffic (policy-route reports it). */
bool zh_route_is_diverted_by_rule(const struct zh_explain *ex, int family);

/* Whether the kernel's own answer for the protocol ("icmp", "udp", "tcp") is not "local"; `text`
 * then holds what it is. */
bool zh_fib_is_diverted(
	const struct zh_explain *ex, int family, const char *protocol, char *text, size_t size);
