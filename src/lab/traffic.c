/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/traffic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/probe.h"
#include "stats/summary.h"
#include "sys/root.h"

#define STEP_NS (20 * ZH_NSEC_PER_MSEC)

struct run {
	const struct lab_traffic_config *config;
	struct lab_traffic *ret;
	struct lab_watch *watch;
	struct zh_probe *probe;
	struct zh_record *record;
	struct zh_load *load;
};

struct moment {
	uint64_t ns, busy_ns, sent, received;
	uint64_t softirq_ns[LAB_CPUS_MAX];
	size_t n_cpus;
};

int lab_warm_up(const struct zh_lab_ns *ns, const char *address, struct zh_err *err)
{
	struct zh_probe_config config = {.target.transport = ZH_TRANSPORT_TCP,
		.size_bytes = 64,
		.cpu = -1,
		.peer_cpu = -1,
		.netns_fd = ns->netns_fd,
		.peer_netns_fd = ns->peer_netns_fd < 0 ? ns->netns_fd : ns->peer_netns_fd,
		.peer_cgroup_fd = -1};
	struct zh_probe *probe;
	int r;

	snprintf(config.target.host, sizeof(config.target.host), "%s", address);
	r = zh_probe_open(&config, &probe, err);
	if (r == 0)
		zh_probe_close(probe);
	return r;
}

/* Time that CPUs were not idle, all of them: what the kernel counts as idle is exact on tickless
 * kernels, while user and system time is sampled. Steal is nobody's here. */
