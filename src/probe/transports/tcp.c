/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/responder.h"
#include "probe/transport.h"

const struct zh_transport zh_transport_tcp = {
	.id = ZH_TRANSPORT_TCP,
	.name = "tcp",
	.prefix = "tcp",
	.summary = "messages over one TCP connection to an own responder, or to an echo service",
	.flags = ZH_TRANSPORT_RESPONDER | ZH_TRANSPORT_INET | ZH_TRANSPORT_PORTS |
		 ZH_TRANSPORT_STREAM,
	.max_bytes = 1 << 20,
	.socket_type = SOCK_STREAM,
	.socket = zh_channel_socket,
	.frame = zh_channel_frame,
	.parse = zh_channel_parse,
	.respond = zh_respond_stream,
};
