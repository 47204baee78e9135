/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages over file descriptors: sockets and pipes alike, with plain read() and write(). */
#include <errno.h>
#include <unistd.h>

#include "bench/internal.h"

int64_t zh_bench_fd_send(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	uint32_t size = link->cell->size_bytes;
	ssize_t n;

	do {
		n = write(end->wfd, end->buf + end->done, size - end->done);
		if (n < 0)
			return -errno;
		end->done += (uint32_t)n;
	} while (end->done < size);
	end->done = 0;
	return size;
}

int64_t zh_bench_fd_recv(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	uint32_t size = link->cell->size_bytes;
	ssize_t n;

	do {
		n = read(end->rfd, end->buf + end->done, size - end->done);
		if (n <= 0)
			return n < 0 ? -errno : 0;
		end->done += (uint32_t)n;
	} while (end->done < size);
	end->done = 0;
	return size;
}

int64_t zh_bench_fd_take(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	ssize_t n = read(end->rfd, end->buf, link->cell->size_bytes);

	return n < 0 ? -errno : n;
}
