/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "trace/libbpf-log.h"
#include "trace/netfilter-link.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wshadow"
#include "trace.skel.h"
#include "trace_compat.skel.h"
#pragma GCC diagnostic pop

/* Programs the kernel may refuse before we take the next object, or give up. */
#define REFUSALS_MAX 12

enum group { RECORDER, VECTOR, SOFTIRQ, SOFTIRQ_DETAIL, PACKETS, QDISC };

struct hook {
	const char *name; /* of the tracepoint; the program is "zh_" in front of it */
	enum group group;
};

static const struct hook hooks[ZH_HOOK_MAX] = {
#define ZH_TRACE_HOOK_ENTRY(name, group) [ZH_HOOK_##name] = {#name, group},
	ZH_TRACE_HOOKS(ZH_TRACE_HOOK_ENTRY)
#undef ZH_TRACE_HOOK_ENTRY
};

static bool is_wanted(const struct zh_trace_config *config, enum group group)
{
	switch (group) {
	case RECORDER:
	case VECTOR:
		return config->recorder;
	case SOFTIRQ:
		return config->softirq;
	case SOFTIRQ_DETAIL:
		return config->softirq && config->softirq_detail;
	case PACKETS:
		return config->packets;
	case QDISC:
		return config->packets && config->qdisc;
	}
	return false;
}

/* One attempt: which object, and what the kernel refused so far. */
struct attempt {
	const void *bytes;
	size_t size;
	bool refused[ZH_HOOK_MAX];
	unsigned int refusals;
	uint32_t n_cpus, ring_events;
};

static struct bpf_program *program_of(const struct bpf_object *object, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "zh_%s", name);
	return bpf_object__find_program_by_name(object, text);
}

/* Programs that are no tracepoints. */
static void choose_others(const struct zh_trace *trace, const struct attempt *attempt)
{
	static const char *const filters[] = {"filter_prober", "filter_responder"};
	static const char *const brackets[] = {"bracket_in", "bracket_out"};
	bool packets = trace->config.packets;
	bool netfilter = packets && trace->config.netfilter && trace->features.netfilter;
	struct bpf_program *program;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(filters); i++) {
		program = program_of(trace->object, filters[i]);
		bpf_program__set_autoload(
			program, packets && !attempt->refused[ZH_HOOK_socket_filter]);
	}
	for (i = 0; i < ZH_ARRAY_SIZE(brackets); i++) {
		program = program_of(trace->object, brackets[i]);
		bpf_program__set_type(program, (enum bpf_prog_type)ZH_PROG_TYPE_NETFILTER);
		bpf_program__set_expected_attach_type(
			program, (enum bpf_attach_type)ZH_ATTACH_TYPE_NETFILTER);
		bpf_program__set_autoload(
			program, netfilter && !attempt->refused[ZH_HOOK_netfilter]);
	}
}

static void choose_programs(const struct zh_trace *trace, const struct attempt *attempt)
{
	struct bpf_program *program;
	size_t i;

	for (i = 0; i < ZH_HOOK_MAX; i++) {
		if (!hooks[i].name)
			continue;
		program = program_of(trace->object, hooks[i].name);
		bpf_program__set_autoload(
			program, trace->features.hooks[i] && !attempt->refused[i] &&
					 is_wanted(&trace->config, hooks[i].group));
	}
	choose_others(trace, attempt);
}

static int size_maps(const struct zh_trace *trace, const struct attempt *attempt)
{
	struct bpf_map *cpus = bpf_object__find_map_by_name(trace->object, "zh_cpus");
	struct bpf_map *rings = bpf_object__find_map_by_name(trace->object, "zh_rings");
	struct bpf_map *rodata = bpf_object__find_map_by_name(trace->object, ".rodata");
	struct zh_trace_settings settings = {.n_cpus = attempt->n_cpus,
		.ring_events = attempt->ring_events,
		.has_prev_state = trace->features.has_prev_state,
		.has_drop_reason = trace->features.has_drop_reason,
		.no_socket = trace->features.has_drop_reason ? trace->features.no_socket : 0};
	int r;

	r = bpf_map__set_max_entries(cpus, attempt->n_cpus);
	if (!r)
		r = bpf_map__set_max_entries(rings, attempt->n_cpus * attempt->ring_events);
	if (!r)
		r = bpf_map__set_initial_value(rodata, &settings, sizeof(settings));
	return r;
}

static int try_load(struct zh_trace *trace, const struct attempt *attempt, struct zh_err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "zerohop");
	const struct zh_libbpf_log *said = zh_libbpf_said();
	int r;

	zh_libbpf_forget();
	trace->object = bpf_object__open_mem(attempt->bytes, attempt->size, &opts);
	if (!trace->object)
		return zh_err_set(err, -errno, "cannot open the BPF object: %s",
			said->line[0] ? said->line : strerror(errno));
	choose_programs(trace, attempt);
	r = size_maps(trace, attempt);
	if (!r)
		r = bpf_object__load(trace->object);
	if (!r)
		return 0;
	bpf_object__close(trace->object);
	trace->object = NULL;
	return zh_err_set(err, r, "cannot load the BPF object: %s",
		said->line[0] ? said->line : strerror(-r));
}

