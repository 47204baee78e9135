/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record: everything one run measured. Probes, tracing and facts write it, explain reads it,
 * and a file keeps it. All times are ns on CLOCK_MONOTONIC of the measured machine; 0 means
 * "not taken". All arrays are preallocated: nothing here allocates while probes run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/fact-set.h"

#define ZH_COMM_LEN 16
#define ZH_NONE UINT32_MAX

/* Where on its way a packet, or the thread that waits for it, was seen. */
enum zh_point {
	ZH_POINT_NONE,
	ZH_POINT_SEND,	    /* user: before the send syscall (leg 1: of the responder) */
	ZH_POINT_TX_QUEUE,  /* net_dev_queue; arg = ifindex */
	ZH_POINT_QDISC_IN,  /* qdisc_enqueue; arg = ifindex */
	ZH_POINT_QDISC_OUT, /* qdisc_dequeue; arg = ifindex */
	ZH_POINT_TX_XMIT,   /* net_dev_start_xmit; arg = ifindex */
	ZH_POINT_NETIF_RX,  /* netif_rx: put into a CPU's backlog; arg = ifindex */
	ZH_POINT_RX,	    /* netif_receive_skb: taken up by NET_RX; arg = ifindex */
	ZH_POINT_NF_IN,	    /* before the first netfilter hook function; arg = hook number */
	ZH_POINT_NF_OUT,    /* behind the last one; arg = hook number */
	ZH_POINT_SOCK,	    /* socket filter of the receiving socket: about to be queued there */
	ZH_POINT_WAKING,    /* sched_waking of the receiver, on the waker's CPU; arg = target CPU */
	ZH_POINT_WAKEUP, /* sched_wakeup of the receiver; cpu = where it fired, arg = target CPU */
	ZH_POINT_RUN,	 /* sched_switch to the receiver; arg = pid that ran before */
	ZH_POINT_RECV,	 /* user: recv returned (leg 0: at the responder, leg 1: at the prober) */
	ZH_POINT_SENT,	 /* user: the send syscall returned (not on the packet's way) */
	ZH_POINT_DROP,	 /* kfree_skb of the packet; arg = drop reason number */
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
	ZH_SAMPLE_LOST = 1 << 0,	/* no reply before the timeout */
	ZH_SAMPLE_LATE = 1 << 1,	/* reply after the timeout; recv_ns is set */
	ZH_SAMPLE_DUPLICATE = 1 << 2,	/* more than one reply */
	ZH_SAMPLE_SEND_FAILED = 1 << 3, /* send returned an error; send_errno */
	ZH_SAMPLE_INCOMPLETE = 1 << 4,	/* a stamp or event is missing, or stepped back in time */
	ZH_SAMPLE_OVERRUN = 1 << 5,	/* the event rings were overwritten before they were read */
	ZH_SAMPLE_WARMUP = 1 << 6,	/* not part of any statistic */
};

/* One probe. The RTT is recv_ns - send_ns; the lateness is send_ns - intended_ns. */
struct zh_sample {
	uint32_t seq;	/* unique in the record, from 0 */
	uint16_t phase; /* index into phases */
	uint16_t flags; /* enum zh_sample_flag */
	uint64_t intended_ns;
	uint64_t send_ns, sent_ns;			   /* before and after the send syscall */
	uint64_t recv_ns;				   /* after the recv syscall; 0 = lost */
	uint64_t peer_recv_ns, peer_send_ns, peer_sent_ns; /* own responder; 0 = none */
	uint64_t ktx_ns, krx_ns; /* kernel software stamps, converted to CLOCK_MONOTONIC */
	uint16_t send_cpu, recv_cpu, peer_cpu;
	int16_t send_errno;	   /* positive errno of a failed send */
	uint32_t stamps, n_stamps; /* range in the record's stamps; n_stamps 0 = none kept */
	uint32_t events,
		n_events; /* range in the record's events, all CPUs, by time; 0 = not kept */
	uint64_t bpf_ns;  /* run time of other people's BPF programs on the path meanwhile */
};

/* Scheduler, interrupt and idle events around a kept sample: 40 bytes. */
enum zh_event_type {
	ZH_EVENT_NONE,
	ZH_EVENT_SWITCH, /* pid = next, arg = prev pid, arg2 = prev state | flags, comm = next */
	ZH_EVENT_WAKING, /* pid = woken, arg = target CPU, arg2 = waker pid */
	ZH_EVENT_WAKEUP, /* pid = woken, arg = target CPU */
	ZH_EVENT_IRQ_IN, /* arg = irq number, comm = action name (first 15 characters) */
	ZH_EVENT_IRQ_OUT,
	ZH_EVENT_VECTOR_IN, /* arg = enum zh_vector */
	ZH_EVENT_VECTOR_OUT,
	ZH_EVENT_SOFTIRQ_RAISE, /* arg = softirq vector number (3 = NET_RX) */
	ZH_EVENT_SOFTIRQ_IN,
	ZH_EVENT_SOFTIRQ_OUT,
	ZH_EVENT_NMI,	  /* arg = duration in ns, at its end */
	ZH_EVENT_IDLE_IN, /* arg = state index */
	ZH_EVENT_IDLE_OUT,
	ZH_EVENT_IPI_SEND,   /* arg = target CPU */
	ZH_EVENT_NAPI_POLL,  /* arg = work, arg2 = budget */
	ZH_EVENT_RECLAIM_IN, /* direct reclaim or compaction begins; pid */
	ZH_EVENT_RECLAIM_OUT,
	ZH_EVENT_FAULT,	  /* page fault of a probe thread; pid */
	ZH_EVENT_MIGRATE, /* pid, arg = new CPU */
	ZH_EVENT_TIMER,	  /* the prober's wake-up timer fired; arg = lateness in ns */
	ZH_EVENT_DROP,	  /* a foreign packet was dropped; arg = reason */
	ZH_EVENT_MAX
};

