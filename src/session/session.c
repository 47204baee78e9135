/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/describe-run.h"
#include "session/internal.h"
#include "sys/netns.h"

#define STAMPS_A_SAMPLE 28
#define STAMPS_MAX (4u << 20)
#define EVENTS_MAX (800u << 10)                 /* 40 bytes each */
#define WINDOW_LEAD_NS (100 * ZH_NSEC_PER_USEC) /* events kept from before the intended send */
#define WINDOW_MAX_NS (500 * ZH_NSEC_PER_MSEC)
#define FLOOD_PACKETS_PER_SECOND 100000
#define PROGRESS_SLACK_NS (5 * ZH_NSEC_PER_MSEC)

static void on_socket(void *arg, int fd, enum zh_probe_role role)
{
	struct session *s = arg;

	if (s->trace)
		zh_trace_socket(s->trace, fd, role == ZH_ROLE_RESPONDER);
}

static void on_thread(void *arg, uint32_t tid, enum zh_probe_role role)
{
	struct session *s = arg;

	if (s->trace)
		zh_trace_thread(s->trace, tid, role == ZH_ROLE_RESPONDER);
}

static void keep_window(struct session *s, struct zh_sample *sample)
{
	uint64_t from = sample->intended_ns - WINDOW_LEAD_NS, to = sample->recv_ns;

	if (!to)
		to = zh_now_ns();
	if (to - from > WINDOW_MAX_NS)
		to = from + WINDOW_MAX_NS;
	if (s->record->n_events >= s->events_end) {
		s->skipped_windows++;
		return;
	}
	zh_trace_window(s->trace, s->record, sample, from, to);
}

static void on_sample(void *arg, struct zh_sample *sample, uint64_t slack_ns)
{
	struct session *s = arg;
	uint64_t foreign_ns;

	if (s->trace) {
		foreign_ns = zh_trace_foreign_ns(s->trace);
		sample->bpf_ns = foreign_ns - s->foreign_ns;
		s->foreign_ns = foreign_ns;
		zh_trace_collect(s->trace, s->record, sample);
		if (keep_sample(&s->keep, sample))
			keep_window(s, sample);
	}
	if (s->config->progress && slack_ns > PROGRESS_SLACK_NS)
		s->config->progress(s->config->arg, s->record);
}

static bool on_stop(void *arg)
{
	const struct session *s = arg;

	return s->config->stop && s->config->stop(s->config->arg);
}

/* The clean room: a namespace with nothing but lo. */
static int clean_room(struct session *s, struct zh_err *err)
{
	int r;

	if (s->clean_netns >= 0)
		return 0;
	s->clean_netns = zh_netns_new(err);
	if (s->clean_netns < 0)
		return s->clean_netns;
	r = zh_netns_lo_up(s->clean_netns, err);
	if (r < 0)
		close(zh_take_fd(&s->clean_netns));
	return r;
}

/* In the clean room only lo exists: the same transport, to the loopback address. */
static void move_to_clean_room(struct session *s, struct zh_probe_config *config)
{
	bool v6 = strchr(config->target.host, ':') || config->ip_version == 6;

	config->netns_fd = config->peer_netns_fd = s->clean_netns;
	config->target.port = 0;
	config->target.path[0] = '\0';
	snprintf(config->target.host, sizeof(config->target.host), "%s", v6 ? "::1" : "127.0.0.1");
}

int session_open_probe(struct session *s, const struct zh_session_phase *phase,
	struct zh_probe **ret, struct zh_err *err)
{
	struct zh_probe_config config = s->config->probe;
	int r;

	if (phase->target) {
		r = zh_target_parse(phase->target, &config.target, err);
		if (r < 0)
			return r;
	}
	if (phase->clean_room) {
		r = clean_room(s, err);
		if (r < 0)
			return r;
		move_to_clean_room(s, &config);
	}
	if (phase->placed) {
		config.cpu = phase->cpu;
		config.peer_cpu = phase->peer_cpu;
	}
	config.run = (uint32_t)s->record->start_ns;
	config.hooks = (struct zh_probe_hooks){.arg = s,
		.socket = on_socket,
		.thread = on_thread,
		.sample = on_sample,
		.stop = on_stop};
	return zh_probe_open(&config, ret, err);
}

static void connect_trace(
	struct session *s, const struct zh_probe *probe, const struct zh_probe_config *config)
{
	uint16_t local, remote;

	zh_probe_ports(probe, &local, &remote);
	zh_trace_flow(s->trace, local, remote);
	zh_trace_phase(s->trace, config->target.transport, (uint32_t)s->record->n_samples);
	s->foreign_ns = zh_trace_foreign_ns(s->trace);
	zh_trace_arm(s->trace, true);
}

