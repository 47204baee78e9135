/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/util.h"
#include "cmd/screen/history.h"
#include "cmd/screen/view.h"

#define ROW(row) ((const struct zh_top_flow *)(row))

SCREEN_NUMBER(rate, zh_top_flow, rate)
SCREEN_NUMBER(bytes, zh_top_flow, bytes_rate)
SCREEN_NUMBER(share, zh_top_flow, share)
SCREEN_NUMBER(cpu, zh_top_flow, cpu)
SCREEN_STRING(protocol, zh_top_flow, protocol)
SCREEN_STRING(from, zh_top_flow, from)
SCREEN_STRING(to, zh_top_flow, to)
SCREEN_STRING(from_who, zh_top_flow, from_who)
SCREEN_STRING(to_who, zh_top_flow, to_who)
SCREEN_STRING(device, zh_top_flow, device)
SCREEN_STRING(place, zh_top_flow, place)

static const struct screen_column columns[] = {
	{"PKT/s", "packets, scaled up from the sampled ones", SCREEN_RATE, 5, 6, .number = rate},
	{"CPU%", "of the sampled packets on its CPU", SCREEN_SHARE, 5, 5, 0.5, .number = share},
	{"CPU", "CPU that receives it", SCREEN_COUNT, 3, 4, .number = cpu},
	{"PROTO", "protocol", SCREEN_TEXT, 5, 6, .text = protocol},
	{"FROM", "sender's address and port", SCREEN_TEXT, 15, 47, .text = from},
	{"TO", "receiver's address and port", SCREEN_TEXT, 15, 47, .text = to},
	{"RECEIVER", "pod, else process, else namespace that gets it", SCREEN_TEXT, 13, 40,
		.text = to_who},
	{"HISTORY", "of PKT/s, newest at the right; full height is the row's largest",
		SCREEN_HISTORY, 8, SCREEN_SAMPLES},
	{"SENDER", "pod, else process, else namespace that sends it", SCREEN_TEXT, 13, 40,
		.text = from_who},
	{"DEVICE", "device that received it", SCREEN_TEXT, 10, 15, .text = device},
	{"WHERE", "namespace or pod of that device", SCREEN_TEXT, 14, 40, .text = place},
	{"B/s", "bytes", SCREEN_RATE, 5, 6, .number = bytes},
};

static const void *row_at(const struct zh_top_reading *reading, size_t i, size_t *ret_n)
{
	*ret_n = reading->n_flows;
	return i < reading->n_flows ? &reading->flows[i] : NULL;
}

/* The CPU belongs to it: a flow that moves is a row on either. */
static uint64_t identity(const void *row)
{
	const struct zh_top_flow *flow = row;
	uint64_t identity = screen_identity_text(SCREEN_IDENTITY, "flow");

	identity = screen_identity_text(identity, flow->protocol);
	identity = screen_identity_text(identity, flow->from);
	identity = screen_identity_text(identity, flow->to);
	identity = screen_identity_text(identity, flow->device);
	identity = screen_identity_text(identity, flow->place);
	return screen_identity_number(identity, (uint64_t)flow->cpu);
}

static const char *empty(const struct zh_top_reading *reading)
{
	(void)reading;
	return "no flow was sampled (flows need BPF, and --no-flows leaves them out)";
}

const struct screen_view screen_view_flows = {
	.name = "Flows",
	.empty = empty,
	.columns = columns,
	.n_columns = ZH_ARRAY_SIZE(columns),
	.row = row_at,
	.identity = identity,
	.figure = rate,
};
_Static_assert(ZH_ARRAY_SIZE(columns) <= SCREEN_COLUMNS, "too many columns");
