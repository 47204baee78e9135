/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One error: what failed, on what and why, plus what the user can do.
 *
 * A function that can fail takes a struct zh_err * as its last argument and returns 0, a negative
 * errno (then the error holds the sentence), or a positive answer that it documents. Fixed size,
 * on the caller's stack: reporting an error never allocates. A NULL error is allowed everywhere.
 */
#pragma once

struct zh_err {
	int code; /* negative errno, 0 when nothing failed */
	char text[480];
	char hint[320];
};

/* Sets the sentence at the cause; returns `code`, which must be a negative errno. */
int zh_err_set(struct zh_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Like zh_err_set() with ": <strerror(-code)>" behind the sentence. */
int zh_err_sys(struct zh_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "<prefix>: " before the sentence on the way up; returns the code it already had. */
int zh_err_wrap(struct zh_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What the user can do about it: one line. */
void zh_err_hint(struct zh_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
