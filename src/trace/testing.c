/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/testing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "record/wire.h"
#include "sys/net-config.h"
#include "sys/netns.h"

#define BUFFER_BYTES 8192

const char *testing_why_not(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "zh_test", 4, 4, 1, NULL);

	if (fd < 0)
		return "BPF is not permitted";
	close(fd);
	fd = zh_netns_new(NULL);
	if (fd < 0)
		return "network namespaces are not permitted";
	close(fd);
	return NULL;
}

int testing_netns(void)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};
	int fd = zh_netns_new(&err);

	assert_true(fd >= 0);
	assert_int_equal(zh_netcfg_open(fd, &cfg, &err), 0);
	assert_int_equal(zh_netcfg_link_up(cfg, "lo", true, &err), 0);
	zh_netcfg_close(cfg);
	return fd;
}

struct zh_record *testing_record(void)
{
	struct zh_record_limits limits = {
		.phases = 4, .samples = 2048, .stamps = 100000, .events = 400000};
	struct zh_record *record = zh_record_new(&limits);

	assert_non_null(record);
	return record;
}

struct zh_trace *testing_trace(
	const struct testing_flow *flow, struct zh_trace_config config, struct zh_record *record)
{
	struct zh_trace *trace = NULL;
	struct zh_err err = {};

	config.run = TESTING_RUN;
	config.size_bytes = flow->size;
	config.netns_fd = flow->netns_fd;
	config.peer_netns_fd = flow->peer_netns_fd;
	if (zh_trace_open(&config, record, &trace, &err))
		fail_msg("%s", err.text);
	return trace;
}

static bool is_stream(const struct testing_flow *flow)
{
	return flow->transport == ZH_TRANSPORT_TCP || flow->transport == ZH_TRANSPORT_UNIX_STREAM;
}

static void read_all(int fd, void *buf, size_t size)
{
	size_t done = 0;
	ssize_t n = 1;

	for (; done < size && n > 0; done += (size_t)n)
		n = recv(fd, (char *)buf + done, size - done, 0);
}

/* Answers every message with leg 1 until its socket is shut down. */
static void *respond(void *arg)
{
	struct testing_flow *flow = arg;
	char buf[BUFFER_BYTES];
	struct zh_wire *wire = (void *)buf;
	struct sockaddr_storage from;
	socklen_t len;

	if (flow->trace)
		zh_trace_thread(flow->trace, (uint32_t)syscall(SYS_gettid), true);
	for (;;) {
		len = sizeof(from);
		wire->magic = 0;
		if (is_stream(flow))
			read_all(flow->peer_fd, buf, flow->size);
		else
			recvfrom(flow->peer_fd, buf, sizeof(buf), 0, (void *)&from, &len);
		if (wire->magic != ZH_WIRE_MAGIC)
			return NULL;
		wire->leg = 1;
		sendto(flow->peer_fd, buf, flow->size, MSG_NOSIGNAL,
			flow->transport == ZH_TRANSPORT_UDP ? (void *)&from : NULL,
			flow->transport == ZH_TRANSPORT_UDP ? len : 0);
	}
}

static void make_address(struct testing_flow *flow, uint16_t port)
{
	struct sockaddr_in *in = (void *)&flow->to;
	struct sockaddr_in6 *in6 = (void *)&flow->to;

	memset(&flow->to, 0, sizeof(flow->to));
	flow->to.ss_family = (sa_family_t)flow->family;
	if (flow->family == AF_INET) {
		inet_pton(AF_INET, flow->address, &in->sin_addr);
		in->sin_port = htons(port);
		flow->to_len = sizeof(*in);
	} else {
		inet_pton(AF_INET6, flow->address, &in6->sin6_addr);
		in6->sin6_port = htons(port);
		flow->to_len = sizeof(*in6);
	}
}

static uint16_t port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	assert_int_equal(getsockname(fd, (void *)&address, &len), 0);
	return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
						  : ((struct sockaddr_in6 *)&address)->sin6_port);
}

