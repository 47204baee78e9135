/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/netns.h"
#include "sys/root.h"

/* In the child: dies with its maker, with the default answer to every signal. The parent may have
 * died before prctl() took effect; then the parent is another process by now. */
static void become_child(pid_t parent)
{
	sigset_t none;
	int sig;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(127);
	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int zh_process_fork(int (*f)(void *arg), void *arg, pid_t *ret, struct zh_err *err)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return zh_err_sys(err, -errno, "cannot start a process");
	if (pid == 0) {
		become_child(parent);
		_exit(f(arg) & 0xff);
	}
	*ret = pid;
	return 0;
}

int zh_process_signal(pid_t pid, int sig)
{
	if (pid <= 0)
		return -EINVAL;
	return kill(pid, sig) < 0 ? -errno : 0;
}

static int reap(pid_t pid, int *ret_status)
{
	int status, r;

	do
		r = waitpid(pid, &status, WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (r == 0)
		return -ETIMEDOUT;
	if (ret_status)
		*ret_status = status;
	return 0;
}

int zh_process_wait(pid_t pid, uint64_t timeout_ns, int *ret_status)
{
	uint64_t end_ns = zh_now_ns() + timeout_ns, now_ns;
	zh_autoclose int fd = -1;
	struct pollfd poll_fd;
	int r = reap(pid, ret_status);

	if (r != -ETIMEDOUT || !timeout_ns)
		return r;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	while (r == -ETIMEDOUT && (now_ns = zh_now_ns()) < end_ns) {
		poll_fd = (struct pollfd){.fd = fd, .events = POLLIN};
		/* Without pidfds (before 5.3) a negative fd makes this a plain nap. */
		poll(&poll_fd, 1, fd < 0 ? 2 : (int)((end_ns - now_ns) / ZH_NSEC_PER_MSEC) + 1);
		r = reap(pid, ret_status);
	}
	return r;
}

pid_t zh_process_end(pid_t pid)
{
	if (pid <= 0)
		return 0;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int zh_process_start_ticks(pid_t pid, uint64_t *ret)
{
	char text[1024], state;
	const char *rest;
	int r = zh_sys_read(text, sizeof(text), "/proc/%d/stat", (int)pid);

	if (r < 0)
		return r == -ENOENT || r == -ESRCH ? -ESRCH : r;
	/* The name in parentheses may hold anything; fields 3 and 22 stand behind its end. */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1,
			     " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			     "%*s %*s %" SCNu64,
			     &state, ret) != 2)
		return -EBADMSG;
	return state == 'Z' || state == 'X' ? -ESRCH : 0;
}

int zh_process_schedstat(pid_t tid, struct zh_schedstat *ret)
{
	char text[128];
	int r = zh_sys_read(text, sizeof(text), "/proc/%d/schedstat", (int)tid);

	if (r < 0)
		return r;
	return sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret->run_ns, &ret->wait_ns,
		       &ret->turns) == 3
		       ? 0
		       : -EBADMSG;
}

bool zh_process_is_ksoftirqd(const char *comm, unsigned int *ret_cpu)
{
	char end;

	return sscanf(comm, "ksoftirqd/%u%c", ret_cpu, &end) == 1;
}

struct each {
	void (*f)(void *arg, unsigned int cpu, pid_t tid);
	void *arg;
};

static int look_for_ksoftirqd(void *arg, const char *name)
{
	const struct each *each = arg;
	unsigned int cpu;
	char comm[32];

	if (name[0] >= '1' && name[0] <= '9' &&
		zh_sys_read(comm, sizeof(comm), "/proc/%s/comm", name) > 0 &&
		zh_process_is_ksoftirqd(comm, &cpu))
		each->f(each->arg, cpu, (pid_t)strtol(name, NULL, 10));
	return 0;
}

void zh_process_each_ksoftirqd(void (*f)(void *arg, unsigned int cpu, pid_t tid), void *arg)
{
	struct each each = {f, arg};

	zh_sys_list(look_for_ksoftirqd, &each, "/proc");
}

/* A file in memory that holds the text, positioned at its start. */
static int text_file(const char *text, size_t len)
{
	int fd = memfd_create("zerohop-input", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (done < len) {
		n = write(fd, text + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			close(fd);
			return (int)n;
		}
		done += (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

struct program {
	const char *const *argv;
	int netns_fd, input, errors;
};

static int exec_program(void *arg)
{
	const struct program *p = arg;
	int null = open("/dev/null", O_WRONLY);

	if (p->netns_fd >= 0 && zh_netns_enter(p->netns_fd, NULL) < 0)
		return 126;
	if (null < 0 || dup2(p->input, 0) < 0 || dup2(null, 1) < 0 || dup2(p->errors, 2) < 0)
		return 126;
	execvp(p->argv[0], (char *const *)p->argv);
	return errno == ENOENT ? 127 : 126;
}

/* The first line that the program wrote to its standard error. */
static void first_line(int fd, char *buf, size_t size)
{
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	n = read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

int zh_process_run(const char *const *argv, int netns_fd, const char *input, size_t input_len,
	struct zh_err *err)
{
	zh_autoclose int in = text_file(input, input_len), errors = text_file("", 0);
	struct program program = {argv, netns_fd, in, errors};
	char line[200];
	pid_t pid;
	int status, r;

	if (in < 0 || errors < 0)
		return zh_err_sys(err, in < 0 ? in : errors, "cannot pass input to %s", argv[0]);
	r = zh_process_fork(exec_program, &program, &pid, err);
	if (r < 0)
		return r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return zh_err_sys(err, -errno, "cannot wait for %s", argv[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return zh_err_set(err, -ENOENT, "%s is not installed", argv[0]);
	first_line(errors, line, sizeof(line));
	return zh_err_set(err, -EIO, "%s failed: %s", argv[0], line[0] ? line : "no message");
}
