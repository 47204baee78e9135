/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacking a gzip stream in memory (/proc/config.gz). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Unpacks data[len] into *ret, NUL-terminated and owned by the caller; at most max_bytes.
 * Length, or -EBADMSG (not gzip, or cut short), -EFBIG, -ENOMEM. */
int64_t zh_sys_gunzip(char **ret, const char *data, size_t len, size_t max_bytes);
