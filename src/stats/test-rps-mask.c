/* SPDX-License-Identifier: BSD-2-Clause */
/* RPS masks over topologies of 1 to 1024 CPUs, read back as the kernel reads them. */
#include "stats/rps-mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static struct zh_rps_topology topology;

/* CPUs in cores of `threads`, whose siblings follow each other; `llc` and `node` CPUs share. */
static void build(unsigned int cpus, unsigned int threads, unsigned int llc, unsigned int node)
{
	memset(&topology, 0, sizeof(topology));
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		zh_cpuset_add(&topology.possible, cpu);
		zh_cpuset_add(&topology.online, cpu);
		topology.core[cpu] = cpu / threads;
		topology.llc[cpu] = cpu / llc;
		topology.node[cpu] = cpu / node;
	}
}

static struct zh_cpuset list(const char *text)
{
	struct zh_cpuset set = {};

	assert_int_equal(zh_parse_cpulist(text, &set, NULL), 0);
	return set;
}

static void assert_mask(const struct zh_rps_queue *queue, const char *expected)
{
	struct zh_cpuset mask;
	char text[4096];

	zh_rps_mask(&topology, queue, &mask, NULL);
	assert_string_equal(zh_format_cpulist(text, sizeof(text), &mask), expected);
}

/* bitmap_parse() as the kernel does it: groups of at most 8 digits, no bit beyond the CPUs. */
static bool kernel_takes(const char *text, unsigned int n_cpu_ids, struct zh_cpuset *ret)
{
	unsigned int groups = 1, group;
	const char *p;

	*ret = (struct zh_cpuset){};
	for (p = text; *p; p++)
		groups += *p == ',';
	if (groups > (n_cpu_ids + 31) / 32)
		return false;
	for (p = text, group = groups; group-- > 0; p += *p == ',') {
		char *end;
		unsigned long bits = strtoul(p, &end, 16);

		if (end == p || end - p > 8)
			return false;
		for (unsigned int bit = 0; bit < 32; bit++) {
			if (!(bits >> bit & 1))
				continue;
			if (group * 32 + bit >= n_cpu_ids)
				return false;
			zh_cpuset_add(ret, group * 32 + bit);
		}
		p = end;
	}
	return !*p;
}

static void format_is_read_back_for_any_number_of_cpus(void **state)
{
	uint64_t random = 88172645463325252ull;

	(void)state;
	for (unsigned int n = 1; n <= ZH_CPU_MAX; n++) {
		struct zh_cpuset set = {}, back;
		char text[288];

		for (unsigned int cpu = 0; cpu < n; cpu++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			if (random % (1 + n % 7) == 0)
				zh_cpuset_add(&set, cpu);
		}
		zh_rps_format(text, sizeof(text), &set, n);
		if (!kernel_takes(text, n, &back))
			fail_msg("%u CPUs: the kernel refuses %s", n, text);
		assert_memory_equal(&back, &set, sizeof(set));
	}
}

static void format_keeps_the_rules(void **state)
{
	struct zh_cpuset all = {};
	char text[288];

	(void)state;
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++)
		zh_cpuset_add(&all, cpu);
	assert_string_equal(zh_rps_format(text, sizeof(text), &all, 2), "3");
	assert_string_equal(zh_rps_format(text, sizeof(text), &all, 32), "ffffffff");
	assert_string_equal(zh_rps_format(text, sizeof(text), &all, 33), "1,ffffffff");
	assert_string_equal(zh_rps_format(text, sizeof(text), &all, 240),
		"ffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff");
	all = list("64");
	assert_string_equal(zh_rps_format(text, sizeof(text), &all, 128), "1,00000000,00000000");
	all = (struct zh_cpuset){};
	assert_string_equal(zh_rps_format(text, sizeof(text), &all, 128), "0");
}

/* Whatever the machine: usable CPUs only, never empty while one is usable, at most 8. */
static void masks_are_sound_on_any_machine(void **state)
{
	(void)state;
	for (unsigned int n = 1; n <= ZH_CPU_MAX; n += n < 70 ? 1 : 53) {
		for (unsigned int queue = 0; queue < 5; queue++) {
			struct zh_rps_queue q = {.irq_cpu = (int)(queue * 7 % n),
				.irq_is_busy = queue % 2,
				.is_virtual = queue % 3 == 0,
				.node = queue % 2 ? 0 : -1,
				.queue = queue,
				.queues = 5};
			struct zh_cpuset mask, usable;

			build(n, 1 + n % 2, 8, 32);
			for (unsigned int cpu = 0; cpu < n; cpu++)
				if (cpu % 4 != 1)
					zh_cpuset_add(&topology.housekeeping, cpu);
			zh_rps_usable(&topology, &q, &usable);
			zh_rps_mask(&topology, &q, &mask, NULL);
			assert_in_range(zh_cpuset_count(&mask), 1, ZH_RPS_QUEUE_CPUS);
			for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++)
				if (zh_cpuset_has(&mask, cpu))
					assert_true(zh_cpuset_has(&usable, cpu));
		}
	}
}