/* The hook whose program libbpf named last; -1 when it was none. */
static int refused_hook(void)
{
	const char *program = zh_libbpf_said()->program;
	int i;

	if (!strncmp(program, "zh_bracket_", 11))
		return ZH_HOOK_netfilter;
	if (!strncmp(program, "zh_filter_", 10))
		return ZH_HOOK_socket_filter;
	for (i = 0; i < ZH_HOOK_MAX && program[0]; i++) {
		if (hooks[i].name && !strcmp(program + 3, hooks[i].name))
			return i;
	}
	return -1;
}

/* Loads one object, leaving out what the kernel refuses, one program at a time. */
static int load_object(struct zh_trace *trace, struct attempt *attempt, struct zh_err *err)
{
	int r, hook;

	for (;;) {
		r = try_load(trace, attempt, err);
		hook = r ? refused_hook() : -1;
		if (hook < 0 || attempt->refused[hook] || ++attempt->refusals > REFUSALS_MAX)
			return r;
		attempt->refused[hook] = true;
	}
}

static void note_missing(
	const struct zh_trace *trace, const struct attempt *attempt, struct zh_record *record)
{
	char what[64];
	int i;

	for (i = 0; i < ZH_HOOK_MAX; i++) {
		if (!hooks[i].name || !is_wanted(&trace->config, hooks[i].group))
			continue;
		snprintf(what, sizeof(what), "trace hook %s", hooks[i].name);
		if (!trace->features.hooks[i])
			zh_record_not_measured(
				record, what, "this kernel has no such tracepoint that we know");
		else if (attempt->refused[i])
			zh_record_not_measured(record, what, "the kernel refused the program");
	}
	if (attempt->refused[ZH_HOOK_socket_filter])
		zh_record_not_measured(
			record, "arrival at the socket", "the kernel refused the socket filter");
	if (!trace->config.netfilter || !trace->config.packets)
		return;
	if (!trace->features.netfilter)
		zh_record_not_measured(record, "netfilter brackets",
			"this kernel has no BPF netfilter programs (they came with 6.4)");
	else if (attempt->refused[ZH_HOOK_netfilter])
		zh_record_not_measured(
			record, "netfilter brackets", "the kernel refused the program");
}

/* Events a ring: one to two seconds of a busy CPU, with the memory of large machines bounded. */
static uint32_t ring_size(uint32_t n_cpus)
{
	return n_cpus <= 32 ? 16384 : n_cpus <= 128 ? 8192 : 4096;
}

/*
 * First the object with typed programs, then the one without. ZH_TRACE_COMPAT=1 in the environment
 * leaves out the first, so that the second can be tested on a kernel that takes both.
 */
static int load_any(struct zh_trace *trace, struct zh_record *record, struct zh_err *err)
{
	struct attempt attempt = {.n_cpus = trace->window.n_cpus};
	const char *compat = getenv("ZH_TRACE_COMPAT");
	int r = -ENOTSUP;

	attempt.ring_events = ring_size(attempt.n_cpus);
	trace->window.ring_events = attempt.ring_events;
	if (!compat || strcmp(compat, "1")) {
		attempt.bytes = trace_bpf__elf_bytes(&attempt.size);
		r = load_object(trace, &attempt, err);
	}
	if (r) {
		memset(attempt.refused, 0, sizeof(attempt.refused));
		attempt.refusals = 0;
		attempt.bytes = trace_compat_bpf__elf_bytes(&attempt.size);
		r = load_object(trace, &attempt, err);
	}
	if (!r)
		note_missing(trace, &attempt, record);
	return r;
}

int zh_trace_load(struct zh_trace *trace, struct zh_record *record, struct zh_err *err)
{
	libbpf_print_fn_t before = zh_libbpf_listen();
	int r;

	r = zh_libbpf_check_permission(err);
	if (!r)
		r = zh_features_read(&trace->features, err);
	if (!r)
		r = load_any(trace, record, err);
	libbpf_set_print(before);
	return r;
}

void zh_trace_attach(struct zh_trace *trace, struct zh_record *record)
{
	libbpf_print_fn_t before = zh_libbpf_listen();
	struct bpf_program *program;
	char what[64];
	int i;

	for (i = 0; i < ZH_HOOK_MAX; i++) {
		program = hooks[i].name ? program_of(trace->object, hooks[i].name) : NULL;
		if (!program || bpf_program__fd(program) < 0)
			continue;
		trace->links[i] = bpf_program__attach(program);
		if (trace->links[i])
			continue;
		snprintf(what, sizeof(what), "trace hook %s", hooks[i].name);
		zh_record_not_measured(record, what, "cannot attach: %s", strerror(errno));
	}
	libbpf_set_print(before);
}

int zh_trace_program_fd(const struct zh_trace *trace, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(trace->object, name);
	int fd = program ? bpf_program__fd(program) : -1;

	return fd < 0 ? -1 : fd;
}
