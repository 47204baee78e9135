/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "explain/explain.h"
#include "lab/foreign.h"
#include "lab/score.h"
#include "session/session.h"
#include "sys/netns.h"
#include "sys/process.h"

#define RUN_TIMEOUT_NS (45 * ZH_NSEC_PER_SEC)
#define WATCH_EVERY_MS 3
#define PARTS 3
#define QUIET_WAIT_NS (6 * ZH_NSEC_PER_SEC)
#define TRIES 3 /* when others are busy */

struct job {
	const struct zh_lab_run *run;
	const char *record_path;
	int result_fd;
};

static void fail(struct zh_score_result *result, int status, const struct zh_err *err)
{
	*result = (struct zh_score_result){.status = status, .unexplained_share = -1};
	snprintf(result->why, sizeof(result->why), "%.*s", (int)sizeof(result->why) - 1,
		err->text[0] ? err->text : strerror(-status));
}

static void summarise(const struct zh_explanation *ex, struct zh_score_result *ret)
{
	*ret = (struct zh_score_result){.unexplained_share = ex->unexplained_share,
		.p50_ns = ex->rtt.p50_ns,
		.max_ns = ex->rtt.max_ns,
		.count = ex->rtt.count,
		.lost = ex->rtt.lost};
	for (size_t i = 0; i < ex->n_findings; i++) {
		const struct zh_finding *finding = &ex->findings[i];
		unsigned int n = ret->n_findings;

		if (finding->severity < ZH_SEVERITY_WARNING)
			continue;
		ret->n_findings++;
		if (n >= ZH_SCORE_NAMED)
			continue;
		snprintf(ret->named[n].id, sizeof(ret->named[n].id), "%s", finding->rule->id);
		ret->named[n].attributed_share =
			finding->has_attribution ? finding->attributed_share : -1;
	}
}

/*
 * Two stretches with the fault around one in the clean room at the same pace: a drifting machine
 * then does not favour either, and what is slow in the clean room too is not configuration.
 */
static int measure(const struct zh_lab_run *run, struct zh_record **ret, struct zh_err *err)
{
	const struct zh_fault *fault = run->fault;
	const struct zh_session_phase main_phase = {
		.label = "main", .count = fault->count / 2, .gap_ns = fault->gap_ns};
	struct zh_session_phase clean = main_phase;
	struct zh_session_config config = {.command = "lab",
		.timeout_ns = fault->timeout_ns,
		.tier = ZH_TIER_PACKETS,
		.facts = true};
	int r = zh_lab_probe_config(run, &config.probe, err);

	clean.label = "clean-room";
	clean.count = fault->count / 4;
	clean.clean_room = true;
	config.phases = (const struct zh_session_phase[]){main_phase, clean, main_phase};
	config.n_phases = PARTS;
	return r < 0 ? r : zh_session_run(&config, ret, err);
}

/* As `doctor --dev` does it, in less time. */
static int watch(const struct zh_lab_run *run, struct zh_record **ret, struct zh_err *err)
{
	const struct zh_fault *fault = run->fault;
	const struct zh_watch_config device = {.device = fault->watched->device};
	const struct zh_session_phase phase = {
		.label = "gap-10ms", .count = fault->count, .gap_ns = fault->gap_ns};
	struct zh_session_config config = {.command = "lab",
		.probe = {.size_bytes = 64,
			.cpu = -1,
			.peer_cpu = -1,
			.netns_fd = -1,
			.peer_netns_fd = -1,
			.peer_cgroup_fd = -1,
			.kernel_stamps = true,
			.nodelay = true,
			.lock_memory = true},
		.udp_fallback = true,
		.timeout_ns = fault->timeout_ns,
		.tier = ZH_TIER_RECORDER,
		.facts = true,
		.watch = &device,
		.phases = &phase,
		.n_phases = 1};
	int r = zh_target_parse("127.0.0.1", &config.probe.target, err);

	return r < 0 ? r : zh_session_run(&config, ret, err);
}

/* In the child. */
static int job_body(void *arg)
{
	const struct job *job = arg;
	struct zh_explanation *explanation = NULL;
	struct zh_record *record = NULL;
	struct zh_score_result result;
	struct zh_err err = {0};
	const struct zh_lab_run *run = job->run;
	bool watched = run->fault->watched;
	int r = zh_netns_enter(watched ? run->ns.host_netns_fd : run->ns.netns_fd, &err);

	if (r == 0 && watched)
		r = zh_netns_show_devices(&err);
	if (r == 0)
		r = watched ? watch(run, &record, &err) : measure(run, &record, &err);
	if (r == 0 && job->record_path)
		r = zh_record_save(record, job->record_path, &err);
	if (r == 0)
		r = zh_explain(record, &explanation, &err);
	if (r < 0)
		fail(&result, r, &err);
	else
		summarise(explanation, &result);
	zh_explanation_free(explanation);
	zh_record_free(record);
	return write(job->result_fd, &result, sizeof(result)) != sizeof(result);
}

/* Watches the fault until the child has said its result or died. */
static int await_result(
	struct zh_lab_run *run, pid_t pid, int fd, struct zh_score_result *ret, struct zh_err *err)
{
	uint64_t end_ns = zh_now_ns() + RUN_TIMEOUT_NS;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	bool watch = run->fault->watch;
	int r;

	do {
		if (watch)
			run->fault->watch(run, pid);
		r = poll(&poll_fd, 1, watch ? WATCH_EVERY_MS : 200);
	} while ((r == 0 || (r < 0 && errno == EINTR)) && zh_now_ns() < end_ns);
	if (r <= 0)
		return zh_err_set(err, -ETIMEDOUT, "the run did not end");
	if (read(fd, ret, sizeof(*ret)) != sizeof(*ret))
		return zh_err_set(err, -ECHILD, "the measuring process died");
	return 0;
}

static int run_job(struct zh_lab_run *run, const char *record_path, struct zh_score_result *ret,
	struct zh_err *err)
{
	struct job job = {run, record_path, -1};
	zh_autoclose int read_fd = -1;
	int fds[2], r;
	pid_t pid = 0;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	read_fd = fds[0];
	job.result_fd = fds[1];
	r = zh_process_fork(job_body, &job, &pid, err);
	close(fds[1]);
	if (r == 0)
		r = await_result(run, pid, read_fd, ret, err);
	zh_process_end(pid);
	return r;
}

static void run_once(const struct zh_fault *fault, bool control, uint64_t seed,
	const char *record_path, struct zh_score_result *ret)
{
	struct foreign foreign;
	struct zh_lab_run run;
	struct zh_err err = {0};
	int r;

	foreign_start(&foreign);
	r = zh_lab_start(fault, control, seed, &run, &err);
	if (r == 0) {
		r = run_job(&run, record_path, ret, &err);
		zh_lab_stop(&run);
	}
	if (r < 0)
		fail(ret, r, &err);
	ret->foreign_cpus = foreign_cpus(&foreign);
}

void zh_lab_run_once(const struct zh_fault *fault, bool control, uint64_t seed,
	const char *record_path, struct zh_score_result *ret)
{
	int tries = 0;

	do {
		if (tries)
			foreign_wait_quiet(ZH_SCORE_DISTURBED, QUIET_WAIT_NS);
		run_once(fault, control, seed, record_path, ret);
	} while (ret->status == 0 && ret->foreign_cpus > ZH_SCORE_DISTURBED && ++tries < TRIES);
}
