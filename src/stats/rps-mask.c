/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/rps-mask.h"

#include <stdio.h>

#include "base/util.h"

#define BASE_CORES_MIN 4 /* below, a last-level cache is too small a place to spread in */
#define GROUP_CPUS 32    /* a group of the kernel's bitmap text */
#define USABLE_MIN 3
#define ELEPHANT_SHARE 0.8

static void drop_cpu(struct zh_cpuset *set, unsigned int cpu)
{
	set->bits[cpu / 64] &= ~(1ull << cpu % 64);
}

/* Keeps what is in `with`; an empty one stands for all. */
static void intersect(struct zh_cpuset *set, const struct zh_cpuset *with)
{
	if (!zh_cpuset_count(with))
		return;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(set->bits); i++)
		set->bits[i] &= with->bits[i];
}

static bool meets(const struct zh_cpuset *a, const struct zh_cpuset *b)
{
	for (size_t i = 0; i < ZH_ARRAY_SIZE(a->bits); i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

void zh_rps_usable(const struct zh_rps_topology *topology, const struct zh_rps_queue *queue,
	struct zh_cpuset *ret)
{
	*ret = topology->online;
	intersect(ret, &topology->housekeeping);
	intersect(ret, &queue->policy);
}

/* CPUs whose group is that of any CPU in `of`. */
static struct zh_cpuset group_of(
	const struct zh_rps_topology *topology, const uint32_t *group, const struct zh_cpuset *of)
{
	struct zh_cpuset ret = {};

	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		if (!zh_cpuset_has(&topology->online, cpu))
			continue;
		for (unsigned int other = 0; other < ZH_CPU_MAX; other++) {
			if (!zh_cpuset_has(of, other) || group[cpu] != group[other])
				continue;
			zh_cpuset_add(&ret, cpu);
			break;
		}
	}
	return ret;
}

/* One thread of each core: the lowest, but never the sibling of the CPU that takes packets in. */
static void one_a_core(const struct zh_rps_topology *topology, int irq_cpu, struct zh_cpuset *set)
{
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		if (!zh_cpuset_has(set, cpu) || (int)cpu == irq_cpu)
			continue;
		for (unsigned int other = 0; other < ZH_CPU_MAX; other++) {
			bool first = other < cpu || (int)other == irq_cpu;

			if (other == cpu || !first || !zh_cpuset_has(set, other) ||
				topology->core[other] != topology->core[cpu])
				continue;
			drop_cpu(set, cpu);
			break;
		}
	}
}

static unsigned int count_cores(const struct zh_rps_topology *topology, const struct zh_cpuset *set)
{
	struct zh_cpuset cores = *set;

	one_a_core(topology, -1, &cores);
	return zh_cpuset_count(&cores);
}

/* Near the packets: the cache of the CPU that takes them in (of a virtual device, of those that
 * consume them), or the whole node where that has few cores, or everywhere. */
static struct zh_cpuset base_of(
	const struct zh_rps_topology *topology, const struct zh_rps_queue *queue)
{
	struct zh_cpuset around = {}, base;

	if (!queue->is_virtual && queue->irq_cpu >= 0)
		zh_cpuset_add(&around, (unsigned int)queue->irq_cpu);
	else
		around = queue->consumers;
	if (!zh_cpuset_count(&around))
		return topology->online;
	base = group_of(topology, topology->llc, &around);
	if (count_cores(topology, &base) >= BASE_CORES_MIN)
		return base;
	if (queue->is_virtual || queue->node < 0)
		return group_of(topology, topology->node, &around);
	base = (struct zh_cpuset){};
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++)
		if (zh_cpuset_has(&topology->online, cpu) &&
			topology->node[cpu] == (uint32_t)queue->node)
			zh_cpuset_add(&base, cpu);
	return base;
}

/*
 * The CPUs number queue, queue + queues, ... of the set, so that each belongs to few queues; with
 * more queues than CPUs, one each. At most ZH_RPS_QUEUE_CPUS.
 */
static void share_out(struct zh_cpuset *set, unsigned int queue, unsigned int queues)
{
	unsigned int total = zh_cpuset_count(set), taken = 0, n = 0;
	struct zh_cpuset share = {};

	if (!total)
		return;
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX && taken < ZH_RPS_QUEUE_CPUS; cpu++) {
		if (!zh_cpuset_has(set, cpu))
			continue;
		if (queues >= total ? n == queue % total : n % queues == queue % queues) {
			zh_cpuset_add(&share, cpu);
			taken++;
		}
		n++;
	}
	*set = share;
}

