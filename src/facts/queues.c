/* SPDX-License-Identifier: BSD-2-Clause */
/* Device queues and how packets are steered to CPUs: RPS, RFS, XPS, threaded NAPI, deferral. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/net-sysfs.h"
#include "facts/read.h"
#include "sys/root.h"

#define DEVICES_MAX 1024
#define QUEUES_MAX 64

static const struct zh_facts_file device_files[] = {
	{"threaded", "threaded"},
	{"gro_flush_timeout", "gro_flush_timeout_ns"},
	{"napi_defer_hard_irqs", "defer_hard_irqs"},
	{"device/numa_node", "numa_node", ZH_FORM_STRING},
	{NULL},
};

static const struct zh_facts_file rx_files[] = {
	{"rps_cpus", "rps_cpus", ZH_FORM_MASK},
	{"rps_flow_cnt", "rps_flow_cnt"},
	{NULL},
};

static const struct zh_facts_file tx_files[] = {
	{"xps_cpus", "xps_cpus", ZH_FORM_MASK},
	{NULL},
};

struct walk {
	struct zh_fact_set *set;
	char dir[128], prefix[ZH_FACTS_NAME_MAX + 8];
	uint64_t n, rx, tx;
};

/* "rx-3" or "tx-0". */
static int add_queue(void *arg, const char *name)
{
	struct walk *walk = arg;
	char dir[192], prefix[ZH_FACTS_NAME_MAX + 40];
	bool is_rx = !strncmp(name, "rx-", 3);
	uint64_t n;

	if ((!is_rx && strncmp(name, "tx-", 3)) || !zh_facts_parse(name + 3, 10, &n))
		return 0;
	*(is_rx ? &walk->rx : &walk->tx) += 1;
	if (n >= QUEUES_MAX)
		return 0;
	snprintf(dir, sizeof(dir), "%s/queues/%s", walk->dir, name);
	snprintf(prefix, sizeof(prefix), "%s.%.2s.%u", walk->prefix, name, (unsigned int)n);
	zh_facts_files(walk->set, is_rx ? rx_files : tx_files, dir, prefix);
	return 0;
}

static int add_device(void *arg, const char *name)
{
	struct walk *walk = arg;
	char device[ZH_FACTS_NAME_MAX];

	if (!zh_sys_exists("/sys/class/net/%s/queues", name) ||
		(walk->n++ >= DEVICES_MAX && strcmp(name, "lo")))
		return 0;
	zh_facts_name(device, sizeof(device), name);
	snprintf(walk->dir, sizeof(walk->dir), "/sys/class/net/%s", name);
	snprintf(walk->prefix, sizeof(walk->prefix), "queue.%s", device);
	walk->rx = walk->tx = 0;
	zh_facts_files(walk->set, device_files, walk->dir, walk->prefix);
	zh_sys_list(add_queue, walk, "%s/queues", walk->dir);
	zh_fact_number(walk->set, walk->rx, "%s.rx.count", walk->prefix);
	zh_fact_number(walk->set, walk->tx, "%s.tx.count", walk->prefix);
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	const char *problem = zh_net_sysfs_problem();
	struct walk walk = {.set = set};

	if (problem) {
		zh_fact_unavailable(set, problem, "queue");
		return;
	}
	zh_sys_list(add_device, &walk, "/sys/class/net");
	if (walk.n > DEVICES_MAX)
		zh_facts_truncated(set, "queues", DEVICES_MAX, walk.n, "devices");
}

static const struct zh_fact_schema schema[] = {
	{"queue.*.rx.count", ZH_FACT_NUMBER, "count", "receive queues of the device"},
	{"queue.*.tx.count", ZH_FACT_NUMBER, "count", "send queues of the device"},
	{"queue.*.rx.*.rps_cpus", ZH_FACT_STRING, "cpu list",
		"CPUs that receive for it, empty: off"},
	{"queue.*.rx.*.rps_flow_cnt", ZH_FACT_NUMBER, "count", "flows that RFS follows"},
	{"queue.*.tx.*.xps_cpus", ZH_FACT_STRING, "cpu list", "CPUs that send through it"},
	{"queue.*.threaded", ZH_FACT_NUMBER, "", "1: receiving is done by threads"},
	{"queue.*.gro_flush_timeout_ns", ZH_FACT_NUMBER, "ns", "longest that GRO holds a packet"},
	{"queue.*.defer_hard_irqs", ZH_FACT_NUMBER, "count", "polls before interrupts are back on"},
	{"queue.*.numa_node", ZH_FACT_STRING, "", "NUMA node of the device, -1: none"},
	{"queue", ZH_FACT_UNAVAILABLE, "", "why the queues could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_queues = {
	.id = "queues",
	.summary = "device queues and steering to CPUs",
	.schema = schema,
	.collect = collect,
};
