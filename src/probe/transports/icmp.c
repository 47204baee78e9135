/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP echo, IPv4 and IPv6; the kernel answers. With CAP_NET_RAW a raw socket, otherwise the
 * unprivileged datagram socket that net.ipv4.ping_group_range allows (for IPv6 too).
 *
 * A raw socket sees the ICMP traffic of everybody in the namespace, over loopback even our own
 * requests. The type filter of raw sockets keeps all but echo replies away before they are queued;
 * a small BPF filter drops replies to other identifiers. Parsing checks again: tracing may replace
 * the BPF filter by its own.
 */
#include "probe/transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

#define ECHO_HEADER 8 /* type, code, checksum, identifier, sequence: the same in both versions */
#define V6_ECHO_REQUEST 128
#define V6_ECHO_REPLY 129

static bool is_v6(const struct zh_channel *channel)
{
	return channel->remote.sa.sa_family == AF_INET6;
}

static bool is_raw(const struct zh_channel *channel)
{
	return channel->kind && channel->kind[0] == 'r';
}

/* Ones' complement sum of an even or odd number of bytes, not folded. */
static uint32_t sum_words(const uint8_t *bytes, size_t len, uint32_t sum)
{
	uint16_t word;
	size_t i;

	for (i = 0; i + 1 < len; i += 2) {
		memcpy(&word, bytes + i, sizeof(word));
		sum += word;
	}
	if (i < len) {
		word = 0;
		memcpy(&word, bytes + i, 1);
		sum += word;
	}
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static int open_icmp(struct zh_channel *channel, struct zh_err *err)
{
	int family = channel->remote.sa.sa_family;
	int protocol = is_v6(channel) ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
	int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, protocol);

	channel->kind = "raw";
	if (fd >= 0)
		return fd;
	if (errno != EPERM && errno != EACCES)
		return zh_err_sys(err, -errno, "cannot open an ICMP socket");
	channel->kind = "dgram";
	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, protocol);
	if (fd >= 0)
		return fd;
	if (errno != EPERM && errno != EACCES)
		return zh_err_sys(err, -errno, "cannot open an ICMP socket");
	zh_err_set(err, -EPERM, "cannot open an ICMP socket: not permitted");
	zh_err_hint(err, "grant CAP_NET_RAW, or allow your group by the sysctl "
			 "net.ipv4.ping_group_range, or probe by udp:HOST");
	return -EPERM;
}

/* Replies to other identifiers are dropped before they wake us. An IPv4 raw socket filters from the
 * IP header on (its length varies), an IPv6 one from the ICMP header on. */
static void attach_filter(const struct zh_channel *channel)
{
	struct sock_filter v4[] = {
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohs(channel->icmp_id), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_filter v6[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohs(channel->icmp_id), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = is_v6(channel) ? (struct sock_fprog){ZH_ARRAY_SIZE(v6), v6}
						   : (struct sock_fprog){ZH_ARRAY_SIZE(v4), v4};

	setsockopt(channel->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int set_type_filter(const struct zh_channel *channel)
{
	struct icmp_filter v4 = {.data = ~(1u << ICMP_ECHOREPLY)};
	struct icmp6_filter v6;

	if (!is_v6(channel))
		return setsockopt(channel->fd, SOL_RAW, ICMP_FILTER, &v4, sizeof(v4));
	/* A set bit blocks the type. */
	memset(&v6, 0xff, sizeof(v6));
	v6.data[V6_ECHO_REPLY >> 5] &= ~(1u << (V6_ECHO_REPLY & 31));
	return setsockopt(channel->fd, IPPROTO_ICMPV6, ICMPV6_FILTER, &v6, sizeof(v6));
}

/* Identifier and checksum of the constant bytes. The kernel gives datagram sockets their
 * identifier, as a port. */
static int prepare(struct zh_channel *channel, struct zh_err *err)
{
	const size_t varying = ECHO_HEADER + sizeof(struct zh_wire);

	if (is_raw(channel)) {
		channel->icmp_id = (uint16_t)(channel->config->run ^ (channel->config->run >> 16));
		if (set_type_filter(channel) < 0)
			return zh_err_sys(err, -errno, "cannot filter an ICMP socket");
		attach_filter(channel);
	}
	channel->tx[0] = is_v6(channel) ? V6_ECHO_REQUEST : ICMP_ECHO;
	memcpy(channel->tx + 4, &channel->icmp_id, sizeof(channel->icmp_id));
	channel->constant_sum = sum_words(channel->tx + varying, channel->tx_len - varying, 0);
	return 0;
}

static void frame(struct zh_channel *channel, uint32_t seq)
{
	uint16_t sum = 0, echo_seq = htons((uint16_t)seq);

	memcpy(channel->tx + 6, &echo_seq, sizeof(echo_seq));
	memcpy(channel->tx + ECHO_HEADER + offsetof(struct zh_wire, seq), &seq, sizeof(seq));
	memcpy(channel->tx + 2, &sum, sizeof(sum));
	if (is_v6(channel)) /* the kernel computes it, it covers the addresses too */
		return;
	sum = fold(sum_words(
		channel->tx, ECHO_HEADER + sizeof(struct zh_wire), channel->constant_sum));
	memcpy(channel->tx + 2, &sum, sizeof(sum));
}

static bool parse(
	const struct zh_channel *channel, const uint8_t *message, size_t len, struct zh_wire *ret)
{
	uint8_t reply = is_v6(channel) ? V6_ECHO_REPLY : ICMP_ECHOREPLY;
	size_t skip = 0;

	/* Raw IPv4 sockets give the IP header too. */
	if (is_raw(channel) && !is_v6(channel))
		skip = len ? (size_t)(message[0] & 0x0f) * 4 : 0;
	if (len < skip + ECHO_HEADER)
		return false;
	message += skip;
	if (message[0] != reply ||
		(is_raw(channel) && memcmp(message + 4, &channel->icmp_id, 2) != 0))
		return false;
	return zh_wire_read(
		message + ECHO_HEADER, len - skip - ECHO_HEADER, channel->config->run, ret);
}

const struct zh_transport zh_transport_icmp = {
	.id = ZH_TRANSPORT_ICMP,
	.name = "icmp",
	.prefix = "icmp",
	.summary = "ICMP echo: the kernel answers, no second program is on the path",
	.flags = ZH_TRANSPORT_INET | ZH_TRANSPORT_NEEDS_RIGHT,
	.max_bytes = 65507,
	.header_bytes = ECHO_HEADER,
	.socket_type = SOCK_RAW,
	.socket = open_icmp,
	.ready = prepare,
	.frame = frame,
	.parse = parse,
};
