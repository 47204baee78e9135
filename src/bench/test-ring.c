/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/ring.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/process.h"

#define MESSAGES 5000u
#define LIMIT_NS (20 * ZH_NSEC_PER_SEC)

/* How one way through a ring is tested. */
struct way {
	uint32_t size;
	bool sleeps;
	uint32_t pause_every,
		reader_pause_every; /* the side sleeps 1 ms, so that the other waits */
};

static struct zh_ring *new_ring(uint32_t size)
{
	void *mem = mmap(NULL, zh_ring_bytes(size), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(mem != MAP_FAILED);
	zh_ring_init(mem, size);
	return mem;
}

static void fill(uint8_t *buf, uint32_t len, uint32_t i)
{
	memset(buf, (int)(i % 251), len);
	memcpy(buf, &i, ZH_MIN(len, sizeof(i)));
}

/* Lengths vary up to the size. */
static uint32_t length_of(const struct way *way, uint32_t i)
{
	return 1 + (i * 7919u) % way->size;
}

struct child {
	const struct way *way;
	struct zh_ring *ring;
};

static int write_all(void *arg)
{
	const struct child *child = arg;
	const struct way *way = child->way;
	struct zh_ring_side side;
	uint64_t until = zh_now_ns() + LIMIT_NS;
	uint8_t *buf = malloc(way->size);
	uint32_t i, len;

	zh_ring_side_init(&side, child->ring);
	for (i = 0; i < MESSAGES; i++) {
		len = length_of(way, i);
		fill(buf, len, i);
		while (zh_ring_put(&side, buf, len, way->sleeps) == -EAGAIN)
			if (sched_yield() || zh_now_ns() > until)
				return 1;
		if (way->pause_every && i % way->pause_every == 0)
			zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC);
	}
	free(buf);
	return 0;
}

/* Every message arrives once, in order, whole, whoever has to wait for whom. */
static void passes_all(void **state)
{
	const struct way *way = *state;
	struct child child = {way, new_ring(way->size)};
	struct zh_ring_side side;
	uint8_t *got = malloc(way->size), *want = malloc(way->size);
	uint64_t until = zh_now_ns() + LIMIT_NS;
	pid_t pid = 0;
	uint32_t i;
	int64_t r;
	int status;

	zh_ring_side_init(&side, child.ring);
	assert_int_equal(zh_process_fork(write_all, &child, &pid, NULL), 0);
	for (i = 0; i < MESSAGES; i++) {
		while ((r = zh_ring_get(&side, got, way->size, way->sleeps)) == -EAGAIN) {
			sched_yield(); /* both may be on one CPU */
			assert_true(zh_now_ns() < until);
		}
		assert_int_equal(r, length_of(way, i));
		fill(want, (uint32_t)r, i);
		assert_memory_equal(got, want, (size_t)r);
		if (way->reader_pause_every && i % way->reader_pause_every == 0)
			zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC);
	}
	assert_int_equal(zh_process_wait(pid, LIMIT_NS, &status), 0);
	assert_int_equal(status, 0);
	munmap(child.ring, zh_ring_bytes(way->size));
	free(got);
	free(want);
}

static void full_and_empty(void **state)
{
	struct zh_ring *ring = new_ring(100);
	struct zh_ring_side writer, reader;
	uint8_t buf[100] = {1};
	uint32_t n = 0, i;

	(void)state;
	zh_ring_side_init(&writer, ring);
	zh_ring_side_init(&reader, ring);
	assert_int_equal(zh_ring_get(&reader, buf, sizeof(buf), false), -EAGAIN);
	while (zh_ring_put(&writer, buf, sizeof(buf), false) == (int64_t)sizeof(buf))
		n++;
	assert_int_equal(n, ring->n_slots);
	/* Free slots are told a quarter of the ring at a time. */
	for (i = 0; i < ring->n_slots / 4; i++) {
		assert_int_equal(zh_ring_put(&writer, buf, 1, false), -EAGAIN);
		assert_int_equal(zh_ring_get(&reader, buf, 7, false), 7); /* cut */
	}
	assert_int_equal(zh_ring_put(&writer, buf, 1, false), 1);
	munmap(ring, zh_ring_bytes(100));
}

/* Numbers that wrap around. */
static void wraps(void **state)
{
	struct zh_ring *ring = new_ring(8);
	uint32_t start = UINT32_MAX - 2 * ring->n_slots + 1, i, got = 0;
	struct zh_ring_side writer, reader;

	(void)state;
	zh_ring_side_init(&writer, ring);
	writer.turn = writer.taken = start;
	reader = writer;
	atomic_store(&ring->taken, start);
	for (i = 0; i < 5 * ring->n_slots; i++) {
		assert_int_equal(zh_ring_put(&writer, &i, sizeof(i), false), sizeof(i));
		assert_int_equal(zh_ring_get(&reader, &got, sizeof(got), false), sizeof(got));
		assert_int_equal(got, i);
	}
	munmap(ring, zh_ring_bytes(8));
}

/* A reader that waits for a writer's pauses sleeps. */
static void sleeps_for_real(void **state)
{
	static struct way way = {.size = 64, .sleeps = true, .pause_every = MESSAGES / 50};
	struct rusage before, after;
	void *arg = &way;

	(void)state;
	getrusage(RUSAGE_SELF, &before);
	passes_all(&arg);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_nvcsw - before.ru_nvcsw >= 5);
}

int main(void)
{
	static struct way spins = {.size = 8}, large = {.size = 70000},
			  sleeps = {.size = 8, .sleeps = true},
			  sleeps_large = {.size = 70000, .sleeps = true},
			  slow_writer = {.size = 300, .sleeps = true, .pause_every = 100},
			  slow_reader = {.size = 300, .sleeps = true, .reader_pause_every = 100};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_and_empty),
		cmocka_unit_test(wraps),
		cmocka_unit_test_prestate(passes_all, &spins),
		cmocka_unit_test_prestate(passes_all, &large),
		cmocka_unit_test_prestate(passes_all, &sleeps),
		cmocka_unit_test_prestate(passes_all, &sleeps_large),
		cmocka_unit_test_prestate(passes_all, &slow_writer),
		cmocka_unit_test_prestate(passes_all, &slow_reader),
		cmocka_unit_test(sleeps_for_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
