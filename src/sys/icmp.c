/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/icmp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"

#define V6_ECHO_REQUEST 128
#define V6_ECHO_REPLY 129

int zh_icmp_open(int family, bool *ret_raw, struct zh_err *err)
{
	int protocol = family == AF_INET6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
	static const int types[] = {SOCK_RAW, SOCK_DGRAM};
	size_t i;
	int fd;

	for (i = 0; i < ZH_ARRAY_SIZE(types); i++) {
		fd = socket(family, types[i] | SOCK_CLOEXEC, protocol);
		*ret_raw = types[i] == SOCK_RAW;
		if (fd >= 0)
			return fd;
		if (errno != EPERM && errno != EACCES)
			return zh_err_sys(err, -errno, "cannot open an ICMP socket");
	}
	zh_err_set(err, -EPERM, "cannot open an ICMP socket: not permitted");
	zh_err_hint(err, "grant CAP_NET_RAW, or allow your group by the sysctl "
			 "net.ipv4.ping_group_range");
	return -EPERM;
}

/* Replies to other identifiers are dropped before they wake us. An IPv4 raw socket filters from the
 * IP header on (its length varies), an IPv6 one from the ICMP header on. */
static void attach_filter(int fd, int family, uint16_t id)
{
	struct sock_filter v4[] = {
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohs(id), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_filter v6[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohs(id), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = family == AF_INET6 ? (struct sock_fprog){ZH_ARRAY_SIZE(v6), v6}
						       : (struct sock_fprog){ZH_ARRAY_SIZE(v4), v4};

	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int set_type_filter(int fd, int family)
{
	struct icmp_filter v4 = {.data = ~(1u << ICMP_ECHOREPLY)};
	struct icmp6_filter v6;

	if (family != AF_INET6)
		return setsockopt(fd, SOL_RAW, ICMP_FILTER, &v4, sizeof(v4));
	/* A set bit blocks the type. */
	memset(&v6, 0xff, sizeof(v6));
	v6.data[V6_ECHO_REPLY >> 5] &= ~(1u << (V6_ECHO_REPLY & 31));
	return setsockopt(fd, IPPROTO_ICMPV6, ICMPV6_FILTER, &v6, sizeof(v6));
}

int zh_icmp_filter(int fd, int family, uint16_t id, struct zh_err *err)
{
	if (set_type_filter(fd, family) < 0)
		return zh_err_sys(err, -errno, "cannot filter an ICMP socket");
	attach_filter(fd, family, id);
	return 0;
}

void zh_icmp_request(uint8_t *message, int family, uint16_t id)
{
	memset(message, 0, ZH_ICMP_HEADER);
	message[0] = family == AF_INET6 ? V6_ECHO_REQUEST : ICMP_ECHO;
	memcpy(message + 4, &id, sizeof(id));
}

uint32_t zh_icmp_sum(const void *bytes, size_t len, uint32_t sum)
{
	const uint8_t *byte = bytes;
	uint16_t word;
	size_t i;

	for (i = 0; i + 1 < len; i += 2) {
		memcpy(&word, byte + i, sizeof(word));
		sum += word;
	}
	if (i < len) {
		word = 0;
		memcpy(&word, byte + i, 1);
		sum += word;
	}
	return sum;
}

uint16_t zh_icmp_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

const uint8_t *zh_icmp_reply(
	const uint8_t *message, size_t len, int family, bool is_raw, uint16_t id, size_t *ret_len)
{
	uint8_t reply = family == AF_INET6 ? V6_ECHO_REPLY : ICMP_ECHOREPLY;
	size_t skip = 0;

	/* Raw IPv4 sockets give the IP header too. */
	if (is_raw && family != AF_INET6)
		skip = len ? (size_t)(message[0] & 0x0f) * 4 : 0;
	if (len < skip + ZH_ICMP_HEADER)
		return NULL;
	message += skip;
	if (message[0] != reply || (is_raw && memcmp(message + 4, &id, sizeof(id)) != 0))
		return NULL;
	*ret_len = len - skip - ZH_ICMP_HEADER;
	return message + ZH_ICMP_HEADER;
}
