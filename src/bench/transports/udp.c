/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/socket.h>

#include "bench/inet.h"
#include "bench/loops.h"

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	struct zh_bench_address far, near = {.len = sizeof(near.storage)};
	int r = zh_bench_inet_resolve(link, &far, err);

	if (r < 0)
		return r;
	r = zh_bench_socket(link, true, far.sa.sa_family, SOCK_DGRAM, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->far, r);
	r = zh_bench_inet_bind(link, r, &far, err);
	if (r < 0)
		return r;
	r = zh_bench_socket(link, false, far.sa.sa_family, SOCK_DGRAM, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->near, r);
	if (connect(r, &far.sa, far.len) < 0 || getsockname(r, &near.sa, &near.len) < 0 ||
		connect(link->far.rfd, &near.sa, near.len) < 0)
		return zh_err_sys(err, -errno, "cannot connect a UDP socket");
	return zh_bench_sockets_ready(link, err);
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.is_fd = true,
	.send = zh_bench_fd_send,
	.recv = zh_bench_fd_take,
};

const struct zh_bench_transport zh_bench_transport_udp = {
	.name = "udp",
	.summary = "two UDP sockets connected to each other",
	.flags = ZH_BENCH_INET | ZH_BENCH_MESSAGES | ZH_BENCH_LOSSY | ZH_BENCH_BUFFERS |
		 ZH_BENCH_BUSY_POLL | ZH_BENCH_STREAM_MODE | ZH_BENCH_RATE_MODE | ZH_BENCH_SPIN,
	.max_bytes = 65507,
	.ops = &ops,
};
