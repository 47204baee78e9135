/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder's loops. A message that is not of our run gets no answer: nobody can use the port
 * as a reflector.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/responder-impl.h"

/* After this many errors in a row the loop sleeps between its attempts, so that a broken socket
 * cannot eat a CPU. */
#define ERRORS_BEFORE_SLEEP 8
/* Delays are slept in pieces, so that stopping need not wait for a long one. */
#define DELAY_STEP_NS (20 * ZH_NSEC_PER_MSEC)

static void delay(const struct zh_responder *r)
{
	uint64_t now = zh_now_ns(), until = now + r->config.peer_delay_ns;

	while (now < until && !r->stop) {
		zh_sleep_until(ZH_MIN(until, now + DELAY_STEP_NS));
		now = zh_now_ns();
	}
}

static struct zh_responder_slot *begin_answer(
	struct zh_responder *r, const struct zh_wire *wire, uint64_t recv_ns)
{
	struct zh_responder_slot *slot = &r->slots[wire->seq % ZH_RESPONDER_SLOTS];
	uint32_t leg = 1;

	memcpy(r->buf + offsetof(struct zh_wire, leg), &leg, sizeof(leg));
	/* Invalid while it changes. */
	atomic_store_explicit(&slot->tag, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->recv_ns, recv_ns, memory_order_relaxed);
	atomic_store_explicit(&slot->cpu, (uint16_t)sched_getcpu(), memory_order_relaxed);
	if (r->config.peer_delay_ns)
		delay(r);
	atomic_store_explicit(&slot->send_ns, zh_now_ns(), memory_order_relaxed);
	atomic_store_explicit(
		&slot->tag, (uint64_t)wire->seq << 2 | SLOT_ANSWERING, memory_order_release);
	return slot;
}

static void end_answer(struct zh_responder_slot *slot, uint32_t seq)
{
	atomic_store_explicit(&slot->sent_ns, zh_now_ns(), memory_order_relaxed);
	atomic_store_explicit(&slot->tag, (uint64_t)seq << 2 | SLOT_DONE, memory_order_release);
}

void zh_respond_datagrams(struct zh_responder *r)
{
	struct zh_responder_slot *slot;
	struct sockaddr_storage from;
	struct zh_wire wire;
	unsigned int errors = 0;
	uint64_t recv_ns;
	socklen_t len;
	ssize_t n;

	while (!r->stop) {
		len = sizeof(from);
		n = recvfrom(r->fd, r->buf, r->buf_size, 0, (struct sockaddr *)(void *)&from, &len);
		recv_ns = zh_now_ns();
		if (n < 0 && ++errors > ERRORS_BEFORE_SLEEP)
			zh_sleep_until(recv_ns + DELAY_STEP_NS);
		if (n < 0 || !zh_wire_read(r->buf, (size_t)n, r->config.run, &wire))
			continue;
		errors = 0;
		slot = begin_answer(r, &wire, recv_ns);
		/* A failed answer is a lost one; the prober sees it as such. */
		sendto(r->fd, r->buf, (size_t)n, MSG_NOSIGNAL,
			(const struct sockaddr *)(const void *)&from, len);
		end_answer(slot, wire.seq);
	}
}

/* Reads or writes a whole message. False when the connection ended. */
static bool transfer(struct zh_responder *r, size_t size, bool out)
{
	size_t done = 0;
	ssize_t n;

	while (done < size && !r->stop) {
		if (out)
			n = send(r->connection, r->buf + done, size - done, MSG_NOSIGNAL);
		else
			n = recv(r->connection, r->buf + done, size - done, 0);
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			done += (size_t)n;
	}
	return done == size;
}

static int accept_connection(struct zh_responder *r)
{
	int fd, on = 1;

	do
		fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED) && !r->stop);
	/* Unix sockets have no such option, and answer so. */
	if (fd >= 0 && r->config.nodelay)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

void zh_respond_stream(struct zh_responder *r)
{
	struct zh_responder_slot *slot;
	struct zh_wire wire;
	uint64_t recv_ns;
	int fd = accept_connection(r);

	if (fd < 0 || !zh_responder_adopt(r, fd))
		return;
	while (transfer(r, r->config.size_bytes, false)) {
		recv_ns = zh_now_ns();
		if (!zh_wire_read(r->buf, r->config.size_bytes, r->config.run, &wire))
			return;
		slot = begin_answer(r, &wire, recv_ns);
		if (!transfer(r, r->config.size_bytes, true))
			return;
		end_answer(slot, wire.seq);
	}
}
