/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The document of a reading. JSON has every row and every column; people see the rows that matter
 * most, in less than 100 columns, and are told how many are left out.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/util.h"
#include "cmd/top.h"
#include "trace/live.h"

#define ROWS_SHOWN 24
#define COLUMNS_MAX 32

/* Rows of one list, most important first. */
struct order {
	size_t index;
	double weight;
};

static int by_weight(const void *left, const void *right)
{
	const struct order *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static struct zh_cell rate(double value)
{
	return value < 0 ? zh_null() : zh_rate(value);
}

static struct zh_cell share(double value)
{
	return value < 0 ? zh_null() : zh_share(value);
}

static struct zh_cell text_or_null(const char *text)
{
	return zh_string(text[0] ? text : NULL);
}

static struct zh_cell number(int value)
{
	return value < 0 ? zh_null() : zh_count((uint64_t)value);
}

/* JSON's half of a table (`key`), with every row, or that of people (`title`), with some. */
static struct zh_node *half_table(struct zh_node *root, const char *key, const char *title,
	const struct zh_column *columns, size_t n)
{
	struct zh_column half[COLUMNS_MAX];

	assert(n <= COLUMNS_MAX);
	for (size_t i = 0; i < n; i++)
		half[i] = (struct zh_column){
			key ? columns[i].key : NULL, title ? columns[i].heading : NULL};
	return zh_node_table(root, key, title, half, n);
}

static void say_left_out(struct zh_node *root, size_t shown, size_t all, const char *what)
{
	char text[160];

	if (all <= shown)
		return;
	snprintf(text, sizeof(text), "%zu %s with less are left out; -j has all of them.",
		all - shown, what);
	zh_node_text(root, text);
}

static void add_interrupts(struct zh_node *row, const struct zh_top_cpu *cpu)
{
	static const struct zh_column columns[] = {{"name", NULL}, {"per_s", NULL}};
	struct zh_node *table = zh_node_table(row, "interrupts", NULL, columns, 2);

	for (size_t i = 0; i < ZH_TOP_INTERRUPTS && cpu->interrupts[i].name[0]; i++) {
		const struct zh_cell cells[] = {
			zh_string(cpu->interrupts[i].name), zh_rate(cpu->interrupts[i].rate)};

		zh_node_row(table, cells);
	}
}

static void add_vectors(struct zh_node *row, const struct zh_top_cpu *cpu)
{
	struct zh_node *vectors = zh_node_object(row, "softirq_shares", NULL);
	char key[32];

	for (size_t v = 0; v < ZH_LIVE_VECTORS; v++) {
		snprintf(key, sizeof(key), "%s", zh_top_vectors[v]);
		for (char *c = key; *c; c++)
			*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
		zh_node_value(vectors, key, NULL, share(cpu->softirq_share[v]));
	}
}

#define CPU_COLUMNS 18

/* Which columns people see: two tables, since one would be too wide. */
static const struct zh_column cpu_columns[CPU_COLUMNS] = {{"cpu", NULL}, {"softirq_share", NULL},
	{"net_rx_share", NULL}, {"longest_ns", NULL}, {"rx_per_s", NULL}, {"backlog_pkts", NULL},
	{"dropped_per_s", NULL}, {"squeezed_per_s", NULL}, {"rps_per_s", NULL},
	{"ksoftirqd_share", NULL}, {"ksoftirqd_wait_share", NULL}, {"steal_share", NULL},
	{"idle_share", NULL}, {"idle_state", NULL}, {"user_share", NULL}, {"system_share", NULL},
	{"irq_share", NULL}, {NULL, NULL}};
static const struct zh_column time_columns[CPU_COLUMNS] = {{NULL, "CPU"}, {NULL, "softirq"},
	{NULL, "NET_RX"}, {NULL, "longest"}, {}, {}, {}, {}, {}, {NULL, "ksoftirqd"},
	{NULL, "waits"}, {NULL, "steal"}, {NULL, "idle"}, {NULL, "idle state"}, {NULL, "user"},
	{NULL, "system"}, {NULL, "irq"}, {}};
static const struct zh_column packet_columns[CPU_COLUMNS] = {{NULL, "CPU"}, {}, {}, {},
	{NULL, "rx/s"}, {NULL, "queued"}, {NULL, "drop/s"}, {NULL, "squeeze/s"}, {NULL, "RPS/s"},
	{}, {}, {}, {}, {}, {}, {}, {}, {NULL, "interrupts/s"}};

/* "virtio1-input.0 12.3k, LOC 250": who brings the work. */
static void interrupts_text(const struct zh_top_cpu *cpu, struct zh_buf *ret)
{
	char number_text[32];

	for (size_t i = 0; i < ZH_TOP_INTERRUPTS && cpu->interrupts[i].name[0]; i++)
		zh_buf_addf(ret, "%s%s %s", i ? ", " : "", cpu->interrupts[i].name,
			zh_format_rate(number_text, sizeof(number_text), cpu->interrupts[i].rate));
}

static struct zh_node *add_cpu(struct zh_node *table, const struct zh_top_cpu *cpu)
{
	zh_autobuf interrupts = {};
	struct zh_cell cells[CPU_COLUMNS] = {
		zh_count(cpu->cpu),
		share(zh_top_softirq_share(cpu)),
		share(cpu->softirq_share[ZH_LIVE_NET_RX]),
		cpu->longest_ns < 0 ? zh_null() : zh_ns((uint64_t)cpu->longest_ns),
		rate(cpu->rx_rate),
		cpu->backlog < 0 ? zh_null() : zh_packets((uint64_t)cpu->backlog),
		rate(cpu->dropped_rate),
		rate(cpu->squeezed_rate),
		rate(cpu->rps_rate),
		share(cpu->ksoftirqd_share),
		share(cpu->ksoftirqd_wait_share),
		share(cpu->steal_share),
		share(cpu->idle_share),
		text_or_null(cpu->idle_state),
		share(cpu->user_share),
		share(cpu->system_share),
		share(cpu->irq_share),
	};

	interrupts_text(cpu, &interrupts);
	cells[CPU_COLUMNS - 1] = zh_string(interrupts.text);
	return zh_node_row(table, cells);
}

static struct order *order_cpus(const struct zh_top_reading *reading)
{
	struct order *order = calloc(reading->n_cpus + 1, sizeof(*order));
	bool all = reading->n_cpus <= ROWS_SHOWN;

	for (size_t i = 0; order && i < reading->n_cpus; i++)
		order[i] = (struct order){i, all ? 0 : zh_top_softirq_share(&reading->cpus[i])};
	if (order)
		qsort(order, reading->n_cpus, sizeof(*order), by_weight);
	return order;
}

static void describe_cpus(struct zh_node *root, const struct zh_top_reading *reading)
{
	zh_autofree struct order *order = order_cpus(reading);
	struct zh_node *all = zh_node_table(root, "cpus", NULL, cpu_columns, CPU_COLUMNS);
	struct zh_node *times = zh_node_table(root, NULL, "CPUs", time_columns, CPU_COLUMNS);
	struct zh_node *packets =
		zh_node_table(root, NULL, "Packets by CPU", packet_columns, CPU_COLUMNS);

	for (size_t i = 0; i < reading->n_cpus; i++) {
		struct zh_node *row = add_cpu(all, &reading->cpus[i]);

		add_vectors(row, &reading->cpus[i]);
		add_interrupts(row, &reading->cpus[i]);
	}
	for (size_t i = 0; order && i < ZH_MIN(reading->n_cpus, (size_t)ROWS_SHOWN); i++) {
		add_cpu(times, &reading->cpus[order[i].index]);
		add_cpu(packets, &reading->cpus[order[i].index]);
	}
	say_left_out(root, ROWS_SHOWN, reading->n_cpus, "CPUs");
}

/* "eth0 (pod shop/cart)" for a veth, "on br0" for a port or a macvlan. */
static void leads_to(const struct zh_top_device *device, char *buf, size_t size)
{
	if (device->peer[0])
		snprintf(buf, size, "%s (%s)", device->peer, device->peer_place);
	else if (device->parent[0])
		snprintf(buf, size, "on %s", device->parent);
	else
		snprintf(buf, size, "%s", device->kind);
}

static void add_device(struct zh_node *table, const struct zh_top_device *device)
{
	char to[ZH_TOP_NAME + ZH_TOP_PLACE + 8];
	const struct zh_cell cells[] = {
		zh_string(device->name),
		zh_string(device->place),
		(leads_to(device, to, sizeof(to)), zh_string(to)),
		rate(device->rx_rate),
		rate(device->tx_rate),
		rate(device->dropped_rate),
		text_or_null(device->drop_reason),
		number(device->cpu),
		device->rps_mask[0] ? zh_cpus(device->rps_mask) : zh_null(),
		zh_string(device->kind),
		zh_bool(device->is_up),
		rate(device->rx_bytes_rate),
		rate(device->tx_bytes_rate),
		rate(device->rx_dropped_rate),
		rate(device->tx_dropped_rate),
		text_or_null(device->peer),
		text_or_null(device->peer_place),
		text_or_null(device->parent),
		number(device->rx_queues),
		number(device->tx_queues),
		device->xps_mask[0] ? zh_cpus(device->xps_mask) : zh_null(),
		device->gro < 0 ? zh_null() : zh_bool(device->gro),
		device->threaded < 0 ? zh_null() : zh_bool(device->threaded),
		text_or_null(device->qdisc),
		share(device->cpu_share),
		zh_count(device->ifindex),
		zh_count(device->netns),
	};

	zh_node_row(table, cells);
}

static const struct zh_column device_columns[] = {{"dev", "device"}, {"place", "in"},
	{NULL, "leads to"}, {"rx_per_s", "rx/s"}, {"tx_per_s", "tx/s"}, {"dropped_per_s", "drop/s"},
	{"drop_reason", "reason"}, {"cpu", "CPU"}, {"rps_cpus", "RPS"}, {"kind", NULL},
	{"is_up", NULL}, {"rx_bytes_per_s", NULL}, {"tx_bytes_per_s", NULL},
	{"rx_dropped_per_s", NULL}, {"tx_dropped_per_s", NULL}, {"peer", NULL},
	{"peer_place", NULL}, {"parent", NULL}, {"rx_queues", NULL}, {"tx_queues", NULL},
	{"xps_cpus", NULL}, {"gro", NULL}, {"threaded", NULL}, {"qdisc", NULL}, {"cpu_share", NULL},
	{"ifindex", NULL}, {"netns", NULL}};

static double device_weight(const struct zh_top_device *device)
{
	return 1000 * ZH_MAX(device->dropped_rate, 0.0) + ZH_MAX(device->rx_rate, 0.0) +
	       ZH_MAX(device->tx_rate, 0.0) +
	       1000 * (ZH_MAX(device->rx_dropped_rate, 0.0) + ZH_MAX(device->tx_dropped_rate, 0.0));
}

static void describe_devices(struct zh_node *root, const struct zh_top_reading *reading)
{
	const size_t n = ZH_ARRAY_SIZE(device_columns);
	zh_autofree struct order *order = calloc(reading->n_devices + 1, sizeof(*order));
	struct zh_node *all = half_table(root, "devices", NULL, device_columns, n);
	struct zh_node *busiest = half_table(root, NULL, "Devices", device_columns, n);

	for (size_t i = 0; i < reading->n_devices; i++) {
		add_device(all, &reading->devices[i]);
		if (order)
			order[i] = (struct order){i, device_weight(&reading->devices[i])};
	}
	if (order)
		qsort(order, reading->n_devices, sizeof(*order), by_weight);
	for (size_t i = 0; order && i < ZH_MIN(reading->n_devices, (size_t)ROWS_SHOWN); i++)
		add_device(busiest, &reading->devices[order[i].index]);
	say_left_out(root, ROWS_SHOWN, reading->n_devices, "devices");
}

static const char *who_or_address(const char *who, const char *address, char *buf, size_t size)
{
	if (!who[0])
		return address;
	snprintf(buf, size, "%s %s", address, who);
	return buf;
}

static void describe_flows(struct zh_node *root, const struct zh_top_reading *reading)
{
	static const struct zh_column columns[] = {{"protocol", "flow"}, {NULL, "from"},
		{NULL, "to"}, {"from", NULL}, {"to", NULL}, {"from_who", NULL}, {"to_who", NULL},
		{"dev", "on"}, {"place", NULL}, {"cpu", "CPU"}, {"per_s", "pkts/s"},
		{"bytes_per_s", NULL}, {"cpu_share", "of CPU"}};
	const size_t n = ZH_ARRAY_SIZE(columns);
	struct zh_node *all = half_table(root, "flows", NULL, columns, n);
	struct zh_node *largest = half_table(root, NULL, "Flows", columns, n);

	for (size_t i = 0; i < reading->n_flows; i++) {
		const struct zh_top_flow *flow = &reading->flows[i];
		char from[160], to[160];
		const struct zh_cell cells[] = {zh_string(flow->protocol),
			zh_string(who_or_address(flow->from_who, flow->from, from, sizeof(from))),
			zh_string(who_or_address(flow->to_who, flow->to, to, sizeof(to))),
			zh_string(flow->from), zh_string(flow->to), text_or_null(flow->from_who),
			text_or_null(flow->to_who), zh_string(flow->device), zh_string(flow->place),
			number(flow->cpu), rate(flow->rate), rate(flow->bytes_rate),
			share(flow->share)};

		zh_node_row(all, cells);
		if (i < ROWS_SHOWN)
			zh_node_row(largest, cells);
	}
	say_left_out(root, ROWS_SHOWN, reading->n_flows, "flows");
}

static void describe_drops(struct zh_node *root, const struct zh_top_reading *reading)
{
	static const struct zh_column columns[] = {{"reason", "reason"}, {"dev", "device"},
		{"place", "in"}, {"function", "function"}, {"per_s", "drop/s"}, {"total", "so far"},
		{"is_benign", NULL}};
	const size_t n = ZH_ARRAY_SIZE(columns);
	struct zh_node *all = half_table(root, "drops", NULL, columns, n);
	struct zh_node *losses = half_table(root, NULL, "Drops", columns, n);
	struct zh_node *frees = half_table(root, NULL, "Freed without loss", columns, n);

	for (size_t i = 0; i < reading->n_drops; i++) {
		const struct zh_top_drop *drop = &reading->drops[i];
		const struct zh_cell cells[] = {zh_string(drop->reason), text_or_null(drop->device),
			text_or_null(drop->place), text_or_null(drop->function), rate(drop->rate),
			zh_packets(drop->total), zh_bool(drop->is_benign)};

		zh_node_row(all, cells);
		if (i < ROWS_SHOWN)
			zh_node_row(drop->is_benign ? frees : losses, cells);
	}
	say_left_out(root, ROWS_SHOWN, reading->n_drops, "places of drops");
}

static void describe_own(
	struct zh_node *root, const struct zh_top_reading *reading, const struct zh_record *notes)
{
	static const struct zh_column columns[] = {{"what", "not measured"}, {"why", "why"}};
	struct zh_node *own = zh_node_object(root, "overhead", "Own cost");
	struct zh_node *table;

	zh_node_value(own, "cpu_share", "this program", share(reading->own_cpu_share));
	zh_node_value(own, "bpf_share", "its hooks, of one CPU", share(reading->own_bpf_share));
	zh_node_value(own, "window_ns",
		reading->window_ns ? "softirqs and flows counted for" : NULL,
		reading->window_ns ? zh_ns(reading->window_ns) : zh_null());
	if (reading->lost)
		zh_node_value(own, "lost_rows", "rows that found no room", zh_count(reading->lost));
	else
		zh_node_value(own, "lost_rows", NULL, zh_count(0));
	table = zh_node_table(root, "not_measured", "Not measured", columns, 2);
	for (size_t i = 0; i < notes->n_not_measured; i++)
		zh_node_row(table, (struct zh_cell[]){zh_string(notes->not_measured[i].what),
					   zh_string(notes->not_measured[i].why)});
}

void cmd_top_describe(
	struct zh_node *root, const struct zh_top_reading *reading, const struct zh_record *notes)
{
	char answer[400];

	zh_top_answer(reading, answer, sizeof(answer));
	zh_node_headline(root, "answer", answer);
	zh_node_value(root, "interval_ns", NULL, zh_ns(reading->interval_ns));
	describe_cpus(root, reading);
	describe_devices(root, reading);
	describe_flows(root, reading);
	describe_drops(root, reading);
	describe_own(root, reading, notes);
}