/* A socket made inside a namespace stays there, whoever uses it. */
static int socket_in(int netns_fd, int family, int type, int protocol)
{
	zh_autoclose int here = zh_netns_current(NULL);
	int fd;

	if (netns_fd >= 0)
		assert_int_equal(zh_netns_enter(netns_fd, NULL), 0);
	fd = socket(family, type, protocol);
	if (netns_fd >= 0)
		assert_int_equal(zh_netns_enter(here, NULL), 0);
	assert_true(fd >= 0);
	return fd;
}

static void open_icmp(struct testing_flow *flow)
{
	int protocol = flow->family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;

	flow->fd = socket_in(flow->netns_fd, flow->family, SOCK_RAW, protocol);
	make_address(flow, 0);
}

static int peer_ns(const struct testing_flow *flow)
{
	return flow->peer_netns_fd >= 0 ? flow->peer_netns_fd : flow->netns_fd;
}

static void open_udp(struct testing_flow *flow)
{
	flow->peer_fd = socket_in(peer_ns(flow), flow->family, SOCK_DGRAM, 0);
	make_address(flow, 0);
	assert_int_equal(bind(flow->peer_fd, (void *)&flow->to, flow->to_len), 0);
	make_address(flow, port_of(flow->peer_fd));
	flow->fd = socket_in(flow->netns_fd, flow->family, SOCK_DGRAM, 0);
}

static void open_tcp(struct testing_flow *flow)
{
	int one = 1, listener = socket_in(peer_ns(flow), flow->family, SOCK_STREAM, 0);

	make_address(flow, 0);
	assert_int_equal(bind(listener, (void *)&flow->to, flow->to_len), 0);
	make_address(flow, port_of(listener));
	assert_int_equal(listen(listener, 1), 0);
	flow->fd = socket_in(flow->netns_fd, flow->family, SOCK_STREAM, 0);
	assert_int_equal(connect(flow->fd, (void *)&flow->to, flow->to_len), 0);
	flow->peer_fd = accept(listener, NULL, NULL);
	assert_true(flow->peer_fd >= 0);
	close(listener);
	setsockopt(flow->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(flow->peer_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	flow->local_port = port_of(flow->fd);
	flow->remote_port = port_of(flow->peer_fd);
}

static void open_unix(struct testing_flow *flow, int type)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, type, 0, fds), 0);
	flow->fd = fds[0];
	flow->peer_fd = fds[1];
}

void testing_flow_open(struct testing_flow *flow, struct zh_trace *trace)
{
	flow->fd = flow->peer_fd = -1;
	flow->trace = trace;
	switch (flow->transport) {
	case ZH_TRANSPORT_ICMP:
		open_icmp(flow);
		break;
	case ZH_TRANSPORT_UDP:
		open_udp(flow);
		break;
	case ZH_TRANSPORT_TCP:
		open_tcp(flow);
		break;
	case ZH_TRANSPORT_UNIX_STREAM:
		open_unix(flow, SOCK_STREAM);
		break;
	default:
		open_unix(flow, SOCK_DGRAM);
	}
	if (trace) {
		zh_trace_socket(trace, flow->fd, false);
		if (flow->peer_fd >= 0)
			zh_trace_socket(trace, flow->peer_fd, true);
		zh_trace_flow(trace, flow->local_port, flow->remote_port);
		zh_trace_thread(trace, (uint32_t)syscall(SYS_gettid), false);
	}
	if (flow->peer_fd >= 0 && !flow->deaf) {
		assert_int_equal(pthread_create(&flow->thread, NULL, respond, flow), 0);
		flow->running = true;
		usleep(20000); /* it sleeps in recv when the first probe comes */
	}
}

