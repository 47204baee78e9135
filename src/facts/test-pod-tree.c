/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/test-pod-tree.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

void tree_make(void)
{
	snprintf(root, sizeof(root), "/tmp/zh-test-pods-XXXXXX");
	assert_non_null(mkdtemp(root));
	setenv("ZH_SYSROOT", root, 1);
}

/* Makes the directories above `path` (below the root) and returns the whole path in buf. */
static const char *make_path(char *buf, size_t size, const char *path)
{
	char *slash;

	snprintf(buf, size, "%s%s", root, path);
	for (slash = strchr(buf + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(buf, 0755);
		*slash = '/';
	}
	return buf;
}

void tree_add_bytes(const char *path, const void *bytes, size_t size)
{
	char buf[512];
	FILE *file = fopen(make_path(buf, sizeof(buf), path), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

void tree_add_file(const char *path, const char *text)
{
	tree_add_bytes(path, text, strlen(text));
}

void tree_add_link(const char *path, const char *target)
{
	char buf[512];

	assert_int_equal(symlink(target, make_path(buf, sizeof(buf), path)), 0);
}

void tree_add_process(int pid, const char *cgroup, unsigned int netns)
{
	char path[64], target[32];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	tree_add_file(path, cgroup);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	snprintf(target, sizeof(target), "net:[%u]", netns);
	tree_add_link(path, target);
}

void tree_add_parent(int pid, int parent)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	snprintf(text, sizeof(text), "%d (some) name) S %d 1 1 0", pid, parent);
	tree_add_file(path, text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int tree_remove(void **state)
{
	(void)state;
	unsetenv("ZH_SYSROOT");
	if (root[0])
		nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	root[0] = '\0';
	return 0;
}
