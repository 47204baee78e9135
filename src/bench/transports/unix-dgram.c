/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two Unix datagram sockets, each connected to the other. Between such a pair the queue has no
 * limit of its own (net.unix.max_dgram_qlen is only asked of senders that the receiver is not
 * connected to): a sender waits for room in its send buffer, and nothing is lost.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "bench/loops.h"

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	struct sockaddr_un near_name, far_name;
	socklen_t near_len, far_len;
	int r = zh_bench_socket(link, false, AF_UNIX, SOCK_DGRAM, err);

	if (r < 0)
		return r;
	zh_bench_end_set(&link->near, r);
	r = zh_bench_socket(link, true, AF_UNIX, SOCK_DGRAM, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->far, r);
	r = zh_bench_unix_bind(link->near.rfd, &near_name, &near_len, err);
	if (r >= 0)
		r = zh_bench_unix_bind(link->far.rfd, &far_name, &far_len, err);
	if (r < 0)
		return r;
	if (connect(link->near.rfd, (struct sockaddr *)&far_name, far_len) < 0 ||
		connect(link->far.rfd, (struct sockaddr *)&near_name, near_len) < 0)
		return zh_err_sys(err, -errno, "cannot connect a Unix datagram socket");
	return zh_bench_sockets_ready(link, err);
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.is_fd = true,
	.send = zh_bench_fd_send,
	.recv = zh_bench_fd_take,
};

const struct zh_bench_transport zh_bench_transport_unix_dgram = {
	.name = "unix-dgram",
	.summary = "two Unix datagram sockets connected to each other",
	.flags = ZH_BENCH_MESSAGES | ZH_BENCH_BUFFERS | ZH_BENCH_STREAM_MODE | ZH_BENCH_RATE_MODE |
		 ZH_BENCH_SPIN,
	.max_bytes = UINT32_MAX,
	.ops = &ops,
};
