/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <bpf/bpf.h>

#include "base/units.h"
#include "base/util.h"
#include "trace/collect.h"

/* Maps an array map. All pages are there at once: the first read must not take a page fault. */
static int map_array(
	struct zh_trace *trace, const char *name, struct zh_mapped *ret, struct zh_err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(trace->object, name);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
	void *at;

	bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	bytes = (bytes + page - 1) / page * page;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, bpf_map__fd(map),
		0);
	if (at == MAP_FAILED)
		return zh_err_sys(err, -errno, "cannot map the BPF map %s", name);
	*ret = (struct zh_mapped){at, bytes};
	return 0;
}

static void unmap(struct zh_mapped *mapped)
{
	if (mapped->at)
		munmap(mapped->at, mapped->bytes);
}

static int map_all(struct zh_trace *trace, struct zh_err *err)
{
	int r;

	r = map_array(trace, ".bss", &trace->bss, err);
	if (r)
		return r;
	trace->control = trace->bss.at;
	r = map_array(trace, "zh_cpus", &trace->cpus, err);
	if (!r)
		r = map_array(trace, "zh_rings", &trace->rings, err);
	if (!r)
		r = map_array(trace, "zh_slots", &trace->slots, err);
	if (r)
		return r;
	trace->window.cpus = trace->cpus.at;
	trace->window.events = trace->rings.at;
	trace->window.cursors = calloc(trace->window.n_cpus, sizeof(*trace->window.cursors));
	if (!trace->window.cursors)
		return zh_err_sys(err, -ENOMEM, "cannot read the event rings");
	/* Touched now: later nothing may fault. */
	memset(trace->window.cursors, 0xff, trace->window.n_cpus * sizeof(*trace->window.cursors));
	return 0;
}

static int open_trace(struct zh_trace *trace, struct zh_record *record, struct zh_err *err)
{
	int r;

	r = zh_trace_load(trace, record, err);
	if (!r)
		r = map_all(trace, err);
	if (r)
		return r;
	trace->control->run = trace->config.run;
	trace->control->packets = trace->config.packets;
	zh_trace_phase(trace, ZH_TRANSPORT_ICMP, 0);
	zh_trace_attach(trace, record);
	if (!zh_trace_has(trace, "recorder") && !zh_trace_has(trace, "packets"))
		return zh_err_set(err, -ENODEV, "no tracepoint of this kernel could be attached");
	if (trace->config.netfilter)
		zh_trace_bracket(trace, record);
	return 0;
}

/* Looked for before our own programs exist. */
static void watch_foreign(struct zh_trace *trace, struct zh_record *record)
{
	struct zh_err err = {};
	int r = zh_bpf_stats_open(&trace->foreign, &err);

	if (r < 0)
		zh_record_not_measured(record, "run time of other BPF programs", "%s", err.text);
	else if (r > 0)
		zh_record_not_measured(record, "run time of some BPF programs",
			"more than %d programs are on network paths", ZH_BPF_STATS_MAX);
}

static void note_foreign_cost(const struct zh_trace *trace, struct zh_record *record)
{
	struct zh_bpf_stat stat;
	char name[64];
	size_t i;

	for (i = 0; i < zh_bpf_stats_count(trace->foreign); i++) {
		if (zh_bpf_stats_get(trace->foreign, i, &stat))
			continue;
		snprintf(name, sizeof(name), "bpf.%u.%s.run_time_ns", stat.id, stat.name);
		zh_record_counter(record, name, stat.run_time_ns);
		snprintf(name, sizeof(name), "bpf.%u.%s.run_cnt", stat.id, stat.name);
		zh_record_counter(record, name, stat.run_count);
	}
}

int zh_trace_open(const struct zh_trace_config *config, struct zh_record *record,
	struct zh_trace **ret, struct zh_err *err)
{
	struct zh_trace *trace = calloc(1, sizeof(*trace));
	int r;

	if (!trace)
		return zh_err_sys(err, -ENOMEM, "cannot trace");
	trace->config = *config;
	trace->window.n_cpus = (uint32_t)ZH_MIN(ZH_MAX(get_nprocs_conf(), 1), ZH_CPU_MAX);
	watch_foreign(trace, record);
	r = open_trace(trace, record, err);
	if (r) {
		zh_trace_close(trace, NULL);
		return r;
	}
	*ret = trace;
	return 0;
}

static const char *const hook_names[ZH_HOOK_MAX] = {
#define ZH_TRACE_HOOK_NAME(name, group) [ZH_HOOK_##name] = #name,
	ZH_TRACE_HOOKS(ZH_TRACE_HOOK_NAME)
#undef ZH_TRACE_HOOK_NAME
		[ZH_HOOK_socket_filter] = "socket_filter",
	[ZH_HOOK_netfilter] = "netfilter",
};

/* A program that interrupts itself is skipped by the kernel, which counts that. */
static uint64_t missed_runs(const struct zh_trace *trace)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, trace->object)
	{
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (bpf_program__fd(program) >= 0 &&
			!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			sum += info.recursion_misses;
	}
	return sum;
}

static void note_counters(const struct zh_trace *trace, struct zh_record *record)
{
	uint64_t runs, lost_stamps = 0, events = 0;
	char name[64];
	uint32_t cpu;
	int i;

	for (i = 0; i < ZH_HOOK_MAX; i++) {
		for (runs = 0, cpu = 0; cpu < trace->window.n_cpus; cpu++)
			runs += trace->window.cpus[cpu].runs[i];
		snprintf(name, sizeof(name), "trace.runs.%s", hook_names[i]);
		if (runs)
			zh_record_counter(record, name, runs);
	}
	for (cpu = 0; cpu < trace->window.n_cpus; cpu++) {
		lost_stamps += trace->window.cpus[cpu].lost;
		events += trace->window.cpus[cpu].head;
	}
	zh_record_counter(record, "trace.events", events);
	zh_record_counter(record, "trace.lost_events", missed_runs(trace));
	zh_record_counter(record, "trace.lost_stamps", lost_stamps);
}

struct zh_trace *zh_trace_close(struct zh_trace *trace, struct zh_record *record)
{
	int i;

	if (!trace)
		return NULL;
	if (trace->control)
		zh_trace_arm(trace, false);
	for (i = 0; i < ZH_HOOK_MAX; i++)
		bpf_link__destroy(trace->links[i]);
	zh_trace_unbracket(trace);
	if (record && trace->window.cursors)
		note_counters(trace, record);
	if (record)
		note_foreign_cost(trace, record);
	trace->foreign = zh_bpf_stats_close(trace->foreign);
	free(trace->window.cursors);
	unmap(&trace->bss);
	unmap(&trace->cpus);
	unmap(&trace->rings);
	unmap(&trace->slots);
	bpf_object__close(trace->object);
	free(trace);
	return NULL;
}