static void stays_near_the_interrupt(void **state)
{
	const struct zh_rps_queue q = {.irq_cpu = 9, .node = -1};

	(void)state;
	/* 64 CPUs, two threads a core, 16 share a cache: its 8 cores; of core 4 the CPU itself. */
	build(64, 2, 16, 32);
	assert_mask(&q, "0,2,4,6,9-10,12,14");
	/* A cache of two cores: the node instead, at most 8. */
	build(16, 1, 2, 8);
	assert_mask(&q, "8-15");
}

static void busy_cpu_is_left_out(void **state)
{
	const struct zh_rps_queue q = {.irq_cpu = 2, .irq_is_busy = true, .node = -1};

	(void)state;
	build(8, 1, 8, 8);
	assert_mask(&q, "0-1,3-7");
	/* Of two CPUs both are needed: else the load would only move. */
	build(3, 1, 3, 3);
	assert_mask(&q, "0-1");
	build(2, 1, 2, 2);
	assert_mask(&(struct zh_rps_queue){.irq_cpu = 1, .irq_is_busy = true, .node = -1}, "0-1");
}

static void isolated_cpus_are_left_out(void **state)
{
	struct zh_rps_queue q = {.irq_cpu = -1, .is_virtual = true, .node = -1};
	struct zh_cpuset mask;
	bool off = false;

	(void)state;
	build(8, 1, 8, 8);
	topology.housekeeping = list("0-3");
	assert_mask(&q, "0-3");
	/* Who consumes on isolated CPUs does not get their packets there by RPS: RFS does. */
	q.consumers = list("6");
	zh_rps_mask(&topology, &q, &mask, &off);
	assert_true(off);
	q.consumers = list("3");
	zh_rps_mask(&topology, &q, &mask, &off);
	assert_false(off);
	q.policy = list("1,2,7");
	assert_mask(&q, "1-2");
	q.policy = list("7");
	assert_mask(&q, "");
}

static void queues_share_the_cpus(void **state)
{
	struct zh_rps_queue q = {.irq_cpu = -1, .is_virtual = true, .node = -1, .queues = 2};

	(void)state;
	build(6, 1, 6, 6);
	assert_mask(&q, "0,2,4");
	q.queue = 1;
	assert_mask(&q, "1,3,5");
	q.queues = 8;
	q.queue = 7;
	assert_mask(&q, "1");
}

static void gates(void **state)
{
	struct zh_rps_case c = {
		.usable_cpus = 8, .active_queues = 1, .flows = 100, .top_flow_share = 0.05};

	(void)state;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_NO_LOAD);
	c.has_load = true;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_FITS);
	c.is_dear_wake = true;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_DEAR_WAKES);
	c.flows = 15;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_FEW_FLOWS);
	c.has_drops = true;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_FITS);
	c.top_flow_share = 0.9;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_FEW_FLOWS);
	c.top_flow_share = -1;
	c.usable_cpus = 2;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_FITS);
	c.has_drops = false;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_FEW_CPUS);
	c.usable_cpus = c.active_queues = 8;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_MANY_QUEUES);
	c.is_loopback = true;
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_LOOPBACK);
	c = (struct zh_rps_case){.usable_cpus = 4, .has_drops = true, .is_unthreaded_rt = true};
	assert_int_equal(zh_rps_gate(&c), ZH_RPS_REALTIME);
	for (int gate = ZH_RPS_FITS; gate <= ZH_RPS_REALTIME; gate++)
		assert_true(strlen(zh_rps_gate_text((enum zh_rps_gate)gate)) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format_is_read_back_for_any_number_of_cpus),
		cmocka_unit_test(format_keeps_the_rules),
		cmocka_unit_test(masks_are_sound_on_any_machine),
		cmocka_unit_test(stays_near_the_interrupt),
		cmocka_unit_test(busy_cpu_is_left_out),
		cmocka_unit_test(isolated_cpus_are_left_out),
		cmocka_unit_test(queues_share_the_cpus),
		cmocka_unit_test(gates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
