/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/test-readings.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define LARGE_CPUS 256
#define LARGE_DEVICES 1000
#define LARGE_FLOWS 64
#define LARGE_DROPS 100

enum { TIMER = 1, NET_TX = 2, NET_RX = 3, SCHED = 7, RCU = 9 };

static void *copy(const void *rows, size_t size)
{
	void *heap = malloc(size);

	assert(heap);
	return memcpy(heap, rows, size);
}

static void small_cpus(struct zh_top_reading *ret)
{
	struct zh_top_cpu cpus[] = {
		{.cpu = 0,
			.softirq_share = {[TIMER] = 0.002, [NET_RX] = 0.031, [SCHED] = 0.0002},
			.longest_ns = 81000,
			.ksoftirqd_share = 0.001,
			.rx_rate = 5321,
			.idle_share = 0.93,
			.user_share = 0.02,
			.system_share = 0.015,
			.irq_share = 0.001,
			.idle_state = "C1",
			.interrupts = {{"virtio1-input.0", 812}, {"timer", 250}}},
		{.cpu = 1,
			.softirq_share = {[TIMER] = 0.001, [NET_TX] = 0.004, [NET_RX] = 0.968},
			.longest_ns = 8.2e6,
			.ksoftirqd_share = 0.71,
			.ksoftirqd_wait_share = 0.06,
			.rx_rate = 1.21e6,
			.backlog = 1000,
			.dropped_rate = 12400,
			.squeezed_rate = 913,
			.rps_rate = 44,
			.idle_share = 0,
			.steal_share = 0.031,
			.system_share = 0.02},
	};

	ret->cpus = copy(cpus, sizeof(cpus));
	ret->n_cpus = ZH_ARRAY_SIZE(cpus);
}

static void small_devices(struct zh_top_reading *ret)
{
	static const struct zh_top_device devices[] = {
		{"eth0", "virtio_net", "here", .netns = 1, .ifindex = 2, .is_up = true,
			.rx_rate = 812, .tx_rate = 95, .rx_bytes_rate = 1.1e6,
			.tx_bytes_rate = 12300, .rx_queues = 2, .tx_queues = 2, .rps_mask = "0-1",
			.gro = 1, .qdisc = "fq_codel", .cpu = 0, .cpu_share = 0.93},
		{"vethcafe0001", "veth", "here", .netns = 1, .ifindex = 7, .is_up = true,
			.peer = "eth0", .peer_place = "pod shop/cart-7f6d4b8c9-x2x4z",
			.rx_rate = 21, .tx_rate = 1.2e6, .rx_queues = 1, .tx_queues = 1,
			.qdisc = "noqueue", .cpu = -1, .cpu_share = -1},
		{"eth0", "veth", "pod shop/cart-7f6d4b8c9-x2x4z", .netns = 2, .ifindex = 2,
			.is_up = true, .peer = "vethcafe0001", .peer_place = "here",
			.rx_rate = 1.19e6, .tx_rate = 21, .dropped_rate = 12400,
			.drop_reason = "CPU_BACKLOG", .rx_queues = 1, .tx_queues = 1, .gro = 0,
			.qdisc = "noqueue", .cpu = 1, .cpu_share = 1},
		{"mv0", "macvlan", "netns blue", .netns = 3, .ifindex = 4, .parent = "eth0",
			.rx_queues = 1, .tx_queues = 1, .gro = 1, .threaded = 1, .qdisc = "noqueue",
			.cpu = -1, .cpu_share = -1},
	};

	ret->devices = copy(devices, sizeof(devices));
	ret->n_devices = ZH_ARRAY_SIZE(devices);
}

void test_small_reading(struct zh_top_reading *ret)
{
	static const struct zh_top_flow flows[] = {
		{"udp", "10.1.0.9:40001", "10.1.0.12:8080", "pod load/gen-0",
			"pod shop/cart-7f6d4b8c9-x2x4z", "eth0", "pod shop/cart-7f6d4b8c9-x2x4z", 1,
			1.1e6, 1.1e8, 0.91},
		{"tcp", "10.1.0.12:51234", "10.1.0.3:6379", "pod shop/cart-7f6d4b8c9-x2x4z",
			"redis-server (4711)", "eth0", "here", 1, 7300, 1.2e6, 0.006},
	};
	static const struct zh_top_drop drops[] = {
		{"CPU_BACKLOG", "enqueue_to_backlog", "eth0", "pod shop/cart-7f6d4b8c9-x2x4z",
			false, 12400, 998812},
		{"NO_SOCKET", "tcp_v4_rcv", "eth0", "here", false, 0.4, 17},
		{"QUEUE_PURGE", "sk_stream_kill_queues", "", "", true, 33, 1200},
	};

	*ret = (struct zh_top_reading){.time_ns = TEST_TIME_NS,
		.interval_ns = ZH_NSEC_PER_SEC,
		.own_cpu_share = 0.004,
		.own_bpf_share = 0.011,
		.has_drops = true};
	small_cpus(ret);
	small_devices(ret);
	ret->flows = copy(flows, sizeof(flows));
	ret->n_flows = ZH_ARRAY_SIZE(flows);
	ret->drops = copy(drops, sizeof(drops));
	ret->n_drops = ZH_ARRAY_SIZE(drops);
}

