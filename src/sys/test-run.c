/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"

#define LONG_NS (20 * ZH_NSEC_PER_SEC)

static int run(const char *script, uint64_t timeout_ns, size_t max, char **ret, struct zh_err *err)
{
	const char *const argv[] = {"sh", "-c", script, NULL};

	return zh_sys_run(argv, timeout_ns, max, ret, err);
}

static void output(void **state)
{
	const char *const missing[] = {"no-such-program", NULL};
	char *text = NULL;
	struct zh_err err;

	(void)state;
	assert_int_equal(run("echo one; echo two", LONG_NS, 100, &text, &err), 0);
	assert_string_equal(text, "one\ntwo\n");
	free(text);
	text = NULL;
	assert_int_equal(
		run("echo why >&2; echo more >&2; exit 3", LONG_NS, 100, &text, &err), -EIO);
	assert_string_equal(err.text, "sh: exit status 3: why");
	assert_int_equal(run("kill -9 $$", LONG_NS, 100, &text, &err), -EIO);
	assert_int_equal(run("yes", LONG_NS, 5000, &text, &err), -EFBIG);
	assert_int_equal(zh_sys_run(missing, LONG_NS, 100, &text, &err), -ENOENT);
	assert_null(text);
}

/* A program that hangs, one that closes its output and hangs on: both are gone in the end. */
static void timeout(void **state)
{
	uint64_t start = zh_now_ns();
	char *text = NULL;

	(void)state;
	assert_int_equal(run("exec sleep 60", 50 * ZH_NSEC_PER_MSEC, 100, &text, NULL), -ETIMEDOUT);
	assert_int_equal(
		run("exec sleep 60 >&- 2>&-", 50 * ZH_NSEC_PER_MSEC, 100, &text, NULL), -EIO);
	assert_null(text);
	assert_true(zh_now_ns() - start < 30 * ZH_NSEC_PER_SEC);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void say(int fd, void *arg)
{
	dprintf(fd, "%s from a child", (const char *)arg);
}

static void hang(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	pause();
}

static void functions(void **state)
{
	char *text = NULL;

	(void)state;
	assert_int_equal(zh_sys_run_child(say, "hello", LONG_NS, 100, &text, NULL), 0);
	assert_string_equal(text, "hello from a child");
	free(text);
	text = NULL;
	assert_int_equal(
		zh_sys_run_child(hang, NULL, 50 * ZH_NSEC_PER_MSEC, 100, &text, NULL), -ETIMEDOUT);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output),
		cmocka_unit_test(timeout),
		cmocka_unit_test(functions),
	};

	return cmocka_run_group_tests_name("sys-run", tests, NULL, NULL);
}
