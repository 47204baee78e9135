/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/cgroup.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/process.h"

static bool missing(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 && errno == ENOENT;
}

static struct zh_cgroup make(const char *label)
{
	struct zh_cgroup group;
	struct zh_err err = {0};
	int r = zh_cgroup_new(label, &group, &err);

	if (r == -EACCES || r == -EPERM || r == -EROFS || r == -ENOTSUP)
		skip();
	assert_int_equal(r, 0);
	return group;
}

static int spin(void *arg)
{
	uint64_t end = zh_now_ns() + 20 * ZH_NSEC_PER_SEC;

	(void)arg;
	while (zh_now_ns() < end)
		;
	return 0;
}

/* A member that wants the whole CPU is throttled, and is set free when the group goes. */
static void a_quota_throttles(void **state)
{
	struct zh_cgroup group = make("quota");
	uint64_t throttled = 0, start;
	pid_t pid;
	int i;

	(void)state;
	assert_int_equal(zh_cgroup_set_quota(&group, 2000, 20000, NULL), 0);
	assert_int_equal(zh_process_fork(spin, NULL, &pid, NULL), 0);
	assert_int_equal(zh_cgroup_add_process(&group, pid, NULL), 0);
	for (i = 0; i < 1000 && throttled < 2; i++) {
		usleep(10000);
		assert_int_equal(zh_cgroup_throttled(&group, &throttled), 0);
	}
	assert_true(throttled >= 2);
	assert_int_equal(zh_cgroup_remove(&group, NULL), 0);
	assert_true(missing(group.path));
	assert_int_equal(zh_process_start_ticks(pid, &start), 0);
	zh_process_end(pid);
}

static void the_limit_can_be_lifted(void **state)
{
	struct zh_cgroup group = make("lift");

	(void)state;
	assert_int_equal(zh_cgroup_set_quota(&group, 5000, 50000, NULL), 0);
	assert_int_equal(zh_cgroup_set_quota(&group, 0, 50000, NULL), 0);
	assert_int_equal(zh_cgroup_remove(&group, NULL), 0);
}

static int make_and_wait(void *arg)
{
	struct zh_cgroup group;
	int fd = *(int *)arg;

	if (zh_cgroup_new("orphan", &group, NULL) < 0 ||
		write(fd, group.path, sizeof(group.path)) != sizeof(group.path))
		return 1;
	for (;;)
		pause();
	return 0;
}

/* gc leaves the groups of the living alone and removes those of the dead. */
static void groups_of_the_dead_are_collected(void **state)
{
	struct zh_cgroup mine = make("mine");
	char path[sizeof(mine.path)];
	unsigned int removed;
	int pipe_fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(zh_process_fork(make_and_wait, &pipe_fds[1], &pid, NULL), 0);
	assert_int_equal(read(pipe_fds[0], path, sizeof(path)), sizeof(path));
	assert_int_equal(zh_cgroup_gc(NULL, NULL), 0);
	assert_false(missing(path));
	zh_process_end(pid);
	assert_int_equal(zh_cgroup_gc(&removed, NULL), 0);
	assert_true(missing(path));
	assert_false(missing(mine.path));
	assert_int_equal(zh_cgroup_remove(&mine, NULL), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quota_throttles),
		cmocka_unit_test(the_limit_can_be_lifted),
		cmocka_unit_test(groups_of_the_dead_are_collected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
