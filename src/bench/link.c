/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "bench/loops.h"
#include "sys/sched.h"

/* The shortest time that one message of the floor can take, for the size of its array. */
#define MIN_RTT_NS 800
#define MIN_RTT_SPIN_NS 100
#define MAX_RTTS (4u << 20)

static size_t round_up(size_t n)
{
	return (n + 4095) & ~(size_t)4095;
}

static size_t floor_room(const struct zh_bench_link *link)
{
	uint64_t ns = link->transport->flags & ZH_BENCH_SPIN_ONLY ? MIN_RTT_SPIN_NS : MIN_RTT_NS;
	uint64_t n = link->config->floor_ns / ns + 16;

	return link->cell->mode == ZH_BENCH_STREAM ? 0 : (size_t)ZH_MIN(n, (uint64_t)MAX_RTTS);
}

/* One mapping for everything that lives as long as the round: shared, so that fork() leaves no
 * page to be copied at the first write. */
static int map_memory(struct zh_bench_link *link, struct zh_err *err)
{
	size_t buf = round_up(link->cell->size_bytes + 2 * ZH_BENCH_ROOM), n = floor_room(link);
	size_t head = round_up(sizeof(*link->shared));
	size_t bytes = head + 2 * buf + round_up(n * sizeof(*link->rtts));
	uint8_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		return zh_err_sys(err, -errno, "cannot get %zu bytes of memory for a round", bytes);
	link->mapped_bytes = bytes;
	link->shared = (struct zh_bench_shared *)(void *)p;
	link->near.buf = p + head + ZH_BENCH_ROOM;
	link->far.buf = p + head + buf + ZH_BENCH_ROOM;
	link->rtts = (uint64_t *)(void *)(p + head + 2 * buf);
	link->max_rtts = n;
	memset(link->near.buf, 'z', link->cell->size_bytes);
	return 0;
}

static int set_flags(const struct zh_bench_end *end, struct zh_err *err)
{
	int fds[2] = {end->rfd, end->wfd}, i, flags;

	for (i = 0; i < 2; i++) {
		if (fds[i] < 0)
			continue;
		flags = fcntl(fds[i], F_GETFL);
		if (flags < 0 || fcntl(fds[i], F_SETFL, flags | O_NONBLOCK) < 0)
			return zh_err_sys(err, -errno, "cannot make a descriptor non-blocking");
	}
	return 0;
}

static int find_cpus(struct zh_bench_link *link, struct zh_err *err)
{
	if (link->cell->placement == ZH_PLACE_FREE)
		return zh_sched_get_affinity(&link->cpus, err);
	zh_cpuset_add(&link->cpus, (unsigned int)link->cell->cpu);
	zh_cpuset_add(&link->cpus, (unsigned int)link->cell->peer_cpu);
	return 0;
}

int zh_bench_link_open(struct zh_bench_link *link, const struct zh_bench_config *config,
	const struct zh_bench_transport *transport, struct zh_err *err)
{
	int r;

	memset(link, 0, sizeof(*link));
	link->config = config;
	link->cell = config->cell;
	link->transport = transport;
	link->near.rfd = link->near.wfd = link->far.rfd = link->far.wfd = -1;
	link->far.is_peer = true;
	link->peer_fd = -1;
	link->has_root_usage = zh_bench_usage_probe();
	r = find_cpus(link, err);
	if (r >= 0)
		r = map_memory(link, err);
	if (r >= 0)
		r = transport->ops->open(link, err);
	if (r >= 0 && link->cell->spin)
		r = set_flags(&link->near, err);
	if (r >= 0 && link->cell->spin)
		r = set_flags(&link->far, err);
	if (r < 0)
		zh_bench_link_close(link);
	return r;
}

void zh_bench_end_set(struct zh_bench_end *end, int fd)
{
	end->rfd = end->wfd = fd;
}

void zh_bench_end_close(struct zh_bench_end *end)
{
	if (end->wfd >= 0 && end->wfd != end->rfd)
		close(end->wfd);
	if (end->rfd >= 0)
		close(end->rfd);
	end->rfd = end->wfd = -1;
}

void zh_bench_link_close(struct zh_bench_link *link)
{
	if (link->transport->ops->close)
		link->transport->ops->close(link);
	zh_bench_end_close(&link->near);
	zh_bench_end_close(&link->far);
	if (link->mapped_bytes)
		munmap(link->shared, link->mapped_bytes);
	link->shared = NULL;
	link->mapped_bytes = 0;
}
