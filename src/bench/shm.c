/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/shm.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/util.h"

static size_t round_up(size_t n)
{
	return (n + ZH_RING_LINE - 1) / ZH_RING_LINE * ZH_RING_LINE;
}

/* Where the parts of the mapping begin. */
struct layout {
	size_t there, back, ask, answer, put, taken, slots, bytes;
};

static struct layout lay_out(uint32_t size)
{
	size_t ring = round_up(zh_ring_bytes(size));
	size_t word = round_up(sizeof(struct zh_bench_word) + size);
	struct layout at = {.there = 0, .back = ring, .ask = 2 * ring};

	at.answer = at.ask + word;
	at.put = at.answer + word;
	at.taken = at.put + sizeof(struct zh_bench_word);
	at.slots = at.taken + sizeof(struct zh_bench_word);
	at.bytes = at.slots + ring; /* more than as many slots need */
	return at;
}

static struct zh_bench_shm *new_side(
	uint8_t *mem, const struct layout *at, bool sleeps, bool is_peer)
{
	struct zh_bench_shm *shm = calloc(1, sizeof(*shm));

	if (!shm)
		return NULL;
	zh_ring_side_init(
		&shm->tx, (struct zh_ring *)(void *)(mem + (is_peer ? at->back : at->there)));
	zh_ring_side_init(
		&shm->rx, (struct zh_ring *)(void *)(mem + (is_peer ? at->there : at->back)));
	shm->sleeps = sleeps;
	shm->ask = (struct zh_bench_word *)(void *)(mem + at->ask);
	shm->answer = (struct zh_bench_word *)(void *)(mem + at->answer);
	shm->put = (struct zh_bench_word *)(void *)(mem + at->put);
	shm->taken = (struct zh_bench_word *)(void *)(mem + at->taken);
	shm->slots = mem + at->slots;
	return shm;
}

int zh_bench_shm_open(struct zh_bench_link *link, struct zh_err *err)
{
	bool sleeps = !(link->transport->flags & ZH_BENCH_SPIN_ONLY);
	uint32_t size = link->cell->size_bytes;
	struct layout at = lay_out(size);
	void *mem = mmap(NULL, at.bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (mem == MAP_FAILED)
		return zh_err_sys(
			err, -errno, "cannot share %zu bytes of memory with the peer", at.bytes);
	zh_ring_init(mem, size);
	zh_ring_init((struct zh_ring *)(void *)((uint8_t *)mem + at.back), size);
	link->near.state = new_side(mem, &at, sleeps, false);
	link->far.state = new_side(mem, &at, sleeps, true);
	if (link->near.state && link->far.state)
		return 0;
	if (!link->near.state)
		munmap(mem, at.bytes);
	return zh_err_set(err, -ENOMEM, "out of memory");
}

void zh_bench_shm_close(struct zh_bench_link *link)
{
	struct zh_bench_shm *near = link->near.state;

	if (near) /* its ring is where the mapping begins */
		munmap(near->tx.ring, lay_out(link->cell->size_bytes).bytes);
	free(near);
	free(link->far.state);
	link->near.state = link->far.state = NULL;
}

int64_t zh_bench_shm_send(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	struct zh_bench_shm *shm = end->state;

	return zh_ring_put(&shm->tx, end->buf, link->cell->size_bytes, shm->sleeps);
}

int64_t zh_bench_shm_recv(struct zh_bench_end *end, const struct zh_bench_link *link)
{
	struct zh_bench_shm *shm = end->state;

	return zh_ring_get(&shm->rx, end->buf, link->cell->size_bytes, shm->sleeps);
}