void testing_flow_close(struct testing_flow *flow)
{
	struct zh_wire stop = {};

	if (flow->running && is_stream(flow)) {
		shutdown(flow->peer_fd, SHUT_RDWR);
		pthread_join(flow->thread, NULL);
	} else if (flow->running) {
		sendto(flow->fd, &stop, sizeof(stop), 0,
			flow->transport == ZH_TRANSPORT_UDP ? (void *)&flow->to : NULL,
			flow->transport == ZH_TRANSPORT_UDP ? flow->to_len : 0);
		pthread_join(flow->thread, NULL);
	}
	flow->running = false;
	if (flow->fd >= 0)
		close(flow->fd);
	if (flow->peer_fd >= 0)
		close(flow->peer_fd);
}

static uint16_t checksum(const uint8_t *data, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? data[i] : (uint32_t)data[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

/* The message with an ICMP header in front, if it is for ICMP; its length. */
static size_t make_message(const struct testing_flow *flow, uint32_t seq, uint8_t *buf)
{
	size_t head = flow->transport == ZH_TRANSPORT_ICMP ? 8 : 0;
	struct zh_wire wire = {
		.magic = ZH_WIRE_MAGIC, .run = TESTING_RUN, .seq = seq, .size = flow->size};
	uint16_t sum;

	memset(buf, 0, head + flow->size);
	memcpy(buf + head, &wire, sizeof(wire));
	if (head) {
		buf[0] = flow->family == AF_INET ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
		sum = checksum(buf, head + flow->size);
		if (flow->family == AF_INET)
			memcpy(buf + 2, &sum, sizeof(sum));
	}
	return head + flow->size;
}

/* True when buf holds the reply to `seq`. */
static bool is_reply(const struct testing_flow *flow, uint32_t seq, const uint8_t *buf)
{
	struct zh_wire wire;
	size_t at = 0;

	if (flow->transport == ZH_TRANSPORT_ICMP) {
		at = flow->family == AF_INET ? 20 : 0;
		if (buf[at] != (flow->family == AF_INET ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY))
			return false;
		at += 8;
	}
	memcpy(&wire, buf + at, sizeof(wire));
	return wire.magic == ZH_WIRE_MAGIC && wire.seq == seq;
}

void testing_send(struct testing_flow *flow, uint32_t seq, struct zh_sample *sample)
{
	bool addressed =
		flow->transport == ZH_TRANSPORT_ICMP || flow->transport == ZH_TRANSPORT_UDP;
	uint8_t buf[BUFFER_BYTES];
	size_t len = make_message(flow, seq, buf);

	*sample = (struct zh_sample){.seq = seq, .intended_ns = zh_now_ns()};
	sample->send_ns = zh_now_ns();
	if (sendto(flow->fd, buf, len, MSG_NOSIGNAL, addressed ? (void *)&flow->to : NULL,
		    addressed ? flow->to_len : 0) < 0)
		sample->send_errno = (int16_t)errno;
	sample->sent_ns = zh_now_ns();
}

void testing_exchange(struct testing_flow *flow, uint32_t seq, struct zh_sample *sample)
{
	struct pollfd p = {.fd = flow->fd, .events = POLLIN};
	uint8_t buf[BUFFER_BYTES];

	testing_send(flow, seq, sample);
	while (!sample->recv_ns && poll(&p, 1, 1000) == 1) {
		if (is_stream(flow))
			read_all(flow->fd, buf, flow->size);
		else if (recv(flow->fd, buf, sizeof(buf), 0) < 0)
			return;
		if (is_reply(flow, seq, buf))
			sample->recv_ns = zh_now_ns();
	}
}

unsigned int testing_count(const struct zh_record *record, const struct zh_sample *sample,
	enum zh_point point, uint32_t leg)
{
	unsigned int n = 0;
	uint32_t i;

	for (i = 0; i < sample->n_stamps; i++) {
		const struct zh_stamp *stamp = &record->stamps[sample->stamps + i];

		n += stamp->point == point && stamp->leg == leg;
	}
	return n;
}
