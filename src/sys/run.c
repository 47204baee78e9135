/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/util.h"

static const char *const program_dirs[] = {
	"/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"};

int zh_sys_find_program(char *path, size_t size, const char *name)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(program_dirs); i++) {
		snprintf(path, size, "%s/%s", program_dirs[i], name);
		if (access(path, X_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

struct child {
	pid_t pid;
	int out, errors; /* our ends of its standard output and standard error */
	uint64_t deadline_ns;
};

/* Appends what is there; 0 at the end of the stream, 1 when more may come. */
static int drain(int fd, struct zh_buf *buf, size_t max)
{
	char piece[16384];
	ssize_t n = read(fd, piece, sizeof(piece));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (n == 0)
		return 0;
	if (buf->len + (size_t)n > max)
		return -EFBIG;
	zh_buf_add(buf, piece, (size_t)n);
	return buf->failed ? -ENOMEM : 1;
}

/* Reads both streams until both ended, or the time is up. Standard error is kept to 4 KiB. */
static int collect(struct child *child, struct zh_buf *out, struct zh_buf *errors, size_t max)
{
	struct pollfd fds[2] = {
		{.fd = child->out, .events = POLLIN}, {.fd = child->errors, .events = POLLIN}};

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		uint64_t now = zh_now_ns();
		int i, r;

		if (now >= child->deadline_ns)
			return -ETIMEDOUT;
		r = poll(fds, 2, (int)((child->deadline_ns - now) / ZH_NSEC_PER_MSEC) + 1);
		if (r < 0 && errno != EINTR)
			return -errno;
		for (i = 0; r > 0 && i < 2; i++) {
			int more;

			if (!fds[i].revents)
				continue;
			more = drain(fds[i].fd, i ? errors : out, i ? 4096 : max);
			if (i == 0 && more < 0)
				return more;
			if (more <= 0)
				fds[i].fd = -1;
		}
	}
	return 0;
}

/* Waits for the child's end, which it forces when the time is up; returns its wait status. */
static int reap(const struct child *child)
{
	int status = -1;

	for (;;) {
		pid_t got = waitpid(child->pid, &status, WNOHANG);

		if (got == child->pid || (got < 0 && errno != EINTR))
			return status;
		if (got == 0 && zh_now_ns() >= child->deadline_ns)
			kill(child->pid, SIGKILL);
		zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC / 5);
	}
}

static int finish(struct child *child, const char *name, size_t max, char **ret, struct zh_err *err)
{
	zh_autobuf out = {0}, errors = {0};
	int r = collect(child, &out, &errors, max), status;

	close(child->out);
	close(child->errors);
	if (r < 0)
		child->deadline_ns = 0;
	status = reap(child);
	if (r == -ETIMEDOUT)
		return zh_err_set(err, r, "%s: no answer in time", name);
	if (r < 0)
		return zh_err_sys(err, r, "%s", name);
	if (!WIFEXITED(status))
		return zh_err_set(err, -EIO, "%s: ended by signal %d", name, WTERMSIG(status));
	if (WEXITSTATUS(status)) {
		const char *text = errors.len ? errors.text : "no message";

		return zh_err_set(err, -EIO, "%s: exit status %d: %.*s", name, WEXITSTATUS(status),
			(int)strcspn(text, "\n"), text);
	}
	*ret = zh_buf_take(&out);
	return *ret ? 0 : zh_err_set(err, -ENOMEM, "out of memory");
}

/* Forks with two pipes. In the child (*ret_fd >= 0) returns 0 with the write ends as its standard
 * output and error; in the parent *ret_fd is -1. */
static int spawn(struct child *child, bool *ret_is_child, struct zh_err *err)
{
	int out[2], errors[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return zh_err_sys(err, -errno, "cannot make a pipe");
	}
	child->pid = fork();
	*ret_is_child = child->pid == 0;
	if (child->pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		/* It must not outlive us, whatever ends us. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(null, STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(errors[1], STDERR_FILENO);
		return 0;
	}
	close(out[1]);
	close(errors[1]);
	child->out = out[0];
	child->errors = errors[0];
	if (child->pid < 0) {
		close(out[0]);
		close(errors[0]);
		return zh_err_sys(err, -errno, "cannot start a process");
	}
	return 0;
}

int zh_sys_run(const char *const *argv, uint64_t timeout_ns, size_t max_bytes, char **ret,
	struct zh_err *err)
{
	static char *const environment[] = {"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	struct child child = {.deadline_ns = zh_now_ns() + timeout_ns};
	char path[256];
	bool is_child;
	int r;

	if (zh_sys_find_program(path, sizeof(path), argv[0]) < 0)
		return zh_err_set(err, -ENOENT, "%s is not installed", argv[0]);
	r = spawn(&child, &is_child, err);
	if (r < 0)
		return r;
	if (is_child) {
		execve(path, (char *const *)argv, environment);
		_exit(127);
	}
	return finish(&child, argv[0], max_bytes, ret, err);
}

int zh_sys_run_child(void (*f)(int fd, void *arg), void *arg, uint64_t timeout_ns, size_t max_bytes,
	char **ret, struct zh_err *err)
{
	struct child child = {.deadline_ns = zh_now_ns() + timeout_ns};
	bool is_child;
	int r = spawn(&child, &is_child, err);

	if (r < 0)
		return r;
	if (is_child) {
		f(STDOUT_FILENO, arg);
		_exit(0);
	}
	return finish(&child, "child process", max_bytes, ret, err);
}
