/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples and their stamps: one probe, and where its packet and the thread that waits for it were
 * seen. Times are ns on CLOCK_MONOTONIC; 0 means "not taken".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where on its way a packet, or the thread that waits for it, was seen. */
enum zh_point {
	ZH_POINT_NONE,
	ZH_POINT_SEND,      /* user: before the send syscall (leg 1: of the responder) */
	ZH_POINT_TX_QUEUE,  /* net_dev_queue; arg = ifindex */
	ZH_POINT_QDISC_IN,  /* qdisc_enqueue; arg = ifindex */
	ZH_POINT_QDISC_OUT, /* qdisc_dequeue; arg = ifindex */
	ZH_POINT_TX_XMIT,   /* net_dev_start_xmit; arg = ifindex */
	ZH_POINT_NETIF_RX,  /* netif_rx: put into a CPU's backlog; arg = ifindex */
	ZH_POINT_RX,        /* netif_receive_skb: taken up by NET_RX; arg = ifindex */
	ZH_POINT_NF_IN,     /* before the first netfilter hook function; arg = hook number */
	ZH_POINT_NF_OUT,    /* behind the last one; arg = hook number */
	ZH_POINT_SOCK,      /* socket filter of the receiving socket: about to be queued there */
	ZH_POINT_WAKING,    /* sched_waking of the receiver, on the waker's CPU; arg = target CPU */
	ZH_POINT_WAKEUP, /* sched_wakeup of the receiver; cpu = where it fired, arg = target CPU */
	ZH_POINT_RUN,    /* sched_switch to the receiver; arg = pid that ran before */
	ZH_POINT_RECV,   /* user: recv returned (leg 0: at the responder, leg 1: at the prober) */
	ZH_POINT_SENT,   /* user: the send syscall returned (not on the packet's way) */
	ZH_POINT_DROP,   /* kfree_skb of the packet; arg = drop reason number */
	ZH_POINT_MAX
};

/* One stamp: 16 bytes. leg 0 is the request, leg 1 the reply. */
struct zh_stamp {
	uint64_t ns;
	uint32_t arg;
	uint8_t point; /* enum zh_point */
	uint8_t leg;
	uint16_t cpu;
};

enum zh_sample_flag {
	ZH_SAMPLE_LOST = 1 << 0,        /* no reply before the timeout */
	ZH_SAMPLE_LATE = 1 << 1,        /* reply after the timeout; recv_ns is set */
	ZH_SAMPLE_DUPLICATE = 1 << 2,   /* more than one reply */
	ZH_SAMPLE_SEND_FAILED = 1 << 3, /* send returned an error; send_errno */
	ZH_SAMPLE_INCOMPLETE = 1 << 4,  /* a stamp or event is missing, or stepped back in time */
	ZH_SAMPLE_OVERRUN = 1 << 5,     /* the event rings were overwritten before they were read */
	ZH_SAMPLE_WARMUP = 1 << 6,      /* not part of any statistic */
};

/* One probe. The RTT is recv_ns - send_ns; the lateness is send_ns - intended_ns. */
struct zh_sample {
	uint32_t seq;   /* unique in the record, from 0 */
	uint16_t phase; /* index into phases */
	uint16_t flags; /* enum zh_sample_flag */
	uint64_t intended_ns;
	uint64_t send_ns, sent_ns;                         /* before and after the send syscall */
	uint64_t recv_ns;                                  /* after the recv syscall; 0 = lost */
	uint64_t peer_recv_ns, peer_send_ns, peer_sent_ns; /* own responder; 0 = none */
	uint64_t ktx_ns, krx_ns; /* kernel software stamps, converted to CLOCK_MONOTONIC */
	uint16_t send_cpu, recv_cpu, peer_cpu;
	int16_t send_errno;        /* positive errno of a failed send */
	uint32_t stamps, n_stamps; /* range in the record's stamps; n_stamps 0 = none kept */
	uint32_t events,
		n_events; /* range in the record's events, all CPUs, by time; 0 = not kept */
	uint64_t bpf_ns;  /* run time of other people's BPF programs on the path meanwhile */
};

static inline bool zh_sample_answered(const struct zh_sample *s)
{
	return s->recv_ns != 0 && !(s->flags & (ZH_SAMPLE_LOST | ZH_SAMPLE_WARMUP));
}
static inline uint64_t zh_sample_rtt(const struct zh_sample *s)
{
	return s->recv_ns - s->send_ns;
}
static inline uint64_t zh_sample_lateness(const struct zh_sample *s)
{
	return s->send_ns > s->intended_ns ? s->send_ns - s->intended_ns : 0;
}
