/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/file.h"

#include <stdio.h>

#include "base/util.h"

#define FIELD(struct_, member, column, kind, max_)                                                 \
	{                                                                                          \
		column, ZH_FILE_##kind, offsetof(struct_, member),                                 \
			sizeof(((struct_ *)NULL)->member), max_                                    \
	}

const struct zh_file_field zh_file_run[] = {
	FIELD(struct zh_record, version, "version", TEXT, 0),
	FIELD(struct zh_record, command, "command", TEXT, 0),
	FIELD(struct zh_record, host, "host", TEXT, 0),
	FIELD(struct zh_record, kernel, "kernel", TEXT, 0),
	FIELD(struct zh_record, start_realtime_ns, "start_realtime_ns", U64, 0),
	FIELD(struct zh_record, start_ns, "start_ns", U64, 0),
	FIELD(struct zh_record, end_ns, "end_ns", U64, 0),
	FIELD(struct zh_record, n_cpus, "n_cpus", U32, UINT16_MAX),
	FIELD(struct zh_record, hz, "hz", U32, 0),
	FIELD(struct zh_record, interrupted, "interrupted", BOOL, 0),
	FIELD(struct zh_record, before.taken_ns, "before_ns", U64, 0),
	FIELD(struct zh_record, before.failed, "before_failed", BOOL, 0),
	FIELD(struct zh_record, after.taken_ns, "after_ns", U64, 0),
	FIELD(struct zh_record, after.failed, "after_failed", BOOL, 0),
	FIELD(struct zh_record, overhead_bare_p50_ns, "overhead_bare_p50_ns", U64, 0),
	FIELD(struct zh_record, overhead_traced_p50_ns, "overhead_traced_p50_ns", U64, 0),
	FIELD(struct zh_record, overhead_cpu_share, "overhead_cpu_share", REAL, 0),
	{},
};

static const struct zh_file_field phase_fields[] = {
	FIELD(struct zh_phase, label, "label", TEXT, 0),
	FIELD(struct zh_phase, target, "target", TEXT, 0),
	FIELD(struct zh_phase, transport, "transport", U8, ZH_TRANSPORT_MAX - 1),
	FIELD(struct zh_phase, clean_room, "clean_room", U8, 1),
	FIELD(struct zh_phase, traced, "traced", U8, 1),
	FIELD(struct zh_phase, own_responder, "own_responder", U8, 1),
	FIELD(struct zh_phase, gap_ns, "gap_ns", U64, 0),
	FIELD(struct zh_phase, timeout_ns, "timeout_ns", U64, 0),
	FIELD(struct zh_phase, size_bytes, "size_bytes", U32, 0),
	FIELD(struct zh_phase, first, "first_sample", U32, 0),
	FIELD(struct zh_phase, n, "n_samples", U32, 0),
	FIELD(struct zh_phase, prober_pid, "prober_pid", U32, 0),
	FIELD(struct zh_phase, responder_pid, "responder_pid", U32, 0),
	FIELD(struct zh_phase, start_ns, "start_ns", U64, 0),
	FIELD(struct zh_phase, end_ns, "end_ns", U64, 0),
	{},
};

static const struct zh_file_field sample_fields[] = {
	FIELD(struct zh_sample, seq, "seq", U32, 0),
	FIELD(struct zh_sample, phase, "phase", U16, 0),
	FIELD(struct zh_sample, flags, "flags", U16, 0),
	FIELD(struct zh_sample, intended_ns, "intended_ns", U64, 0),
	FIELD(struct zh_sample, send_ns, "send_ns", U64, 0),
	FIELD(struct zh_sample, sent_ns, "sent_ns", U64, 0),
	FIELD(struct zh_sample, recv_ns, "recv_ns", U64, 0),
	FIELD(struct zh_sample, peer_recv_ns, "peer_recv_ns", U64, 0),
	FIELD(struct zh_sample, peer_send_ns, "peer_send_ns", U64, 0),
	FIELD(struct zh_sample, peer_sent_ns, "peer_sent_ns", U64, 0),
	FIELD(struct zh_sample, ktx_ns, "ktx_ns", U64, 0),
	FIELD(struct zh_sample, krx_ns, "krx_ns", U64, 0),
	FIELD(struct zh_sample, send_cpu, "send_cpu", U16, 0),
	FIELD(struct zh_sample, recv_cpu, "recv_cpu", U16, 0),
	FIELD(struct zh_sample, peer_cpu, "peer_cpu", U16, 0),
	FIELD(struct zh_sample, send_errno, "send_errno", I16, 0),
	FIELD(struct zh_sample, stamps, "first_stamp", U32, 0),
	FIELD(struct zh_sample, n_stamps, "n_stamps", U32, 0),
	FIELD(struct zh_sample, events, "first_event", U32, 0),
	FIELD(struct zh_sample, n_events, "n_events", U32, 0),
	FIELD(struct zh_sample, bpf_ns, "bpf_ns", U64, 0),
	{},
};

