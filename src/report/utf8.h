/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8 as far as a page of text needs it: one code point is one column. Wide and combining
 * characters do not occur in what we print, and a name that has them only shifts its own line.
 */
#pragma once

#include <stddef.h>

/* Columns of the first `bytes` bytes of `text`. */
size_t zh_utf8_columns(const char *text, size_t bytes);

/* How many bytes of `text` (of `bytes`) fill at most `columns` columns, in whole code points. */
size_t zh_utf8_fit(const char *text, size_t bytes, size_t columns);

/*
 * A heap copy that is safe to print anywhere: bytes that are not UTF-8 become U+FFFD, a tab a
 * space, and control characters other than '\n' a '?' (a process name must not be able to move the
 * cursor). NULL gives NULL; NULL also when out of memory.
 */
char *zh_utf8_clean(const char *text);

/* Rewrites `text` in place as ASCII, each code point as one character: a close one, or '?'. */
void zh_utf8_to_ascii(char *text);
