/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/stage.h"

#include "base/util.h"

#define ANY 0xff

/* Two points of one leg; the first row that fits decides. ANY stands for every point. */
static const struct {
	uint8_t from, to;
	uint8_t stage;
} pairs[] = {
	{ZH_POINT_NF_IN, ZH_POINT_NF_OUT, ZH_STAGE_NETFILTER},
	{ZH_POINT_SEND, ZH_POINT_NF_IN, ZH_STAGE_SEND},
	{ZH_POINT_SEND, ZH_POINT_TX_QUEUE, ZH_STAGE_SEND},
	{ZH_POINT_SEND, ZH_POINT_QDISC_IN, ZH_STAGE_SEND},
	{ZH_POINT_SEND, ZH_POINT_TX_XMIT, ZH_STAGE_SEND},
	{ZH_POINT_SEND, ZH_POINT_SOCK, ZH_STAGE_SEND},   /* Unix sockets */
	{ZH_POINT_SEND, ZH_POINT_WAKING, ZH_STAGE_SEND}, /* Unix sockets */
	{ZH_POINT_NF_OUT, ZH_POINT_TX_QUEUE, ZH_STAGE_SEND},
	{ZH_POINT_RX, ZH_POINT_TX_QUEUE, ZH_STAGE_FORWARD},
	{ZH_POINT_RX, ZH_POINT_TX_XMIT, ZH_STAGE_FORWARD},
	{ZH_POINT_TX_QUEUE, ZH_POINT_QDISC_IN, ZH_STAGE_QDISC},
	{ANY, ZH_POINT_QDISC_OUT, ZH_STAGE_QDISC},
	{ZH_POINT_TX_QUEUE, ZH_POINT_TX_XMIT, ZH_STAGE_QDISC},
	{ZH_POINT_QDISC_IN, ZH_POINT_TX_XMIT, ZH_STAGE_QDISC},
	{ZH_POINT_QDISC_OUT, ZH_POINT_TX_XMIT, ZH_STAGE_DEVICE},
	{ZH_POINT_TX_QUEUE, ZH_POINT_NETIF_RX, ZH_STAGE_DEVICE},
	{ZH_POINT_TX_XMIT, ANY, ZH_STAGE_DEVICE},
	{ZH_POINT_TX_QUEUE, ZH_POINT_RX, ZH_STAGE_DEVICE},
	{ZH_POINT_NETIF_RX, ZH_POINT_RX, ZH_STAGE_BACKLOG},
	{ZH_POINT_NETIF_RX, ZH_POINT_NF_IN, ZH_STAGE_BACKLOG},
	{ZH_POINT_NETIF_RX, ZH_POINT_SOCK, ZH_STAGE_BACKLOG},
	{ZH_POINT_RX, ZH_POINT_RX, ZH_STAGE_PROTOCOL}, /* stacked devices */
	{ZH_POINT_RX, ZH_POINT_NF_IN, ZH_STAGE_PROTOCOL},
	{ZH_POINT_RX, ZH_POINT_SOCK, ZH_STAGE_PROTOCOL},
	{ZH_POINT_RX, ZH_POINT_WAKING, ZH_STAGE_PROTOCOL},
	{ZH_POINT_NF_OUT, ZH_POINT_NF_IN, ZH_STAGE_PROTOCOL},
	{ZH_POINT_NF_OUT, ZH_POINT_SOCK, ZH_STAGE_PROTOCOL},
	{ZH_POINT_NF_OUT, ZH_POINT_WAKING, ZH_STAGE_PROTOCOL},
	{ZH_POINT_SOCK, ZH_POINT_WAKING, ZH_STAGE_PROTOCOL},
	{ZH_POINT_WAKING, ZH_POINT_WAKEUP, ZH_STAGE_WAKE_IPI},
	{ZH_POINT_WAKING, ZH_POINT_RUN, ZH_STAGE_RUN_QUEUE},
	{ZH_POINT_WAKEUP, ZH_POINT_RUN, ZH_STAGE_RUN_QUEUE},
	{ZH_POINT_WAKING, ZH_POINT_RECV, ZH_STAGE_RUN_QUEUE},
	{ZH_POINT_WAKEUP, ZH_POINT_RECV, ZH_STAGE_RUN_QUEUE},
	{ZH_POINT_RUN, ZH_POINT_WAKING, ZH_STAGE_RESUME}, /* it went to sleep once more */
	{ZH_POINT_RUN, ZH_POINT_RECV, ZH_STAGE_RESUME},
	{ZH_POINT_SOCK, ZH_POINT_RUN, ZH_STAGE_PICK_UP},
	{ZH_POINT_SOCK, ZH_POINT_RECV, ZH_STAGE_PICK_UP},
	{ZH_POINT_RX, ZH_POINT_RUN, ZH_STAGE_PICK_UP},
	{ZH_POINT_RX, ZH_POINT_RECV, ZH_STAGE_PICK_UP},
	{ZH_POINT_NF_OUT, ZH_POINT_RECV, ZH_STAGE_PICK_UP},
	{ZH_POINT_KRX, ZH_POINT_RECV, ZH_STAGE_DELIVER},
};

