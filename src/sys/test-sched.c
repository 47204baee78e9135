/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/sched.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static void pins_and_goes_back(void **state)
{
	struct zh_cpuset before, after;
	struct zh_err err;
	unsigned int cpu;

	(void)state;
	assert_int_equal(zh_sched_get_affinity(&before, &err), 0);
	assert_true(zh_cpuset_count(&before) >= 1);
	for (cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		if (!zh_cpuset_has(&before, cpu))
			continue;
		assert_int_equal(zh_sched_pin((int)cpu, &err), 0);
		assert_int_equal(sched_getcpu(), (int)cpu);
		assert_int_equal(zh_sched_get_affinity(&after, &err), 0);
		assert_int_equal(zh_cpuset_count(&after), 1);
	}
	assert_int_equal(zh_sched_set_affinity(&before, &err), 0);
	assert_int_equal(zh_sched_get_affinity(&after, &err), 0);
	assert_memory_equal(&before, &after, sizeof(before));
}

static void refuses_cpus_that_are_not_there(void **state)
{
	struct zh_err err;

	(void)state;
	assert_int_equal(zh_sched_pin(-1, &err), -EINVAL);
	assert_int_equal(zh_sched_pin(ZH_CPU_MAX, &err), -EINVAL);
	assert_string_equal(err.text, "there is no CPU 1024");
	assert_int_equal(zh_sched_pin(ZH_CPU_MAX - 1, &err), -EINVAL);
}

static void timer_slack_is_put_back(void **state)
{
	uint64_t old = zh_sched_set_timer_slack(1);

	(void)state;
	assert_int_equal(zh_sched_set_timer_slack(old), 1);
	assert_int_equal(zh_sched_set_timer_slack(old), old);
}

static void idle_policy(void **state)
{
	struct zh_err err;

	(void)state;
	assert_int_equal(zh_sched_set_policy(SCHED_IDLE, 0, &err), 0);
	assert_int_equal(sched_getscheduler(0), SCHED_IDLE);
	assert_int_equal(zh_sched_set_policy(SCHED_OTHER, 0, &err), 0);
	assert_int_equal(zh_sched_set_policy(SCHED_FIFO, 1000, &err), -EINVAL);
	assert_int_equal(zh_sched_tid(), (uint32_t)getpid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pins_and_goes_back),
		cmocka_unit_test(refuses_cpus_that_are_not_there),
		cmocka_unit_test(timer_slack_is_put_back),
		cmocka_unit_test(idle_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