static const struct zh_file_field stamp_fields[] = {
	FIELD(struct zh_stamp, ns, "ns", U64, 0),
	FIELD(struct zh_stamp, point, "point", U8, ZH_POINT_MAX - 1),
	FIELD(struct zh_stamp, leg, "leg", U8, 1),
	FIELD(struct zh_stamp, cpu, "cpu", U16, 0),
	FIELD(struct zh_stamp, arg, "arg", U32, 0),
	{},
};

static const struct zh_file_field event_fields[] = {
	FIELD(struct zh_event, ns, "ns", U64, 0),
	FIELD(struct zh_event, type, "type", U8, ZH_EVENT_MAX - 1),
	FIELD(struct zh_event, cpu, "cpu", U16, 0),
	FIELD(struct zh_event, pid, "pid", U32, 0),
	FIELD(struct zh_event, arg, "arg", U32, 0),
	FIELD(struct zh_event, arg2, "arg2", U32, 0),
	FIELD(struct zh_event, flags, "flags", U8, 0),
	FIELD(struct zh_event, comm, "comm", TEXT, 0),
	{},
};

static const struct zh_file_field not_measured_fields[] = {
	FIELD(struct zh_not_measured, what, "what", TEXT, 0),
	FIELD(struct zh_not_measured, why, "why", TEXT, 0),
	{},
};

static const struct zh_file_field counter_fields[] = {
	FIELD(struct zh_counter, name, "name", TEXT, 0),
	FIELD(struct zh_counter, value, "value", U64, 0),
	{},
};

static const struct zh_file_field bench_cell_fields[] = {
	FIELD(struct zh_bench_cell, transport, "transport", TEXT, 0),
	FIELD(struct zh_bench_cell, mode, "mode", U8, ZH_BENCH_MODE_MAX - 1),
	FIELD(struct zh_bench_cell, placement, "placement", U8, ZH_PLACE_MAX - 1),
	FIELD(struct zh_bench_cell, spin, "spin", U8, 1),
	FIELD(struct zh_bench_cell, zerocopy, "zerocopy", U8, 1),
	FIELD(struct zh_bench_cell, cpu, "cpu", I16, 0),
	FIELD(struct zh_bench_cell, peer_cpu, "peer_cpu", I16, 0),
	FIELD(struct zh_bench_cell, size_bytes, "size_bytes", U32, 0),
	FIELD(struct zh_bench_cell, buf_bytes, "buf_bytes", U32, 0),
	FIELD(struct zh_bench_cell, sndbuf_bytes, "sndbuf_bytes", U32, 0),
	FIELD(struct zh_bench_cell, rcvbuf_bytes, "rcvbuf_bytes", U32, 0),
	FIELD(struct zh_bench_cell, busy_poll_us, "busy_poll_us", U32, 0),
	FIELD(struct zh_bench_cell, gap_ns, "gap_ns", U64, 0),
	FIELD(struct zh_bench_cell, over, "over", TEXT, 0),
	FIELD(struct zh_bench_cell, congestion, "congestion", TEXT, 0),
	FIELD(struct zh_bench_cell, why_not, "why_not", TEXT, 0),
	FIELD(struct zh_bench_cell, napi_id, "napi_id", U32, 0),
	{},
};

