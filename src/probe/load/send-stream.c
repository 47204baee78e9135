/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP and Unix streams: a connection a flow, written to in turns. */
#include "probe/load/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/util.h"

#define WRITE_TIMEOUT_US 100000 /* how late a full connection may notice the end */

static int open_flow(const struct zh_load *load)
{
	const struct timeval timeout = {.tv_usec = WRITE_TIMEOUT_US};
	int fd = socket(load->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), r = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (load->from_len && bind(fd, &load->from.any, load->from_len) < 0)
		r = -errno;
	while (r == 0 && connect(fd, &load->to.any, load->to_len) < 0)
		if (errno != EINTR && errno != EAGAIN)
			r = -errno;
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* One write, however many pieces it takes. */
static int write_all(struct load_shared *shared, int fd, const char *payload, size_t size)
{
	ssize_t n;

	while (size && !atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
		n = write(fd, payload, size);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n <= 0)
			continue;
		size -= (size_t)n;
		atomic_fetch_add_explicit(&shared->sender.sent, (uint64_t)n, memory_order_relaxed);
	}
	return 0;
}

int load_send_stream(struct zh_load *load)
{
	struct load_shared *shared = load->shared;
	uint32_t n_flows = load->config.flows, i;
	zh_autofree int *fds = calloc(n_flows, sizeof(*fds));
	zh_autofree char *payload = calloc(1, load->config.size_bytes);
	struct load_pace pace;
	uint64_t turn, k;
	int r = 0;

	if (!fds || !payload)
		return -ENOMEM;
	for (i = 0; i < n_flows && r >= 0; i++)
		r = fds[i] = open_flow(load);
	if (r < 0)
		return r;
	pace = load_pace_start(&load->config);
	for (turn = 0, r = 0; load_pace_wait(&pace, turn, shared); turn++) {
		for (k = 0; k < pace.burst && r == 0; k++)
			r = write_all(shared, fds[(turn * pace.burst + k) % n_flows], payload,
				load->config.size_bytes);
		if (r < 0)
			return r;
		load_note_sender(shared);
		if (!turn)
			atomic_store(&shared->sender.ready, 1);
	}
	return 0;
}
