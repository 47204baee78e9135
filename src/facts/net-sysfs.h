/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/class/net shows the network namespace in which /sys was mounted, not the caller's. Whoever
 * reads it for another namespace reads the wrong devices, which often have the same names.
 */
#pragma once

/* NULL when /sys/class/net shows the calling thread's namespace (or a captured tree), otherwise why
 * it cannot be used. */
const char *zh_net_sysfs_problem(void);