static const struct zh_file_field bench_round_fields[] = {
	FIELD(struct zh_bench_round, cell, "cell", U32, 0),
	FIELD(struct zh_bench_round, round, "round", U16, 0),
	FIELD(struct zh_bench_round, order, "run_order", U16, 0),
	FIELD(struct zh_bench_round, ended_early, "ended_early", U8, 1),
	FIELD(struct zh_bench_round, start_ns, "start_ns", U64, 0),
	FIELD(struct zh_bench_round, elapsed_ns, "elapsed_ns", U64, 0),
	FIELD(struct zh_bench_round, messages, "messages", U64, 0),
	FIELD(struct zh_bench_round, bytes, "bytes", U64, 0),
	FIELD(struct zh_bench_round, floor_elapsed_ns, "floor_elapsed_ns", U64, 0),
	FIELD(struct zh_bench_round, floor_messages, "floor_messages", U64, 0),
	FIELD(struct zh_bench_round, floor_bytes, "floor_bytes", U64, 0),
	FIELD(struct zh_bench_round, floor_p50_ns, "floor_p50_ns", U64, 0),
	FIELD(struct zh_bench_round, cpu_ns, "cpu_ns", U64, 0),
	FIELD(struct zh_bench_round, peer_cpu_ns, "peer_cpu_ns", U64, 0),
	FIELD(struct zh_bench_round, switches, "switches", U64, 0),
	FIELD(struct zh_bench_round, peer_switches, "peer_switches", U64, 0),
	FIELD(struct zh_bench_round, preempted, "preempted", U64, 0),
	FIELD(struct zh_bench_round, peer_preempted, "peer_preempted", U64, 0),
	FIELD(struct zh_bench_round, foreign_ns, "foreign_ns", U64, 0),
	FIELD(struct zh_bench_round, steal_ns, "steal_ns", U64, 0),
	FIELD(struct zh_bench_round, foreign_unit_ns, "foreign_unit_ns", U64, 0),
	FIELD(struct zh_bench_round, sent, "sent", U64, 0),
	FIELD(struct zh_bench_round, missing, "missing", U64, 0),
	FIELD(struct zh_bench_round, zerocopy_done, "zerocopy_done", U64, 0),
	FIELD(struct zh_bench_round, zerocopy_copied, "zerocopy_copied", U64, 0),
	FIELD(struct zh_bench_round, min_ns, "min_ns", U64, 0),
	FIELD(struct zh_bench_round, max_ns, "max_ns", U64, 0),
	FIELD(struct zh_bench_round, sum_ns, "sum_ns", U64, 0),
	FIELD(struct zh_bench_round, first_bucket, "first_bucket", U32, 0),
	FIELD(struct zh_bench_round, n_buckets, "n_buckets", U32, 0),
	FIELD(struct zh_bench_round, first_loss, "first_loss", U32, 0),
	FIELD(struct zh_bench_round, n_losses, "n_losses", U32, 0),
	{},
};

static const struct zh_file_field bench_bucket_fields[] = {
	FIELD(struct zh_bench_bucket, value_ns, "value_ns", U64, 0),
	FIELD(struct zh_bench_bucket, count, "count", U64, 0),
	{},
};

static const struct zh_file_field bench_loss_fields[] = {
	FIELD(struct zh_bench_loss, counter, "counter", TEXT, 0),
	FIELD(struct zh_bench_loss, count, "count", U64, 0),
	{},
};

static const struct zh_file_field bench_tool_fields[] = {
	FIELD(struct zh_bench_tool, cell, "cell", U32, 0),
	FIELD(struct zh_bench_tool, round, "round", U16, 0),
	FIELD(struct zh_bench_tool, tool, "tool", TEXT, 0),
	FIELD(struct zh_bench_tool, version, "version", TEXT, 0),
	FIELD(struct zh_bench_tool, mean_ns, "mean_ns", U64, 0),
	FIELD(struct zh_bench_tool, p50_ns, "p50_ns", U64, 0),
	FIELD(struct zh_bench_tool, p99_ns, "p99_ns", U64, 0),
	FIELD(struct zh_bench_tool, max_ns, "max_ns", U64, 0),
	FIELD(struct zh_bench_tool, bytes_per_s, "bytes_per_s", U64, 0),
	FIELD(struct zh_bench_tool, why_not, "why_not", TEXT, 0),
	{},
};

#define TABLE_SINCE(since_, name_, fields_, struct_, array_, count_, max_)                         \
	{                                                                                          \
		name_, fields_, sizeof(struct_), offsetof(struct zh_record, array_),               \
			offsetof(struct zh_record, count_), max_, since_                           \
	}
#define TABLE(name_, fields_, struct_, array_, count_, max_)                                       \
	TABLE_SINCE(1, name_, fields_, struct_, array_, count_, max_)

/* The bounds of what a file may hold are far above any run, and below what would fill a machine's
 * memory from a small file. */
