/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who undoes a transaction when nobody confirms it: a timer of systemd, or where there is none a
 * process of its own. It sleeps on CLOCK_BOOTTIME, so suspend counts, and lives through the end of
 * the terminal and of its maker.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "knobs/internal.h"
#include "sys/detach.h"
#include "sys/process.h"
#include "sys/root.h"
#include "sys/run.h"

#define WORDS_MAX 16

struct watch {
	const char *argv[WORDS_MAX];
	uint64_t deadline_ns; /* 0: none */
	pid_t maker;          /* 0: its death does not matter */
	int exe_fd;
};

static int open_timer(uint64_t deadline_ns)
{
	const struct itimerspec at = {.it_value = {.tv_sec = (time_t)(deadline_ns / 1000000000),
					      .tv_nsec = (long)(deadline_ns % 1000000000)}};
	int fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);

	if (fd >= 0 && timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL) == 0)
		return fd;
	zh_closep(&fd);
	return -1;
}

static int watch_main(void *arg, int ready_fd)
{
	struct watch *watch = arg;
	struct pollfd fds[2] = {{.fd = -1, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	extern char **environ;

	prctl(PR_SET_NAME, "zh-revert");
	if (watch->deadline_ns && (fds[0].fd = open_timer(watch->deadline_ns)) < 0)
		return 1;
	if (watch->maker && (fds[1].fd = (int)syscall(SYS_pidfd_open, watch->maker, 0)) < 0)
		return 1;
	if (write(ready_fd, "", 1) != 1)
		return 1;
	close(ready_fd);
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	/* The program may have been replaced meanwhile: the one that wrote it takes it back. */
	fexecve(watch->exe_fd, (char *const *)watch->argv, environ);
	return 1;
}

static bool has_systemd(void)
{
	return zh_sys_exists("/run/systemd/system");
}

static int arm_systemd(struct zh_journal *journal, const struct zh_tx *tx,
	const struct watch *watch, uint64_t in_ns, struct zh_err *err)
{
	char after[32], unit[48], state_dir[PATH_MAX];
	const char *argv[WORDS_MAX + 8] = {"systemd-run", "--quiet", after, unit, state_dir,
		"--timer-property=AccuracySec=100ms", "--"};
	zh_autofree char *output = NULL;
	size_t n = 7;

	snprintf(after, sizeof(after), "--on-active=%llums", in_ns / ZH_NSEC_PER_MSEC);
	snprintf(unit, sizeof(unit), "--unit=zerohop-revert-%lld", (long long)tx->id);
	snprintf(state_dir, sizeof(state_dir), "--setenv=ZEROHOP_STATE_DIR=%s", journal->dir);
	for (size_t i = 0; watch->argv[i]; i++)
		argv[n++] = watch->argv[i];
	return zh_sys_run(argv, 10 * ZH_NSEC_PER_SEC, 4096, &output, err);
}

int knobs_watchdog_arm(struct zh_journal *journal, struct zh_tx *tx, const struct zh_apply *apply,
	struct zh_err *err)
{
	struct watch watch = {
		.deadline_ns = tx->deadline_ns, .maker = apply->guard_caller ? getpid() : 0};
	zh_autoclose int exe_fd = -1;
	char id[24];
	size_t n = 0;
	pid_t pid;
	int r;

	snprintf(id, sizeof(id), "%lld", (long long)tx->id);
	for (; apply->guard_argv[n] && n < WORDS_MAX - 2; n++)
		watch.argv[n] = apply->guard_argv[n];
	watch.argv[n] = id;
	if (has_systemd() && apply->confirm_ns && !apply->guard_caller)
		return arm_systemd(journal, tx, &watch, apply->confirm_ns, err);
	exe_fd = open(watch.argv[0], O_RDONLY | O_CLOEXEC);
	if (exe_fd < 0)
		return zh_err_sys(err, -errno, "cannot open %s", watch.argv[0]);
	watch.exe_fd = exe_fd;
	r = zh_detach(watch_main, &watch, exe_fd, &pid, err);
	if (r < 0)
		return zh_err_wrap(err, "cannot arm the timer that would undo it");
	tx->guard = pid;
	return zh_process_start_ticks(pid, &tx->guard_start) < 0
		       ? zh_err_set(err, -ECHILD, "the process that would undo it ended at once")
		       : 0;
}

void knobs_watchdog_disarm(const struct zh_tx *tx)
{
	char unit[48];
	const char *const argv[] = {"systemctl", "stop", unit, NULL};
	zh_autofree char *output = NULL;
	uint64_t start;

	/* It may be the one that runs this. */
	if (tx->guard > 1 && tx->guard != getpid() &&
		zh_process_start_ticks(tx->guard, &start) == 0 && start == tx->guard_start)
		kill(tx->guard, SIGKILL);
	if (tx->deadline_ns && !tx->guard && has_systemd()) {
		snprintf(unit, sizeof(unit), "zerohop-revert-%lld.timer", (long long)tx->id);
		zh_sys_run(argv, 10 * ZH_NSEC_PER_SEC, 4096, &output, NULL);
	}
}
