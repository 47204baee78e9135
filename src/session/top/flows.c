/* SPDX-License-Identifier: BSD-2-Clause */
/* The flows with most packets; one in so many packets was counted, scaled up. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/top/internal.h"

#define ROWS_SHOWN 64
#define OWNERS_SHOWN 16 /* rows whose ends are looked up */

static const char *protocol_name(uint8_t protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return "icmp";
	case IPPROTO_SCTP:
		return "sctp";
	default:
		return NULL;
	}
}

static void write_end(char *buf, size_t size, uint8_t family, const uint8_t *ip, uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family == 4 ? AF_INET : AF_INET6, ip, text, sizeof(text));
	if (!port)
		snprintf(buf, size, "%s", text);
	else
		snprintf(buf, size, family == 4 ? "%s:%u" : "[%s]:%u", text, port);
}

static double cpu_packets(const struct zh_top *top, unsigned int cpu)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < top->n_flows; i++)
		if (top->flows[i].cpu == cpu)
			sum += top->flows[i].packets;
	return (double)sum;
}

static void set_row(struct zh_top *top, const struct zh_live_flow *flow, struct zh_top_flow *ret,
	uint64_t interval_ns)
{
	const struct top_link *link = top_links_find(&top->links, flow->netns, flow->ifindex);
	const char *protocol = protocol_name(flow->protocol);
	double packets = cpu_packets(top, flow->cpu);

	if (protocol)
		snprintf(ret->protocol, sizeof(ret->protocol), "%s", protocol);
	else
		snprintf(ret->protocol, sizeof(ret->protocol), "ip %u", flow->protocol);
	write_end(ret->from, sizeof(ret->from), flow->family, flow->from, flow->from_port);
	write_end(ret->to, sizeof(ret->to), flow->family, flow->to, flow->to_port);
	if (link)
		memcpy(ret->device, link->name, sizeof(ret->device));
	else
		snprintf(ret->device, sizeof(ret->device), "if%u", flow->ifindex);
	if (!top_map_place(&top->map, flow->netns, ret->place, sizeof(ret->place)) || !link)
		top->wants_scan = true;
	ret->cpu = flow->cpu;
	ret->rate = top_rate(flow->packets, 0, interval_ns);
	ret->bytes_rate = top_rate(flow->bytes, 0, interval_ns);
	ret->share = packets > 0 ? (double)flow->packets / packets : -1;
}

void top_flows_take(struct zh_top *top)
{
	top->n_flows = 0;
	if (!top->live || !zh_live_has(top->live, "flows"))
		return;
	if (!top->flows)
		top->flows = calloc(ZH_LIVE_FLOWS, sizeof(*top->flows));
	if (top->flows)
		top->n_flows = zh_live_top_flows(top->live, top->flows, ZH_LIVE_FLOWS);
}

int top_flows_read(struct zh_top *top, uint64_t interval_ns, struct zh_err *err)
{
	struct zh_top_reading *reading = &top->reading;

	reading->n_flows = 0;
	if (!top->live || !zh_live_has(top->live, "flows"))
		return 0;
	if (!reading->flows)
		reading->flows = calloc(ROWS_SHOWN, sizeof(*reading->flows));
	if (!top->flows || !reading->flows)
		return zh_err_set(err, -ENOMEM, "out of memory");
	/* Before the first read packets were counted for a moment only. */
	for (size_t i = 0; interval_ns && i < top->n_flows && reading->n_flows < ROWS_SHOWN; i++) {
		const struct zh_live_flow *flow = &top->flows[i];
		struct zh_top_flow *row = &reading->flows[reading->n_flows];

		if (top->config.only_here && top_map_netns(&top->map, flow->netns) != 0)
			continue;
		*row = (struct zh_top_flow){};
		set_row(top, flow, row, top->window_ns);
		if (reading->n_flows++ >= OWNERS_SHOWN)
			continue;
		top_owner_of(top, flow->netns, flow, true, row->from_who, sizeof(row->from_who));
		top_owner_of(top, flow->netns, flow, false, row->to_who, sizeof(row->to_who));
	}
	return 0;
}
