/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/process.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"

static int give(void *arg)
{
	return *(int *)arg;
}

static int sleep_long(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static void a_child_returns_its_status(void **state)
{
	int value = 23, status;
	pid_t pid;

	(void)state;
	assert_int_equal(zh_process_fork(give, &value, &pid, NULL), 0);
	assert_int_equal(zh_process_wait(pid, 10 * ZH_NSEC_PER_SEC, &status), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 23);
	assert_int_equal(zh_process_wait(pid, 0, &status), -ECHILD);
}

static void waiting_ends_at_the_timeout(void **state)
{
	uint64_t start;
	pid_t pid;

	(void)state;
	assert_int_equal(zh_process_fork(sleep_long, NULL, &pid, NULL), 0);
	assert_int_equal(zh_process_wait(pid, 20 * ZH_NSEC_PER_MSEC, NULL), -ETIMEDOUT);
	assert_int_equal(zh_process_start_ticks(pid, &start), 0);
	assert_int_equal(zh_process_end(pid), 0);
	assert_int_equal(zh_process_start_ticks(pid, &start), -ESRCH);
}

static int parent_of_sleeper(void *arg)
{
	int *fd = arg;
	pid_t pid;

	if (zh_process_fork(sleep_long, NULL, &pid, NULL) < 0 ||
		write(*fd, &pid, sizeof(pid)) != sizeof(pid))
		return 1;
	return sleep_long(NULL);
}

/* The grandchild is gone soon after its parent was killed, without anybody ending it. */
static void a_killed_maker_takes_its_children_along(void **state)
{
	int pipe_fds[2], i;
	pid_t parent, grandchild;
	uint64_t start;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(zh_process_fork(parent_of_sleeper, &pipe_fds[1], &parent, NULL), 0);
	assert_int_equal(read(pipe_fds[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	assert_int_equal(zh_process_start_ticks(grandchild, &start), 0);
	zh_process_end(parent);
	for (i = 0; i < 500 && zh_process_start_ticks(grandchild, &start) == 0; i++)
		usleep(10000);
	assert_int_equal(zh_process_start_ticks(grandchild, &start), -ESRCH);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void signals_to_groups_are_refused(void **state)
{
	(void)state;
	assert_int_equal(zh_process_signal(0, SIGTERM), -EINVAL);
	assert_int_equal(zh_process_signal(-1, SIGTERM), -EINVAL);
	assert_int_equal(zh_process_end(0), 0);
}

static void programs_get_input_and_report_failure(void **state)
{
	const char *const good[] = {"grep", "-q", "needle", NULL};
	const char *const bad[] = {"ls", "/nonexistent/zh", NULL};
	const char *const missing[] = {"zh-no-such-program", NULL};
	const char text[] = "hay\nneedle\n";
	struct zh_err err = {0};

	(void)state;
	assert_int_equal(zh_process_run(good, -1, text, strlen(text), &err), 0);
	assert_int_equal(zh_process_run(good, -1, text, 4, &err), -EIO);
	assert_int_equal(zh_process_run(bad, -1, "", 0, &err), -EIO);
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(zh_process_run(missing, -1, "", 0, &err), -ENOENT);
	assert_string_equal(err.text, "zh-no-such-program is not installed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_returns_its_status),
		cmocka_unit_test(waiting_ends_at_the_timeout),
		cmocka_unit_test(a_killed_maker_takes_its_children_along),
		cmocka_unit_test(signals_to_groups_are_refused),
		cmocka_unit_test(programs_get_input_and_report_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
