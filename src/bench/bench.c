/* SPDX-License-Identifier: BSD-2-Clause */
/* One round: the stages one after the other, with what they need around them. */
#include "bench/bench.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "bench/loops.h"
#include "bench/losses.h"
#include "bench/zerocopy.h"
#include "stats/histogram.h"
#include "sys/sched.h"

#define WARM_UP_MIN_NS 1000000ull

/* What a lossy transport delivers late belongs to no later stage. */
static void drain(struct zh_bench_link *link)
{
	if (!(link->transport->flags & ZH_BENCH_LOSSY) || link->near.rfd < 0)
		return;
	/* Not into the buffer, which some transports expect to be as it was. */
	while (recv(link->near.rfd, NULL, 0, MSG_DONTWAIT) >= 0)
		;
}

/* Moves both sides to the next stage with one more message, which nobody counts. */
static int go_on(struct zh_bench_link *link, uint32_t stage, struct zh_err *err)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	int64_t got;

	atomic_store(&link->shared->stage, stage);
	if (!link->peer)
		return 0;
	zh_bench_watch_begin(link, UINT64_MAX);
	while ((got = ops->send(&link->near, link)) <= 0)
		if (zh_bench_again(link, got, 0) < 0)
			return 0;
	while ((got = ops->recv(&link->near, link)) <= 0)
		if (zh_bench_again(link, got, 0) < 0)
			return 0;
	return zh_bench_peer_wait(link, stage, NULL, err);
}

/* One stage, up to the start of the next. 0 when there is more to do; otherwise the error that ends
 * the round. */
static int run_stage(struct zh_bench_link *link, zh_bench_near_loop *near, uint64_t ns,
	struct zh_bench_result *ret, struct zh_err *err)
{
	uint32_t next = atomic_load(&link->shared->stage) + 1;
	int r = near(link, ns, ret, err);

	if (r >= 0 && !link->ended.code && zh_bench_mode_loops(link->cell->mode)->is_echo)
		r = go_on(link, next, err);
	if (r >= 0 && link->ended.code) {
		*err = link->ended;
		r = err->code;
	}
	return r;
}

/* The stages before the measured one. Without a floor it is skipped with a short stretch of the
 * stage's own loop, since both sides walk through all of them. */
static int prepare(struct zh_bench_link *link, struct zh_bench_result *ret, struct zh_err *err)
{
	const struct zh_bench_loops *loops = zh_bench_mode_loops(link->cell->mode);
	const struct zh_bench_config *config = link->config;
	struct zh_bench_result dropped = {0};
	int r;

	r = run_stage(link, loops->near,
		config->warmup_ns > WARM_UP_MIN_NS ? config->warmup_ns : WARM_UP_MIN_NS, &dropped,
		err);
	if (r < 0)
		return r;
	drain(link);
	r = run_stage(link, loops->near_floor, config->floor_ns, ret, err);
	if (r < 0)
		return r;
	drain(link);
	if (!config->floor_ns)
		ret->round.floor_elapsed_ns = ret->round.floor_messages = ret->round.floor_bytes =
			ret->round.floor_p50_ns = 0;
	return 0;
}

static void take_times(const struct zh_histogram *histogram, struct zh_bench_round *round)
{
	if (!histogram || !histogram->n)
		return;
	round->min_ns = histogram->min;
	round->max_ns = histogram->max;
	round->sum_ns = (uint64_t)histogram->sum;
}

/* SO_INCOMING_NAPI_ID of whoever received: what busy polling would poll. */
static void look_at_napi(struct zh_bench_link *link)
{
	zh_autoclose int peer = zh_bench_peer_fd(link);
	int fd = link->cell->mode == ZH_BENCH_STREAM ? peer : link->near.rfd;
	socklen_t len = sizeof(link->cell->napi_id);

	link->cell->napi_id = 0;
	if (link->cell->busy_poll_us && fd >= 0)
		getsockopt(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &link->cell->napi_id, &len);
}

