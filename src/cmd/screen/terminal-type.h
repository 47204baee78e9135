/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the terminal before a screen is shown on it. */
#pragma once

#include <stddef.h>

#include "base/err.h"

/* 0, or 1 with the reason in `err` why no screen of this size can be shown here. Writes nothing. */
int screen_type_check(size_t min_lines, size_t min_columns, struct zh_err *err);

/* The escape sequence that gives the terminal back; returns its length. After newterm(). */
size_t screen_type_restore(char *buf, size_t size);
