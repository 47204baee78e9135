/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP echo: the kernel answers, so there is no second process to switch to. The payload stands in
 * the end's buffer; the room in front of it takes the ICMP header, and what a raw IPv4 socket puts
 * before that.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/inet.h"
#include "bench/loops.h"
#include "sys/icmp.h"
#include "sys/netns.h"

#define IP_HEADER 20u /* our requests carry no options, so their replies carry none */

/* The first bytes of a message may change between two sends (rate), the others never do. */
#define VARYING 8u

_Static_assert(IP_HEADER + ZH_ICMP_HEADER <= ZH_BENCH_ROOM, "room for the headers");

struct icmp {
	int family;
	bool is_raw;
	uint16_t id;
	uint32_t skip; /* bytes in front of the payload of what is received */
	uint32_t constant_sum;
};

/* In the maker's namespace. An fd or a negative errno. */
static int open_socket(
	const struct zh_bench_link *link, int family, bool *ret_raw, struct zh_err *err)
{
	zh_autoclose int back = -1;
	int fd, r;

	if (link->config->netns_fd < 0)
		return zh_icmp_open(family, ret_raw, err);
	back = zh_netns_current(err);
	if (back < 0)
		return back;
	r = zh_netns_enter(link->config->netns_fd, err);
	if (r < 0)
		return r;
	fd = zh_icmp_open(family, ret_raw, err);
	r = zh_netns_enter(back, fd < 0 ? NULL : err);
	if (r < 0 && fd >= 0)
		close(fd);
	return fd < 0 || r >= 0 ? fd : r;
}

static int set_up(
	struct zh_bench_link *link, const struct zh_bench_address *address, struct zh_err *err)
{
	struct icmp *icmp = link->near.state;
	int fd = link->near.rfd, r = 0;

	if (icmp->is_raw) {
		icmp->id = htons((uint16_t)getpid());
		r = zh_icmp_filter(fd, icmp->family, icmp->id, err);
	}
	if (r < 0)
		return r;
	if (connect(fd, &address->sa, address->len) < 0)
		return zh_err_sys(err, -errno, "cannot send ICMP to %s",
			link->config->address ? link->config->address : "127.0.0.1");
	icmp->skip = ZH_ICMP_HEADER + (icmp->is_raw && icmp->family == AF_INET ? IP_HEADER : 0);
	zh_icmp_request(link->near.buf - ZH_ICMP_HEADER, icmp->family, icmp->id);
	if (link->cell->size_bytes > VARYING)
		icmp->constant_sum =
			zh_icmp_sum(link->near.buf + VARYING, link->cell->size_bytes - VARYING, 0);
	return zh_bench_socket_set_up(link, fd, err);
}

static int open_link(struct zh_bench_link *link, struct zh_err *err)
{
	struct zh_bench_address address;
	struct icmp *icmp = calloc(1, sizeof(*icmp));
	int r;

	if (!icmp)
		return zh_err_set(err, -ENOMEM, "out of memory");
	link->near.state = icmp;
	r = zh_bench_inet_resolve(link, &address, err);
	if (r < 0)
		return r;
	icmp->family = address.sa.sa_family;
	r = open_socket(link, icmp->family, &icmp->is_raw, err);
	if (r < 0)
		return r;
	zh_bench_end_set(&link->near, r);
	r = set_up(link, &address, err);
	return r < 0 ? r : zh_bench_sockets_ready(link, err);
}

static void close_link(struct zh_bench_link *link)
{
	free(link->near.state);
	link->near.state = NULL;
}

/* Writes the header in front of the payload, which the last reply may have overwritten. */
static uint8_t *frame(const struct zh_bench_end *end, uint32_t size)
{
	const struct icmp *icmp = end->state;
	uint8_t *message = end->buf - ZH_ICMP_HEADER;
	uint16_t sum;

	zh_icmp_request(message, icmp->family, icmp->id);
	if (icmp->family == AF_INET6) /* the kernel computes it, it covers the addresses too */
		return message;
	sum = zh_icmp_fold(
		zh_icmp_sum(message, ZH_ICMP_HEADER + ZH_MIN(size, VARYING), icmp->constant_sum));
	memcpy(message + 2, &sum, sizeof(sum));
	return message;
}

static int64_t send_message(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	uint32_t size = link->cell->size_bytes;
	ssize_t n = send(end->wfd, frame(end, size), ZH_ICMP_HEADER + size, 0);

	return n < 0 ? -errno : (int64_t)size;
}

/* What is no reply to us is passed over; the filters let such messages through only when somebody
 * replaced them. */
static int64_t recv_message(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	const struct icmp *icmp = end->state;
	uint8_t *message = end->buf - icmp->skip;
	const uint8_t *payload;
	size_t len;
	ssize_t n;

	do {
		n = recv(end->rfd, message, icmp->skip + link->cell->size_bytes, 0);
		if (n < 0)
			return -errno;
		payload = zh_icmp_reply(
			message, (size_t)n, icmp->family, icmp->is_raw, icmp->id, &len);
	} while (payload != end->buf || len != link->cell->size_bytes);
	return (int64_t)len;
}

/* The same request again and again, and whatever comes back. */
static int floor_near(struct zh_bench_link *link, uint64_t ns, uint64_t *rtts, size_t max,
	struct zh_bench_round *ret)
{
	struct zh_bench_end *end = &link->near;
	const struct icmp *icmp = end->state;
	uint32_t size = link->cell->size_bytes, whole = ZH_ICMP_HEADER + size;
	uint8_t *in = end->buf - icmp->skip, out[ZH_ICMP_HEADER];
	uint64_t start, now, last;
	size_t n = 0;

	/* A reply overwrites only the header, which is kept aside. */
	memcpy(out, frame(end, size), ZH_ICMP_HEADER);
	for (start = last = now = zh_now_ns(); now < start + ns && n < max;) {
		memcpy(end->buf - ZH_ICMP_HEADER, out, ZH_ICMP_HEADER);
		while (send(end->wfd, end->buf - ZH_ICMP_HEADER, whole, 0) < 0)
			if (zh_bench_again(link, -errno, n) < 0)
				goto cut;
		while (recv(end->rfd, in, icmp->skip + size, 0) < 0)
			if (zh_bench_again(link, -errno, n) < 0)
				goto cut;
		now = zh_now_ns();
		rtts[n++] = now - last;
		last = now;
	}
cut:
	ret->floor_elapsed_ns = last - start;
	ret->floor_messages = n;
	ret->floor_bytes = n * size;
	return 0;
}

static const struct zh_bench_ops ops = {
	.open = open_link,
	.close = close_link,
	.send = send_message,
	.recv = recv_message,
	.floor = floor_near,
};

const struct zh_bench_transport zh_bench_transport_icmp = {
	.name = "icmp",
	.summary = "ICMP echo: the kernel answers, no second process is switched to",
	.flags = ZH_BENCH_INET | ZH_BENCH_MESSAGES | ZH_BENCH_LOSSY | ZH_BENCH_BUFFERS |
		 ZH_BENCH_RATE_MODE | ZH_BENCH_SPIN | ZH_BENCH_NO_PEER,
	.max_bytes = 65507,
	.ops = &ops,
};
