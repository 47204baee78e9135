/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/socket.h>

#include "bench/loops.h"

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	return zh_bench_unix_listen(link, SOCK_SEQPACKET, err);
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.is_fd = true,
	.send = zh_bench_fd_send,
	.recv = zh_bench_fd_take,
};

const struct zh_bench_transport zh_bench_transport_unix_seqpacket = {
	.name = "unix-seqpacket",
	.summary = "a connection between Unix sockets that keep message borders",
	.flags = ZH_BENCH_MESSAGES | ZH_BENCH_BUFFERS | ZH_BENCH_STREAM_MODE | ZH_BENCH_RATE_MODE |
		 ZH_BENCH_SPIN,
	.max_bytes = UINT32_MAX,
	.ops = &ops,
};
