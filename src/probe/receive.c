/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receiving replies.
 *
 * A thread that waits for a reply should sleep in the receive call, so that what is measured is one
 * plain wake-up. But a receive can only be bounded by SO_RCVTIMEO, which the kernel counts in ticks
 * (schedule_timeout(); 4 ms at HZ=250), and whose timer wheel may add an eighth: too coarse when
 * the next send is 1 ms away and the reply does not come. So: block in the receive when there is
 * ample time, and in ppoll(), whose time-out is precise, when there is not. The second costs one
 * system call more behind the wake-up (about 1 us), inside the RTT.
 *
 * ppoll() may come back late by a thousandth of its time-out (select_estimate_accuracy()), so it
 * aims a little early; the engine sleeps the rest.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/engine.h"

/* Longest stay in one call, so that a stop is seen. */
#define WAIT_MAX_NS ZH_NSEC_PER_SEC

/* A stream that brings more than this and nothing of ours is no echo of our probes. */
#define FOREIGN_MAX (256 << 10)

uint64_t zh_realtime_offset_ns(void)
{
	uint64_t before, real, after, best = UINT64_MAX, offset = 0;
	int i;

	for (i = 0; i < 5; i++) {
		before = zh_now_ns();
		real = zh_clock_ns(CLOCK_REALTIME);
		after = zh_now_ns();
		if (after - before < best) {
			best = after - before;
			offset = real - (before + best / 2);
		}
	}
	return offset;
}

static uint64_t tick_ns(void)
{
	struct timespec ts = {0, 10 * 1000 * 1000};

	/* The coarse clock moves once a tick. */
	clock_getres(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_nsec;
}

void zh_receive_prepare(struct zh_probe *probe, uint64_t span_ns, bool is_closed_loop)
{
	uint64_t block_ns = is_closed_loop ? span_ns : span_ns / 2;
	struct timeval tv;

	block_ns = ZH_MIN(block_ns, WAIT_MAX_NS);
	block_ns = ZH_MAX(block_ns, ZH_NSEC_PER_USEC);
	tv.tv_sec = (time_t)(block_ns / ZH_NSEC_PER_SEC);
	tv.tv_usec = (suseconds_t)(block_ns % ZH_NSEC_PER_SEC / ZH_NSEC_PER_USEC);
	probe->block_ns = block_ns;
	if (is_closed_loop)
		probe->block_min_ns = 0;
	else
		probe->block_min_ns = block_ns + block_ns / 8 + 2 * tick_ns();
	if (setsockopt(probe->channel.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0)
		probe->block_min_ns = UINT64_MAX;
}

static uint64_t kernel_stamp(const struct zh_probe *probe, struct msghdr *msg)
{
	struct cmsghdr *c;
	struct timespec ts;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		return (uint64_t)ts.tv_sec * ZH_NSEC_PER_SEC + (uint64_t)ts.tv_nsec -
		       probe->realtime_offset_ns;
	}
	return 0;
}

/* One receive call. Returns its result; the stamps are set when it gave bytes. */
static ssize_t receive_once(
	struct zh_probe *probe, int flags, uint64_t *ret_recv_ns, uint64_t *ret_krx_ns)
{
	struct zh_channel *ch = &probe->channel;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct timespec)) * 2];
	} control;
	struct iovec iov = {ch->rx + ch->rx_len, ch->rx_size - ch->rx_len};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control)};
	ssize_t n;

	*ret_krx_ns = 0;
	if (!probe->config.kernel_stamps) {
		n = recv(ch->fd, iov.iov_base, iov.iov_len, flags);
		*ret_recv_ns = zh_now_ns();
		return n;
	}
	n = recvmsg(ch->fd, &msg, flags);
	*ret_recv_ns = zh_now_ns();
	if (n > 0)
		*ret_krx_ns = kernel_stamp(probe, &msg);
	return n;
}

