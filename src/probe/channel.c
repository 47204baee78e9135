/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/target.h"

/* How long a connection may take before the probe goes on without it. On a local path it is there
 * at once, or the SYN was dropped. */
#define CONNECT_WAIT_NS (1 * ZH_NSEC_PER_SEC)

/* Room for an IPv4 header with options in front of what a raw socket gives. */
#define IP_HEADER_MAX 60

bool zh_wire_read(const uint8_t *message, size_t len, uint32_t run, struct zh_wire *ret)
{
	struct zh_wire wire;

	if (len < sizeof(wire))
		return false;
	memcpy(&wire, message, sizeof(wire));
	if (wire.magic != ZH_WIRE_MAGIC || wire.run != run)
		return false;
	*ret = wire;
	return true;
}

void zh_wire_write(uint8_t *message, uint32_t size, uint32_t run, uint32_t seq)
{
	struct zh_wire wire = {.magic = ZH_WIRE_MAGIC, .run = run, .seq = seq, .size = size};
	uint32_t i;

	memcpy(message, &wire, sizeof(wire));
	for (i = sizeof(wire); i < size; i++)
		message[i] = (uint8_t)i;
}

int zh_channel_socket(struct zh_channel *channel, struct zh_err *err)
{
	int fd = socket(
		channel->remote.sa.sa_family, channel->transport->socket_type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return zh_err_sys(err, -errno, "cannot open a %s socket", channel->transport->name);
	return fd;
}

void zh_channel_frame(struct zh_channel *channel, uint32_t seq)
{
	memcpy(channel->tx + offsetof(struct zh_wire, seq), &seq, sizeof(seq));
}

bool zh_channel_parse(
	const struct zh_channel *channel, const uint8_t *message, size_t len, struct zh_wire *ret)
{
	return zh_wire_read(message, len, channel->config->run, ret);
}

static int wait_connected(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	uint64_t until = zh_now_ns() + CONNECT_WAIT_NS, now;
	socklen_t len = sizeof(int);
	int error = 0, n = 0;

	while ((now = zh_now_ns()) < until) {
		n = poll(&p, 1, (int)((until - now) / ZH_NSEC_PER_MSEC) + 1);
		if (n != -1 || errno != EINTR)
			break;
	}
	if (n <= 0)
		return -EINPROGRESS;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -errno;
	return -error;
}

int zh_channel_connected(struct zh_channel *channel)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLOUT};
	socklen_t len = sizeof(int);
	int error = 0;

	if (!channel->connecting)
		return channel->connect_error;
	if (poll(&p, 1, 0) <= 0)
		return ETIMEDOUT;
	if (getsockopt(channel->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	channel->connecting = false;
	channel->connect_error = error;
	return error;
}

/* Errors of connecting that say something about the way: no route, no source address, a blackhole,
 * a prohibition. They are what the probe is there to find. Without a connection a later send may or
 * may not repeat them. */
static bool is_route_error(int code)
{
	return code == -ENETUNREACH || code == -EHOSTUNREACH || code == -EINVAL ||
	       code == -EACCES || code == -EPERM || code == -ENETDOWN || code == -EADDRNOTAVAIL;
}

static int connect_channel(struct zh_channel *channel, struct zh_err *err)
{
	const struct zh_transport *transport = channel->transport;
	char target[300];
	int r = 0;

	if (fcntl(channel->fd, F_SETFL, O_NONBLOCK) < 0 ||
		connect(channel->fd, &channel->remote.sa, channel->remote.len) < 0)
		r = -errno;
	if (r == -EINPROGRESS)
		r = wait_connected(channel->fd);
	if (fcntl(channel->fd, F_SETFL, 0) < 0 && !r)
		r = -errno;
	channel->connected = r == 0;
	/* The SYN got no answer: probes are lost until one does, and that is a finding. */
	if (r == -EINPROGRESS) {
		channel->connected = channel->connecting = true;
		return 0;
	}
	if (r < 0 && (transport->flags & ZH_TRANSPORT_INET) && is_route_error(r)) {
		channel->connect_error = transport->flags & ZH_TRANSPORT_STREAM ? -r : 0;
		return 0;
	}
	if (r < 0) {
		zh_target_format(target, sizeof(target), transport, &channel->remote);
		zh_err_sys(err, r, "cannot connect to %s", target);
	}
	return r;
}

/* A datagram socket needs a name of its own, or its peer could not answer. */
static int bind_unix(struct zh_channel *channel, struct zh_err *err)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	if (channel->remote.sa.sa_family != AF_UNIX ||
		(channel->transport->flags & ZH_TRANSPORT_STREAM))
		return 0;
	if (bind(channel->fd, (const struct sockaddr *)(const void *)&un, sizeof(sa_family_t)) < 0)
		return zh_err_sys(err, -errno, "cannot name a Unix socket");
	return 0;
}

static int allocate(struct zh_channel *channel, struct zh_err *err)
{
	size_t header = channel->transport->header_bytes;
	uint32_t size = channel->config->size_bytes;

	channel->tx_len = header + size;
	/* A stream may bring several messages at once. */
	channel->rx_size = ZH_MAX(channel->tx_len + IP_HEADER_MAX, (size_t)65536);
	if (channel->transport->flags & ZH_TRANSPORT_STREAM)
		channel->rx_size = ZH_MAX(2 * channel->tx_len, (size_t)65536);
	channel->tx = calloc(1, channel->tx_len);
	channel->rx = malloc(channel->rx_size);
	if (!channel->tx || !channel->rx)
		return zh_err_set(err, -ENOMEM, "out of memory");
	memset(channel->rx, 0, channel->rx_size);
	zh_wire_write(channel->tx + header, size, channel->config->run, 0);
	return 0;
}

int zh_channel_open(struct zh_channel *channel, struct zh_err *err)
{
	const struct zh_transport *transport = channel->transport;
	int on = 1, r;

	channel->local.len = sizeof(channel->local.storage);
	r = allocate(channel, err);
	if (r < 0)
		return r;
	channel->fd = transport->socket(channel, err);
	if (channel->fd < 0)
		return channel->fd;
	/* Without stamps of the kernel the probe goes on: they are only compared with ours. */
	if (channel->config->kernel_stamps)
		setsockopt(channel->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	if (channel->config->nodelay && (transport->flags & ZH_TRANSPORT_STREAM) &&
		(transport->flags & ZH_TRANSPORT_INET))
		setsockopt(channel->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	r = bind_unix(channel, err);
	if (r >= 0)
		r = connect_channel(channel, err);
	if (r < 0)
		return r;
	if (getsockname(channel->fd, &channel->local.sa, &channel->local.len) < 0)
		return zh_err_sys(err, -errno, "cannot read the socket's own address");
	return transport->ready ? transport->ready(channel, err) : 0;
}

void zh_channel_done(struct zh_channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
	free(channel->tx);
	free(channel->rx);
	channel->tx = channel->rx = NULL;
}
