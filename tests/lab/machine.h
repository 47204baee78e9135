/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a lab could leave behind on this machine, for comparing before and after.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Loaded BPF programs of the lab (zh_lab_*). */
unsigned int machine_lab_programs(void);
/* Control groups whose name begins with "zerohop.PID.". */
unsigned int machine_lab_groups(pid_t pid);
/* Living children of this process. */
unsigned int machine_children(void);
/* Named network namespaces. */
unsigned int machine_named_namespaces(void);
/* Asks f(arg) until it gives `want`, for at most five seconds; returns the last answer. What the
 * kernel frees in the background takes a moment. */
unsigned int machine_settle(unsigned int (*f)(void), unsigned int want);

/* Links, addresses, rules, routes, qdiscs, filters, firewall and packet steering of a namespace as
 * text, without what differs between two of the same kind (MAC addresses). "" when the programs ip
 * and tc are not installed. Owned by the caller. */
char *machine_describe_netns(int netns_fd);
