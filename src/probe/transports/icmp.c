/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP echo, IPv4 and IPv6; the kernel answers. With CAP_NET_RAW a raw socket, otherwise the
 * unprivileged datagram socket (sys/icmp.h). Replies are checked again after the socket's filters:
 * tracing may replace the BPF filter by its own.
 */
#include "probe/transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "sys/icmp.h"

static bool is_v6(const struct zh_channel *channel)
{
	return channel->remote.sa.sa_family == AF_INET6;
}

static bool is_raw(const struct zh_channel *channel)
{
	return channel->kind && channel->kind[0] == 'r';
}

static int open_icmp(struct zh_channel *channel, struct zh_err *err)
{
	bool raw = true;
	int fd = zh_icmp_open(channel->remote.sa.sa_family, &raw, err);

	channel->kind = raw ? "raw" : "dgram";
	if (fd == -EPERM)
		zh_err_hint(err, "grant CAP_NET_RAW, or allow your group by the sysctl "
				 "net.ipv4.ping_group_range, or probe by udp:HOST");
	return fd;
}

/* Identifier and checksum of the constant bytes. The kernel gives datagram sockets their
 * identifier, as a port. */
static int prepare(struct zh_channel *channel, struct zh_err *err)
{
	const size_t varying = ZH_ICMP_HEADER + sizeof(struct zh_wire);
	int family = channel->remote.sa.sa_family, r;

	if (is_raw(channel)) {
		channel->icmp_id = (uint16_t)(channel->config->run ^ (channel->config->run >> 16));
		r = zh_icmp_filter(channel->fd, family, channel->icmp_id, err);
		if (r)
			return r;
	}
	zh_icmp_request(channel->tx, family, channel->icmp_id);
	channel->constant_sum = zh_icmp_sum(channel->tx + varying, channel->tx_len - varying, 0);
	return 0;
}

static void frame(struct zh_channel *channel, uint32_t seq)
{
	uint16_t sum = 0, echo_seq = htons((uint16_t)seq);

	memcpy(channel->tx + 6, &echo_seq, sizeof(echo_seq));
	memcpy(channel->tx + ZH_ICMP_HEADER + offsetof(struct zh_wire, seq), &seq, sizeof(seq));
	memcpy(channel->tx + 2, &sum, sizeof(sum));
	if (is_v6(channel)) /* the kernel computes it, it covers the addresses too */
		return;
	sum = zh_icmp_fold(zh_icmp_sum(
		channel->tx, ZH_ICMP_HEADER + sizeof(struct zh_wire), channel->constant_sum));
	memcpy(channel->tx + 2, &sum, sizeof(sum));
}

static bool parse(
	const struct zh_channel *channel, const uint8_t *message, size_t len, struct zh_wire *ret)
{
	const uint8_t *payload = zh_icmp_reply(message, len, channel->remote.sa.sa_family,
		is_raw(channel), channel->icmp_id, &len);

	return payload && zh_wire_read(payload, len, channel->config->run, ret);
}

const struct zh_transport zh_transport_icmp = {
	.id = ZH_TRANSPORT_ICMP,
	.name = "icmp",
	.prefix = "icmp",
	.summary = "ICMP echo: the kernel answers, no second program is on the path",
	.flags = ZH_TRANSPORT_INET | ZH_TRANSPORT_NEEDS_RIGHT,
	.max_bytes = 65507,
	.header_bytes = ZH_ICMP_HEADER,
	.socket_type = SOCK_RAW,
	.socket = open_icmp,
	.ready = prepare,
	.frame = frame,
	.parse = parse,
};
