/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small helpers that every module uses: ownership on the stack, array sizes, bounds.
 * A destructor used by zh_cleanup() accepts NULL and half-built objects.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define ZH_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ZH_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ZH_MAX(a, b) ((a) > (b) ? (a) : (b))

#define ZH_NSEC_PER_USEC 1000ull
#define ZH_NSEC_PER_MSEC 1000000ull
#define ZH_NSEC_PER_SEC 1000000000ull

/* Runs f(&variable) when the variable goes out of scope. */
#define zh_cleanup(f) __attribute__((cleanup(f)))

/* Hands a pointer over: yields its value and leaves NULL behind. */
#define zh_take(p)                                                                                 \
	({                                                                                         \
		__typeof__(p) zh_taken_ = (p);                                                     \
		(p) = NULL;                                                                        \
		zh_taken_;                                                                         \
	})

/* Hands a file descriptor over: yields it and leaves -1 behind. */
static inline int zh_take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void zh_freep(void *p)
{
	free(*(void **)p);
}

static inline void zh_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define zh_autofree zh_cleanup(zh_freep)
#define zh_autoclose zh_cleanup(zh_closep)