void test_unknown_reading(struct zh_top_reading *ret)
{
	test_small_reading(ret);
	ret->n_flows = 0;
	ret->n_drops = 0;
	ret->has_drops = false;
	ret->own_bpf_share = -1;
	for (size_t i = 0; i < ret->n_cpus; i++) {
		struct zh_top_cpu *cpu = &ret->cpus[i];

		for (size_t v = 0; v < ZH_LIVE_VECTORS; v++)
			cpu->softirq_share[v] = -1;
		cpu->longest_ns = cpu->backlog = -1;
		cpu->dropped_rate = cpu->squeezed_rate = cpu->steal_share = -1;
	}
	for (size_t i = 0; i < ret->n_devices; i++) {
		ret->devices[i].dropped_rate = ret->devices[i].cpu_share = -1;
		ret->devices[i].cpu = ret->devices[i].gro = ret->devices[i].threaded = -1;
		ret->devices[i].drop_reason[0] = '\0';
		ret->devices[i].rx_queues = -1;
	}
}

struct zh_record *test_notes(void)
{
	struct zh_record *notes = zh_record_new(&(struct zh_record_limits){});

	assert(notes);
	zh_record_not_measured(notes, "softirq times",
		"no permission to load BPF programs: run as root, or grant CAP_BPF and "
		"CAP_PERFMON");
	zh_record_not_measured(notes, "drops by reason", "the same");
	return notes;
}

static void large_rows(struct zh_top_reading *ret, unsigned int n)
{
	for (unsigned int i = 0; i < LARGE_CPUS; i++)
		ret->cpus[i] = (struct zh_top_cpu){.cpu = i,
			.softirq_share = {[NET_RX] = ((i * 7 + n) % 100) / 100.0},
			.rx_rate = i * 1000,
			.longest_ns = 1000.0 * i};
	for (unsigned int i = 0; i < LARGE_DEVICES; i++) {
		struct zh_top_device *device = &ret->devices[i];

		*device = (struct zh_top_device){.kind = "veth",
			.netns = i,
			.ifindex = 2,
			.is_up = true,
			.rx_rate = (i * 37 + n) % 1000,
			.cpu = (int)(i % 256)};
		snprintf(device->name, sizeof(device->name), "veth%u", i);
		snprintf(device->place, sizeof(device->place), "pod team-%u/app-%u", i % 10, i);
	}
	for (unsigned int i = 0; i < LARGE_FLOWS; i++) {
		ret->flows[i] = (struct zh_top_flow){.protocol = "udp", .rate = 1000 - i};
		snprintf(ret->flows[i].from, sizeof(ret->flows[i].from), "10.0.0.%u:%u", i, n);
		snprintf(ret->flows[i].to, sizeof(ret->flows[i].to), "10.0.1.%u:53", i);
	}
	for (unsigned int i = 0; i < LARGE_DROPS; i++) {
		ret->drops[i] = (struct zh_top_drop){.reason = "CPU_BACKLOG",
			.place = "here",
			.function = "enqueue_to_backlog",
			.rate = 100 - i};
		snprintf(ret->drops[i].device, sizeof(ret->drops[i].device), "veth%u", i);
	}
}

void test_large_reading(struct zh_top_reading *ret, unsigned int n)
{
	*ret = (struct zh_top_reading){.time_ns = TEST_TIME_NS,
		.interval_ns = ZH_NSEC_PER_SEC,
		.cpus = calloc(LARGE_CPUS, sizeof(*ret->cpus)),
		.n_cpus = LARGE_CPUS,
		.devices = calloc(LARGE_DEVICES, sizeof(*ret->devices)),
		.n_devices = LARGE_DEVICES,
		.flows = calloc(LARGE_FLOWS, sizeof(*ret->flows)),
		.n_flows = LARGE_FLOWS,
		.drops = calloc(LARGE_DROPS, sizeof(*ret->drops)),
		.n_drops = LARGE_DROPS,
		.has_drops = true};
	assert(ret->cpus && ret->devices && ret->flows && ret->drops);
	large_rows(ret, n);
}

void test_reading_done(struct zh_top_reading *reading)
{
	free(reading->cpus);
	free(reading->devices);
	free(reading->flows);
	free(reading->drops);
	*reading = (struct zh_top_reading){};
}