/* Where missing datagrams went. */
static void find_losses(struct zh_bench_link *link, const struct zh_bench_counters *before,
	struct zh_bench_counters *after, struct zh_bench_result *ret)
{
	if (!ret->round.missing)
		return;
	zh_bench_losses_read(link, after);
	ret->n_losses = zh_bench_losses_attribute(
		before, after, ret->round.missing, ret->losses, ZH_BENCH_LOSSES_MAX);
}

static int measure(struct zh_bench_link *link, struct zh_bench_result *ret, struct zh_err *err)
{
	const struct zh_bench_loops *loops = zh_bench_mode_loops(link->cell->mode);
	const struct zh_bench_config *config = link->config;
	struct zh_bench_usage before, after;
	bool is_lossy = link->transport->flags & ZH_BENCH_LOSSY;
	struct zh_bench_round *round = &ret->round;
	struct zh_bench_counters counters[2];
	int r;

	if (ret->histogram)
		zh_histogram_clear(ret->histogram);
	zh_bench_zerocopy_finish(link, NULL);
	if (is_lossy)
		zh_bench_losses_read(link, &counters[0]);
	if (config->started)
		config->started(config->arg, link->peer);
	link->waited_ns = 0;
	zh_bench_usage_read(link, &before);
	r = loops->near(link, config->duration_ns, ret, err);
	zh_bench_usage_read(link, &after);
	if (r < 0)
		return r;
	zh_bench_usage_between(&before, &after, round);
	round->cpu_ns -= ZH_MIN(round->cpu_ns, link->waited_ns);
	zh_bench_zerocopy_finish(link, round);
	look_at_napi(link);
	take_times(ret->histogram, round);
	ret->ended = link->ended;
	round->ended_early = link->ended.code != 0;
	if (!round->messages && link->ended.code) {
		*err = link->ended;
		return err->code;
	}
	/* Only of datagrams can it be said that they are missing: of a stream that ended early, the
	 * rest was still under way. */
	if (is_lossy)
		round->missing = round->sent > round->messages ? round->sent - round->messages : 0;
	find_losses(link, &counters[0], &counters[1], ret);
	return 0;
}

/* With the maker in its place. */
static int run(struct zh_bench_link *link, struct zh_bench_result *ret, struct zh_err *err)
{
	int r = 0;

	if (link->cell->cpu >= 0)
		r = zh_sched_pin(link->cell->cpu, err);
	zh_sched_prefault_stack();
	if (r >= 0)
		r = zh_bench_peer_wait(link, ZH_BENCH_WARM_UP, NULL, err);
	if (r >= 0)
		r = prepare(link, ret, err);
	return r < 0 ? r : measure(link, ret, err);
}

int zh_bench_round(
	const struct zh_bench_config *config, struct zh_bench_result *ret, struct zh_err *err)
{
	const struct zh_bench_transport *transport =
		zh_bench_transport_find(config->cell->transport);
	struct zh_histogram *histogram = ret->histogram;
	struct zh_bench_link link;
	struct zh_cpuset affinity;
	struct zh_err own = {0};
	int r = zh_bench_check(config->cell, &own);

	memset(ret, 0, sizeof(*ret));
	ret->histogram = histogram;
	if (r >= 0)
		r = zh_sched_get_affinity(&affinity, &own);
	if (r >= 0)
		r = zh_bench_link_open(&link, config, transport, &own);
	if (r >= 0) {
		r = zh_bench_watch_start(&link, &own);
		if (r >= 0)
			r = zh_bench_peer_start(&link, &own);
		if (r >= 0)
			r = run(&link, ret, &own);
		zh_bench_peer_end(&link);
		zh_bench_watch_stop(&link);
		zh_bench_link_close(&link);
		zh_sched_set_affinity(&affinity, NULL);
	}
	if (r < 0 && err)
		*err = own;
	return r;
}
