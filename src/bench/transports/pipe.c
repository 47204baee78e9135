/* SPDX-License-Identifier: BSD-2-Clause */
/* Two pipes, one for each direction. A pipe has one buffer: it is shown as the send buffer. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/util.h"
#include "bench/loops.h"
#include "sys/root.h"

/* Without CAP_SYS_RESOURCE a pipe may grow to pipe-max-size; more is cut, as it is for sockets. */
static int set_size(struct zh_bench_link *link, int fd, struct zh_err *err)
{
	uint32_t bytes = link->cell->buf_bytes;
	uint64_t max;

	if (!bytes || fcntl(fd, F_SETPIPE_SZ, (int)bytes) >= 0)
		return 0;
	if (errno == EPERM && zh_sys_read_u64(&max, "/proc/sys/fs/pipe-max-size") == 0 &&
		fcntl(fd, F_SETPIPE_SZ, (int)ZH_MIN(max, bytes)) >= 0)
		return 0;
	return zh_err_sys(err, -errno, "cannot set a pipe's buffer to %u bytes", bytes);
}

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	int there[2], back[2], r;

	if (pipe2(there, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	link->near.wfd = there[1];
	link->far.rfd = there[0];
	if (pipe2(back, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	link->far.wfd = back[1];
	link->near.rfd = back[0];
	r = set_size(link, there[1], err);
	if (r >= 0)
		r = set_size(link, back[1], err);
	if (r < 0)
		return r;
	r = fcntl(there[1], F_GETPIPE_SZ);
	link->cell->sndbuf_bytes = r > 0 ? (uint32_t)r : 0;
	link->cell->rcvbuf_bytes = 0;
	return 0;
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.is_fd = true,
	.send = zh_bench_fd_send,
	.recv = zh_bench_fd_recv,
	.take = zh_bench_fd_take,
};

const struct zh_bench_transport zh_bench_transport_pipe = {
	.name = "pipe",
	.summary = "two pipes, one for each direction",
	.flags = ZH_BENCH_BUFFERS | ZH_BENCH_STREAM_MODE | ZH_BENCH_RATE_MODE | ZH_BENCH_SPIN,
	.max_bytes = UINT32_MAX,
	.ops = &ops,
};