const struct zh_file_table zh_file_tables[] = {
	TABLE("phases", phase_fields, struct zh_phase, phases, n_phases, 10000),
	TABLE("samples", sample_fields, struct zh_sample, samples, n_samples, 4 << 20),
	TABLE("stamps", stamp_fields, struct zh_stamp, stamps, n_stamps, 64 << 20),
	TABLE("events", event_fields, struct zh_event, events, n_events, 32 << 20),
	TABLE("not_measured", not_measured_fields, struct zh_not_measured, not_measured,
		n_not_measured, ZH_NOT_MEASURED_MAX),
	TABLE("counters", counter_fields, struct zh_counter, counters, n_counters, ZH_COUNTERS_MAX),
	TABLE_SINCE(2, "bench_cells", bench_cell_fields, struct zh_bench_cell, bench.cells,
		bench.n_cells, ZH_BENCH_CELLS_MAX),
	TABLE_SINCE(2, "bench_rounds", bench_round_fields, struct zh_bench_round, bench.rounds,
		bench.n_rounds, ZH_BENCH_ROUNDS_MAX),
	TABLE_SINCE(2, "bench_buckets", bench_bucket_fields, struct zh_bench_bucket, bench.buckets,
		bench.n_buckets, ZH_BENCH_BUCKETS_MAX),
	TABLE_SINCE(2, "bench_losses", bench_loss_fields, struct zh_bench_loss, bench.losses,
		bench.n_losses, ZH_BENCH_LOSS_ROWS_MAX),
	TABLE_SINCE(2, "bench_tools", bench_tool_fields, struct zh_bench_tool, bench.tools,
		bench.n_tools, ZH_BENCH_TOOLS_MAX),
	{},
};

static const char *const point_names[ZH_POINT_MAX] = {
	[ZH_POINT_NONE] = "none",
	[ZH_POINT_SEND] = "send",
	[ZH_POINT_TX_QUEUE] = "tx-queue",
	[ZH_POINT_QDISC_IN] = "qdisc-in",
	[ZH_POINT_QDISC_OUT] = "qdisc-out",
	[ZH_POINT_TX_XMIT] = "tx-xmit",
	[ZH_POINT_NETIF_RX] = "netif-rx",
	[ZH_POINT_RX] = "rx",
	[ZH_POINT_NF_IN] = "netfilter-in",
	[ZH_POINT_NF_OUT] = "netfilter-out",
	[ZH_POINT_SOCK] = "socket",
	[ZH_POINT_WAKING] = "waking",
	[ZH_POINT_WAKEUP] = "wakeup",
	[ZH_POINT_RUN] = "run",
	[ZH_POINT_RECV] = "receive",
	[ZH_POINT_SENT] = "sent",
	[ZH_POINT_DROP] = "drop",
};

static const char *const event_names[ZH_EVENT_MAX] = {
	[ZH_EVENT_NONE] = "none",
	[ZH_EVENT_SWITCH] = "switch",
	[ZH_EVENT_WAKING] = "waking",
	[ZH_EVENT_WAKEUP] = "wakeup",
	[ZH_EVENT_IRQ_IN] = "irq-in",
	[ZH_EVENT_IRQ_OUT] = "irq-out",
	[ZH_EVENT_VECTOR_IN] = "vector-in",
	[ZH_EVENT_VECTOR_OUT] = "vector-out",
	[ZH_EVENT_SOFTIRQ_RAISE] = "softirq-raise",
	[ZH_EVENT_SOFTIRQ_IN] = "softirq-in",
	[ZH_EVENT_SOFTIRQ_OUT] = "softirq-out",
	[ZH_EVENT_NMI] = "nmi",
	[ZH_EVENT_IDLE_IN] = "idle-in",
	[ZH_EVENT_IDLE_OUT] = "idle-out",
	[ZH_EVENT_IPI_SEND] = "ipi-send",
	[ZH_EVENT_NAPI_POLL] = "napi-poll",
	[ZH_EVENT_RECLAIM_IN] = "reclaim-in",
	[ZH_EVENT_RECLAIM_OUT] = "reclaim-out",
	[ZH_EVENT_FAULT] = "fault",
	[ZH_EVENT_MIGRATE] = "migrate",
	[ZH_EVENT_TIMER] = "timer",
	[ZH_EVENT_DROP] = "drop",
};

static const char *const transport_names[ZH_TRANSPORT_MAX] = {
	[ZH_TRANSPORT_ICMP] = "icmp",
	[ZH_TRANSPORT_UDP] = "udp",
	[ZH_TRANSPORT_TCP] = "tcp",
	[ZH_TRANSPORT_UNIX_STREAM] = "unix",
	[ZH_TRANSPORT_UNIX_DGRAM] = "unix-dgram",
};

static const char *const mode_names[ZH_BENCH_MODE_MAX] = {
	[ZH_BENCH_PINGPONG] = "pingpong",
	[ZH_BENCH_STREAM] = "stream",
	[ZH_BENCH_RATE] = "rate",
};

static const char *const placement_names[ZH_PLACE_MAX] = {
	[ZH_PLACE_SAME_CPU] = "same-cpu",
	[ZH_PLACE_CROSS_CPU] = "cross-cpu",
	[ZH_PLACE_FREE] = "free",
};

