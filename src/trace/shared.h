/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the BPF programs and the user side share: maps, the control block, and the list of hooks.
 *
 * Three maps are read through mmap: "zh_cpus" (one struct zh_trace_cpu a CPU), "zh_rings" (one
 * event ring a CPU, overwriting the oldest) and "zh_slots" (stamps of the newest ZH_TRACE_SLOTS
 * probes). The control block is the only variable in .bss, so that it starts there; the settings
 * that cannot change are the only variable in .rodata.
 */
#pragma once

#include "record/record.h"
#include "record/wire.h"

#define ZH_TRACE_SLOTS 2048u /* probes whose stamps are kept; a power of two */
#define ZH_TRACE_STAMPS 40u  /* stamps a probe; further ones are counted as lost */
#define ZH_TRACE_BATCH 8u    /* messages of one TCP segment that are stamped */

/*
 * Every tracepoint we attach to: X(name, group). A hook is attached only if the running kernel has
 * it and its group was asked for; enum zh_hook_group says when that is. The order gives the index
 * of the run counter.
 */
#define ZH_TRACE_HOOKS(X)                                                                          \
	X(sched_switch, RECORDER)                                                                  \
	X(sched_waking, RECORDER)                                                                  \
	X(sched_wakeup, RECORDER)                                                                  \
	X(sched_migrate_task, RECORDER)                                                            \
	X(irq_handler_entry, RECORDER)                                                             \
	X(irq_handler_exit, RECORDER)                                                              \
	X(local_timer_entry, VECTOR)                                                               \
	X(local_timer_exit, VECTOR)                                                                \
	X(reschedule_entry, VECTOR)                                                                \
	X(reschedule_exit, VECTOR)                                                                 \
	X(call_function_entry, VECTOR)                                                             \
	X(call_function_exit, VECTOR)                                                              \
	X(call_function_single_entry, VECTOR)                                                      \
	X(call_function_single_exit, VECTOR)                                                       \
	X(irq_work_entry, VECTOR)                                                                  \
	X(irq_work_exit, VECTOR)                                                                   \
	X(x86_platform_ipi_entry, VECTOR)                                                          \
	X(x86_platform_ipi_exit, VECTOR)                                                           \
	X(thermal_apic_entry, VECTOR)                                                              \
	X(thermal_apic_exit, VECTOR)                                                               \
	X(nmi_handler, RECORDER)                                                                   \
	X(cpu_idle, RECORDER)                                                                      \
	X(ipi_send_cpu, RECORDER)                                                                  \
	X(mm_vmscan_direct_reclaim_begin, RECORDER)                                                \
	X(mm_vmscan_direct_reclaim_end, RECORDER)                                                  \
	X(mm_vmscan_memcg_reclaim_begin, RECORDER)                                                 \
	X(mm_vmscan_memcg_reclaim_end, RECORDER)                                                   \
	X(mm_compaction_begin, RECORDER)                                                           \
	X(mm_compaction_end, RECORDER)                                                             \
	X(page_fault_user, VECTOR)                                                                 \
	X(page_fault_kernel, VECTOR)                                                               \
	X(softirq_raise, SOFTIRQ_DETAIL)                                                           \
	X(softirq_entry, SOFTIRQ)                                                                  \
	X(softirq_exit, SOFTIRQ)                                                                   \
	X(napi_poll, SOFTIRQ_DETAIL)                                                               \
	X(netif_rx, PACKETS)                                                                       \
	X(netif_receive_skb, PACKETS)                                                              \
	X(kfree_skb, PACKETS)                                                                      \
	X(net_dev_queue, QDISC)                                                                    \
	X(net_dev_start_xmit, QDISC)                                                               \
	X(qdisc_enqueue, QDISC)                                                                    \
	X(qdisc_dequeue, QDISC)

enum zh_hook {
#define ZH_TRACE_HOOK_ID(name, group) ZH_HOOK_##name,
	ZH_TRACE_HOOKS(ZH_TRACE_HOOK_ID)
#undef ZH_TRACE_HOOK_ID
	/* not tracepoints, but counted the same way */
	ZH_HOOK_socket_filter,
	ZH_HOOK_netfilter,
	ZH_HOOK_MAX
};

/* Written by programs on their own CPU only. A multiple of 64 bytes, so that CPUs share no line. */
struct zh_trace_cpu {
	uint64_t head;      /* events ever reserved in this CPU's ring */
	uint64_t lost;      /* stamps without room in their slot */
	uint64_t delivered; /* an echo reply was just put into a raw socket */
	uint64_t runs[ZH_HOOK_MAX];
} __attribute__((aligned(64)));

/* `owner` is (seq + 1) << 32 | stamps reserved so far, in one word so that claiming a slot for a
 * new probe and taking its first entry is one atomic step. */
struct zh_trace_slot {
	uint64_t owner;
	struct zh_stamp stamps[ZH_TRACE_STAMPS];
};

/* One of the two probe threads; index is enum zh_trace_role. */
enum zh_trace_role { ZH_TRACE_PROBER, ZH_TRACE_RESPONDER, ZH_TRACE_ROLES };

struct zh_trace_thread {
	uint32_t tid; /* in the initial pid namespace; 0 = none */
	/* Probes put into its socket that it has not yet run for: [first, last], if pending. */
	uint32_t pending, first, last;
	uint32_t pad[12];
};

/* Where one direction of the TCP stream stands: the message `id` starts at sequence `base`. */
struct zh_trace_stream {
	uint32_t known, base, id, pad;
};

struct zh_trace_control {
	uint32_t armed, packets;
	uint32_t transport;        /* enum zh_transport_id of the phase */
	uint32_t first_seq;        /* of the phase */
	uint32_t len_min, len_max; /* bounds of skb->len of our packets */
	uint32_t size;             /* of a message, bytes */
	uint32_t run;
	uint16_t local_port, remote_port; /* TCP, host order, as the prober sees them */
	uint32_t pad[7];
	struct zh_trace_stream streams[ZH_TRACE_ROLES]; /* index: leg */
	uint32_t pad2[8];
	struct zh_trace_thread threads[ZH_TRACE_ROLES];
};

/* Settings that are fixed at load, so that the verifier drops what the kernel lacks. */
struct zh_trace_settings {
	uint32_t n_cpus;          /* rings; events of CPUs beyond are not recorded */
	uint32_t ring_events;     /* a power of two */
	uint32_t has_prev_state;  /* sched_switch has the 4th argument */
	uint32_t has_drop_reason; /* kfree_skb has the 3rd argument */
	uint32_t no_socket;       /* number of that drop reason; 0 without reasons */
};
