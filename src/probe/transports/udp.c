/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/responder.h"
#include "probe/transport.h"

const struct zh_transport zh_transport_udp = {
	.id = ZH_TRANSPORT_UDP,
	.name = "udp",
	.prefix = "udp",
	.summary = "UDP datagrams to an own responder, or to an echo service",
	.flags = ZH_TRANSPORT_RESPONDER | ZH_TRANSPORT_INET | ZH_TRANSPORT_PORTS,
	.max_bytes = 65507,
	.socket_type = SOCK_DGRAM,
	.socket = zh_channel_socket,
	.frame = zh_channel_frame,
	.parse = zh_channel_parse,
	.respond = zh_respond_datagrams,
};