const char *zh_bench_mode_name(enum zh_bench_mode mode)
{
	return (size_t)mode < ZH_BENCH_MODE_MAX ? mode_names[mode] : "unknown";
}

const char *zh_bench_placement_name(enum zh_bench_placement placement)
{
	return (size_t)placement < ZH_PLACE_MAX ? placement_names[placement] : "unknown";
}

const struct zh_file_names zh_file_names[] = {
	{"points", point_names, ZH_POINT_MAX},
	{"event_types", event_names, ZH_EVENT_MAX},
	{"transports", transport_names, ZH_TRANSPORT_MAX},
	{"bench_modes", mode_names, ZH_BENCH_MODE_MAX},
	{"bench_placements", placement_names, ZH_PLACE_MAX},
	{},
};

/*
 * rtt: one row a sample, as ping would print it. way: the stamps of each sample's packet, in time.
 * around: what the CPUs did around each kept sample. Flags as in enum zh_sample_flag.
 * bench: one row a round. floor_ratio is of the times of a message, for streams of the throughputs.
 */
const char zh_file_views_sql[] =
	"CREATE VIEW rtt AS SELECT s.id AS sample, p.label AS phase, s.seq AS seq,"
	" CASE WHEN s.recv_ns <> 0 THEN s.recv_ns - s.send_ns END AS rtt_ns,"
	" max(s.send_ns - s.intended_ns, 0) AS lateness_ns, (s.flags & 1) <> 0 AS lost,"
	" (s.flags & 64) <> 0 AS warmup FROM samples s JOIN phases p ON p.id = s.phase;"
	"CREATE VIEW way AS SELECT s.id AS sample, t.leg AS leg, n.name AS point,"
	" t.ns - s.send_ns AS since_send_ns, t.cpu AS cpu, t.arg AS arg FROM samples s"
	" JOIN stamps t ON t.id >= s.first_stamp AND t.id < s.first_stamp + s.n_stamps"
	" JOIN points n ON n.id = t.point ORDER BY s.id, t.ns;"
	"CREATE VIEW around AS SELECT s.id AS sample, e.ns - s.send_ns AS since_send_ns,"
	" e.cpu AS cpu, n.name AS event, e.pid AS pid, e.comm AS comm, e.arg AS arg,"
	" e.arg2 AS arg2 FROM samples s"
	" JOIN events e ON e.id >= s.first_event AND e.id < s.first_event + s.n_events"
	" JOIN event_types n ON n.id = e.type ORDER BY s.id, e.ns;"
	"CREATE VIEW bench AS SELECT r.id AS round_id, c.id AS cell, c.transport AS transport,"
	" m.name AS mode, p.name AS placement, c.size_bytes AS size_bytes,"
	" c.buf_bytes AS buf_bytes, r.round AS round, r.run_order AS run_order,"
	" r.messages AS messages,"
	" CASE WHEN c.mode <> 1 AND r.messages <> 0 THEN r.sum_ns * 1.0 / r.messages END"
	" AS mean_ns,"
	" (SELECT min(q.value_ns, r.max_ns) FROM (SELECT b.value_ns AS value_ns,"
	" sum(b.count) OVER (ORDER BY b.id) AS seen, sum(b.count) OVER () AS n"
	" FROM bench_buckets b WHERE b.id >= r.first_bucket"
	" AND b.id < r.first_bucket + r.n_buckets) q WHERE q.seen * 2 >= q.n LIMIT 1) AS p50_ns,"
	" CASE WHEN c.mode = 1 AND r.elapsed_ns <> 0 THEN r.bytes * 1e9 / r.elapsed_ns END"
	" AS bytes_per_s,"
	" CASE c.mode WHEN 1 THEN (r.bytes * 1.0 / nullif(r.elapsed_ns, 0))"
	" / (nullif(r.floor_bytes, 0) * 1.0 / nullif(r.floor_elapsed_ns, 0))"
	" ELSE (iif(c.mode = 0, r.elapsed_ns, r.sum_ns) * 1.0 / nullif(r.messages, 0))"
	" / (nullif(r.floor_elapsed_ns, 0) * 1.0 / nullif(r.floor_messages, 0)) END"
	" AS floor_ratio,"
	" r.sent AS sent, r.missing AS missing"
	" FROM bench_rounds r JOIN bench_cells c ON c.id = r.cell"
	" JOIN bench_modes m ON m.id = c.mode JOIN bench_placements p ON p.id = c.placement"
	" ORDER BY r.cell, r.round;";
