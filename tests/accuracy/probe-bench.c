/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the probe's bookkeeping cost anything in the RTT? Its closed-loop p50 against a bare loop,
 * ping -U and sockperf, on the same CPUs, in turns within one run. A machine drifts by a third
 * within minutes, so only ratios of neighbours in time are printed: the median of the rounds, with
 * their lowest and highest. "bare again" is the bare loop against itself: the noise of the method.
 */
#include "probe-bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "probe/probe.h"
#include "stats/summary.h"
#include "sys/sched.h"

#define ROUNDS 15
#define SOCKPERF_ROUNDS 5
#define COUNT 3000

enum rival { BARE_AGAIN, BARE, PING, SOCKPERF, N_RIVALS };

static const char *const rival_names[] = {"bare again", "bare loop", "ping -U", "sockperf"};

struct ratios {
	uint64_t permille[ROUNDS];
	size_t n;
};

struct cell {
	enum zh_transport_id transport;
	const char *target;
	int cpu, peer_cpu;
	uint64_t own_ns[ROUNDS];
	size_t n_own;
	struct ratios ratios[N_RIVALS];
};

static uint64_t own_p50(const struct cell *cell)
{
	struct zh_probe_config config = {
		.run = 4711,
		.size_bytes = BENCH_SIZE,
		.cpu = cell->cpu,
		.peer_cpu = cell->peer_cpu,
		.netns_fd = -1,
		.peer_netns_fd = -1,
		.nodelay = true,
		.lock_memory = true,
		.peer_cgroup_fd = -1,
	};
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, COUNT, 0, 0});
	uint64_t *rtt_ns = calloc(COUNT, sizeof(*rtt_ns)), median = 0;
	struct zh_probe *probe = NULL;
	struct zh_err err = {0};
	size_t n = 0, i;

	if (!record || !rtt_ns || zh_target_parse(cell->target, &config.target, &err) < 0 ||
		zh_probe_open(&config, &probe, &err) < 0 ||
		zh_probe_phase(probe, "bench", COUNT, 0, ZH_NSEC_PER_SEC, record, &err) < 0) {
		fprintf(stderr, "%s: %s\n", cell->target, err.text);
		goto done;
	}
	for (i = 0; i < record->n_samples; i++)
		if (zh_sample_answered(&record->samples[i]))
			rtt_ns[n++] = zh_sample_rtt(&record->samples[i]);
	median = zh_stats_median(rtt_ns, n);
done:
	zh_probe_close(probe);
	zh_record_free(record);
	free(rtt_ns);
	return median;
}

static void add(struct ratios *r, uint64_t own_ns, uint64_t other_ns)
{
	if (own_ns && other_ns)
		r->permille[r->n++] = (own_ns * 1000 + other_ns / 2) / other_ns;
}

/* One round; the order turns, so that a drift cancels out. */
static void run_round(struct cell *cell, int round)
{
	struct ratios *r = cell->ratios;
	uint64_t own = 0, bare = 0, again;
	int first = round % 2, i;

	for (i = 0; i < 2; i++) {
		if (i == first)
			own = own_p50(cell);
		else
			bare = bench_bare(cell->transport, cell->cpu, cell->peer_cpu, COUNT);
	}
	if (own)
		cell->own_ns[cell->n_own++] = own;
	add(&r[BARE], own, bare);
	again = bench_bare(cell->transport, cell->cpu, cell->peer_cpu, COUNT);
	add(&r[BARE_AGAIN], again, bare);
	if (cell->transport == ZH_TRANSPORT_ICMP)
		add(&r[PING], own_p50(cell), bench_ping(cell->cpu, COUNT));
	if (round < SOCKPERF_ROUNDS &&
		(cell->transport == ZH_TRANSPORT_UDP || cell->transport == ZH_TRANSPORT_TCP))
		add(&r[SOCKPERF], own_p50(cell),
			bench_sockperf(cell->transport, cell->cpu, cell->peer_cpu));
}

static void print_cell(struct cell *cell, const char *placement)
{
	struct ratios *r;
	int i;

	printf("%-12s %-9s %7.2f us ", zh_transport_name(cell->transport), placement,
		(double)zh_stats_median(cell->own_ns, cell->n_own) / 1e3);
	for (i = 0; i < N_RIVALS; i++) {
		r = &cell->ratios[i];
		if (!r->n) {
			printf("  %-16s", "-");
			continue;
		}
		zh_stats_sort(r->permille, r->n);
		printf("  %.2f %.2f..%.2f", (double)zh_stats_quantile(r->permille, r->n, 0.5) / 1e3,
			(double)r->permille[0] / 1e3, (double)r->permille[r->n - 1] / 1e3);
	}
	printf("\n");
	fflush(stdout);
}

static void run_cell(enum zh_transport_id transport, const char *target, int cpu, int peer_cpu)
{
	struct cell cell = {
		.transport = transport, .target = target, .cpu = cpu, .peer_cpu = peer_cpu};
	int round;

	for (round = 0; round < ROUNDS; round++)
		run_round(&cell, round);
	print_cell(&cell, cpu == peer_cpu ? "same CPU" : "two CPUs");
}

static bool named(int argc, char **argv, const char *name)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static const struct {
		enum zh_transport_id transport;
		const char *target;
	} all[] = {
		{ZH_TRANSPORT_ICMP, "127.0.0.1"},
		{ZH_TRANSPORT_UDP, "udp:127.0.0.1"},
		{ZH_TRANSPORT_TCP, "tcp:127.0.0.1"},
		{ZH_TRANSPORT_UNIX_STREAM, "unix:"},
		{ZH_TRANSPORT_UNIX_DGRAM, "unix-dgram:"},
	};
	struct zh_cpuset set;
	int cpus[2] = {-1, -1}, n = 0;
	unsigned int cpu;
	size_t i;

	if (zh_sched_get_affinity(&set, NULL) < 0)
		return 77;
	for (cpu = 0; cpu < ZH_CPU_MAX && n < 2; cpu++)
		if (zh_cpuset_has(&set, cpu))
			cpus[n++] = (int)cpu;
	printf("closed loop, %d bytes; p50 of the probe, then its ratio to the others' (median, "
	       "lowest..highest round)\n%-12s %-9s %10s ",
		BENCH_SIZE, "transport", "placement", "p50");
	for (i = 0; i < N_RIVALS; i++)
		printf("  %-16s", rival_names[i]);
	printf("\n");
	for (i = 0; i < ZH_ARRAY_SIZE(all); i++) {
		/* The names of transports as arguments: only these. */
		if (argc > 1 && !named(argc, argv, zh_transport_name(all[i].transport)))
			continue;
		run_cell(all[i].transport, all[i].target, cpus[0], cpus[0]);
		/* The kernel answers ICMP where the request was sent. */
		if (n == 2 && all[i].transport != ZH_TRANSPORT_ICMP)
			run_cell(all[i].transport, all[i].target, cpus[0], cpus[1]);
	}
	return 0;
}
