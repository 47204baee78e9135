/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "bench/inet.h"
#include "bench/loops.h"
#include "bench/zerocopy.h"

/* Blocking from now on; answers that shall not wait for an acknowledgement of the last one. */
static int set_up(const struct zh_bench_link *link, int fd, struct zh_err *err)
{
	/* The connection ends with a reset, so that none stays in TIME_WAIT for each round. */
	struct linger at_once = {.l_onoff = 1, .l_linger = 0};
	int one = 1, flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return zh_err_sys(err, -errno, "cannot set up a TCP socket");
	if (fd == link->near.rfd &&
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) < 0)
		return zh_err_sys(err, -errno, "cannot set SO_LINGER");
	if (link->cell->mode != ZH_BENCH_STREAM &&
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		return zh_err_sys(err, -errno, "cannot set TCP_NODELAY");
	return zh_bench_socket_set_up(link, fd, err);
}

static int connect_to(struct zh_bench_link *link, int fd, const struct zh_bench_address *address,
	struct zh_err *err)
{
	int code = 0, r;
	socklen_t len = sizeof(code);

	if (connect(fd, &address->sa, address->len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return zh_err_sys(err, -errno, "cannot connect to the peer");
	r = zh_bench_wait_fd(link, fd, POLLOUT, "cannot connect to the peer", err);
	if (r < 0)
		return r;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0 || code)
		return zh_err_sys(err, code ? -code : -errno, "cannot connect to the peer");
	return 0;
}

static bool is_from(int connection, int near)
{
	struct zh_bench_address theirs = {.len = sizeof(theirs.storage)};
	struct zh_bench_address ours = {.len = sizeof(ours.storage)};

	return getpeername(connection, &theirs.sa, &theirs.len) == 0 &&
	       getsockname(near, &ours.sa, &ours.len) == 0 && theirs.len == ours.len &&
	       !memcmp(&theirs.storage, &ours.storage, ours.len);
}

/* A port is open for a moment: who else finds it is not meant. */
static int accept_from(struct zh_bench_link *link, int listener, struct zh_err *err)
{
	int r;

	for (;;) {
		r = zh_bench_wait_fd(link, listener, POLLIN, "cannot accept a connection", err);
		if (r < 0)
			return r;
		r = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (r < 0)
			return zh_err_sys(err, -errno, "cannot accept a connection");
		if (is_from(r, link->near.rfd))
			return r;
		close(r);
	}
}

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	int type = SOCK_STREAM | SOCK_NONBLOCK, r;
	socklen_t len = sizeof(link->cell->congestion) - 1;
	struct zh_bench_address address;
	zh_autoclose int listener = -1;

	r = zh_bench_inet_resolve(link, &address, err);
	if (r < 0)
		return r;
	listener = r = zh_bench_socket(link, true, address.sa.sa_family, type, err);
	if (r >= 0)
		r = zh_bench_inet_bind(link, listener, &address, err);
	if (r < 0)
		return r;
	if (listen(listener, 1) < 0)
		return zh_err_sys(err, -errno, "cannot listen");
	r = zh_bench_socket(link, false, address.sa.sa_family, type, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->near, r);
	r = connect_to(link, r, &address, err);
	if (r >= 0)
		r = accept_from(link, listener, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->far, r);
	r = set_up(link, link->near.rfd, err);
	if (r >= 0)
		r = set_up(link, link->far.rfd, err);
	if (r >= 0 && link->cell->zerocopy)
		r = zh_bench_zerocopy_enable(link, err);
	if (r < 0)
		return r;
	memset(link->cell->congestion, 0, sizeof(link->cell->congestion));
	getsockopt(link->near.wfd, IPPROTO_TCP, TCP_CONGESTION, link->cell->congestion, &len);
	return zh_bench_sockets_ready(link, err);
}

static int64_t send_message(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	/* Only the maker's side: on the other nobody would count the completions. */
	return end->state ? zh_bench_zerocopy_send(end, link) : zh_bench_fd_send(end, link);
}

/* The last bytes of a stream wait for an acknowledgement (Nagle), which the receiver delays by 40
 * ms and more. Setting TCP_NODELAY sends them. */
static void flush(struct zh_bench_end *end)
{
	int value = 1;

	setsockopt(end->wfd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value));
	value = 0;
	setsockopt(end->wfd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value));
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.is_fd = true,
	.send = send_message,
	.recv = zh_bench_fd_recv,
	.take = zh_bench_fd_take,
	.flush = flush,
};

const struct zh_bench_transport zh_bench_transport_tcp = {
	.name = "tcp",
	.summary = "one TCP connection",
	.flags = ZH_BENCH_INET | ZH_BENCH_BUFFERS | ZH_BENCH_BUSY_POLL | ZH_BENCH_STREAM_MODE |
		 ZH_BENCH_SPIN | ZH_BENCH_ZEROCOPY | ZH_BENCH_RATE_MODE,
	.max_bytes = UINT32_MAX,
	.ops = &ops,
};
