/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's messages, as dmesg shows them. */
#pragma once

#include <stdint.h>

/* Reads the whole log (at most 1 MiB, the newest) into *ret, owned by the caller. Length, or a
 * negative errno (-EPERM where kernel.dmesg_restrict is set). */
int64_t zh_sys_klog(char **ret);
