/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stddef.h>

#include "base/util.h"
#include "cmd/command.h"

/* Only a flag is set in the handler; everything is wound up in normal context. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

void cmd_catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

bool cmd_interrupted(void *unused)
{
	(void)unused;
	return interrupted;
}