void zh_rps_mask(const struct zh_rps_topology *topology, const struct zh_rps_queue *queue,
	struct zh_cpuset *ret, bool *ret_off_consumer)
{
	struct zh_cpuset usable, mask = base_of(topology, queue);

	zh_rps_usable(topology, queue, &usable);
	/* A base without a usable CPU (all isolated) says where, but not that nobody may. */
	if (meets(&mask, &usable))
		intersect(&mask, &usable);
	else
		mask = usable;
	one_a_core(topology, queue->irq_cpu, &mask);
	/* With one other CPU left, the whole load would only move there. */
	if (queue->irq_cpu >= 0 && queue->irq_is_busy && zh_cpuset_count(&mask) > 2)
		drop_cpu(&mask, (unsigned int)queue->irq_cpu);
	share_out(&mask, queue->queue, ZH_MAX(queue->queues, 1u));
	*ret = mask;
	if (ret_off_consumer)
		*ret_off_consumer = zh_cpuset_count(&mask) && zh_cpuset_count(&queue->consumers) &&
				    !meets(&mask, &queue->consumers);
}

enum zh_rps_gate zh_rps_gate(const struct zh_rps_case *c)
{
	if (c->is_loopback)
		return ZH_RPS_LOOPBACK;
	if (c->usable_cpus < (c->has_drops ? 2 : USABLE_MIN))
		return ZH_RPS_FEW_CPUS;
	if (c->active_queues > 1 && c->active_queues >= c->usable_cpus)
		return ZH_RPS_MANY_QUEUES;
	if (!c->has_load && !c->has_drops)
		return ZH_RPS_NO_LOAD;
	if (c->flows == 1 || c->top_flow_share >= ELEPHANT_SHARE)
		return ZH_RPS_FEW_FLOWS;
	if (c->is_unthreaded_rt)
		return ZH_RPS_REALTIME;
	if (c->has_drops)
		return ZH_RPS_FITS;
	if (c->flows && c->flows < 2ull * c->usable_cpus)
		return ZH_RPS_FEW_FLOWS;
	return c->is_dear_wake ? ZH_RPS_DEAR_WAKES : ZH_RPS_FITS;
}

const char *zh_rps_gate_text(enum zh_rps_gate gate)
{
	static const char *const texts[] = {
		[ZH_RPS_FITS] = "it fits",
		[ZH_RPS_LOOPBACK] = "on loopback it only adds a hop to another CPU",
		[ZH_RPS_FEW_CPUS] = "too few CPUs are free to share the work",
		[ZH_RPS_MANY_QUEUES] = "the device's queues spread the work already",
		[ZH_RPS_FEW_FLOWS] = "a flow never splits, and too few make up the load",
		[ZH_RPS_NO_LOAD] = "nothing is dropped and no CPU is busy with packets",
		[ZH_RPS_DEAR_WAKES] = "waking a halted CPU of this guest costs an exit to the host",
		[ZH_RPS_REALTIME] = "this real-time kernel has no backlog threads",
	};

	return texts[gate];
}

unsigned int zh_rps_cpu_ids(const struct zh_rps_topology *topology)
{
	for (unsigned int cpu = ZH_CPU_MAX; cpu > 0; cpu--)
		if (zh_cpuset_has(&topology->possible, cpu - 1))
			return cpu;
	return 0;
}

/* 32 CPUs of the set, without those from n_cpu_ids on. */
static uint32_t group_bits(const struct zh_cpuset *cpus, unsigned int group, unsigned int n_cpu_ids)
{
	uint32_t bits = (uint32_t)(cpus->bits[group / 2] >> (group % 2 ? 32 : 0));
	unsigned int left = n_cpu_ids - group * GROUP_CPUS;

	return left >= GROUP_CPUS ? bits : bits & ((1u << left) - 1);
}

char *zh_rps_format(char *buf, size_t size, const struct zh_cpuset *cpus, unsigned int n_cpu_ids)
{
	unsigned int ids = ZH_MIN(n_cpu_ids, (unsigned int)ZH_CPU_MAX);
	unsigned int group = (ids + GROUP_CPUS - 1) / GROUP_CPUS;
	bool begun = false;
	size_t len = 0;

	snprintf(buf, size, "0");
	while (group-- > 0) {
		uint32_t bits = group_bits(cpus, group, ids);

		/* Leading groups of zeros are no digits; too many groups are refused. */
		if (!begun && !bits)
			continue;
		if (len < size)
			len += (size_t)snprintf(
				buf + len, size - len, begun ? ",%08x" : "%x", bits);
		begun = true;
	}
	return buf;
}
