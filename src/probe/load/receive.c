/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sink: reads and counts until nothing more is to come. It never sleeps while data waits, so
 * that what it does not count was lost on the way, or in its own buffer, whose drops it tells.
 */
#include "probe/load/internal.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/util.h"

#define RCVBUF_BYTES (8 << 20)
#define WAIT_MS 20
#define STREAM_BYTES (256 << 10)
#define DATAGRAM_BYTES 2048 /* the rest of a larger one is of no interest */

static bool is_over(const struct load_shared *shared)
{
	return atomic_load_explicit(&shared->stop, memory_order_relaxed) == 2;
}

static void note(struct load_shared *shared, uint64_t n)
{
	atomic_fetch_add_explicit(&shared->receiver.received, n, memory_order_relaxed);
	atomic_store_explicit(&shared->receiver.cpu_ns, load_cpu_ns(), memory_order_relaxed);
}

static void note_drops(struct load_shared *shared, int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = {};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) == 0 &&
		len > SK_MEMINFO_DROPS * sizeof(info[0]))
		atomic_store(&shared->receiver.drops, info[SK_MEMINFO_DROPS]);
}

static void announce(struct load_shared *shared, int fd)
{
	union load_address own;
	socklen_t len = sizeof(own);

	if (getsockname(fd, &own.any, &len) == 0 && own.any.sa_family == AF_INET)
		atomic_store(&shared->receiver.port, own.v4.sin_port);
	else if (own.any.sa_family == AF_INET6)
		atomic_store(&shared->receiver.port, own.v6.sin6_port);
	atomic_store(&shared->receiver.ready, 1);
}

static void set_rcvbuf(const struct zh_load *load, int fd)
{
	int bytes = load->config.rcvbuf_bytes ? (int)load->config.rcvbuf_bytes : RCVBUF_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int receive_datagrams(struct zh_load *load, int fd)
{
	static char payload[ZH_LOAD_BATCH][DATAGRAM_BYTES];
	struct mmsghdr msgs[ZH_LOAD_BATCH] = {};
	struct iovec iovs[ZH_LOAD_BATCH];
	const struct timeval timeout = {.tv_usec = WAIT_MS * 1000};
	int n;
	size_t i;

	for (i = 0; i < ZH_LOAD_BATCH; i++) {
		iovs[i] = (struct iovec){payload[i], sizeof(payload[i])};
		msgs[i].msg_hdr.msg_iov = &iovs[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	while (!is_over(load->shared)) {
		n = recvmmsg(fd, msgs, ZH_LOAD_BATCH, MSG_WAITFORONE, NULL);
		if (n > 0)
			note(load->shared, (uint64_t)n);
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		else
			note_drops(load->shared, fd);
	}
	note_drops(load->shared, fd);
	return 0;
}

struct streams {
	struct pollfd polled[1 + ZH_LOAD_FLOWS_MAX]; /* the listening one first */
	nfds_t n;
};

static void take_connection(struct streams *s)
{
	int fd = accept4(s->polled[0].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0 && s->n < ZH_ARRAY_SIZE(s->polled))
		s->polled[s->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
	else if (fd >= 0)
		close(fd);
}

/* At the end of a connection its place is taken by the last one. */
static void read_connection(struct streams *s, nfds_t i, char *buf, struct load_shared *shared)
{
	ssize_t n = read(s->polled[i].fd, buf, STREAM_BYTES);

	if (n > 0) {
		note(shared, (uint64_t)n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(s->polled[i].fd);
		s->polled[i] = s->polled[--s->n];
	}
}

static int receive_streams(struct zh_load *load, int fd)
{
	static struct streams s;
	zh_autofree char *buf = malloc(STREAM_BYTES);
	nfds_t i;

	if (!buf)
		return -ENOMEM;
	s.polled[0] = (struct pollfd){.fd = fd, .events = POLLIN};
	s.n = 1;
	while (!is_over(load->shared)) {
		if (poll(s.polled, s.n, WAIT_MS) <= 0)
			continue;
		for (i = s.n - 1; i > 0; i--)
			if (s.polled[i].revents)
				read_connection(&s, i, buf, load->shared);
		if (s.polled[0].revents)
			take_connection(&s);
	}
	return 0;
}

int load_receive(struct zh_load *load)
{
	bool datagrams = load->config.protocol == ZH_LOAD_UDP;
	int type = datagrams ? SOCK_DGRAM : SOCK_STREAM;
	zh_autoclose int fd = socket(load->to.any.sa_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	set_rcvbuf(load, fd);
	if (bind(fd, &load->to.any, load->to_len) < 0)
		return -errno;
	if (!datagrams && listen(fd, ZH_LOAD_FLOWS_MAX) < 0)
		return -errno;
	announce(load->shared, fd);
	return datagrams ? receive_datagrams(load, fd) : receive_streams(load, fd);
}
