/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's messages, as dmesg shows them. */
#pragma once

#include <stdint.h>

/*
 * Reads the whole log (at most 4 MiB, from the oldest) into *ret, one message a line, owned by the
 * caller. *ret_next is the number that the next message will have, counted since boot, or 0 where
 * /dev/kmsg is missing (a container) and only the text can be had.
 * Length, or a negative errno (-EPERM where kernel.dmesg_restrict is set).
 */
int64_t zh_sys_kernel_log(char **ret, uint64_t *ret_next);
