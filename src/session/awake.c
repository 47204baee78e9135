/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/awake.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/util.h"
#include "sys/sched.h"

#define START_TIMEOUT_NS (200 * ZH_NSEC_PER_MSEC)

struct spinner {
	struct awake *awake;
	pthread_t thread;
	int cpu;
};

struct awake {
	atomic_bool stop;
	atomic_uint running;
	unsigned int n;
	struct spinner spinners[]; /* one a CPU */
};

/* Lets the sibling hardware thread run; nothing where the architecture has no such hint. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void *spin(void *arg)
{
	struct spinner *spinner = arg;
	struct awake *awake = spinner->awake;

	if (zh_sched_set_policy(SCHED_IDLE, 0, NULL) < 0 || zh_sched_pin(spinner->cpu, NULL) < 0)
		return NULL; /* never spin with an ordinary priority */
	atomic_fetch_add(&awake->running, 1);
	while (!atomic_load_explicit(&awake->stop, memory_order_relaxed))
		relax();
	return NULL;
}

static void join_all(struct awake *awake)
{
	unsigned int i;

	atomic_store(&awake->stop, true);
	for (i = 0; i < awake->n; i++)
		pthread_join(awake->spinners[i].thread, NULL);
}

static int start_all(struct awake *awake, const struct zh_cpuset *cpus, struct zh_err *err)
{
	unsigned int cpu;
	int r;

	for (cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		struct spinner *spinner = &awake->spinners[awake->n];

		if (!zh_cpuset_has(cpus, cpu))
			continue;
		*spinner = (struct spinner){.awake = awake, .cpu = (int)cpu};
		r = pthread_create(&spinner->thread, NULL, spin, spinner);
		if (r)
			return zh_err_sys(
				err, -r, "cannot start a thread to keep CPU %u awake", cpu);
		awake->n++;
	}
	return 0;
}

int awake_start(struct awake **ret, struct zh_err *err)
{
	uint64_t deadline_ns = zh_now_ns() + START_TIMEOUT_NS;
	struct zh_cpuset cpus;
	struct awake *awake;
	int r = zh_sched_get_affinity(&cpus, err);

	if (r < 0)
		return r;
	awake = calloc(1, sizeof(*awake) + zh_cpuset_count(&cpus) * sizeof(awake->spinners[0]));
	if (!awake)
		return zh_err_set(err, -ENOMEM, "out of memory");
	r = start_all(awake, &cpus, err);
	if (r < 0) {
		awake_stop(awake);
		return r;
	}
	/* A busy CPU lets its spinner wait: it is awake anyhow. */
	while (atomic_load(&awake->running) < awake->n && zh_now_ns() < deadline_ns)
		zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC);
	*ret = awake;
	return 0;
}

struct awake *awake_stop(struct awake *awake)
{
	if (awake)
		join_all(awake);
	free(awake);
	return NULL;
}
