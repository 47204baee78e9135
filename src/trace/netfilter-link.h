/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF programs as the first and the last of a netfilter hook (kernel 6.4). A link lives as long as
 * its fd, so the end of the process takes it off.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not in the UAPI headers of 6.1. */
#define ZH_PROG_TYPE_NETFILTER 32
#define ZH_ATTACH_TYPE_NETFILTER 45

#define ZH_NETFILTER_HOOKS 5 /* NF_INET_PRE_ROUTING ... NF_INET_POST_ROUTING */

/*
 * Brackets each of the five hooks of one family (AF_INET, AF_INET6) in the calling thread's
 * namespace with the programs `in` and `out`. Appends the links to fds[*n] while there is room for
 * `max`. 0 or a negative errno; links made so far stay in the list.
 */
int zh_netfilter_bracket(int in, int out, uint32_t family, int *fds, size_t *n, size_t max);
