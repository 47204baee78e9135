/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracing of the local path with tracepoints only, in tiers:
 *
 * recorder  scheduler, interrupt, idle and IPI events in per-CPU overwrite rings; user space reads
 *           only the window of a sample that is worth keeping.
 * softirq   when softirqs ran, for the recorder; each hook costs every packet of the machine.
 * packets   stamps of our own probes, gated by length, magic and id, appended to the sample's slot.
 * qdisc, netfilter   only where a queue discipline or rules are on the path.
 *
 * Every hook is optional: what the kernel lacks is reported as "not measured" with the reason.
 * Nothing is streamed; rings and slots are read through mmap. Closing detaches everything, and so
 * does the death of the process (links are file descriptors).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

struct zh_trace_config {
	/* softirq: when a softirq ran; softirq_detail: also when it was raised, and NAPI polls */
	bool recorder, packets, softirq, softirq_detail, qdisc, netfilter;
	int netns_fd, peer_netns_fd; /* for the netfilter brackets; -1: current / none */
	uint32_t run;                /* struct zh_wire's run id: only these packets are stamped */
	uint32_t size_bytes;         /* payload size of the probes */
};

struct zh_trace;

/*
 * Loads and attaches. Returns 0 when at least the recorder or the packet stamps work; what is
 * missing is noted in `record` (zh_record_not_measured). Negative when nothing can be traced, with
 * the reason in err; the caller goes on without (tier 0) and notes that reason.
 */
int zh_trace_open(const struct zh_trace_config *config, struct zh_record *record,
	struct zh_trace **ret, struct zh_err *err);
/* Detaches, frees; adds the run counters and losses to `record` (may be NULL). */
struct zh_trace *zh_trace_close(struct zh_trace *trace, struct zh_record *record);

/* Connects with a probe: the hooks of struct zh_probe_hooks call these. */
void zh_trace_socket(struct zh_trace *trace, int fd, bool responder);
void zh_trace_thread(struct zh_trace *trace, uint32_t tid, bool responder);
/* For TCP: the flow's ports (host order) and message size, since the payload is out of reach. */
void zh_trace_flow(struct zh_trace *trace, uint16_t local_port, uint16_t remote_port);
/* Turns stamping and recording on or off without attaching or detaching anything. */
void zh_trace_arm(struct zh_trace *trace, bool on);
/* Says which transport and sample sequence comes next (phase start). */
void zh_trace_phase(struct zh_trace *trace, enum zh_transport_id transport, uint32_t first_seq);

/*
 * Copies the stamps of a sample from its slot into record->stamps (as far as there is room) and
 * sets sample->stamps / n_stamps, sorted by time, user stamps not included. No allocation.
 */
void zh_trace_collect(struct zh_trace *trace, struct zh_record *record, struct zh_sample *sample);
/*
 * Copies the events of all CPUs in [from_ns, to_ns], plus for each CPU the state at from_ns as far
 * as the ring still holds it (the last SWITCH and the last IDLE event before from_ns), into
 * record->events, sorted by time; sets sample->events / n_events and flags an overrun.
 */
void zh_trace_window(struct zh_trace *trace, struct zh_record *record, struct zh_sample *sample,
	uint64_t from_ns, uint64_t to_ns);
/* True while a bracket or hook of that kind is attached. */
bool zh_trace_has(const struct zh_trace *trace,
	const char *what); /* "recorder", "packets", "softirq", "qdisc", "netfilter" */

/* Name of a drop reason number of the running kernel ("NETFILTER_DROP"), from BTF; NULL unknown. */
const char *zh_trace_drop_reason(const struct zh_trace *trace, uint32_t reason);

/*
 * Run time so far of other people's BPF programs that packets pass (tc, XDP, control group,
 * netfilter, lightweight tunnels), in ns; 0 when there are none. System-wide: an upper bound of
 * what they cost our packets. The kernel's run-time statistics are on only while such programs
 * exist. A system call a program: about 1 us each, at most 16.
 */
uint64_t zh_trace_foreign_ns(struct zh_trace *trace);
