/* SPDX-License-Identifier: BSD-2-Clause */
/* Experiments that set nothing: what they do ends with the process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/awake.h"
#include "session/placement.h"
#include "session/trial.h"

static int nothing_to_prepare(const char *value, void **ret_arg, struct zh_err *err)
{
	(void)value;
	*ret_arg = calloc(1, sizeof(void *));
	return *ret_arg ? 0 : zh_err_set(err, -ENOMEM, "out of memory");
}

static int set_awake(void *arg, bool on, struct zh_err *err)
{
	struct awake **awake = arg;

	if (on)
		return awake_start(awake, err);
	*awake = awake_stop(*awake);
	return 0;
}

static void shape_clean_room(
	void *arg, bool is_b, struct zh_session_config *session, struct zh_session_phase *phase)
{
	(void)arg;
	(void)session;
	phase->clean_room = is_b;
}

struct places {
	int16_t cpu[2], peer_cpu[2]; /* of A and B; A's only without --cpu and --peer-cpu */
	bool has_a;
};

static void shape_places(
	void *arg, bool is_b, struct zh_session_config *session, struct zh_session_phase *phase)
{
	const struct places *places = arg;

	if (!is_b && (!places->has_a || session->probe.cpu >= 0 || session->probe.peer_cpu >= 0))
		return;
	phase->placed = true;
	phase->cpu = places->cpu[is_b];
	phase->peer_cpu = places->peer_cpu[is_b];
}

/* A placement against another one; ZH_PLACE_MAX: against what the session says. */
static int place(
	enum zh_bench_placement a, enum zh_bench_placement b, void **ret_arg, struct zh_err *err)
{
	struct places *places = calloc(1, sizeof(*places));
	int r = places ? 0 : zh_err_set(err, -ENOMEM, "out of memory");

	if (r == 0)
		r = session_place_cpus(b, &places->cpu[1], &places->peer_cpu[1], err);
	if (r == 0 && a != ZH_PLACE_MAX) {
		places->has_a = true;
		r = session_place_cpus(a, &places->cpu[0], &places->peer_cpu[0], err);
	}
	if (r < 0)
		free(places);
	else
		*ret_arg = places;
	return r;
}

static const char *const placements[] = {"same-cpu", "cross-cpu", NULL};

/* Against the other placement: where the scheduler puts two free threads changes from one second to
 * the next, and there is nothing to compare with then. */
static int prepare_placement(const char *value, void **ret_arg, struct zh_err *err)
{
	return strcmp(value, placements[0])
		       ? place(ZH_PLACE_SAME_CPU, ZH_PLACE_CROSS_CPU, ret_arg, err)
		       : place(ZH_PLACE_CROSS_CPU, ZH_PLACE_SAME_CPU, ret_arg, err);
}

static int prepare_pin(const char *value, void **ret_arg, struct zh_err *err)
{
	(void)value;
	return place(ZH_PLACE_MAX, ZH_PLACE_CROSS_CPU, ret_arg, err);
}

static const struct zh_trial_change awake = {.set = set_awake};
static const struct zh_trial_change clean_room = {.shape = shape_clean_room};
static const struct zh_trial_change placed = {.shape = shape_places};

static const struct zh_trial_experiment keep_awake = {.id = "keep-awake",
	.summary = "a spinner of the idle class on each CPU: no idle state, no wake-up from one",
	.change = &awake,
	.prepare = nothing_to_prepare,
	.what = "the CPUs kept awake"};
static const struct zh_trial_experiment task_placement = {.id = "task-placement",
	.summary = "prober and responder on one CPU against two (or as --cpu and --peer-cpu say)",
	.values = placements,
	.change = &placed,
	.prepare = prepare_placement,
	.what = "prober and responder placed"};
static const struct zh_trial_experiment pin = {.id = "pin",
	.summary = "prober and responder each tied to a CPU of its own: no migrations",
	.change = &placed,
	.prepare = prepare_pin,
	.what = "prober and responder pinned"};
static const struct zh_trial_experiment clean = {.id = "clean-room",
	.summary = "the same probes in a fresh network namespace: no rules, filters or routes",
	.change = &clean_room,
	.prepare = nothing_to_prepare,
	.what = "in a fresh network namespace"};
static const struct zh_trial_experiment nothing = {.id = "nothing",
	.summary = "no change at all: how much two equal arms differ here (A/A)",
	.prepare = nothing_to_prepare,
	.what = "no change"};

const struct zh_trial_experiment *const zh_trial_experiments[] = {
	&keep_awake, &task_placement, &pin, &clean, &nothing, NULL};

const struct zh_trial_experiment *zh_trial_experiment_find(const char *id)
{
	for (size_t i = 0; zh_trial_experiments[i]; i++)
		if (!strcmp(zh_trial_experiments[i]->id, id))
			return zh_trial_experiments[i];
	return NULL;
}
