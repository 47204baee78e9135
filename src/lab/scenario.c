/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "lab/foreign.h"
#include "lab/scenario-site.h"
#include "sys/sched.h"

#define UDP_REQUESTS 1000
#define TCP_REQUESTS 600
#define GAP_NS (1 * ZH_NSEC_PER_MSEC)
#define TIMEOUT_NS (300 * ZH_NSEC_PER_MSEC)
#define SIZE_BYTES 64
#define SETTLE_NS (300 * ZH_NSEC_PER_MSEC) /* queues fill, before the window begins */
#define CALIBRATE_SETTLE_NS (50 * ZH_NSEC_PER_MSEC)
#define CALIBRATE_NS (200 * ZH_NSEC_PER_MSEC)
#define CALIBRATE_FIRST 40000.0 /* packets a second */
#define CALIBRATE_STEP 1.35
#define CALIBRATE_STEPS 16
#define CALIBRATE_LOST 0.02

/* The criteria: see zh_scenario_judge(). */
#define LOST_BEFORE_MIN 0.05
#define LOST_SHARE 0.5
#define ANSWERED_TIMES 4
#define OFFERED_SHARE 0.8

struct measurement {
	const struct zh_scenario_config *config;
	struct zh_scenario_result *ret;
};

const struct zh_scenario *zh_scenario_find(const char *id)
{
	for (size_t i = 0; zh_scenario_registry[i]; i++)
		if (!strcmp(zh_scenario_registry[i]->id, id))
			return zh_scenario_registry[i];
	return NULL;
}

static uint32_t unanswered(const struct lab_victim_result *victim)
{
	return victim->requests > victim->answered ? victim->requests - victim->answered : 0;
}

/*
 * Only what is lost and what is answered decide. The time in softirqs does not: a cure may leave it
 * where it was; nor does p99, of which too few samples survive before. The victim keeps sending
 * whatever becomes of its requests, so "four times as many answered" cannot be reached where a
 * quarter was answered before: then a quarter of the unanswered ones counts as well.
 */
enum zh_verdict zh_scenario_judge(const struct lab_traffic *before, const struct lab_traffic *after)
{
	const struct lab_victim_result *was = &before->victim, *is = &after->victim;
	double lost_before = lab_traffic_lost(before), lost_after = lab_traffic_lost(after);
	bool answers = is->answered >= ANSWERED_TIMES * (uint64_t)was->answered ||
		       unanswered(is) * ANSWERED_TIMES <= unanswered(was);

	if (lost_before <= LOST_BEFORE_MIN)
		return ZH_VERDICT_NOT_SHOWN;
	if (lost_after < lost_before * LOST_SHARE && answers && is->answered &&
		is->answered >= was->answered)
		return ZH_VERDICT_HELPS;
	if (lost_after > lost_before + (1 - lost_before) * LOST_SHARE ||
		(uint64_t)is->answered * 2 < was->answered)
		return ZH_VERDICT_HARMS;
	return ZH_VERDICT_NO_HELP;
}

const char *zh_verdict_name(enum zh_verdict verdict)
{
	static const char *const names[] = {"before", "helps", "does not help", "harms",
		"cannot be shown here", "not measured"};

	return names[verdict];
}

static struct zh_load_config load_config(
	const struct measurement *m, const struct scenario_site *site, char from[static 32])
{
	const struct zh_scenario *scenario = m->config->scenario;
	struct zh_load_config load = {.protocol = ZH_LOAD_UDP,
		.engine = ZH_LOAD_SOCKET,
		.netns_fd = site->ns.netns_fd,
		.peer_netns_fd = site->ns.peer_netns_fd,
		.to = site->topology->address,
		.flows = scenario->flows,
		.size_bytes = SIZE_BYTES,
		.rate = m->ret->rate,
		.burst = scenario->burst,
		.cpu = m->ret->other_cpu,
		.peer_cpu = m->ret->other_cpu};

	if (scenario->engine != ZH_LOAD_XDP || m->ret->why_not_xdp[0])
		return load;
	load.engine = ZH_LOAD_XDP;
	load.netns_fd = site->ns.host_netns_fd;
	load.device = scenario_ingress(site->topology);
	load.from = scenario_client(site->topology, from);
	return load;
}

