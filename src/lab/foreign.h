/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much CPU time others used meanwhile. A diagnosis that blames another program's load on a busy
 * machine is right, and yet counts as false in a control; so a run during which others were busy is
 * repeated, and said to be disturbed when it cannot be had otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct foreign {
	uint64_t wall_ns, busy_ns, own_ns;
};

/* Starts at now. */
void foreign_start(struct foreign *foreign);
/* CPUs' worth of time that processes which are neither this one nor its reaped children used since
 * the start: 0.5 is half a CPU. 0 when unknown. Resolution: a clock tick of each CPU. */
double foreign_cpus(const struct foreign *foreign);

/* Waits until others use no more than `limit` CPUs, at most so long; true when they do. */
bool foreign_wait_quiet(double limit, uint64_t at_most_ns);
