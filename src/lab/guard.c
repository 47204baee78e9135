/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/detach.h"
#include "sys/process.h"

#define END_NS (5 * ZH_NSEC_PER_SEC)

struct start {
	void (*undo)(const void *arg);
	const void *arg;
	pid_t maker;
	int ready_fd;
};

/* SIGUSR1 comes from the maker, or from the kernel at its death; nobody else's counts. */
static void wait_for_maker(const struct start *start)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	while (getppid() == start->maker)
		if (sigwaitinfo(&set, &info) == SIGUSR1 && info.si_pid == start->maker)
			return;
}

static int guard_main(void *arg)
{
	const struct start *start = arg;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "zh-guard");
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	zh_detach_files(start->ready_fd, -1);
	if (write(start->ready_fd, "", 1) == 1) {
		close(start->ready_fd);
		wait_for_maker(start);
	}
	start->undo(start->arg);
	return 0;
}

int lab_guard_start(
	void (*undo)(const void *arg), const void *arg, struct lab_guard *ret, struct zh_err *err)
{
	struct start start = {.undo = undo, .arg = arg, .maker = getpid()};
	zh_autoclose int read_fd = -1, write_fd = -1;
	int fds[2], r;
	char ready;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	read_fd = fds[0];
	start.ready_fd = write_fd = fds[1];
	r = zh_process_fork(guard_main, &start, &ret->pid, err);
	if (r < 0)
		return r;
	close(zh_take_fd(&write_fd));
	do
		n = read(read_fd, &ready, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	ret->pid = zh_process_end(ret->pid);
	return zh_err_set(err, -ECHILD, "the process that would undo it ended at once");
}

int lab_guard_end(struct lab_guard *guard)
{
	pid_t pid = guard->pid;
	int status = 0, r;

	guard->pid = 0;
	if (pid <= 0)
		return 0;
	zh_process_signal(pid, SIGUSR1);
	r = zh_process_wait(pid, END_NS, &status);
	return r == 0 && status ? -ECHILD : r;
}
