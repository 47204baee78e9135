/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_socket_buffer_full = {
	.rule =
		{
			.id = "socket-buffer-full",
			.code = "D2",
			.title = "Socket buffer full",
			.summary = "The receiving socket's buffer was full.",
			.why = "A program that does not read as fast as packets come fills its "
			       "socket's buffer; what comes then is dropped there, with no "
			       "trace on any device.",
			.evidence = "Drop reason SOCKET_RCVBUFF or PROTO_MEM of our own packet, "
				    "or UDP's RcvbufErrors that moved.",
			.verify = "RcvbufErrors stops moving.",
			.cure = "Read faster, or raise SO_RCVBUF and net.core.rmem_max.",
			.cost = "Memory, and older data in the queue.",
			.needs = (const char *const[]){"trace.packets", "snmp.Udp.RcvbufErrors",
				NULL},
		},
	.run = run,
};
