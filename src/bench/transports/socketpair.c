/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/socket.h>

#include "bench/loops.h"

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	int fds[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return zh_err_sys(err, -errno, "cannot make a socket pair");
	zh_bench_end_set(&link->near, fds[0]);
	zh_bench_end_set(&link->far, fds[1]);
	r = zh_bench_socket_set_up(link, fds[0], err);
	if (r >= 0)
		r = zh_bench_socket_set_up(link, fds[1], err);
	return r < 0 ? r : zh_bench_sockets_ready(link, err);
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.is_fd = true,
	.send = zh_bench_fd_send,
	.recv = zh_bench_fd_recv,
	.take = zh_bench_fd_take,
};

const struct zh_bench_transport zh_bench_transport_socketpair = {
	.name = "socketpair",
	.summary = "a pair of Unix stream sockets made by socketpair()",
	.flags = ZH_BENCH_BUFFERS | ZH_BENCH_STREAM_MODE | ZH_BENCH_RATE_MODE | ZH_BENCH_SPIN,
	.max_bytes = UINT32_MAX,
	.ops = &ops,
};
