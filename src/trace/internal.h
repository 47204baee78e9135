/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracer's inside, shared by its own files: trace.c (life), load.c (the BPF object),
 * control.c (what the probe tells us), netfilter.c (brackets).
 */
#pragma once

#include <bpf/libbpf.h>

#include "sys/bpf-stats.h"
#include "trace/kernel-features.h"
#include "trace/trace.h"
#include "trace/window.h"

/* First and last in 5 hooks, for IPv4 and IPv6, in two namespaces. */
#define ZH_BRACKETS_MAX (2 * 5 * 2 * 2)

struct zh_mapped { /* a map, read and written through mmap */
	void *at;
	size_t bytes;
};

struct zh_trace {
	struct zh_trace_config config;
	struct zh_features features;

	struct bpf_object *object;
	struct bpf_link *links[ZH_HOOK_MAX]; /* NULL: not attached */
	int brackets[ZH_BRACKETS_MAX];       /* link fds */
	size_t n_brackets;

	struct zh_trace_control *control; /* in bss */
	struct zh_mapped bss, cpus, rings, slots;
	struct zh_window_rings window;
	uint32_t user_tids[ZH_TRACE_ROLES]; /* as the probe knows them */
	struct zh_bpf_stats *foreign;       /* NULL: no such programs */
};

/* load.c: opens and loads the object that the kernel takes. Hooks that the kernel refuses are
 * noted and left out. 0 or a negative errno. */
int zh_trace_load(struct zh_trace *trace, struct zh_record *record, struct zh_err *err);
/* load.c: attaches every loaded hook; what fails is noted. */
void zh_trace_attach(struct zh_trace *trace, struct zh_record *record);
/* The fd of a program by its function name, -1 when it is not loaded. */
int zh_trace_program_fd(const struct zh_trace *trace, const char *name);

/* netfilter.c: brackets in the configured namespaces; what fails is noted. */
void zh_trace_bracket(struct zh_trace *trace, struct zh_record *record);
void zh_trace_unbracket(struct zh_trace *trace);