static int run_once(const struct measurement *m, const struct scenario_site *site,
	enum zh_transport_id transport, uint32_t requests, struct lab_traffic *ret,
	struct zh_err *err)
{
	char from[32];
	const struct lab_traffic_config config = {.ns = &site->ns,
		.has_load = true,
		.load = load_config(m, site, from),
		.victim = {.transport = transport,
			.address = site->topology->address,
			.count = requests,
			.gap_ns = GAP_NS,
			.timeout_ns = TIMEOUT_NS,
			.size_bytes = SIZE_BYTES,
			.cpu = m->ret->other_cpu,
			.peer_cpu = m->ret->other_cpu,
			.netns_fd = site->ns.netns_fd,
			.peer_netns_fd = site->ns.peer_netns_fd},
		.settle_ns = requests ? SETTLE_NS : CALIBRATE_SETTLE_NS,
		.duration_ns = CALIBRATE_NS,
		.stop = m->config->stop,
		.arg = m->config->arg};

	return lab_traffic_run(&config, ret, err);
}

/* Frames that cannot be injected here are sent by sockets, from then on. */
static int run_traffic(const struct measurement *m, const struct scenario_site *site,
	enum zh_transport_id transport, uint32_t requests, struct lab_traffic *ret,
	struct zh_err *err)
{
	struct zh_err why = {};
	int r = run_once(m, site, transport, requests, ret, &why);

	if (r == 0)
		return 0;
	if (m->config->scenario->engine != ZH_LOAD_XDP || m->ret->n_steps || m->ret->why_not_xdp[0])
		return zh_err_set(err, r, "%s", why.text);
	snprintf(m->ret->why_not_xdp, sizeof(m->ret->why_not_xdp), "%.239s", why.text);
	return run_once(m, site, transport, requests, ret, err);
}

/* The most that arrives without loss, found by going up; then the rate is a multiple of it. Where
 * the sender is at its end first, it sends what it can. */
static int calibrate(struct measurement *m, const struct scenario_site *site, struct zh_err *err)
{
	struct lab_traffic *traffic = calloc(1, sizeof(*traffic));
	double rate = CALIBRATE_FIRST, best = 0;
	bool is_sender_slow = false;
	int r = traffic ? 0 : zh_err_set(err, -ENOMEM, "out of memory"), i;

	for (i = 0; i < CALIBRATE_STEPS && r == 0; i++, rate *= CALIBRATE_STEP) {
		m->ret->rate = (uint64_t)rate;
		r = run_traffic(m, site, ZH_TRANSPORT_UDP, 0, traffic, err);
		if (r < 0 || traffic->interrupted || !traffic->window_ns)
			break;
		best = ZH_MAX(best, (double)traffic->received * (double)ZH_NSEC_PER_SEC /
					    (double)traffic->window_ns);
		is_sender_slow = (double)traffic->sent <
				 0.7 * rate * (double)traffic->window_ns / (double)ZH_NSEC_PER_SEC;
		if (is_sender_slow || lab_traffic_lost(traffic) > CALIBRATE_LOST)
			break;
	}
	free(traffic);
	m->ret->can_deliver = (uint64_t)best;
	m->ret->rate = is_sender_slow ? 0 : (uint64_t)(best * m->config->scenario->saturation);
	return r;
}

static bool is_stopped(const struct measurement *m)
{
	return m->config->stop && m->config->stop(m->config->arg);
}

/* A TCP victim that cannot be measured leaves the UDP one's results valid. */
static void measure_tcp(
	struct measurement *m, const struct scenario_site *site, struct zh_step_result *ret)
{
	struct zh_err err = {};

	if (run_traffic(m, site, ZH_TRANSPORT_TCP, TCP_REQUESTS, &ret->tcp, &err) < 0)
		snprintf(ret->why, sizeof(ret->why), "TCP: %.230s", err.text);
	else
		ret->has_tcp = !ret->tcp.interrupted;
}

/* Negative when interrupted or failed; a step of which nothing is known is not kept. */
static int measure_step(struct measurement *m, struct zh_step_result *ret, struct zh_err *err)
{
	const struct zh_scenario *scenario = m->config->scenario;
	struct scenario_site site;
	int r = scenario_site_up(scenario, ret->step, m->ret->hot_cpu, &site, err);

	if (r < 0)
		return r;
	if (scenario->saturation > 0 && !m->ret->can_deliver)
		r = calibrate(m, &site, err);
	if (r == 0 && !is_stopped(m))
		r = run_traffic(m, &site, ZH_TRANSPORT_UDP, UDP_REQUESTS, &ret->udp, err);
	if (r == 0 && !is_stopped(m))
		measure_tcp(m, &site, ret);
	scenario_site_down(&site);
	return r;
}

