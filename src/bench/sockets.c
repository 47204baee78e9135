/* SPDX-License-Identifier: BSD-2-Clause */
/* What transports over sockets have in common. A socket belongs to the namespace in which it was
 * made, so only making it needs a visit there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "sys/netns.h"

#define LOOK_NS (100 * ZH_NSEC_PER_MSEC)

static int make_socket(int domain, int type, struct zh_err *err)
{
	int fd = socket(domain, type | SOCK_CLOEXEC, 0);

	return fd < 0 ? zh_err_sys(err, -errno, "cannot make a socket") : fd;
}

/* The namespace of a side, -1 for the caller's. Unix sockets reach only their own namespace. */
static int netns_of(const struct zh_bench_link *link, bool is_peer, int domain)
{
	return is_peer && domain != AF_UNIX ? link->config->peer_netns_fd : link->config->netns_fd;
}

static int make_socket_in(int ns, int domain, int type, struct zh_err *err)
{
	zh_autoclose int back = zh_netns_current(err);
	int fd, r;

	if (back < 0)
		return back;
	r = zh_netns_enter(ns, err);
	if (r < 0)
		return r;
	fd = make_socket(domain, type, err);
	r = zh_netns_enter(back, fd < 0 ? NULL : err);
	if (r < 0 && fd >= 0)
		close(fd);
	return fd < 0 || r >= 0 ? fd : r;
}

static int set_buffers(const struct zh_bench_link *link, int fd, struct zh_err *err)
{
	int bytes = (int)link->cell->buf_bytes;

	/* The kernel takes what it is given up to wmem_max and rmem_max, and doubles it. */
	if (bytes && (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) < 0 ||
			     setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0))
		return zh_err_sys(err, -errno, "cannot set a socket's buffers to %d bytes", bytes);
	return 0;
}

static int set_busy_poll(const struct zh_bench_link *link, int fd, struct zh_err *err)
{
	int us = (int)link->cell->busy_poll_us, code;

	if (!us || setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &us, sizeof(us)) == 0)
		return 0;
	code = zh_err_sys(err, -errno, "cannot set SO_BUSY_POLL to %d us", us);
	if (code == -EPERM)
		zh_err_hint(err, "run as root, or grant CAP_NET_ADMIN");
	return code;
}

int zh_bench_socket(
	const struct zh_bench_link *link, bool is_peer, int domain, int type, struct zh_err *err)
{
	int ns = netns_of(link, is_peer, domain), r;
	int fd = ns < 0 ? make_socket(domain, type, err) : make_socket_in(ns, domain, type, err);

	if (fd < 0)
		return fd;
	r = zh_bench_socket_set_up(link, fd, err);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

int zh_bench_socket_set_up(const struct zh_bench_link *link, int fd, struct zh_err *err)
{
	int r = set_buffers(link, fd, err);

	return r < 0 ? r : set_busy_poll(link, fd, err);
}

int zh_bench_sockets_ready(struct zh_bench_link *link, struct zh_err *err)
{
	struct zh_bench_cell *cell = link->cell;
	socklen_t len = sizeof(int);
	int sndbuf = 0, rcvbuf = 0;

	getsockopt(link->near.wfd, SOL_SOCKET, SO_SNDBUF, &sndbuf, &len);
	getsockopt(link->far.rfd >= 0 ? link->far.rfd : link->near.rfd, SOL_SOCKET, SO_RCVBUF,
		&rcvbuf, &len);
	cell->sndbuf_bytes = (uint32_t)sndbuf;
	cell->rcvbuf_bytes = (uint32_t)rcvbuf;
	/* unix_dgram_sendmsg() keeps 32 bytes of the send buffer for itself. */
	if (!(link->transport->flags & ZH_BENCH_MESSAGES) ||
		(link->transport->flags & ZH_BENCH_INET) ||
		cell->size_bytes + 32 <= cell->sndbuf_bytes)
		return 0;
	zh_err_set(err, -EMSGSIZE,
		"a message of %u bytes does not fit into the send buffer of %u bytes",
		cell->size_bytes, cell->sndbuf_bytes);
	zh_err_hint(err, "ask for larger buffers (--buf), at most net.core.wmem_max");
	return -EMSGSIZE;
}

int zh_bench_wait_fd(const struct zh_bench_link *link, int fd, short events, const char *what,
	struct zh_err *err)
{
	const struct zh_bench_config *config = link->config;
	uint64_t start = zh_now_ns();
	struct pollfd p = {.fd = fd, .events = events};

	while (poll(&p, 1, LOOK_NS / ZH_NSEC_PER_MSEC) <= 0) {
		if (config->stop && config->stop(config->arg))
			return zh_err_set(err, -EINTR, "interrupted");
		if (zh_now_ns() - start >= config->reply_timeout_ns)
			return zh_err_set(err, -ETIMEDOUT, "%s: nothing came for %.1f s", what,
				(double)config->reply_timeout_ns / 1e9);
	}
	return 0;
}

/* A Unix socket bound to its family alone gets a fresh abstract name: no file is left, none exists
 * already, and no name is too long. */
int zh_bench_unix_bind(int fd, struct sockaddr_un *ret, socklen_t *ret_len, struct zh_err *err)
{
	struct sockaddr_un any = {.sun_family = AF_UNIX};

	*ret_len = sizeof(*ret);
	if (bind(fd, (struct sockaddr *)&any, sizeof(any.sun_family)) < 0 ||
		getsockname(fd, (struct sockaddr *)ret, ret_len) < 0)
		return zh_err_sys(err, -errno, "cannot bind a Unix socket");
	return 0;
}

int zh_bench_unix_listen(struct zh_bench_link *link, int type, struct zh_err *err)
{
	zh_autoclose int listener = zh_bench_socket(link, true, AF_UNIX, type, err);
	struct sockaddr_un name;
	socklen_t len;
	int r;

	if (listener < 0)
		return listener;
	r = zh_bench_unix_bind(listener, &name, &len, err);
	if (r < 0)
		return r;
	if (listen(listener, 1) < 0)
		return zh_err_sys(err, -errno, "cannot listen on a Unix socket");
	r = zh_bench_socket(link, false, AF_UNIX, type, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->near, r);
	if (connect(r, (struct sockaddr *)&name, len) < 0)
		return zh_err_sys(err, -errno, "cannot connect a Unix socket");
	r = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (r < 0)
		return zh_err_sys(err, -errno, "cannot accept a connection");
	zh_bench_end_set(&link->far, r);
	r = zh_bench_socket_set_up(link, r, err);
	return r < 0 ? r : zh_bench_sockets_ready(link, err);
}
