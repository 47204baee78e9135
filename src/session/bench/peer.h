/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running another program's two ends on loopback, placed as a cell says.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define BENCH_PEER_ARG 32 /* of numbers as arguments */

/* A port of 127.0.0.1 that nobody uses; type SOCK_STREAM or SOCK_DGRAM. 0 or a negative errno. */
int bench_peer_port(int type, uint16_t *ret, struct zh_err *err);

/*
 * Starts a server on a CPU (-1: anywhere) and waits until it has taken its port. Its output is
 * dropped. It cannot outlive us; the caller ends it with zh_process_end(). -ENOENT: not installed.
 */
struct bench_peer_server {
	const char *const *argv;
	int cpu, type;
	uint16_t port;
};
int bench_peer_server_start(const struct bench_peer_server *server, pid_t *ret, struct zh_err *err);

/* Runs a client on a CPU (-1: anywhere) to its end. Its output is the caller's. As zh_sys_run(). */
int bench_peer_client_run(
	const char *const *argv, int cpu, uint64_t timeout_ns, char **ret, struct zh_err *err);

/* What a program calls its version: the word behind `mark` in what argv prints; "" if unknown. */
void bench_peer_version(const char *const *argv, const char *mark, char *ret, size_t size);

/* The number behind `mark` (blanks and '=' between them are skipped); -1 when it is not there. */
double bench_peer_number(const char *text, const char *mark);

/* Whole seconds, at least 1: most programs know no shorter runs. */
unsigned int bench_peer_seconds(uint64_t ns);
