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
#include "sys/netns.h"
#include "sys/sched.h"

#define DATAGRAM_MAX 2048
#define PAYLOAD_MAX 60000
#define RECEIVE_TIMEOUT_US 100000
#define BATCH 64
#define BURST_WAIT_NS (20 * ZH_NSEC_PER_MSEC)
#define RING_BYTES (8 << 20) /* of the flood's own socket: it never drops */

static struct sockaddr_in address(const char *host, uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (inet_pton(AF_INET, host ? host : "127.0.0.1", &in.sin_addr) != 1)
		in.sin_family = AF_UNSPEC;
	return in;
}

/* A UDP socket on that address with a free port, which is returned in host order. */
static int bind_any(const char *host, uint16_t *ret_port)
{
	struct sockaddr_in in = address(host, 0);
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
	int fd = bind_any(NULL, ret_port);

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

/* What the flood sends from and reads from; the same when a server answers. */
struct flood_fds {
	int out, in;
};

/* A socket for what is sent to oneself. Entering the other namespace concerns this process only,
 * which has a single thread and comes back. */
static int open_sink(const struct lab_flood *flood, uint16_t *ret_port)
{
	const int bytes = RING_BYTES;
	zh_autoclose int home = zh_netns_current(NULL);
	int fd, r = home < 0 ? home : 0;

	if (r == 0 && flood->sink_netns_fd >= 0)
		r = zh_netns_enter(flood->sink_netns_fd, NULL);
	if (r < 0)
		return r;
	fd = bind_any(flood->to, ret_port);
	if (flood->sink_netns_fd >= 0)
		zh_netns_enter(home, NULL);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	return fd;
}

static int open_source(const struct lab_flood *flood, uint16_t port)
{
	const struct sockaddr_in to = address(flood->to, port);
	const int segment = (int)flood->size_bytes;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = 0;

	if (fd < 0)
		return -errno;
	if (flood->segments &&
		setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)) < 0)
		r = -errno;
	else if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		r = -errno;
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

static int flood_set_up(const struct lab_flood *flood, struct flood_fds *ret)
{
	uint16_t port = flood->port;
	int r = 0;

	if (!port)
		r = ret->in = open_sink(flood, &port);
	if (r >= 0)
		r = ret->out = open_source(flood, port);
	if (flood->port)
		ret->in = ret->out;
	if (r >= 0 && flood->idle_class)
		r = zh_sched_set_policy(SCHED_IDLE, 0, NULL);
	return r < 0 ? r : 0;
}

/* One burst. To itself it waits for what is under way, so that no queue on the way overflows. */
static void send_burst(const struct flood_fds *fds, const struct lab_flood *flood,
	struct batch *out, struct batch *in)
{
	unsigned int left = flood->burst, under_way = 0;
	uint64_t give_up_ns;
	int n;

	while (left) {
		n = sendmmsg(fds->out, out->msgs, ZH_MIN(left, (unsigned int)BATCH), 0);
		if (n <= 0)
			break;
		left -= (unsigned int)n;
	}
	give_up_ns = zh_now_ns() + BURST_WAIT_NS;
	if (!flood->port)
		under_way = (flood->burst - left) * datagrams_a_send(flood);
	while (under_way && zh_now_ns() < give_up_ns)
		under_way -= ZH_MIN(under_way, drain(fds->in, in));
	drain(fds->in, in);
}

static int flood_body(struct lab_child *child, const void *arg)
{
	const struct lab_flood *flood = arg;
	static struct batch out, in;
	struct flood_fds fds = {-1, -1};
	uint64_t pause_ns = flood->pause_ns;
	int r = flood_set_up(flood, &fds);

	batch_init(&out, flood->size_bytes * datagrams_a_send(flood));
	batch_init(&in, DATAGRAM_MAX);
	lab_child_ready(child, r, 0);
	while (r == 0 && zh_now_ns() < child->deadline_ns) {
		send_burst(&fds, flood, &out, &in);
		if (pause_ns)
			zh_sleep_until(
				zh_now_ns() + lab_draw(&child->random, pause_ns - pause_ns / 4,
						      pause_ns + pause_ns / 4));
	}
	return r;
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