/* What is left of the event store is shared evenly by the phases that are left, so that a busy
 * first phase does not use it up. */
static void share_events(struct session *s, size_t index)
{
	size_t left = s->record->max_events - s->record->n_events;
	size_t phases = s->config->n_phases > index ? s->config->n_phases - index : 1;

	s->events_end = s->record->n_events + left / phases;
}

static bool has_counter(const struct zh_record *record, const char *name)
{
	size_t i;

	for (i = 0; i < record->n_counters; i++)
		if (!strcmp(record->counters[i].name, name))
			return true;
	return false;
}

static void name_drop_reason(struct session *s, uint32_t number)
{
	char counter[sizeof(s->record->counters->name)];
	const char *name = zh_trace_drop_reason(s->trace, number);

	if (!name)
		return;
	snprintf(counter, sizeof(counter), "drop_reason.%s", name);
	if (!has_counter(s->record, counter))
		zh_record_counter(s->record, counter, number);
}

/* Names of the drop reasons that were seen, "drop_reason.NETFILTER_DROP" = number: the numbers move
 * from kernel to kernel. */
static void name_drop_reasons(struct session *s)
{
	size_t i;

	for (i = 0; i < s->record->n_stamps; i++)
		if (s->record->stamps[i].point == ZH_POINT_DROP)
			name_drop_reason(s, s->record->stamps[i].arg);
	for (i = 0; i < s->record->n_events; i++)
		if (s->record->events[i].type == ZH_EVENT_DROP)
			name_drop_reason(s, s->record->events[i].arg);
}

static int run_phase(struct session *s, const struct zh_session_phase *phase, struct zh_err *err)
{
	struct zh_probe_config config = s->config->probe;
	struct zh_probe *probe = NULL;
	size_t index = s->record->n_phases;
	int r;

	if (phase->target && zh_target_parse(phase->target, &config.target, err) < 0)
		return -EINVAL;
	r = session_open_probe(s, phase, &probe, err);
	if (r < 0)
		return r;
	keep_start(&s->keep);
	share_events(s, index);
	if (s->trace)
		connect_trace(s, probe, &config);
	r = zh_probe_phase(probe, phase->label, phase->count, phase->gap_ns, s->config->timeout_ns,
		s->record, err);
	if (s->trace)
		zh_trace_arm(s->trace, false);
	if (r == 0 && index < s->record->n_phases) {
		s->record->phases[index].clean_room = phase->clean_room;
		s->record->phases[index].traced = s->trace != NULL;
	}
	zh_probe_close(probe);
	return r;
}

/*
 * The first phase must work; a later one (clean room, another transport) that cannot be opened is
 * something not measured.
 */
static int run_phases(struct session *s, struct zh_err *err)
{
	const struct zh_session_config *config = s->config;
	struct zh_err phase_err;
	size_t i;
	int r;

	for (i = 0; i < config->n_phases; i++) {
		if (on_stop(s)) {
			zh_record_not_measured(
				s->record, config->phases[i].label, "the run was ended early");
			continue;
		}
		phase_err = (struct zh_err){};
		r = run_phase(s, &config->phases[i], &phase_err);
		if (r < 0 && i == 0) {
			*err = phase_err;
			return r;
		}
		if (r < 0)
			zh_record_not_measured(
				s->record, config->phases[i].label, "%s", phase_err.text);
	}
	return 0;
}

static struct zh_record *new_record(const struct zh_session_config *config)
{
	struct zh_record_limits limits = {.phases = config->n_phases};
	bool traced = config->tier != ZH_TIER_NONE;
	size_t i;

	for (i = 0; i < config->n_phases; i++)
		limits.samples += config->phases[i].count;
	limits.stamps = traced ? ZH_MIN(limits.samples * STAMPS_A_SAMPLE, (size_t)STAMPS_MAX) : 0;
	limits.events = traced ? EVENTS_MAX : 0;
	return zh_record_new(&limits);
}

/*
 * Two hooks on each softirq cost a saturating flood some 5 % of its packets. Where a flood passes
 * they are left out unless the user asked for everything; counters still tell of softirq load.
 */
static bool may_hook_softirqs(struct session *s)
{
	uint64_t rate;

	if (s->config->tier != ZH_TIER_PACKETS)
		return s->config->tier > ZH_TIER_PACKETS;
	rate = session_packet_rate();
	if (rate < FLOOD_PACKETS_PER_SECOND)
		return true;
	zh_record_not_measured(s->record, "softirq times",
		"%llu packets a second pass one CPU, and hooks would slow them (--trace full "
		"sets them)",
		(unsigned long long)rate);
	return false;
}

