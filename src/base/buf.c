/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void zh_buf_done(struct zh_buf *buf)
{
	if (!buf)
		return;
	free(buf->text);
	*buf = (struct zh_buf){};
}

static bool reserve(struct zh_buf *buf, size_t extra)
{
	size_t size = buf->size ? buf->size : 64;
	char *text;

	if (buf->failed)
		return false;
	while (size < buf->len + extra + 1)
		size *= 2;
	if (size == buf->size)
		return true;
	text = realloc(buf->text, size);
	if (!text) {
		zh_buf_done(buf);
		buf->failed = true;
		return false;
	}
	buf->text = text;
	buf->size = size;
	return true;
}

void zh_buf_add(struct zh_buf *buf, const char *text, size_t len)
{
	if (!reserve(buf, len))
		return;
	memcpy(buf->text + buf->len, text, len);
	buf->len += len;
	buf->text[buf->len] = '\0';
}

void zh_buf_adds(struct zh_buf *buf, const char *text)
{
	zh_buf_add(buf, text, strlen(text));
}

void zh_buf_addc(struct zh_buf *buf, char c)
{
	zh_buf_add(buf, &c, 1);
}

void zh_buf_addf(struct zh_buf *buf, const char *fmt, ...)
{
	va_list ap, again;
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len >= 0 && reserve(buf, (size_t)len)) {
		vsnprintf(buf->text + buf->len, (size_t)len + 1, fmt, again);
		buf->len += (size_t)len;
	}
	va_end(again);
}

char *zh_buf_take(struct zh_buf *buf)
{
	char *text;

	zh_buf_add(buf, "", 0);
	text = buf->text;
	*buf = (struct zh_buf){};
	return text;
}