/* Takes whole messages out of the stream. Bytes that start no message of ours are passed over. */
static void take_stream(struct zh_probe *probe, uint64_t recv_ns, uint64_t krx_ns, uint16_t cpu)
{
	struct zh_channel *ch = &probe->channel;
	size_t size = probe->config.size_bytes, at = 0;
	struct zh_wire wire;

	while (ch->rx_len - at >= sizeof(wire)) {
		if (!ch->transport->parse(ch, ch->rx + at, ch->rx_len - at, &wire)) {
			at++;
			ch->foreign_bytes++;
			continue;
		}
		if (ch->rx_len - at < size)
			break;
		zh_flight_reply(&probe->flight, wire.seq, recv_ns, krx_ns, cpu);
		at += size;
		ch->foreign_bytes = 0;
	}
	if (at)
		memmove(ch->rx, ch->rx + at, ch->rx_len - at);
	ch->rx_len -= at;
	if (ch->foreign_bytes <= FOREIGN_MAX)
		return;
	ch->closed = true;
	while (probe->flight.n_open)
		zh_flight_refused(&probe->flight, EPROTO, recv_ns);
}

/* The receive gave no bytes: nothing there, a refusal by the peer, or the end of the connection. */
static void take_failure(struct zh_probe *probe, ssize_t n, int error, uint64_t now_ns)
{
	struct zh_channel *ch = &probe->channel;
	bool is_stream = ch->transport->flags & ZH_TRANSPORT_STREAM;

	if (n < 0 && (error == EAGAIN || error == EINTR))
		return;
	if (is_stream) {
		ch->closed = true;
		while (probe->flight.n_open)
			zh_flight_refused(&probe->flight, n < 0 ? error : ECONNRESET, now_ns);
		return;
	}
	if (n < 0)
		zh_flight_refused(&probe->flight, error, now_ns);
}

/* Returns false when there was nothing. */
static bool take(struct zh_probe *probe, int flags, uint64_t *ret_now_ns)
{
	struct zh_channel *ch = &probe->channel;
	uint64_t recv_ns, krx_ns;
	struct zh_wire wire;
	ssize_t n = receive_once(probe, flags, &recv_ns, &krx_ns);
	int error = errno;
	uint16_t cpu;

	*ret_now_ns = recv_ns;
	if (n <= 0) {
		take_failure(probe, n, error, recv_ns);
		return n == 0 || (error != EAGAIN && error != EINTR);
	}
	cpu = (uint16_t)sched_getcpu();
	if (ch->transport->flags & ZH_TRANSPORT_STREAM) {
		ch->rx_len += (size_t)n;
		take_stream(probe, recv_ns, krx_ns, cpu);
	} else if (ch->transport->parse(ch, ch->rx, (size_t)n, &wire)) {
		zh_flight_reply(&probe->flight, wire.seq, recv_ns, krx_ns, cpu);
	}
	return true;
}

uint64_t zh_receive(struct zh_probe *probe, uint64_t now_ns, uint64_t until_ns)
{
	struct pollfd p = {.fd = probe->channel.fd, .events = POLLIN};
	uint64_t left = until_ns > now_ns ? until_ns - now_ns : 0, wait, came_ns;
	struct timespec ts;

	if (left >= probe->block_min_ns) {
		take(probe, 0, &came_ns);
		return came_ns;
	}
	if (take(probe, MSG_DONTWAIT, &came_ns))
		return came_ns;
	left = until_ns > came_ns ? until_ns - came_ns : 0;
	wait = ZH_MIN(left - left / 256, WAIT_MAX_NS);
	ts = (struct timespec){.tv_sec = (time_t)(wait / ZH_NSEC_PER_SEC),
		.tv_nsec = (long)(wait % ZH_NSEC_PER_SEC)};
	if (ppoll(&p, 1, &ts, NULL) > 0) {
		take(probe, MSG_DONTWAIT, &came_ns);
		return came_ns;
	}
	return zh_now_ns();
}

void zh_receive_pending(struct zh_probe *probe)
{
	uint64_t now_ns;
	int i;

	for (i = 0; i < ZH_FLIGHT_MAX && !probe->channel.closed; i++)
		if (!take(probe, MSG_DONTWAIT, &now_ns))
			return;
}