static void judge(const struct zh_scenario_result *result, struct zh_step_result *step)
{
	const struct lab_traffic *before = &result->steps[0].udp;

	if (step == &result->steps[0]) {
		step->verdict = ZH_VERDICT_BEFORE;
		return;
	}
	step->verdict = zh_scenario_judge(before, &step->udp);
	step->throttled = (double)lab_traffic_offered(&step->udp) <
			  OFFERED_SHARE * (double)lab_traffic_offered(before);
}

/* NAPI's threads are nobody's children, yet ours: such a step says nothing about others. */
static void note_foreign(
	struct zh_scenario_result *ret, const struct zh_step *step, const struct foreign *foreign)
{
	if (!step->threaded)
		ret->foreign_cpus = ZH_MAX(ret->foreign_cpus, foreign_cpus(foreign));
}

static int measure_steps(struct measurement *m, struct zh_err *err)
{
	const struct zh_scenario_config *config = m->config;
	struct zh_scenario_result *ret = m->ret;
	struct zh_step_result *step;
	struct foreign foreign;
	unsigned int total = 0, i;
	int r;

	while (config->scenario->steps[total].id)
		total++;
	for (i = 0; i < total && !is_stopped(m); i++) {
		struct zh_err why = {};

		foreign_start(&foreign);
		if (config->progress)
			config->progress(config->arg, config->scenario->steps[i].what, i, total);
		step = &ret->steps[ret->n_steps];
		step->step = &config->scenario->steps[i];
		r = measure_step(m, step, &why);
		note_foreign(ret, step->step, &foreign);
		if (r < 0 && i == 0)
			return zh_err_set(err, r, "%s: %s", config->scenario->id, why.text);
		if (r < 0) {
			step->verdict = ZH_VERDICT_FAILED;
			snprintf(step->why, sizeof(step->why), "%.239s", why.text);
		} else if (is_stopped(m) && (!step->udp.victim.requests || step->udp.interrupted)) {
			break;
		} else {
			judge(ret, step);
		}
		ret->n_steps++;
		if (step->udp.not_measured[0])
			memcpy(ret->not_measured, step->udp.not_measured,
				sizeof(ret->not_measured));
	}
	ret->interrupted = is_stopped(m);
	return 0;
}

/* The first CPU that we may use takes the receive work, the second all the rest. */
static int choose_cpus(struct zh_scenario_result *ret, struct zh_err *err)
{
	struct zh_cpuset allowed;
	int r = zh_sched_get_affinity(&allowed, err);
	unsigned int cpu, n = 0;

	for (cpu = 0; r == 0 && cpu < ZH_CPU_MAX && n < 2; cpu++)
		if (zh_cpuset_has(&allowed, cpu))
			*(n++ ? &ret->other_cpu : &ret->hot_cpu) = (int)cpu;
	if (r == 0 && n < 2)
		return zh_err_set(err, -ENOTSUP,
			"a scenario needs two CPUs, one that is overloaded and one that sends; "
			"this process may use one only");
	return r;
}

int zh_scenario_run(const struct zh_scenario_config *config, struct zh_scenario_result **ret,
	struct zh_err *err)
{
	struct zh_scenario_result *result = calloc(1, sizeof(*result));
	struct measurement m = {config, result};
	int r;

	if (result)
		result->steps = calloc(ZH_SCENARIO_STEPS, sizeof(*result->steps));
	if (!result || !result->steps) {
		zh_scenario_free(result);
		return zh_err_set(err, -ENOMEM, "out of memory");
	}
	result->scenario = config->scenario;
	result->rate = config->scenario->rate;
	r = choose_cpus(result, err);
	if (r == 0)
		r = measure_steps(&m, err);
	if (r < 0) {
		zh_scenario_free(result);
		return r;
	}
	*ret = result;
	return 0;
}

struct zh_scenario_result *zh_scenario_free(struct zh_scenario_result *result)
{
	if (result)
		free(result->steps);
	free(result);
	return NULL;
}
