/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The causes that tables name: those that claim time (claim-table.c) and those that claim lost
 * probes (loss.c). Their files register them; this only makes them known to the tables.
 */
#pragma once

#include "explain/explain.h"

extern const struct zh_cause zh_cause_qdisc_delay;
extern const struct zh_cause zh_cause_netfilter_rules;
extern const struct zh_cause zh_cause_bpf_program;
extern const struct zh_cause zh_cause_queue_ahead;
extern const struct zh_cause zh_cause_softirq_squeeze;
extern const struct zh_cause zh_cause_softirq_deferred;
extern const struct zh_cause zh_cause_softirq_blocked;
extern const struct zh_cause zh_cause_interference;
extern const struct zh_cause zh_cause_softirq_load;
extern const struct zh_cause zh_cause_rps_hop;
extern const struct zh_cause zh_cause_ipi_send;
extern const struct zh_cause zh_cause_idle_exit;
extern const struct zh_cause zh_cause_run_queue_wait;
extern const struct zh_cause zh_cause_cfs_throttle;
extern const struct zh_cause zh_cause_host_stall;
extern const struct zh_cause zh_cause_memory_reclaim;
extern const struct zh_cause zh_cause_tcp_delayed_ack;
extern const struct zh_cause zh_cause_late_responder;
extern const struct zh_cause zh_cause_timer_lateness;
extern const struct zh_cause zh_cause_tool_overhead;
extern const struct zh_cause zh_cause_backlog_overflow;
extern const struct zh_cause zh_cause_socket_buffer_full;
extern const struct zh_cause zh_cause_accept_overflow;
extern const struct zh_cause zh_cause_firewall_drop;
extern const struct zh_cause zh_cause_bpf_drop;
extern const struct zh_cause zh_cause_qdisc_drop;
extern const struct zh_cause zh_cause_device_drop;
extern const struct zh_cause zh_cause_route_drop;
extern const struct zh_cause zh_cause_conntrack_drop;
extern const struct zh_cause zh_cause_unix_queue_full;
extern const struct zh_cause zh_cause_unspecified_drop;
