/* SPDX-License-Identifier: BSD-2-Clause */
/* What `zerohop explain` and the manual say about the stages. In the order of enum zh_stage_id. */
#include "explain/stage.h"

#include "base/util.h"

const struct zh_rule zh_stage_rules[] = {
	[ZH_STAGE_SEND] =
		{
			.id = "send",
			.code = "S1",
			.title = "Send call",
			.summary =
				"From the send call to the queueing of the packet at its device.",
			.why = "System call entry, copy from user space, route look-up, output "
			       "and post-routing hooks, tc egress programs. For Unix sockets "
			       "also the copy into the receiver's queue.",
			.evidence = "From the prober's own stamp before the call to net_dev_queue "
				    "(Unix sockets: to the wake-up of the receiver).",
		},
	[ZH_STAGE_HELD] =
		{
			.id = "held",
			.code = "S1b",
			.title = "Held by TCP",
			.summary = "TCP keeps the data although the send call has returned.",
			.why = "Nagle's algorithm waits for an acknowledgement, or pacing, a "
			       "closed window or a retransmission timer decides when the "
			       "packet leaves.",
			.evidence = "From the return of the send call to net_dev_queue, when the "
				    "packet was not queued inside the call.",
		},
	[ZH_STAGE_QDISC] =
		{
			.id = "qdisc",
			.code = "S2",
			.title = "Queue discipline",
			.summary = "The packet waits in the queue discipline of its device.",
			.why = "lo and veth have none by default. A shaper (tbf, htb) or a "
			       "queue shared with bulk traffic makes packets wait here without "
			       "dropping any.",
			.evidence = "From net_dev_queue or qdisc_enqueue to qdisc_dequeue or "
				    "net_dev_start_xmit.",
		},
	[ZH_STAGE_DEVICE] =
		{
			.id = "device",
			.code = "S3",
			.title = "Device",
			.summary = "The device hands the packet over: lo, veth, macvlan, bridge "
				   "port.",
			.why = "On virtual devices this is a function call that ends in "
			       "netif_rx; it is short unless the CPU is taken away meanwhile.",
			.evidence = "From net_dev_start_xmit to netif_rx of the receiving side.",
		},
	[ZH_STAGE_BACKLOG] =
		{
			.id = "backlog",
			.code = "S4",
			.title = "CPU backlog",
			.summary = "The packet waits in a CPU's backlog for the NET_RX softirq.",
			.why = "On an idle loopback the sender itself runs the softirq at once. "
			       "With many packets ahead, softirqs deferred to ksoftirqd, or "
			       "steering to another CPU it waits.",
			.evidence = "From netif_rx to netif_receive_skb; the CPU is the one that "
				    "received it.",
		},
	[ZH_STAGE_FORWARD] =
		{
			.id = "forward",
			.code = "S3b",
			.title = "Forwarding",
			.summary = "Bridging or routing from one device to the next.",
			.why = "A pod's packet crosses several devices on one machine; each "
			       "bridge and each routing step adds this stage and another "
			       "device and backlog stage.",
			.evidence = "From netif_receive_skb on one device to the queueing at the "
				    "next.",
		},
	[ZH_STAGE_PROTOCOL] =
		{
			.id = "protocol",
			.code = "S5",
			.title = "Protocol receive",
			.summary = "IP and transport receive processing up to the socket.",
			.why = "tc ingress programs, pre-routing and input hooks, socket "
			       "look-up, queueing to the socket; for an ICMP echo also the "
			       "kernel's own answer.",
			.evidence = "From netif_receive_skb to the socket's filter or to the "
				    "wake-up of the receiver, without the time between "
				    "netfilter brackets.",
		},
	[ZH_STAGE_NETFILTER] =
		{
			.id = "netfilter",
			.code = "S5b",
			.title = "Netfilter hooks",
			.summary = "Hook functions: nftables, iptables, connection tracking.",
			.why = "Long linear rule sets are walked for every packet, in each hook "
			       "they hang on.",
			.evidence = "Between our first and last BPF programs of a hook, attached "
				    "only where rules exist (kernel 6.4 or later).",
		},
	[ZH_STAGE_WAKE_IPI] =
		{
			.id = "wake-ipi",
			.code = "S6",
			.title = "Wake-up issue",
			.summary = "The waker tells the scheduler, and if need be another CPU, to "
				   "run the receiver.",
			.why = "On the same CPU it takes about a microsecond. To another CPU an "
			       "inter-processor interrupt is sent; in a virtual machine that "
			       "is an exit to the hypervisor, 20 to 100 us.",
			.evidence = "From sched_waking to sched_wakeup of the receiver.",
		},
	[ZH_STAGE_IDLE_EXIT] =
		{
			.id = "idle-exit",
			.code = "S7",
			.title = "Idle exit",
			.summary = "The receiver's CPU leaves an idle state.",
			.why = "Deep C-states take up to a millisecond to leave; a halted "
			       "virtual CPU must be scheduled again by its host, which can "
			       "take many milliseconds.",
			.evidence = "From sched_wakeup until the target CPU reports the end of "
				    "idle, or until it switches from the idle task.",
		},
	[ZH_STAGE_RUN_QUEUE] =
		{
			.id = "run-queue",
			.code = "S8",
			.title = "Run queue",
			.summary = "The receiver is runnable and waits for its CPU.",
			.why = "Another task, an interrupt or a softirq has the CPU.",
			.evidence = "From sched_wakeup, or the end of idle, to the sched_switch to "
				    "the receiver.",
		},
	[ZH_STAGE_PICK_UP] =
		{
			.id = "pick-up",
			.code = "S8b",
			.title = "Pick-up",
			.summary = "The packet is in the socket's queue; the receiver was not "
				   "asleep in receive and takes it later.",
			.why = "Normal for ICMP on lo, where the sender receives its own reply "
			       "after the send call. Long when the receiver is stopped, busy "
			       "or preempted.",
			.evidence = "From the socket (or the last receive stamp) to user space, "
				    "with no wake-up of the receiver between.",
		},
	[ZH_STAGE_RESUME] =
		{
			.id = "resume",
			.code = "S9",
			.title = "Resume and copy",
			.summary =
				"From the switch to the receiver until its receive call returns.",
			.why = "Context switch, copy to user space, return from the system "
			       "call. Long when the thread is preempted or throttled on its "
			       "way.",
			.evidence = "From sched_switch to the user stamp behind the receive "
				    "call.",
		},
	[ZH_STAGE_PEER] =
		{
			.id = "peer",
			.code = "S10",
			.title = "Peer",
			.summary = "The responder's own time between receiving the request and "
				   "sending the reply.",
			.why = "It is the application, not the network. With zerohop's own "
			       "responder it is a few microseconds.",
			.evidence = "From the responder's stamp behind receive to its stamp before "
				    "send.",
		},
	[ZH_STAGE_REQUEST] =
		{
			.id = "request",
			.code = "T0",
			.title = "Request leg",
			.summary = "The request's whole way, when no stamps were taken on it.",
			.why = "Without packet tracing the parts of a leg cannot be told apart.",
			.evidence = "From the send stamp to the responder's receive stamp.",
		},
	[ZH_STAGE_REPLY] =
		{
			.id = "reply",
			.code = "T0",
			.title = "Reply leg",
			.summary = "The reply's whole way, when no stamps were taken on it.",
			.why = "Without packet tracing the parts of a leg cannot be told apart.",
			.evidence = "From the responder's send stamp to the receive stamp, or to "
				    "the kernel's receive stamp.",
		},
	[ZH_STAGE_DELIVER] =
		{
			.id = "deliver",
			.code = "T0",
			.title = "Delivery",
			.summary = "From the kernel's receive stamp to user space.",
			.why = "Backlog, protocol, wake-up, run queue and copy together. Plain "
			       "ping does not show this part at all.",
			.evidence = "From SO_TIMESTAMPING's software receive stamp to the user "
				    "stamp behind receive.",
		},
	[ZH_STAGE_ROUND_TRIP] =
		{
			.id = "round-trip",
			.code = "T0",
			.title = "Round trip",
			.summary = "A stretch with nothing known inside.",
			.why = "Without packet tracing, and with a foreign or in-kernel "
			       "responder, only the whole can be seen.",
			.evidence = "From the send stamp to the next stamp there is.",
		},
	[ZH_STAGE_LATENESS] =
		{
			.id = "lateness",
			.code = "S0",
			.title = "Lateness",
			.summary = "The probe itself was sent later than planned.",
			.why = "Whatever delayed the prober's wake-up by its timer delays any "
			       "program that sleeps on that CPU. It is not part of the RTT.",
			.evidence =
				"From the intended send time to the stamp before the send call.",
		},
	[ZH_STAGE_MAX] = {.id = NULL},
};

_Static_assert(ZH_ARRAY_SIZE(zh_stage_rules) == ZH_STAGE_MAX + 1, "a stage lacks its text");
