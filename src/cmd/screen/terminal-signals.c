/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/terminal-signals.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"

#define SAME_NS (300 * ZH_NSEC_PER_MSEC) /* timeout(1) sends its signal twice */

/* The first one asks (a second one of these, during a read that hangs, ends at once); the others
 * leave no choice. */
static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
static const int fatal[] = {SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const int telling[] = {SIGWINCH, SIGTSTP, SIGCONT};

#define N_SIGNALS (ZH_ARRAY_SIZE(asking) + ZH_ARRAY_SIZE(fatal) + ZH_ARRAY_SIZE(telling))

static volatile sig_atomic_t end, resized, stop, continued;

/* What a handler needs, written before it is installed. */
static struct termios saved_termios;
static char saved_restore[256];
static size_t n_restore;

static struct {
	int number;
	struct sigaction action;
} before[N_SIGNALS];
static size_t n_before;
static uint64_t asked_ns;

static void on_fatal(int number)
{
	ssize_t unused = write(STDOUT_FILENO, saved_restore, n_restore);

	(void)unused;
	tcsetattr(STDIN_FILENO, TCSANOW, &saved_termios);
	signal(number, SIG_DFL);
	raise(number);
}

static void on_asking(int number)
{
	if (!end)
		asked_ns = zh_now_ns();
	else if (zh_now_ns() - asked_ns > SAME_NS)
		on_fatal(number);
	end = 1;
}

static void on_telling(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else if (number == SIGTSTP)
		stop = 1;
	else
		continued = 1;
}

/* One that was ignored stays so (nohup). */
static void take(const int *numbers, size_t n, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < n; i++) {
		before[n_before].number = numbers[i];
		sigaction(numbers[i], NULL, &before[n_before].action);
		if (before[n_before].action.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
		n_before++;
	}
}

void screen_signals_take(const struct termios *termios)
{
	saved_termios = *termios;
	n_restore = 0;
	end = resized = stop = continued = 0;
	n_before = 0;
	take(asking, ZH_ARRAY_SIZE(asking), on_asking);
	take(fatal, ZH_ARRAY_SIZE(fatal), on_fatal);
	take(telling, ZH_ARRAY_SIZE(telling), on_telling);
}

void screen_signals_set_restore(const char *text, size_t n)
{
	size_t length = ZH_MIN(n, sizeof(saved_restore));

	memcpy(saved_restore, text, length);
	n_restore = length;
}

int screen_signals_poll(struct pollfd *fd, const struct timespec *timeout)
{
	sigset_t blocked, before_poll;
	int n = 0;

	sigemptyset(&blocked);
	for (size_t i = 0; i < ZH_ARRAY_SIZE(asking); i++)
		sigaddset(&blocked, asking[i]);
	for (size_t i = 0; i < ZH_ARRAY_SIZE(telling); i++)
		sigaddset(&blocked, telling[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before_poll);
	fd->revents = 0;
	if (!end && !resized && !stop && !continued)
		n = ppoll(fd, 1, timeout, &before_poll);
	sigprocmask(SIG_SETMASK, &before_poll, NULL);
	return n < 0 ? 0 : n;
}

void screen_signals_return(void)
{
	for (size_t i = 0; i < n_before; i++)
		sigaction(before[i].number, &before[i].action, NULL);
	n_before = 0;
}

static bool told(volatile sig_atomic_t *flag)
{
	bool was = *flag;

	*flag = 0;
	return was;
}

bool screen_signals_end(void)
{
	return end;
}

bool screen_signals_resized(void)
{
	return told(&resized);
}

bool screen_signals_stop(void)
{
	return told(&stop);
}

bool screen_signals_continued(void)
{
	return told(&continued);
}

void screen_signals_stop_now(void)
{
	struct sigaction standard = {.sa_handler = SIG_DFL}, ours;

	sigaction(SIGTSTP, &standard, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}
