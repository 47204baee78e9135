/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/root.h"

static void close_others(int a, int b)
{
	int low = ZH_MIN(a, b), high = ZH_MAX(a, b);

	if (low <= STDERR_FILENO)
		low = high;
	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned int)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned int)low + 1, (unsigned int)high - 1, 0);
	close_range((unsigned int)high + 1, ~0u, 0);
}

void zh_detach_files(int a, int b)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_others(a, b);
	if (chdir("/") < 0)
		return;
}

static void leave(int ready_fd, int keep_fd)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	zh_detach_files(ready_fd, keep_fd);
	zh_sys_write("-1000", "/proc/self/oom_score_adj");
}

int zh_detach(
	int (*f)(void *arg, int ready_fd), void *arg, int keep_fd, pid_t *ret, struct zh_err *err)
{
	zh_autoclose int read_fd = -1;
	int fds[2];
	char ready;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	read_fd = fds[0];
	pid = fork();
	if (pid == 0) {
		leave(fds[1], keep_fd);
		_exit(f(arg, fds[1]) & 0xff);
	}
	close(fds[1]);
	if (pid < 0)
		return zh_err_sys(err, -errno, "cannot start a process");
	do
		n = read(read_fd, &ready, 1);
	while (n < 0 && errno == EINTR);
	*ret = pid;
	if (n == 1)
		return 0;
	waitpid(pid, NULL, 0);
	return zh_err_set(err, -ECHILD, "a process in the background ended at once");
}
