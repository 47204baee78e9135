/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears complete or not at all: written under a temporary name beside the final one,
 * flushed, and renamed. Whoever looks sees the old file, or none, or the whole new one.
 *
 * The temporary file is locked with flock() while its writer lives. What a killed writer left is
 * therefore known by its name and the free lock, and the next one for the same path removes it.
 */
#pragma once

#include <limits.h>

#include "base/err.h"

struct zh_temp_file {
	const char *shown; /* the path as the user wrote it, for messages; not owned */
	char path[PATH_MAX], temp[PATH_MAX];
	int fd; /* holds the lock; -1: none */
};

/*
 * Creates and locks the temporary file for `path`; mode 0666 less the umask. An existing `path`
 * must be a regular file; symbolic links are followed. The errors say "cannot write record <path>".
 */
int zh_temp_file_open(struct zh_temp_file *file, const char *path, struct zh_err *err);

/* Why the file does not grow: a negative errno, or 0 when it does. For a library that says no more
 * than "I/O error". */
int zh_temp_file_probe(const struct zh_temp_file *file);

/* Flushes and renames: the file is at its path now. On failure the temporary file is still there
 * for zh_temp_file_done(). */
int zh_temp_file_keep(struct zh_temp_file *file, struct zh_err *err);

/* Removes the temporary file unless it was kept. */
void zh_temp_file_done(struct zh_temp_file *file);
