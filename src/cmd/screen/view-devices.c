/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/util.h"
#include "cmd/screen/history.h"
#include "cmd/screen/view.h"

#define ROW(row) ((const struct zh_top_device *)(row))

SCREEN_NUMBER(rx, zh_top_device, rx_rate)
SCREEN_NUMBER(tx, zh_top_device, tx_rate)
SCREEN_NUMBER(rx_bytes, zh_top_device, rx_bytes_rate)
SCREEN_NUMBER(tx_bytes, zh_top_device, tx_bytes_rate)
SCREEN_NUMBER(dropped, zh_top_device, dropped_rate)
SCREEN_NUMBER(rx_dropped, zh_top_device, rx_dropped_rate)
SCREEN_NUMBER(tx_dropped, zh_top_device, tx_dropped_rate)
SCREEN_NUMBER(cpu, zh_top_device, cpu)
SCREEN_NUMBER(cpu_share, zh_top_device, cpu_share)
SCREEN_STRING(place, zh_top_device, place)
SCREEN_STRING(kind, zh_top_device, kind)
SCREEN_STRING(reason, zh_top_device, drop_reason)
SCREEN_STRING(qdisc, zh_top_device, qdisc)
SCREEN_STRING(rps, zh_top_device, rps_mask)
SCREEN_STRING(xps, zh_top_device, xps_mask)

static void name(const void *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", ROW(row)->name, ROW(row)->is_up ? "" : " (down)");
}

static void other(const void *row, char *buf, size_t size)
{
	const struct zh_top_device *device = row;

	if (device->peer[0])
		snprintf(buf, size, "%s%s%s", device->peer, device->peer_place[0] ? ", " : "",
			device->peer_place);
	else
		snprintf(buf, size, "%s%s", device->parent[0] ? "on " : "", device->parent);
}

static void queues(const void *row, char *buf, size_t size)
{
	char rx_text[16], tx_text[16];

	snprintf(buf, size, "%s/%s",
		screen_format(SCREEN_COUNT, ROW(row)->rx_queues, rx_text, sizeof(rx_text)),
		screen_format(SCREEN_COUNT, ROW(row)->tx_queues, tx_text, sizeof(tx_text)));
}

static void gro(const void *row, char *buf, size_t size)
{
	int on = ROW(row)->gro;

	snprintf(buf, size, "%s", on < 0 ? SCREEN_UNKNOWN : on ? "on" : "off");
}

static void napi(const void *row, char *buf, size_t size)
{
	int threaded = ROW(row)->threaded;

	snprintf(buf, size, "%s", threaded < 0 ? SCREEN_UNKNOWN : threaded ? "thread" : "softirq");
}

/* What it handles in both directions. */
static double packets(const void *row)
{
	const struct zh_top_device *device = row;

	return device->rx_rate < 0 || device->tx_rate < 0 ? -1 : device->rx_rate + device->tx_rate;
}

static const struct screen_column columns[] = {
	{"DEVICE", "name of the device", SCREEN_TEXT, 12, 15, .text = name},
	{"WHERE", "here, or the namespace or pod that it is in", SCREEN_TEXT, 15, 40,
		.text = place},
	{"RX/s", "packets received", SCREEN_RATE, 5, 6, .number = rx},
	{"TX/s", "packets sent", SCREEN_RATE, 5, 6, .number = tx},
	{"DROP/s", "lost on it, by the kernel's drop hook", SCREEN_RATE, 6, 6, 1e-9, 1e-9, dropped},
	{"REASON", "why most of them were dropped", SCREEN_TEXT, 12, 28, .text = reason},
	{"CPU", "CPU that receives most of its packets", SCREEN_COUNT, 3, 4, .number = cpu},
	{"HISTORY", "of RX/s + TX/s, newest at the right; full height is the row's largest",
		SCREEN_HISTORY, 8, SCREEN_SAMPLES},
	{"OTHER END", "peer of a veth and where it is; parent, or bridge that it is a port of",
		SCREEN_TEXT, 18, 56, .text = other},
	{"KIND", "kind of device", SCREEN_TEXT, 8, 10, .text = kind},
	{"CPU%", "of its sampled packets, those on that CPU", SCREEN_SHARE, 5, 5,
		.number = cpu_share},
	{"RPS", "CPUs that its first queue hands packets to; empty: none", SCREEN_TEXT, 5, 12,
		.text = rps},
	{"QUEUES", "receive/send queues", SCREEN_TEXT, 6, 7, .text = queues},
	{"GRO", "whether packets are merged when received", SCREEN_TEXT, 3, 3, .text = gro},
	{"NAPI", "whether a thread polls it, or the softirq", SCREEN_TEXT, 7, 7, .text = napi},
	{"QDISC", "its queueing discipline", SCREEN_TEXT, 8, 12, .text = qdisc},
	{"RX B/s", "bytes received", SCREEN_RATE, 6, 6, .number = rx_bytes},
	{"TX B/s", "bytes sent", SCREEN_RATE, 6, 6, .number = tx_bytes},
	{"RXDROP", "dropped when received, by its own counter", SCREEN_RATE, 6, 6, 1e-9,
		.number = rx_dropped},
	{"TXDROP", "dropped when sent, by its own counter", SCREEN_RATE, 6, 6, 1e-9,
		.number = tx_dropped},
	{"XPS", "CPUs that use its first send queue; empty: any", SCREEN_TEXT, 5, 12, .text = xps},
};

static const void *row_at(const struct zh_top_reading *reading, size_t i, size_t *ret_n)
{
	*ret_n = reading->n_devices;
	return i < reading->n_devices ? &reading->devices[i] : NULL;
}

static uint64_t identity(const void *row)
{
	uint64_t netns = screen_identity_number(
		screen_identity_text(SCREEN_IDENTITY, "device"), ROW(row)->netns);

	return screen_identity_number(netns, ROW(row)->ifindex);
}

static const char *empty(const struct zh_top_reading *reading)
{
	(void)reading;
	return "no device could be read";
}

const struct screen_view screen_view_devices = {
	.name = "Devices",
	.empty = empty,
	.columns = columns,
	.n_columns = ZH_ARRAY_SIZE(columns),
	.sorted_by = 4,
	.row = row_at,
	.identity = identity,
	.figure = packets,
};
_Static_assert(ZH_ARRAY_SIZE(columns) <= SCREEN_COLUMNS, "too many columns");
