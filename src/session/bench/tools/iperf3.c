/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iperf3: one-way throughput over tcp and udp, as its receiver counted it.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "session/bench.h"
#include "session/bench/peer.h"
#include "sys/process.h"

#define EXTRA_NS (10 * ZH_NSEC_PER_SEC)
#define TCP_SIZE_MAX (1u << 20)
#define UDP_SIZE_MIN 16u

static bool is_udp(const struct zh_bench_cell *cell)
{
	return !strcmp(cell->transport, "udp");
}

static const char *refuses(const struct zh_bench_cell *cell)
{
	if (strcmp(cell->transport, "tcp") && !is_udp(cell))
		return "iperf3 knows tcp and udp only";
	if (cell->mode != ZH_BENCH_STREAM)
		return "iperf3 measures one-way throughput only";
	if (cell->spin)
		return "iperf3 cannot poll instead of sleeping";
	if (cell->size_bytes > TCP_SIZE_MAX)
		return "iperf3's blocks have at most 1 MiB";
	if (is_udp(cell) && cell->size_bytes < UDP_SIZE_MIN)
		return "iperf3's datagrams have at least 16 bytes";
	return NULL;
}

static int parse(const char *text, struct zh_bench_tool *ret, struct zh_err *err)
{
	json_error_t parse_error;
	json_t *root = json_loads(text, 0, &parse_error), *end = json_object_get(root, "end");
	const json_t *sum = json_object_get(end, "sum_received");
	const char *error = json_string_value(json_object_get(root, "error"));
	double bits, lost;
	int r = 0;

	/* For datagrams, versions before 3.13 have one sum, of what was sent. */
	if (!sum)
		sum = json_object_get(end, "sum");
	bits = json_number_value(json_object_get(sum, "bits_per_second"));
	lost = json_number_value(json_object_get(json_object_get(end, "sum"), "lost_percent"));
	if (sum && !json_object_get(end, "sum_received"))
		bits *= 1 - lost / 100;
	if (error)
		r = zh_err_set(err, -EIO, "iperf3: %s", error);
	else if (bits <= 0)
		r = zh_err_set(err, -EBADMSG, "iperf3 printed no throughput");
	else
		ret->bytes_per_s = (uint64_t)(bits / 8);
	json_decref(root);
	return r;
}

static int run(const struct zh_bench_cell *cell, uint64_t duration_ns, struct zh_bench_tool *ret,
	struct zh_err *err)
{
	static const char *const ask[] = {"iperf3", "--version", NULL};
	unsigned int seconds = bench_peer_seconds(duration_ns);
	char port_text[BENCH_PEER_ARG], size[BENCH_PEER_ARG], time[BENCH_PEER_ARG];
	char window[BENCH_PEER_ARG];
	const char *const serve[] = {
		"iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port_text, NULL};
	const char *client[20] = {
		"iperf3", "-c", "127.0.0.1", "-p", port_text, "-t", time, "-l", size, "-J"};
	size_t n = 10;
	struct bench_peer_server server = {
		.argv = serve, .cpu = cell->peer_cpu, .type = SOCK_STREAM};
	zh_autofree char *text = NULL;
	pid_t pid;
	int r = bench_peer_port(SOCK_STREAM, &server.port, err);

	if (r < 0)
		return r;
	bench_peer_version(ask, "iperf ", ret->version, sizeof(ret->version));
	snprintf(port_text, sizeof(port_text), "%u", server.port);
	snprintf(size, sizeof(size), "%u", cell->size_bytes);
	snprintf(time, sizeof(time), "%u", seconds);
	snprintf(window, sizeof(window), "%u", cell->buf_bytes);
	if (is_udp(cell)) {
		client[n++] = "-u";
		client[n++] = "-b";
		client[n++] = "0";
	}
	if (cell->buf_bytes) {
		client[n++] = "-w";
		client[n++] = window;
	}
	r = bench_peer_server_start(&server, &pid, err);
	if (r < 0)
		return r;
	r = bench_peer_client_run(
		client, cell->cpu, seconds * ZH_NSEC_PER_SEC + EXTRA_NS, &text, err);
	zh_process_end(pid);
	return r < 0 ? r : parse(text, ret, err);
}

const struct zh_bench_peer_tool zh_bench_peer_tool_iperf3 = {
	.name = "iperf3",
	.summary = "one-way throughput over tcp and udp, as its receiver counted it; runs of at "
		   "least a second",
	.refuses = refuses,
	.run = run,
};
