/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session writes about a device under watch (session/watch/watch.h). */
#pragma once

#include <stdbool.h>

/* Patterns of all keys, NULL-terminated. */
extern const char *const zh_watch_keys[];
bool zh_watch_is_key(const char *key);
