/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A growing string. Always NUL-terminated; after a failed allocation it stays empty and `failed`
 * is set, so that a caller checks once at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"

struct zh_buf {
	char *text; /* owned; "" is never stored as NULL after the first write */
	size_t len, size;
	bool failed;
};

void zh_buf_done(struct zh_buf *buf);
void zh_buf_add(struct zh_buf *buf, const char *text, size_t len);
void zh_buf_adds(struct zh_buf *buf, const char *text);
void zh_buf_addc(struct zh_buf *buf, char c);
void zh_buf_addf(struct zh_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the text over (never NULL unless an allocation failed); the buffer is empty afterwards. */
char *zh_buf_take(struct zh_buf *buf);

#define zh_autobuf zh_cleanup(zh_buf_done) struct zh_buf