static void open_trace(struct session *s)
{
	const struct zh_session_config *config = s->config;
	struct zh_trace_config trace = {
		.recorder = true,
		.packets = config->tier >= ZH_TIER_PACKETS,
		.softirq = may_hook_softirqs(s),
		.softirq_detail = config->tier >= ZH_TIER_FULL,
		.netns_fd = config->probe.netns_fd,
		.peer_netns_fd = config->probe.peer_netns_fd,
		.run = (uint32_t)s->record->start_ns,
		.size_bytes = config->probe.size_bytes,
	};
	struct zh_err err = {};

	if (config->tier == ZH_TIER_NONE) {
		zh_record_not_measured(s->record, "trace", "switched off");
		return;
	}
	session_choose_brackets(&s->record->before, &config->probe.target, &trace);
	if (zh_trace_open(&trace, s->record, &s->trace, &err) < 0)
		zh_record_not_measured(
			s->record, "trace", "%s%s%s", err.text, err.hint[0] ? ": " : "", err.hint);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void take_facts(struct session *s, struct zh_fact_set *set)
{
	struct zh_err err = {};

	if (s->config->facts && zh_facts_collect(set, &err) < 0)
		zh_record_not_measured(s->record, "facts", "%s", err.text);
}

/* Own cost: bursts before, with and after tracing, so that a drifting machine cancels out. */
static int measure(struct session *s, struct zh_err *err)
{
	bool overhead = s->config->overhead && s->config->tier != ZH_TIER_NONE;
	uint64_t bare_first = overhead ? session_burst_p50(s) : 0, wall_ns, bare_last;
	double cpu;
	int r;

	open_trace(s);
	if (overhead && s->trace) {
		zh_trace_arm(s->trace, true);
		s->record->overhead_traced_p50_ns = session_burst_p50(s);
		zh_trace_arm(s->trace, false);
	}
	cpu = cpu_seconds();
	wall_ns = zh_now_ns();
	r = run_phases(s, err);
	wall_ns = zh_now_ns() - wall_ns;
	if (s->record->n_samples)
		s->record->overhead_cpu_share =
			(cpu_seconds() - cpu) * 1e9 / (double)(wall_ns * s->record->n_cpus);
	if (s->skipped_windows)
		zh_record_not_measured(s->record, "events of some slow samples",
			"the event store was full: %llu samples have stamps only",
			(unsigned long long)s->skipped_windows);
	if (s->trace)
		name_drop_reasons(s);
	s->trace = zh_trace_close(s->trace, s->record);
	bare_last = s->record->overhead_traced_p50_ns ? session_burst_p50(s) : 0;
	if (bare_first && bare_last)
		s->record->overhead_bare_p50_ns = (bare_first + bare_last) / 2;
	else
		s->record->overhead_traced_p50_ns = 0;
	return r;
}

/* A namespace with nothing but lo has no device to watch, which is no error unless one was named.
 */
static int open_watch(struct session *s, struct zh_err *err)
{
	const struct zh_watch_config *config = s->config->watch;
	int r = config ? watch_open(config, &s->watch, err) : 0;

	if (r != -ENODEV || config->device)
		return r;
	zh_record_not_measured(s->record, "device", "%s", err->text);
	*err = (struct zh_err){};
	return 0;
}

/* All between the two snapshots. */
static int measure_between(struct session *s, struct zh_session_config *own, struct zh_err *err)
{
	int r;

	take_facts(s, &s->record->before);
	if (own->facts)
		session_try_closed_ports(&s->record->before);
	session_choose_transport(own, s->record);
	if (s->watch)
		watch_start(s->watch, s->record);
	r = measure(s, err);
	take_facts(s, &s->record->after);
	if (s->watch && r == 0)
		r = watch_stop(s->watch, s->record, err);
	return r;
}

int zh_session_run(
	const struct zh_session_config *config, struct zh_record **ret, struct zh_err *err)
{
	struct zh_session_config own = *config;
	struct session s = {.config = &own, .clean_netns = -1};
	int r;

	s.record = new_record(config);
	if (!s.record)
		return zh_err_set(err, -ENOMEM, "out of memory for the record");
	session_describe_run(s.record, config->command);
	s.record->overhead_cpu_share = -1;
	r = open_watch(&s, err);
	if (r == 0)
		r = measure_between(&s, &own, err);
	s.watch = watch_close(s.watch);
	s.record->end_ns = zh_now_ns();
	s.record->interrupted = on_stop(&s);
	if (s.clean_netns >= 0)
		close(s.clean_netns);
	if (r < 0) {
		zh_record_free(s.record);
		return r;
	}
	*ret = s.record;
	return 0;
}
