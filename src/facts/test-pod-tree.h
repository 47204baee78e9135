/* SPDX-License-Identifier: BSD-2-Clause */
/* Captured nodes for tests of pods: a tree below a temporary directory, which is the root then. */
#pragma once

#include <stddef.h>

#define ID_A "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define ID_B "ffb2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"
#define ID_C "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"
#define UID_1 "6a0f1c2d-0000-4111-8222-333344445555"
#define UID_1_ "6a0f1c2d_0000_4111_8222_333344445555"
#define HASH "0123456789abcdef0123456789abcdef"

void tree_make(void);
/* A file with the directories above it; "/proc/5/cwd/x" makes a plain directory of the link. */
void tree_add_file(const char *path, const char *text);
void tree_add_bytes(const char *path, const void *bytes, size_t size);
void tree_add_link(const char *path, const char *target);
/* /proc/PID/cgroup, and its network namespace by number. */
void tree_add_process(int pid, const char *cgroup, unsigned int netns);
void tree_add_parent(int pid, int parent);
/* A teardown. */
int tree_remove(void **state);