enum zh_vector { /* x86 names; only those that exist on the machine occur */
	ZH_VECTOR_TIMER,
	ZH_VECTOR_RESCHEDULE,
	ZH_VECTOR_CALL_FUNCTION,
	ZH_VECTOR_IRQ_WORK,
	ZH_VECTOR_PLATFORM_IPI,
	ZH_VECTOR_THERMAL,
	ZH_VECTOR_OTHER,
	ZH_VECTOR_MAX
};

/* arg2 of ZH_EVENT_SWITCH: low 16 bits the task state of prev, then these. */
enum zh_switch_flag {
	ZH_SWITCH_PREV_THROTTLED =
		1 << 16,	     /* prev's CFS group is over its quota and prev is parked */
	ZH_SWITCH_NEXT_RT = 1 << 17, /* next is SCHED_FIFO / RR / DEADLINE */
	ZH_SWITCH_NEXT_KTHREAD = 1 << 18,
};

struct zh_event {
	uint64_t ns;
	uint32_t pid, arg, arg2;
	uint16_t cpu;
	uint8_t type; /* enum zh_event_type */
	uint8_t flags;
	char comm[ZH_COMM_LEN];
};

enum zh_transport_id {
	ZH_TRANSPORT_ICMP,
	ZH_TRANSPORT_UDP,
	ZH_TRANSPORT_TCP,
	ZH_TRANSPORT_UNIX_STREAM,
	ZH_TRANSPORT_UNIX_DGRAM,
	ZH_TRANSPORT_MAX
};

/* One stretch of probing with constant settings. */
struct zh_phase {
	char label[32];	    /* "main", "gap-1ms", "clean-room", "app" */
	char target[128];   /* as resolved: "127.0.0.1", "udp:127.0.0.1:40000" */
	uint8_t transport;  /* enum zh_transport_id */
	uint8_t clean_room; /* probed in a fresh network namespace */
	uint8_t traced;	    /* packet stamps and events were on */
	uint8_t own_responder;
	uint64_t gap_ns; /* intended time between sends */
	uint64_t timeout_ns;
	uint32_t size_bytes;
	uint32_t first, n;		    /* range of samples */
	uint32_t prober_pid, responder_pid; /* thread ids; 0 = no own responder */
	uint64_t start_ns, end_ns;
};

/* Something that could not be measured, with the reason. */
struct zh_not_measured {
	char what[64];
	char why[200];
};

/* A counter of the tool itself: losses and runs of its hooks. */
struct zh_counter {
	char name[64]; /* e.g. "trace.lost_events", "trace.runs.net_dev_queue" */
	uint64_t value;
};

struct zh_record {
	/* about the run */
	char version[32], command[32], host[64], kernel[96];
	uint64_t start_realtime_ns, start_ns, end_ns;
	uint32_t n_cpus, hz; /* hz 0 = unknown */
	bool interrupted;    /* ended early by Ctrl-C */

	struct zh_fact_set before, after; /* snapshots around the probing; may be empty */

	struct zh_phase *phases;
	size_t n_phases, max_phases;
	struct zh_sample *samples;
	size_t n_samples, max_samples;
	struct zh_stamp *stamps;
	size_t n_stamps, max_stamps;
	struct zh_event *events;
	size_t n_events, max_events;
	struct zh_not_measured *not_measured;
	size_t n_not_measured;
	struct zh_counter *counters; /* of the tool itself */
	size_t n_counters;

	/* own cost: median RTT of back-to-back probes without and with tracing; 0 = not measured */
	uint64_t overhead_bare_p50_ns, overhead_traced_p50_ns;
	double overhead_cpu_share; /* own CPU time / (wall time * CPUs); < 0 = not measured */
};

struct zh_record_limits {
	size_t phases, samples, stamps, events;
};

/* Allocates and touches all arrays. NULL only when out of memory. */
struct zh_record *zh_record_new(const struct zh_record_limits *limits);
struct zh_record *zh_record_free(struct zh_record *record);

/* Bounds of the two small lists; both are preallocated, so that noting something never allocates.
 */
#define ZH_NOT_MEASURED_MAX 128
#define ZH_COUNTERS_MAX 256

/* Notes that `what` could not be measured; printf-style reason. The same `what` is kept once, with
 * its first reason; when the list is full, its last entry says so. */
void zh_record_not_measured(struct zh_record *record, const char *what, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds `value` to the counter `name` (at most UINT64_MAX), which starts at 0. */
void zh_record_counter(struct zh_record *record, const char *name, uint64_t value);

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

/*
 * The file (extension .zhr): an SQLite database, so that users can query it. Writing goes to a
 * temporary file beside `path` and is renamed when complete: a full disk or a kill leaves the old
 * file or none. 0, or a negative errno with err set (-EINVAL: not a record, or damaged).
 */
int zh_record_save(const struct zh_record *record, const char *path, struct zh_err *err);
int zh_record_load(const char *path, struct zh_record **ret_record, struct zh_err *err);
