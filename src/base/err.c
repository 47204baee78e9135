/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TAIL 120 /* bytes kept of the end of a sentence that is too long */

int zh_err_set(struct zh_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int zh_err_sys(struct zh_err *err, int code, const char *fmt, ...)
{
	char reason[100];
	va_list ap;
	size_t len, room;

	if (!err)
		return code;
	err->code = code;
	err->hint[0] = '\0';
	snprintf(reason, sizeof(reason), ": %s", strerror(-code));
	room = sizeof(err->text) - strlen(reason);
	va_start(ap, fmt);
	vsnprintf(err->text, room, fmt, ap);
	va_end(ap);
	/* A name of any length does not push the reason out. */
	len = strlen(err->text);
	if (len == room - 1)
		memcpy(err->text + len - 3, "...", 3);
	snprintf(err->text + len, sizeof(err->text) - len, "%s", reason);
	return code;
}

int zh_err_wrap(struct zh_err *err, const char *fmt, ...)
{
	char prefix[200], whole[sizeof(err->text) + sizeof(prefix) + 2];
	size_t len, size = sizeof(err->text);
	va_list ap;

	if (!err)
		return -EIO;
	va_start(ap, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);
	len = (size_t)snprintf(whole, sizeof(whole), "%s: %s", prefix, err->text);
	/* The reason stands at the end: what is too long loses its middle. */
	if (len >= size) {
		memcpy(whole + size - 1 - TAIL - 3, "...", 3);
		memmove(whole + size - 1 - TAIL, whole + len - TAIL, TAIL + 1);
	}
	memcpy(err->text, whole, size);
	err->text[size - 1] = '\0';
	return err->code;
}

void zh_err_hint(struct zh_err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}
