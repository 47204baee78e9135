/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/util.h"
#include "cmd/command.h"

/* timeout(1) sends its signal twice, to the child and to the group; nobody presses twice so fast.
 */
#define SAME_NS (300 * ZH_NSEC_PER_MSEC)

static volatile sig_atomic_t interrupted;
static uint64_t first_ns;

/* The first signal only asks; everything is wound up in normal context. A later one kills. */
static void on_signal(int number)
{
	if (!interrupted) {
		first_ns = zh_now_ns();
		interrupted = 1;
	} else if (zh_now_ns() - first_ns > SAME_NS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

void cmd_catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal}, before;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(numbers); i++)
		sigaddset(&action.sa_mask, numbers[i]);
	for (i = 0; i < ZH_ARRAY_SIZE(numbers); i++) {
		sigaction(numbers[i], &action, &before);
		/* nohup: the end of the terminal is not to end us. (Shells ignore SIGINT for what
		 * they put in the background; a SIGINT that somebody sends there is still meant.)
		 */
		if (numbers[i] == SIGHUP && before.sa_handler == SIG_IGN)
			sigaction(SIGHUP, &before, NULL);
	}
}

bool cmd_interrupted(void *unused)
{
	(void)unused;
	return interrupted;
}
