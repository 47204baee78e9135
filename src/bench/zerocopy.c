/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/zerocopy.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/util.h"

#define WAIT_MS 10

int zh_bench_zerocopy_enable(struct zh_bench_link *link, struct zh_err *err)
{
	int one = 1;

	memset(&link->zerocopy, 0, sizeof(link->zerocopy));
	link->near.state = &link->zerocopy;
	if (setsockopt(link->near.wfd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)) < 0)
		return zh_err_sys(err, -errno, "cannot ask for MSG_ZEROCOPY");
	return 0;
}

/* A notification covers the calls [ee_info, ee_data], numbered from 0. */
static bool count(struct zh_bench_zerocopy *zerocopy, struct msghdr *msg)
{
	const struct sock_extended_err *e;
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (!(c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) &&
			!(c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR))
			continue;
		e = (const struct sock_extended_err *)(const void *)CMSG_DATA(c);
		if (e->ee_origin != SO_EE_ORIGIN_ZEROCOPY || e->ee_errno)
			continue;
		zerocopy->done += e->ee_data - e->ee_info + 1u;
		if (e->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			zerocopy->copied += e->ee_data - e->ee_info + 1u;
		return true;
	}
	return false;
}

/* Takes what is on the error queue; does not wait. */
static bool reap(int fd, struct zh_bench_zerocopy *zerocopy)
{
	_Alignas(struct cmsghdr) char control[256];
	bool found = false;
	struct msghdr msg;

	for (;;) {
		msg = (struct msghdr){.msg_control = control, .msg_controllen = sizeof(control)};
		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return found;
		found |= count(zerocopy, &msg);
	}
}

/* Completions are what POLLERR announces, whatever is asked for. */
static void wait_for_some(int fd, struct zh_bench_zerocopy *zerocopy)
{
	struct pollfd p = {.fd = fd};

	if (!reap(fd, zerocopy) && poll(&p, 1, WAIT_MS) > 0)
		reap(fd, zerocopy);
}

int64_t zh_bench_zerocopy_send(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	struct zh_bench_zerocopy *zerocopy = end->state;
	uint32_t size = link->cell->size_bytes;
	ssize_t n;

	do {
		n = send(end->wfd, end->buf + end->done, size - end->done,
			MSG_ZEROCOPY | MSG_NOSIGNAL);
		if (n < 0 && errno == ENOBUFS) { /* too much under way (net.core.optmem_max) */
			wait_for_some(end->wfd, zerocopy);
			return -EAGAIN;
		}
		if (n < 0)
			return -errno;
		zerocopy->sent++;
		end->done += (uint32_t)n;
	} while (end->done < size);
	end->done = 0;
	return size;
}

void zh_bench_zerocopy_finish(struct zh_bench_link *link, struct zh_bench_round *round)
{
	struct zh_bench_zerocopy *zerocopy = &link->zerocopy;
	uint64_t until = zh_now_ns() + link->config->reply_timeout_ns;

	if (!link->cell->zerocopy)
		return;
	reap(link->near.wfd, zerocopy);
	while (zerocopy->done < zerocopy->sent && !link->ended.code && zh_now_ns() < until)
		wait_for_some(link->near.wfd, zerocopy);
	if (round) {
		round->zerocopy_done = zerocopy->done - zerocopy->told_done;
		round->zerocopy_copied = zerocopy->copied - zerocopy->told_copied;
	}
	zerocopy->told_done = zerocopy->done;
	zerocopy->told_copied = zerocopy->copied;
}
