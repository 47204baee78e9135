/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor: sockets, one thread that echoes, one that sends and waits without a time limit (which
 * costs a timer each time the thread sleeps). No pacing, no matching, no error handling beyond
 * giving up.
 */
#include "probe-bench.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats/summary.h"
#include "sys/sched.h"

#define ICMP_ID 0x5a48

struct bare {
	int fd, peer_fd, peer_cpu, cpu;
	uint32_t count;
	uint64_t *rtt_ns;
	uint64_t median_ns;
	int is_icmp, is_stream;
};

static int any_address(int family, struct sockaddr_storage *ret, socklen_t *ret_len)
{
	memset(ret, 0, sizeof(*ret));
	ret->ss_family = (sa_family_t)family;
	*ret_len = sizeof(sa_family_t);
	if (family != AF_INET)
		return 0;
	((struct sockaddr_in *)(void *)ret)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*ret_len = sizeof(struct sockaddr_in);
	return 0;
}

/* A bound socket and one connected to it; of streams the accepted one. */
static int open_pair(struct bare *b, int family, int type)
{
	struct sockaddr_storage sa, own;
	socklen_t len, own_len;
	int on = 1, listener;

	any_address(family, &sa, &len);
	any_address(family, &own, &own_len);
	b->peer_fd = socket(family, type | SOCK_CLOEXEC, 0);
	b->fd = socket(family, type | SOCK_CLOEXEC, 0);
	if (bind(b->peer_fd, (struct sockaddr *)&sa, len) < 0)
		return -1;
	if (!b->is_stream && bind(b->fd, (struct sockaddr *)&own, own_len) < 0)
		return -1;
	len = sizeof(sa);
	getsockname(b->peer_fd, (struct sockaddr *)&sa, &len);
	if (b->is_stream && listen(b->peer_fd, 1) < 0)
		return -1;
	if (connect(b->fd, (struct sockaddr *)&sa, len) < 0)
		return -1;
	if (!b->is_stream)
		return 0;
	listener = b->peer_fd;
	b->peer_fd = accept(listener, NULL, NULL);
	close(listener);
	if (family == AF_INET) {
		setsockopt(b->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		setsockopt(b->peer_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	}
	return b->peer_fd < 0 ? -1 : 0;
}

static int open_icmp(struct bare *b)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	uint32_t blocked = ~(1u << ICMP_ECHOREPLY);

	b->is_icmp = 1;
	b->fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (b->fd < 0 || connect(b->fd, (struct sockaddr *)&in, sizeof(in)) < 0)
		return -1;
	return setsockopt(b->fd, SOL_RAW, 1 /* ICMP_FILTER */, &blocked, sizeof(blocked));
}

/* Echoes to the sender; ends when the socket is shut down. */
static void *echo(void *arg)
{
	const struct bare *b = arg;
	struct sockaddr_storage from;
	char buf[2048];
	socklen_t len;
	ssize_t n;

	if (b->peer_cpu >= 0)
		zh_sched_pin(b->peer_cpu, NULL);
	for (;;) {
		len = sizeof(from);
		n = recvfrom(b->peer_fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len);
		if (n <= 0)
			return NULL;
		if (b->is_stream)
			send(b->peer_fd, buf, (size_t)n, MSG_NOSIGNAL);
		else
			sendto(b->peer_fd, buf, (size_t)n, MSG_NOSIGNAL, (struct sockaddr *)&from,
				len);
	}
}

static size_t make_request(const struct bare *b, uint8_t *buf)
{
	struct icmphdr icmp = {.type = ICMP_ECHO, .un.echo = {.id = htons(ICMP_ID)}};
	uint32_t sum = 0;
	uint16_t word;
	size_t i;

	memset(buf, 0, sizeof(icmp) + BENCH_SIZE);
	if (!b->is_icmp)
		return BENCH_SIZE;
	memcpy(buf, &icmp, sizeof(icmp));
	for (i = 0; i < sizeof(icmp); i += 2) {
		memcpy(&word, buf + i, sizeof(word));
		sum += word;
	}
	word = (uint16_t) ~((sum & 0xffff) + (sum >> 16));
	memcpy(buf + 2, &word, sizeof(word));
	return sizeof(icmp) + BENCH_SIZE;
}

/* Others' echo replies pass the type filter of a raw socket: 20 bytes of IP header, then ours. */
static int is_reply(const struct bare *b, const uint8_t *buf, ssize_t n)
{
	uint16_t id = htons(ICMP_ID);

	if (!b->is_icmp)
		return n == BENCH_SIZE;
	return n >= 28 && !memcmp(buf + 24, &id, sizeof(id));
}

static void *measure(void *arg)
{
	struct bare *b = arg;
	uint8_t out[BENCH_SIZE + 64], in[2048];
	size_t len = make_request(b, out);
	uint64_t sent_ns;
	uint32_t i;
	ssize_t n;

	if (b->cpu >= 0)
		zh_sched_pin(b->cpu, NULL);
	for (i = 0; i < b->count; i++) {
		sent_ns = zh_now_ns();
		if (send(b->fd, out, len, MSG_NOSIGNAL) != (ssize_t)len)
			return NULL;
		do
			n = recv(b->fd, in, sizeof(in), 0);
		while (n > 0 && !is_reply(b, in, n));
		b->rtt_ns[i] = zh_now_ns() - sent_ns;
		if (n <= 0)
			return NULL;
	}
	b->median_ns = zh_stats_median(b->rtt_ns, b->count);
	return NULL;
}

static int open_bare(struct bare *b, enum zh_transport_id transport)
{
	b->is_stream = transport == ZH_TRANSPORT_TCP || transport == ZH_TRANSPORT_UNIX_STREAM;
	switch (transport) {
	case ZH_TRANSPORT_ICMP:
		return open_icmp(b);
	case ZH_TRANSPORT_UDP:
		return open_pair(b, AF_INET, SOCK_DGRAM);
	case ZH_TRANSPORT_TCP:
		return open_pair(b, AF_INET, SOCK_STREAM);
	case ZH_TRANSPORT_UNIX_STREAM:
		return open_pair(b, AF_UNIX, SOCK_STREAM);
	case ZH_TRANSPORT_UNIX_DGRAM:
		return open_pair(b, AF_UNIX, SOCK_DGRAM);
	default:
		return -1;
	}
}

uint64_t bench_bare(enum zh_transport_id transport, int cpu, int peer_cpu, uint32_t count)
{
	struct bare b = {.fd = -1, .peer_fd = -1, .cpu = cpu, .peer_cpu = peer_cpu, .count = count};
	pthread_t threads[2];
	int has_echo;

	b.rtt_ns = calloc(count, sizeof(*b.rtt_ns));
	if (b.rtt_ns && open_bare(&b, transport) == 0) {
		has_echo = b.peer_fd >= 0 && !pthread_create(&threads[0], NULL, echo, &b);
		if (!pthread_create(&threads[1], NULL, measure, &b))
			pthread_join(threads[1], NULL);
		if (has_echo) {
			shutdown(b.peer_fd, SHUT_RDWR);
			pthread_join(threads[0], NULL);
		}
	}
	if (b.fd >= 0)
		close(b.fd);
	if (b.peer_fd >= 0)
		close(b.peer_fd);
	free(b.rtt_ns);
	return b.median_ns;
}
