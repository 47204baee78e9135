/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "lab/internal.h"
#include "sys/sched.h"

#define DATAGRAM_MAX 2048
#define PAYLOAD_MAX 60000
#define RECEIVE_TIMEOUT_US 100000
#define BATCH 64
#define BURST_WAIT_NS (20 * ZH_NSEC_PER_MSEC)
#define RING_BYTES (8 << 20) /* of the flood's own socket: it never drops */

/* A UDP socket on 127.0.0.1 with a free port, which is returned in host order. */
static int bind_any(uint16_t *ret_port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ||
		getsockname(fd, (struct sockaddr *)&in, &len) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	*ret_port = ntohs(in.sin_port);
	return fd;
}

static int echo_set_up(const struct lab_echo *echo, uint16_t *ret_port)
{
	const struct timeval timeout = {.tv_usec = RECEIVE_TIMEOUT_US};
	int fd = bind_any(ret_port);

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (echo->rcvbuf_bytes)
		setsockopt(
			fd, SOL_SOCKET, SO_RCVBUF, &echo->rcvbuf_bytes, sizeof(echo->rcvbuf_bytes));
	return fd;
}

static int echo_body(struct lab_child *child, const void *arg)
{
	const struct lab_echo *echo = arg;
	char datagram[DATAGRAM_MAX];
	struct sockaddr_in from;
	socklen_t len;
	uint16_t port = 0;
	ssize_t n;
	int fd = echo_set_up(echo, &port);

	lab_child_ready(child, fd < 0 ? fd : 0, port);
	while (fd >= 0 && zh_now_ns() < child->deadline_ns) {
		len = sizeof(from);
		n = recvfrom(fd, datagram, sizeof(datagram), 0, (struct sockaddr *)&from, &len);
		if (n < 0)
			continue;
		sendto(fd, datagram, (size_t)n, 0, (struct sockaddr *)&from, len);
		if (echo->delay_ns)
			zh_sleep_until(zh_now_ns() + echo->delay_ns);
	}
	return fd < 0 ? fd : 0;
}

int lab_echo_start(
	struct zh_lab_run *run, const struct lab_echo *echo, uint16_t *ret_port, struct zh_err *err)
{
	const struct lab_child_config config = {
		.name = "zh-echo",
		.cpu = echo->cpu,
		.netns_fd = echo->netns_fd,
		.body = echo_body,
		.arg = echo,
	};
	uint32_t port;
	int r = lab_child_start(run, &config, &port, err);

	if (r == 0)
		*ret_port = (uint16_t)port;
	return r;
}

/* A batch of equal datagrams without addresses: the socket is connected. */
struct batch {
	struct mmsghdr msgs[BATCH];
	struct iovec iov;
	char payload[PAYLOAD_MAX];
};

static void batch_init(struct batch *batch, size_t size)
{
	*batch = (struct batch){.iov = {batch->payload, ZH_MIN(size, sizeof(batch->payload))}};
	for (size_t i = 0; i < BATCH; i++) {
		batch->msgs[i].msg_hdr.msg_iov = &batch->iov;
		batch->msgs[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Takes what has arrived; returns how many datagrams. */
static unsigned int drain(int fd, struct batch *in)
{
	unsigned int total = 0;
	int n;

	while ((n = recvmmsg(fd, in->msgs, BATCH, MSG_DONTWAIT, NULL)) > 0)
		total += (unsigned int)n;
	return total;
}

static unsigned int datagrams_a_send(const struct lab_flood *flood)
{
	return flood->segments ? flood->segments : 1;
}

static int flood_options(int fd, const struct lab_flood *flood)
{
	const int bytes = RING_BYTES, segment = (int)flood->size_bytes;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (flood->segments &&
		setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)) < 0)
		return -errno;
	return flood->idle_class ? zh_sched_set_policy(SCHED_IDLE, 0, NULL) : 0;
}

static int flood_set_up(const struct lab_flood *flood)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	uint16_t own;
	int fd = bind_any(&own), r;

	if (fd < 0)
		return fd;
	r = flood_options(fd, flood);
	to.sin_port = htons(flood->port ? flood->port : own);
	if (r == 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		r = -errno;
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

/* One burst. To itself it waits for what is under way, so that no queue on the way overflows. */
static void send_burst(int fd, const struct lab_flood *flood, struct batch *out, struct batch *in)
{
	unsigned int left = flood->burst, under_way = 0;
	uint64_t give_up_ns;
	int n;

	while (left) {
		n = sendmmsg(fd, out->msgs, ZH_MIN(left, (unsigned int)BATCH), 0);
		if (n <= 0)
			break;
		left -= (unsigned int)n;
	}
	give_up_ns = zh_now_ns() + BURST_WAIT_NS;
	if (!flood->port)
		under_way = (flood->burst - left) * datagrams_a_send(flood);
	while (under_way && zh_now_ns() < give_up_ns)
		under_way -= ZH_MIN(under_way, drain(fd, in));
	drain(fd, in);
}

static int flood_body(struct lab_child *child, const void *arg)
{
	const struct lab_flood *flood = arg;
	static struct batch out, in;
	uint64_t pause_ns = flood->pause_ns;
	int fd = flood_set_up(flood);

	batch_init(&out, flood->size_bytes * datagrams_a_send(flood));
	batch_init(&in, DATAGRAM_MAX);
	lab_child_ready(child, fd < 0 ? fd : 0, 0);
	while (fd >= 0 && zh_now_ns() < child->deadline_ns) {
		send_burst(fd, flood, &out, &in);
		if (pause_ns)
			zh_sleep_until(
				zh_now_ns() + lab_draw(&child->random, pause_ns - pause_ns / 4,
						      pause_ns + pause_ns / 4));
	}
	return fd < 0 ? fd : 0;
}

int lab_flood_start(struct zh_lab_run *run, const struct lab_flood *flood, struct zh_err *err)
{
	const struct lab_child_config config = {
		.name = "zh-flood",
		.cpu = flood->cpu,
		.netns_fd = flood->netns_fd,
		.body = flood_body,
		.arg = flood,
	};

	return lab_child_start(run, &config, NULL, err);
}
