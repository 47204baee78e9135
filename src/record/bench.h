/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of the benchmark: cells (one transport with constant settings), rounds (one measured
 * stretch of a cell, right behind the bare loop it is compared with), and what belongs to a round.
 *
 * Histograms are kept as their occupied buckets and can be made again without loss.
 *
 * All arrays are rows of the record's file. Times are ns on CLOCK_MONOTONIC. Arrays grow between
 * rounds only; nothing here is called while messages pass.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zh_histogram;
struct zh_record;

enum zh_bench_mode {
	ZH_BENCH_PINGPONG, /* one message there and back, the next right after it */
	ZH_BENCH_STREAM,   /* one way, as fast as it goes */
	ZH_BENCH_RATE,     /* there and back, sent at fixed times (open loop) */
	ZH_BENCH_MODE_MAX
};

enum zh_bench_placement {
	ZH_PLACE_SAME_CPU,
	ZH_PLACE_CROSS_CPU,
	ZH_PLACE_FREE, /* where the scheduler puts both */
	ZH_PLACE_MAX
};

struct zh_bench_cell {
	char transport[20];                  /* "unix-seqpacket" */
	uint8_t mode;                        /* enum zh_bench_mode */
	uint8_t placement;                   /* enum zh_bench_placement */
	uint8_t spin;                        /* both sides poll without sleeping */
	uint8_t zerocopy;                    /* MSG_ZEROCOPY was asked for */
	int16_t cpu, peer_cpu;               /* pinned to; -1: not */
	uint32_t size_bytes;                 /* message */
	uint32_t buf_bytes;                  /* SO_SNDBUF and SO_RCVBUF asked for; 0: the default */
	uint32_t sndbuf_bytes, rcvbuf_bytes; /* in force; 0: there are none */
	uint32_t busy_poll_us;               /* SO_BUSY_POLL; 0: not asked for */
	uint64_t gap_ns;                     /* between intended sends; 0: back to back */
	char over[24];       /* "": inside one namespace; else "veth", "bridge", ... */
	char congestion[16]; /* TCP's congestion control in force; "" for others */
	char why_not[200];   /* why it could not be measured; "" when it was */
	/* SO_INCOMING_NAPI_ID of the receiving socket; 0 with busy_poll_us set: nothing to poll
	 * there */
	uint32_t napi_id;
};

/* One round. Counts and times cover the measured stretch without its warm-up. */
struct zh_bench_round {
	uint32_t cell;       /* index */
	uint16_t round;      /* from 0 */
	uint16_t order;      /* place in the order in which all rounds ran */
	uint8_t ended_early; /* Ctrl-C, or the peer died: what there is until then */
	uint64_t start_ns, elapsed_ns;
	uint64_t messages; /* answered (ping-pong, rate), received (stream) */
	uint64_t bytes;    /* payload received */
	/* The bare loop right before it, on the same sockets and processes. 0: none was run. */
	uint64_t floor_elapsed_ns, floor_messages, floor_bytes, floor_p50_ns;
	uint64_t cpu_ns, peer_cpu_ns;       /* CPU time of the two sides */
	uint64_t switches, peer_switches;   /* voluntary context switches */
	uint64_t preempted, peer_preempted; /* involuntary ones */
	uint64_t foreign_ns, steal_ns;      /* of the CPUs used: others' CPU time; the host's */
	uint64_t foreign_unit_ns;           /* resolution of foreign_ns; 0: not measured */
	uint64_t sent, missing;             /* datagrams; missing is sent - received */
	uint64_t zerocopy_done, zerocopy_copied; /* completions; of them copied after all */
	uint64_t min_ns, max_ns, sum_ns;         /* of the RTTs; 0 for streams */
	uint32_t first_bucket, n_buckets;        /* range in the record's bench.buckets */
	uint32_t first_loss, n_losses;           /* range in bench.losses */
};

/* One occupied bucket of a round's histogram of RTTs (stats/histogram.h). */
struct zh_bench_bucket {
	uint64_t value_ns; /* the highest value that the bucket stands for */
	uint64_t count;
};

/* Where datagrams of a round went missing. */
struct zh_bench_loss {
	char counter[64]; /* "socket drops (SK_MEMINFO_DROPS)", "unattributed" */
	uint64_t count;
};

/* What another program measured in the same interleaving. */
struct zh_bench_tool {
	uint32_t cell;
	uint16_t round;
	char tool[16]; /* "sockperf" */
	char version[40];
	uint64_t mean_ns, p50_ns, p99_ns, max_ns; /* RTT; 0: it does not say */
	uint64_t bytes_per_s;                     /* throughput; 0: not measured */
	char why_not[160];
};

struct zh_bench_data {
	struct zh_bench_cell *cells;
	size_t n_cells;
	struct zh_bench_round *rounds;
	size_t n_rounds;
	struct zh_bench_bucket *buckets;
	size_t n_buckets;
	struct zh_bench_loss *losses;
	size_t n_losses;
	struct zh_bench_tool *tools;
	size_t n_tools;
};

/* Bounds of what a record holds, far above any run; a file with more is refused. */
#define ZH_BENCH_CELLS_MAX 10000
#define ZH_BENCH_ROUNDS_MAX 1000000
#define ZH_BENCH_BUCKETS_MAX (16 << 20)
#define ZH_BENCH_LOSS_ROWS_MAX 1000000
#define ZH_BENCH_TOOLS_MAX 10000

void zh_bench_data_done(struct zh_bench_data *bench);

/* Each appends one row; false when out of memory or bounds (the record then lacks that row). */
bool zh_record_bench_cell(struct zh_record *record, const struct zh_bench_cell *cell);
/* With its histogram (may be NULL or empty) and the places where datagrams got lost. Sets the
 * ranges of the copy that is kept. */
bool zh_record_bench_round(struct zh_record *record, const struct zh_bench_round *round,
	const struct zh_histogram *histogram, const struct zh_bench_loss *losses, size_t n_losses);
bool zh_record_bench_tool(struct zh_record *record, const struct zh_bench_tool *tool);

/*
 * Adds the RTTs of `round`, one of the record's, to `into`: its buckets and its exact minimum,
 * maximum and sum. With an empty `into` this gives the histogram that the round was kept with.
 */
void zh_bench_round_histogram(const struct zh_bench_data *bench, const struct zh_bench_round *round,
	struct zh_histogram *into);

/* As zh_histogram_quantile() of that histogram, without making it; 0 when the round has none. */
uint64_t zh_bench_round_quantile(
	const struct zh_bench_data *bench, const struct zh_bench_round *round, double q);

const char *zh_bench_mode_name(enum zh_bench_mode mode);                /* "pingpong" */
const char *zh_bench_placement_name(enum zh_bench_placement placement); /* "same-cpu" */