/*
 * From the request to the reply. User space answers between RECV and SEND; the kernel itself
 * answers an ICMP echo inside the request's receive path, before its reply is queued.
 */
static enum zh_stage_id across_legs(unsigned int from, unsigned int to)
{
	if (from == ZH_POINT_RECV && to == ZH_POINT_SEND)
		return ZH_STAGE_PEER;
	if (from == ZH_POINT_SEND)
		return ZH_STAGE_ROUND_TRIP;
	if (from != ZH_POINT_RECV && (to == ZH_POINT_TX_QUEUE || to == ZH_POINT_NF_IN))
		return ZH_STAGE_PROTOCOL;
	return ZH_STAGE_ROUND_TRIP;
}

enum zh_stage_id zh_stage_between(
	unsigned int from, unsigned int from_leg, unsigned int to, unsigned int to_leg)
{
	size_t i;

	if (from_leg != to_leg)
		return across_legs(from, to);
	for (i = 0; i < ZH_ARRAY_SIZE(pairs); i++)
		if ((pairs[i].from == ANY || pairs[i].from == from) &&
			(pairs[i].to == ANY || pairs[i].to == to))
			return pairs[i].stage;
	return to_leg ? ZH_STAGE_REPLY : ZH_STAGE_REQUEST;
}

static const struct {
	uint32_t cap_us; /* UINT32_MAX: the median, whatever it is */
	uint8_t kind;
} traits[ZH_STAGE_MAX] = {
	[ZH_STAGE_SEND] = {100, ZH_STAGE_THREAD},
	[ZH_STAGE_HELD] = {0, ZH_STAGE_QUEUE},
	[ZH_STAGE_QDISC] = {5, ZH_STAGE_QUEUE},
	[ZH_STAGE_DEVICE] = {30, ZH_STAGE_WORK},
	[ZH_STAGE_BACKLOG] = {30, ZH_STAGE_WORK},
	[ZH_STAGE_FORWARD] = {50, ZH_STAGE_WORK},
	[ZH_STAGE_PROTOCOL] = {60, ZH_STAGE_WORK},
	[ZH_STAGE_NETFILTER] = {5, ZH_STAGE_WORK},
	[ZH_STAGE_WAKE_IPI] = {5, ZH_STAGE_WORK},
	[ZH_STAGE_IDLE_EXIT] = {10, ZH_STAGE_WAIT},
	[ZH_STAGE_RUN_QUEUE] = {10, ZH_STAGE_WAIT},
	[ZH_STAGE_PICK_UP] = {60, ZH_STAGE_THREAD},
	[ZH_STAGE_RESUME] = {60, ZH_STAGE_THREAD},
	[ZH_STAGE_PEER] = {60, ZH_STAGE_THREAD},
	[ZH_STAGE_REQUEST] = {UINT32_MAX, ZH_STAGE_WHOLE},
	[ZH_STAGE_REPLY] = {UINT32_MAX, ZH_STAGE_WHOLE},
	[ZH_STAGE_DELIVER] = {UINT32_MAX, ZH_STAGE_WHOLE},
	[ZH_STAGE_ROUND_TRIP] = {UINT32_MAX, ZH_STAGE_WHOLE},
	[ZH_STAGE_LATENESS] = {UINT32_MAX, ZH_STAGE_WAIT},
};

uint64_t zh_stage_cap_ns(enum zh_stage_id stage)
{
	uint32_t cap = traits[stage].cap_us;

	return cap == UINT32_MAX ? UINT64_MAX : cap * ZH_NSEC_PER_USEC;
}

enum zh_stage_kind zh_stage_kind(enum zh_stage_id stage)
{
	return traits[stage].kind;
}
