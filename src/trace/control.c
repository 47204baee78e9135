/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the probe tells the tracer, and what the session asks it, while probes run.
 */
#include "trace/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <bpf/bpf.h>

#include "trace/collect.h"

#ifndef SO_ATTACH_BPF
#define SO_ATTACH_BPF 50
#endif

/* Room for what stands around a payload: IPv4 and UDP at least, at most IPv6, TCP with options,
 * a link header with tags. */
#define HEADERS_MIN 28
#define HEADERS_MAX 160
/* A packet larger than the smallest IPv6 MTU may travel in fragments; the first one has the
 * identification and is at least this long. */
#define WHOLE_MAX 1280
#define FRAGMENT_MIN 512

static bool is_raw(int fd)
{
	int type = 0;
	socklen_t size = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_RAW;
}

void zh_trace_socket(struct zh_trace *trace, int fd, bool responder)
{
	int program = zh_trace_program_fd(trace, responder    ? "zh_filter_responder"
						 : is_raw(fd) ? "zh_filter_raw_icmp"
							      : "zh_filter_prober");

	if (program < 0 || !trace->config.packets)
		return;
	/* A failure costs the SOCK stamps only; the timeline shows that they are missing. */
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program));
}

/* The calling thread's id in the initial pid namespace, which is what the kernel's hooks see. */
static uint32_t kernel_tid(struct zh_trace *trace, uint32_t tid)
{
	int program = zh_trace_program_fd(trace, "zh_who_am_i");
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (program < 0 || bpf_prog_test_run_opts(program, &opts) || !opts.retval)
		return tid;
	return opts.retval;
}

void zh_trace_thread(struct zh_trace *trace, uint32_t tid, bool responder)
{
	enum zh_trace_role role = responder ? ZH_TRACE_RESPONDER : ZH_TRACE_PROBER;
	struct zh_trace_thread *thread = &trace->control->threads[role];

	trace->user_tids[role] = tid;
	thread->pending = 0;
	__atomic_store_n(&thread->tid, kernel_tid(trace, tid), __ATOMIC_RELEASE);
}

void zh_trace_flow(struct zh_trace *trace, uint16_t local_port, uint16_t remote_port)
{
	trace->control->local_port = local_port;
	trace->control->remote_port = remote_port;
}

void zh_trace_arm(struct zh_trace *trace, bool on)
{
	__atomic_store_n(&trace->control->armed, on, __ATOMIC_RELEASE);
}

void zh_trace_phase(struct zh_trace *trace, enum zh_transport_id transport, uint32_t first_seq)
{
	struct zh_trace_control *c = trace->control;
	uint32_t size = trace->config.size_bytes;

	/* Slots only ever pass to later probes, so a restart of the count clears them. */
	if (first_seq < c->first_seq)
		memset(trace->slots.at, 0, trace->slots.bytes);
	c->transport = transport;
	c->first_seq = first_seq;
	c->size = size;
	memset(c->streams, 0, sizeof(c->streams));
	if (transport == ZH_TRANSPORT_TCP) { /* segments hold any part of the stream */
		c->len_min = HEADERS_MIN;
		c->len_max = UINT32_MAX;
		return;
	}
	c->len_min = size + HEADERS_MIN <= WHOLE_MAX ? size + HEADERS_MIN : FRAGMENT_MIN;
	c->len_max = size + HEADERS_MAX;
}

void zh_trace_collect(struct zh_trace *trace, struct zh_record *record, struct zh_sample *sample)
{
	zh_collect(trace->slots.at, (enum zh_transport_id)trace->control->transport,
		trace->features.no_socket, record, sample);
}

/*
 * Events carry ids of the initial pid namespace; the record knows the probe's threads by their own.
 * Where both differ they are exchanged, so that nobody else seems to be the probe.
 */
static uint32_t user_pid(const struct zh_trace *trace, uint32_t pid)
{
	int role;

	for (role = 0; role < ZH_TRACE_ROLES; role++) {
		uint32_t kernel = trace->control->threads[role].tid, user = trace->user_tids[role];

		if (pid == kernel)
			return user;
		if (pid == user)
			return kernel;
	}
	return pid;
}

static void translate_pids(
	const struct zh_trace *trace, struct zh_record *record, const struct zh_sample *sample)
{
	uint32_t i;

	for (i = 0; i < sample->n_events; i++) {
		struct zh_event *event = &record->events[sample->events + i];

		event->pid = user_pid(trace, event->pid);
		if (event->type == ZH_EVENT_SWITCH)
			event->arg = user_pid(trace, event->arg);
		else if (event->type == ZH_EVENT_WAKING)
			event->arg2 = user_pid(trace, event->arg2);
	}
}

static bool same_pids(const struct zh_trace *trace)
{
	int role;

	for (role = 0; role < ZH_TRACE_ROLES; role++) {
		if (trace->control->threads[role].tid != trace->user_tids[role])
			return false;
	}
	return true;
}

void zh_trace_window(struct zh_trace *trace, struct zh_record *record, struct zh_sample *sample,
	uint64_t from_ns, uint64_t to_ns)
{
	zh_window_read(&trace->window, record, sample, from_ns, to_ns);
	if (!same_pids(trace))
		translate_pids(trace, record, sample);
}

bool zh_trace_has(const struct zh_trace *trace, const char *what)
{
	const struct bpf_link *const *links = (const struct bpf_link *const *)trace->links;

	if (!strcmp(what, "recorder"))
		return links[ZH_HOOK_sched_switch];
	if (!strcmp(what, "packets"))
		return links[ZH_HOOK_netif_receive_skb];
	if (!strcmp(what, "softirq"))
		return links[ZH_HOOK_softirq_entry] && links[ZH_HOOK_softirq_exit];
	if (!strcmp(what, "qdisc"))
		return links[ZH_HOOK_net_dev_queue];
	return !strcmp(what, "netfilter") && trace->n_brackets;
}

const char *zh_trace_drop_reason(const struct zh_trace *trace, uint32_t reason)
{
	static _Thread_local char text[64];

	return zh_features_reason(&trace->features, reason, text, sizeof(text));
}

uint64_t zh_trace_foreign_ns(struct zh_trace *trace)
{
	return zh_bpf_stats_read(trace->foreign);
}
