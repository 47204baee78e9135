/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sockperf: ping-pong, and under load at a fixed rate (its open loop). It halves the round trip
 * unless told not to, and its messages have at least 14 bytes.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "session/bench.h"
#include "session/bench/peer.h"
#include "sys/process.h"

#define SIZE_MIN 14u
#define SIZE_MAX_BYTES 65507u
#define ARGS_MAX 26
/* 0.4 s of warm-up and what it needs to start and stop: 2.3 s were measured. */
#define EXTRA_NS (10 * ZH_NSEC_PER_SEC)

static const char *refuses(const struct zh_bench_cell *cell)
{
	if (strcmp(cell->transport, "tcp") && strcmp(cell->transport, "udp"))
		return "sockperf is run for tcp and udp only";
	if (cell->mode == ZH_BENCH_STREAM)
		return "sockperf is run for round trips only";
	if (cell->size_bytes > SIZE_MAX_BYTES)
		return "sockperf's messages have at most 65507 bytes";
	return NULL;
}

static uint64_t ns_of(double us)
{
	return us > 0 ? (uint64_t)llround(us * 1e3) : 0;
}

static int parse(const char *text, struct zh_bench_tool *ret, struct zh_err *err)
{
	ret->mean_ns = ns_of(bench_peer_number(text, "avg-rtt"));
	ret->p50_ns = ns_of(bench_peer_number(text, "percentile 50.000"));
	ret->p99_ns = ns_of(bench_peer_number(text, "percentile 99.000"));
	ret->max_ns = ns_of(bench_peer_number(text, "<MAX> observation"));
	if (ret->mean_ns && ret->p50_ns)
		return 0;
	return zh_err_set(err, -EBADMSG, "sockperf printed no round trip");
}

/* What both ends are told. */
struct words {
	char port[BENCH_PEER_ARG], size[BENCH_PEER_ARG], seconds[BENCH_PEER_ARG];
	char rate[BENCH_PEER_ARG], buffer[BENCH_PEER_ARG];
	const char *args[ARGS_MAX];
	size_t n;
};

static void add(struct words *words, const char *arg)
{
	if (words->n + 1 < ARGS_MAX)
		words->args[words->n++] = arg;
}

static void start(struct words *words, const char *what, const struct zh_bench_cell *cell)
{
	words->n = 0;
	memset(words->args, 0, sizeof(words->args));
	add(words, "sockperf");
	add(words, what);
	if (!strcmp(cell->transport, "tcp"))
		add(words, "--tcp");
	if (cell->spin)
		add(words, "--nonblocked");
	if (cell->buf_bytes) {
		add(words, "--buffer-size");
		add(words, words->buffer);
	}
	add(words, "-i");
	add(words, "127.0.0.1");
	add(words, "-p");
	add(words, words->port);
}

static void start_client(struct words *words, const struct zh_bench_cell *cell)
{
	start(words, cell->mode == ZH_BENCH_RATE ? "under-load" : "ping-pong", cell);
	add(words, "-m");
	add(words, words->size);
	add(words, "-t");
	add(words, words->seconds);
	add(words, "--full-rtt");
	if (cell->mode == ZH_BENCH_RATE) {
		add(words, "--mps");
		add(words, words->rate);
		add(words, "--reply-every");
		add(words, "1");
	}
}

static int run_pair(const struct zh_bench_cell *cell, struct words *words, uint16_t port,
	uint64_t timeout_ns, char **ret, struct zh_err *err)
{
	struct bench_peer_server server = {.argv = words->args,
		.cpu = cell->peer_cpu,
		.type = !strcmp(cell->transport, "tcp") ? SOCK_STREAM : SOCK_DGRAM,
		.port = port};
	pid_t pid;
	int r;

	start(words, "server", cell);
	r = bench_peer_server_start(&server, &pid, err);
	if (r < 0)
		return r;
	start_client(words, cell);
	r = bench_peer_client_run(words->args, cell->cpu, timeout_ns, ret, err);
	zh_process_end(pid);
	return r;
}

static int run(const struct zh_bench_cell *cell, uint64_t duration_ns, struct zh_bench_tool *ret,
	struct zh_err *err)
{
	static const char *const ask[] = {"sockperf", "--version", NULL};
	bool is_tcp = !strcmp(cell->transport, "tcp");
	uint32_t size = ZH_MAX(cell->size_bytes, SIZE_MIN);
	unsigned int seconds = bench_peer_seconds(duration_ns);
	zh_autofree char *text = NULL;
	struct words words = {};
	char version[20];
	uint16_t port;
	int r = bench_peer_port(is_tcp ? SOCK_STREAM : SOCK_DGRAM, &port, err);

	if (r < 0)
		return r;
	bench_peer_version(ask, "version ", version, sizeof(version));
	snprintf(ret->version, sizeof(ret->version), size > cell->size_bytes ? "%s (%u B)" : "%s",
		version, size);
	snprintf(words.port, sizeof(words.port), "%u", port);
	snprintf(words.size, sizeof(words.size), "%u", size);
	snprintf(words.seconds, sizeof(words.seconds), "%u", seconds);
	snprintf(words.buffer, sizeof(words.buffer), "%u", cell->buf_bytes);
	snprintf(words.rate, sizeof(words.rate), "%llu",
		(unsigned long long)(cell->gap_ns ? ZH_NSEC_PER_SEC / cell->gap_ns : 0));
	r = run_pair(cell, &words, port, seconds * ZH_NSEC_PER_SEC + EXTRA_NS, &text, err);
	return r < 0 ? r : parse(text, ret, err);
}

const struct zh_bench_peer_tool zh_bench_peer_tool_sockperf = {
	.name = "sockperf",
	.summary = "round trips over tcp and udp, with --full-rtt; messages of at least 14 bytes, "
		   "runs of at least a second",
	.refuses = refuses,
	.run = run,
};
