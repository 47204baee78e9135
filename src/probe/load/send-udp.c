/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP by sendmmsg: a connected socket a flow, turns of `burst` datagrams, one flow after the other.
 */
#include "probe/load/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"

#define SNDBUF_BYTES (4 << 20)

static int open_flow(const struct zh_load *load)
{
	const int bytes = SNDBUF_BYTES;
	int fd = socket(load->to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	if (load->from_len && bind(fd, &load->from.any, load->from_len) < 0)
		r = -errno;
	if (r == 0 && connect(fd, &load->to.any, load->to_len) < 0)
		r = -errno;
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

static int open_flows(const struct zh_load *load, int *fds)
{
	uint32_t i;

	for (i = 0; i < load->config.flows; i++) {
		fds[i] = open_flow(load);
		if (fds[i] < 0)
			return fds[i];
	}
	return 0;
}

/* Sends `n` datagrams of one flow. What the kernel refuses for want of room is counted, not tried
 * again: an open loop does not wait. 0, or the errno that ends the load. */
static int send_turn(struct load_shared *shared, int fd, struct mmsghdr *msgs, uint64_t n)
{
	int r;

	while (n) {
		r = sendmmsg(fd, msgs, (unsigned int)ZH_MIN(n, (uint64_t)ZH_LOAD_BATCH), 0);
		if (r > 0) {
			n -= (uint64_t)r;
			atomic_fetch_add_explicit(
				&shared->sender.sent, (uint64_t)r, memory_order_relaxed);
			continue;
		}
		if (errno == EINTR)
			continue;
		/* ECONNREFUSED: an ICMP error about an earlier one; EPERM: a rule dropped it. */
		if (errno != ENOBUFS && errno != EAGAIN && errno != ECONNREFUSED && errno != EPERM)
			return -errno;
		n--;
		atomic_fetch_add_explicit(&shared->sender.failed, 1, memory_order_relaxed);
	}
	return 0;
}

int load_send_udp(struct zh_load *load)
{
	struct load_shared *shared = load->shared;
	uint32_t n_flows = load->config.flows;
	zh_autofree int *fds = calloc(n_flows, sizeof(*fds));
	zh_autofree char *payload = calloc(1, load->config.size_bytes);
	struct iovec iov = {payload, load->config.size_bytes};
	struct mmsghdr msgs[ZH_LOAD_BATCH] = {};
	struct load_pace pace;
	uint64_t turn;
	size_t i;
	int r;

	if (!fds || !payload)
		return -ENOMEM;
	for (i = 0; i < ZH_LOAD_BATCH; i++) {
		msgs[i].msg_hdr.msg_iov = &iov;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	r = open_flows(load, fds);
	if (r < 0)
		return r;
	pace = load_pace_start(&load->config);
	for (turn = 0; load_pace_wait(&pace, turn, shared); turn++) {
		r = send_turn(shared, fds[turn % n_flows], msgs, pace.burst);
		if (r < 0)
			return r;
		load_note_sender(shared);
		if (!turn)
			atomic_store(&shared->sender.ready, 1);
	}
	return 0;
}