static uint64_t busy_ns(uint64_t now_ns)
{
	zh_autofree char *text = NULL;
	uint64_t v[8] = {0}, ticks_ns = ZH_NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (zh_sys_slurp(&text, "/proc/stat") < 0 ||
		sscanf(text,
			"cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			" %" SCNu64 " %" SCNu64,
			&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 5)
		return 0;
	return now_ns * (uint64_t)n_cpus - (v[3] + v[4] + v[7]) * ticks_ns;
}

static void take_moment(const struct run *run, struct moment *ret)
{
	struct zh_load_result load = {};

	if (run->load)
		zh_load_peek(run->load, &load);
	ret->ns = zh_now_ns();
	ret->sent = load.sent;
	ret->received = load.received;
	ret->busy_ns = busy_ns(ret->ns);
	ret->n_cpus = lab_watch_softirq(run->watch, ret->softirq_ns, LAB_CPUS_MAX);
}

static void note_window(struct lab_traffic *ret, const struct moment *a, const struct moment *b)
{
	size_t i;

	ret->window_ns = b->ns - a->ns;
	ret->sent = b->sent - a->sent;
	ret->received = b->received - a->received;
	ret->busy_ns = b->busy_ns > a->busy_ns ? b->busy_ns - a->busy_ns : 0;
	ret->n_cpus = ZH_MIN(a->n_cpus, b->n_cpus);
	for (i = 0; i < ret->n_cpus; i++)
		ret->softirq_ns[i] = b->softirq_ns[i] - a->softirq_ns[i];
}

static bool is_stopped(const struct run *run)
{
	return run->config->stop && run->config->stop(run->config->arg);
}

static int open_victim(struct run *run, struct zh_err *err)
{
	const struct lab_victim *victim = &run->config->victim;
	const struct zh_record_limits limits = {.phases = 1, .samples = victim->count};
	struct zh_probe_config config = {.target.transport = victim->transport,
		.size_bytes = victim->size_bytes,
		.cpu = victim->cpu,
		.peer_cpu = victim->peer_cpu,
		.netns_fd = victim->netns_fd,
		.peer_netns_fd = victim->peer_netns_fd,
		.nodelay = true,
		.lock_memory = true,
		.peer_cgroup_fd = -1,
		.hooks = {.arg = run->config->arg, .stop = run->config->stop}};

	snprintf(config.target.host, sizeof(config.target.host), "%s",
		victim->address ? victim->address : "");
	run->record = zh_record_new(&limits);
	if (!run->record)
		return zh_err_set(err, -ENOMEM, "out of memory");
	return zh_probe_open(&config, &run->probe, err);
}

static void note_victim(const struct zh_record *record, struct lab_victim_result *ret)
{
	zh_autofree uint64_t *times = calloc(record->n_samples + 1, sizeof(*times));
	size_t n = 0, i;

	for (i = 0; i < record->n_samples; i++) {
		const struct zh_sample *s = &record->samples[i];

		if (!s->send_errno)
			ret->requests++;
		if (zh_sample_answered(s) && times)
			times[n++] = s->recv_ns - s->intended_ns;
		ret->late += !!(s->flags & ZH_SAMPLE_LATE);
	}
	ret->answered = (uint32_t)n;
	if (!n)
		return;
	zh_stats_sort(times, n);
	ret->p50_ns = zh_stats_quantile(times, n, 0.5);
	ret->p99_ns = zh_stats_quantile(times, n, 0.99);
	ret->p999_ns = zh_stats_quantile(times, n, 0.999);
	ret->max_ns = times[n - 1];
}

static int run_victim(struct run *run, struct zh_err *err)
{
	const struct lab_victim *victim = &run->config->victim;
	int r = zh_probe_phase(run->probe, "victim", victim->count, victim->gap_ns,
		victim->timeout_ns, run->record, err);

	note_victim(run->record, &run->ret->victim);
	return r;
}

static int wait_for_end(struct run *run, uint64_t end_ns)
{
	uint64_t now_ns;

	while (!is_stopped(run) && (now_ns = zh_now_ns()) < end_ns)
		zh_sleep_until(ZH_MIN(end_ns, now_ns + STEP_NS));
	return 0;
}

static int run_window(struct run *run, struct zh_err *err)
{
	struct moment *moments = calloc(2, sizeof(*moments));
	int r;

	if (!moments)
		return zh_err_set(err, -ENOMEM, "out of memory");
	take_moment(run, &moments[0]);
	if (run->probe)
		r = run_victim(run, err);
	else
		r = wait_for_end(run, zh_now_ns() + run->config->duration_ns);
	take_moment(run, &moments[1]);
	note_window(run->ret, &moments[0], &moments[1]);
	free(moments);
	return r;
}

static void reckon(struct run *run)
{
	const struct lab_traffic_config *config = run->config;
	struct lab_traffic *ret = run->ret;
	const struct lab_victim_result *victim = &ret->victim;

	ret->is_reckoned = (!config->has_load || config->load.protocol == ZH_LOAD_UDP) &&
			   (!config->victim.count || config->victim.transport == ZH_TRANSPORT_UDP);
	if (ret->is_reckoned)
		ret->unattributed =
			(int64_t)(ret->load.sent + victim->requests) -
			(int64_t)(ret->load.received + victim->answered + victim->late) -
			(int64_t)ret->places.total;
}

static void note_gaps(const struct run *run)
{
	const struct zh_record *notes = lab_watch_notes(run->watch);
	size_t i, len = 0;

	for (i = 0; i < notes->n_not_measured && len < sizeof(run->ret->not_measured); i++)
		len += (size_t)snprintf(run->ret->not_measured + len,
			sizeof(run->ret->not_measured) - len, "%s%s: %s", i ? "; " : "",
			notes->not_measured[i].what, notes->not_measured[i].why);
}

static int run_all(struct run *run, struct zh_err *err)
{
	const struct lab_traffic_config *config = run->config;
	struct zh_err stop_err = {};
	int r = config->victim.count ? open_victim(run, err) : 0, stopped;

	if (r == 0)
		r = lab_watch_open(config->ns, &run->watch, err);
	if (r == 0 && config->has_load)
		r = zh_load_start(&config->load, &run->load, err);
	if (r < 0)
		return r;
	if (config->has_load)
		wait_for_end(run, zh_now_ns() + config->settle_ns);
	r = run_window(run, err);
	stopped = zh_load_stop(zh_take(run->load), &run->ret->load, &stop_err);
	if (r == 0 && stopped < 0)
		r = zh_err_set(err, stopped, "%s", stop_err.text);
	lab_watch_places(run->watch, &run->ret->places);
	reckon(run);
	note_gaps(run);
	run->ret->interrupted = is_stopped(run);
	return r;
}

int lab_traffic_run(
	const struct lab_traffic_config *config, struct lab_traffic *ret, struct zh_err *err)
{
	struct run run = {.config = config, .ret = ret};
	int r;

	*ret = (struct lab_traffic){};
	r = run_all(&run, err);
	zh_load_stop(run.load, NULL, NULL);
	zh_probe_close(run.probe);
	zh_record_free(run.record);
	lab_watch_close(run.watch);
	return r;
}

uint64_t lab_traffic_offered(const struct lab_traffic *traffic)
{
	const struct zh_load_result *load = &traffic->load;

	return load->elapsed_ns ? (uint64_t)((double)load->sent * (double)ZH_NSEC_PER_SEC /
					     (double)load->elapsed_ns)
				: 0;
}

double lab_traffic_lost(const struct lab_traffic *traffic)
{
	const struct zh_load_result *load = &traffic->load;

	return load->sent > load->received
		       ? (double)(load->sent - load->received) / (double)load->sent
		       : 0;
}
