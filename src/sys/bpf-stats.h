/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run time of the BPF programs that packets pass: tc, XDP, control group, netfilter and
 * lightweight-tunnel programs that existed when this was opened.
 *
 * The kernel counts run time only while somebody asks for it, at about 20 ns a run of any program,
 * so it is asked only if there is such a program. The figures are system-wide.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ZH_BPF_STATS_MAX 16 /* programs watched */

struct zh_bpf_stats;

struct zh_bpf_stat {
	uint32_t id;
	char name[16];                   /* as far as the kernel keeps it; may be empty */
	uint64_t run_time_ns, run_count; /* since zh_bpf_stats_open() */
};

/*
 * Looks for such programs; of the control-group ones only those in effect for this process. Returns
 * 0 with *ret NULL when there are none, 1 when more exist than are watched, else 0 or a negative
 * errno (-EPERM: not allowed to look).
 */
int zh_bpf_stats_open(struct zh_bpf_stats **ret, struct zh_err *err);
struct zh_bpf_stats *zh_bpf_stats_close(struct zh_bpf_stats *stats);
/* Sum of the run times in ns, about 1 us a program; 0 for NULL. */
uint64_t zh_bpf_stats_read(const struct zh_bpf_stats *stats);
size_t zh_bpf_stats_count(const struct zh_bpf_stats *stats);
/* The figures of one program. 0 or a negative errno. */
int zh_bpf_stats_get(const struct zh_bpf_stats *stats, size_t i, struct zh_bpf_stat *ret);
