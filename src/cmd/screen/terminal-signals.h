/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals while a screen is shown: they only set a flag, which is looked at where the screen waits.
 * Those that end the process at once put the terminal back first.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Takes the signals. `termios` gives the terminal back when there is no time for more. */
void screen_signals_take(const struct termios *termios);
/* The escape sequence that does the same for the page. */
void screen_signals_set_restore(const char *text, size_t n);
/* Gives them back as they were. */
void screen_signals_return(void);

/* As ppoll(); signals that came before end it, too. 0 when one came. */
int screen_signals_poll(struct pollfd *fd, const struct timespec *timeout);

/* Asked to end; and, each told once: the size changed, Ctrl-Z was pressed, runs again after a stop.
 */
bool screen_signals_end(void);
bool screen_signals_resized(void);
bool screen_signals_stop(void);
bool screen_signals_continued(void);

/* Stops the process as Ctrl-Z does for other programs; returns when it runs again. */
void screen_signals_stop_now(void);
