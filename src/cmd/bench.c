/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop bench: how fast each local transport is here, each figure beside a bare loop in C.
 */
#include "cmd/bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "cmd/describe.h"
#include "cmd/lists.h"
#include "cmd/measure.h"
#include "sys/sched.h"

#define PROGRESS_NS (200 * ZH_NSEC_PER_MSEC)

#define FIELD(member) offsetof(struct bench_options, member)

static const struct zh_option options[] = {
	{"mode", 'm', ZH_OPTION_STRING, FIELD(modes), "LIST",
		"pingpong (latency), stream (one way), rate (open loop)"},
	{"size", 's', ZH_OPTION_STRING, FIELD(sizes), "LIST",
		"bytes of a message: 1,64,1k (1; stream 64k; rate 64)"},
	{"buf", 0, ZH_OPTION_STRING, FIELD(bufs), "LIST",
		"SO_SNDBUF and SO_RCVBUF: 64k,1M (the system's)"},
	{"placement", 'p', ZH_OPTION_STRING, FIELD(placements), "LIST",
		"same-cpu, cross-cpu, free (cross-cpu)"},
	{"matrix", 0, ZH_OPTION_FLAG, FIELD(matrix), NULL,
		"all sizes, buffers and placements, with a heat map"},
	{"rate", 0, ZH_OPTION_STRING, FIELD(rate), "LIST",
		"messages a second, for --mode rate (1000)"},
	{"rates", 0, ZH_OPTION_STRING, FIELD(rates), "LIST",
		"explain how the RTT depends on the rate: 20,1000,max"},
	{"bytes", 0, ZH_OPTION_SIZE, FIELD(bytes), "SIZE",
		"streams end after so much (1G without other options)", .min = 1,
		.max = 1ull << 46},
	{"for", 0, ZH_OPTION_DURATION, FIELD(for_ns), "TIME", "length of each round",
		.min = 5 * ZH_NSEC_PER_MSEC, .max = 3600 * ZH_NSEC_PER_SEC},
	{"budget", 0, ZH_OPTION_DURATION, FIELD(budget_ns), "TIME",
		"for all rounds together (0.55s a cell, at most 30s)",
		.min = 100 * ZH_NSEC_PER_MSEC, .max = 24 * 3600 * ZH_NSEC_PER_SEC},
	{"rounds", 'n', ZH_OPTION_COUNT, FIELD(rounds), "N", "rounds of each cell (3)", .min = 1,
		.max = 1000},
	{"spin", 0, ZH_OPTION_FLAG, FIELD(spin), NULL, "both sides poll instead of sleeping"},
	{"busy-poll", 0, ZH_OPTION_DURATION, FIELD(busy_poll_ns), "TIME",
		"SO_BUSY_POLL: the kernel polls so long before it sleeps", .min = ZH_NSEC_PER_USEC,
		.max = ZH_NSEC_PER_SEC},
	{"zerocopy", 0, ZH_OPTION_FLAG, FIELD(zerocopy), NULL, "send with MSG_ZEROCOPY"},
	{"cpus", 0, ZH_OPTION_CPUS, FIELD(cpus), "CPUS", "use only these CPUs: 2,3"},
	{"over", 0, ZH_OPTION_STRING, FIELD(over), "TOPOLOGY",
		"between namespaces built for it: veth, bridge, macvlan, ..."},
	{"peer-netns", 0, ZH_OPTION_STRING, FIELD(peer_netns), "NS",
		"the peer is in this network namespace (name or path)"},
	{"address", 0, ZH_OPTION_STRING, FIELD(address), "ADDR",
		"of the peer in its namespace (127.0.0.1)"},
	{"compare-with", 0, ZH_OPTION_STRING, FIELD(tools), "LIST",
		"run these beside each round: sockperf,iperf3,ping"},
	{"hgrm", 0, ZH_OPTION_STRING, FIELD(hgrm), "PREFIX",
		"write each cell's histogram to PREFIX-CELL.hgrm (or DIR/)"},
	{"seed", 0, ZH_OPTION_COUNT, FIELD(seed), "N", "of the order of rounds (by the clock)"},
	{"no-floor", 0, ZH_OPTION_FLAG, FIELD(no_floor), NULL,
		"leave the bare loop beside each round out"},
	ZH_MEASURE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct bench_options defaults = {.rounds = 3};

static void freep_analysis(struct zh_bench_analysis **analysis)
{
	if (*analysis)
		zh_bench_analysis_free(*analysis);
}

static void show_progress(void *arg, size_t done, size_t total)
{
	static uint64_t last_ns;
	uint64_t now_ns = zh_now_ns();

	(void)arg;
	if (now_ns - last_ns < PROGRESS_NS)
		return;
	last_ns = now_ns;
	cmd_progress("measuring: round %zu of %zu (Ctrl-C ends early with results)", done, total);
}

/* Names of other programs to descriptors; NULL-terminated. 0 or -EINVAL. */
static int find_tools(const char *text, const struct zh_bench_peer_tool **ret, struct zh_err *err)
{
	const char *names[CMD_BENCH_TOOLS_MAX + 1] = {};
	struct cmd_list list = {};
	size_t i;
	int r;

	ret[0] = NULL;
	if (!text)
		return 0;
	for (i = 0; zh_bench_peer_tool_registry[i] && i < CMD_BENCH_TOOLS_MAX; i++)
		names[i] = zh_bench_peer_tool_registry[i]->name;
	r = cmd_list_read("compare-with", text, cmd_item_choice, names, &list, err);
	for (i = 0; r >= 0 && i < list.n; i++)
		ret[i] = zh_bench_peer_tool_registry[list.values[i]];
	ret[list.n] = NULL;
	return r;
}

static int measure(const struct bench_options *bench, const struct bench_plan *plan,
	const struct zh_bench_peer_tool *const *tools, struct zh_record **ret, struct zh_err *err)
{
	struct bench_places places;
	struct zh_session_bench session = {
		.cells = plan->cells,
		.n_cells = plan->n_cells,
		.rounds = (uint32_t)bench->rounds,
		.budget_ns = plan->budget_ns,
		.duration_ns = bench->for_ns,
		.bytes = plan->bytes,
		.seed = bench->seed,
		.no_floor = bench->no_floor,
		.tools = tools[0] ? tools : NULL,
		.stop = cmd_interrupted,
		.progress = show_progress,
	};
	int r, status = cmd_prepare(&bench->common, err);

	if (!status)
		status = cmd_bench_places_open(bench, &places, err);
	if (status)
		return status;
	session.netns_fd = places.ns.netns_fd;
	session.peer_netns_fd = places.ns.peer_netns_fd;
	session.address = places.address;
	r = zh_session_bench(&session, ret, err);
	cmd_progress_done();
	cmd_bench_places_close(&places);
	return r < 0 ? ZH_EXIT_UNABLE : 0;
}

/* A stretch that died, or datagrams that no counter knows of. */
static bool has_findings(const struct zh_record *record, const struct zh_bench_analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->n_cells; i++)
		if (analysis->cells[i].doubts & ZH_DOUBT_LOST)
			return true;
	for (i = 0; i < record->bench.n_rounds; i++)
		if (record->bench.rounds[i].ended_early && !record->interrupted)
			return true;
	return false;
}

static int show(const struct bench_options *bench, const struct zh_record *record,
	const struct zh_bench_analysis *analysis, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("bench");
	struct zh_node *root = zh_doc_root(doc);

	zh_bench_describe(
		analysis, record, bench->matrix ? ZH_BENCH_HEAT_MAP : ZH_BENCH_TABLES, root);
	cmd_describe_host(root, record);
	return cmd_print(&bench->common, doc, err);
}

/* Results are shown also when a file could not be written. */
static int report(
	const struct bench_options *bench, const struct zh_record *record, struct zh_err *err)
{
	zh_cleanup(freep_analysis) struct zh_bench_analysis *analysis = NULL;
	struct zh_err save_err = {};
	int status;

	if (bench->common.output)
		zh_record_save(record, bench->common.output, &save_err);
	if (zh_bench_analyse(record, &analysis, err) < 0)
		return ZH_EXIT_UNABLE;
	if (bench->hgrm && !save_err.code)
		cmd_bench_hgrm_write(bench->hgrm, analysis, &save_err);
	status = show(bench, record, analysis, err);
	if (status)
		return status;
	if (save_err.code) {
		*err = save_err;
		return ZH_EXIT_UNABLE;
	}
	return has_findings(record, analysis) ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

static int restrict_cpus(const struct zh_cpuset *cpus, struct zh_err *err)
{
	char text[256];

	if (!zh_cpuset_count(cpus))
		return 0;
	if (zh_sched_set_affinity(cpus, NULL) == 0)
		return 0;
	zh_err_set(err, -EINVAL, "--cpus: none of CPUs %s can be used here",
		zh_format_cpulist(text, sizeof(text), cpus));
	return ZH_EXIT_USAGE;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct bench_options *bench = config;
	const struct zh_bench_peer_tool *tools[CMD_BENCH_TOOLS_MAX + 1];
	zh_cleanup(cmd_bench_plan_freep) struct bench_plan plan = {};
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	int status = restrict_cpus(&bench->cpus, err);

	if (!status && bench->rates)
		return cmd_bench_rates(bench, n_words, words, err);
	if (!status && find_tools(bench->tools, tools, err) < 0)
		status = ZH_EXIT_USAGE;
	if (!status)
		status = cmd_bench_plan(bench, n_words, words, &plan, err);
	if (!status && bench->hgrm)
		status = cmd_bench_hgrm_check(bench->hgrm, err);
	if (!status)
		status = measure(bench, &plan, tools, &record, err);
	return status ? status : report(bench, record, err);
}

const struct zh_command zh_command_bench = {
	.name = "bench",
	.summary = "which local transport is how fast here: latency and throughput",
	.usage = "[OPTIONS] [TRANSPORT ...]",
	.examples =
		"  zerohop bench                          # tcp, udp and unix: RTT and 1 GiB one way\n"
		"  zerohop bench tcp pipe shm-futex -p same-cpu,cross-cpu,free\n"
		"  zerohop bench --matrix -s 1,1k,64k --buf 64k,1M\n"
		"  zerohop bench udp --rate 1000,20000    # latency under load, in an open loop\n"
		"  zerohop bench tcp --compare-with sockperf\n"
		"  sudo zerohop bench --over veth         # through a pair of namespaces\n"
		"  sudo zerohop bench --rates 20,1000,max # why the same loopback reads 2 to 350 us\n",
	.notes = "TRANSPORT: tcp, udp, unix-stream (unix), unix-dgram, unix-seqpacket, pipe, "
		 "socketpair, shm-futex,\nshm-spin or icmp. Rounds of all cells are interleaved in "
		 "random order; every round runs right\nbehind a bare loop over the same sockets "
		 "(the floor). A cell whose CPUs others used\nhas no rank.\n"
		 "Exit status: 0 measured, 1 datagrams missing without a counter or a peer died, 2 "
		 "usage,\n3 could not measure.\n",
	.options = options,
	.config_size = sizeof(struct bench_options),
	.defaults = &defaults,
	.run = run,
};
