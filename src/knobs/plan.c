/* SPDX-License-Identifier: BSD-2-Clause */
#include "knobs/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define QUEUES_MAX 64

const char *zh_change_phase_name(enum zh_change_phase phase)
{
	static const char *const names[] = {"planned", "intent", "set", "undone",
		"changed by somebody else", "gone", "could not be undone"};

	return names[phase];
}

static bool is_same_place(const struct zh_change *a, const struct zh_change *b)
{
	const struct zh_knob_place *p = &a->place, *q = &b->place;

	return a->knob == b->knob && p->cookie == q->cookie && p->ifindex == q->ifindex &&
	       p->queue == q->queue && p->cpu == q->cpu && p->irq == q->irq && p->pid == q->pid &&
	       !strcmp(p->device, q->device);
}

/* What the change comes to: written, not needed, or not done and why. */
static void judge(const struct zh_plan *plan, struct zh_change *change)
{
	const struct zh_knob *knob = change->knob;
	const char *reason = NULL;

	if (!strcmp(change->prior, change->expected)) {
		change->action = ZH_CHANGE_SAME;
		return;
	}
	if (knob->refuse && (reason = knob->refuse(&change->place, change->wanted)))
		snprintf(change->note, sizeof(change->note), "it would do harm: %s", reason);
	else if (knob->placebo && (reason = knob->placebo(&change->place, change->wanted)))
		snprintf(change->note, sizeof(change->note), "placebo: %s", reason);
	if (reason && !plan->anyway)
		change->action = ZH_CHANGE_SKIP;
}

static int want(const struct zh_knob *knob, const struct zh_knob_place *place, const char *value,
	char *ret, struct zh_err *err)
{
	const char *refused = !strcmp(value, "auto") && !knob->choose && knob->refuse
				      ? knob->refuse(place, value)
				      : NULL;

	if (refused)
		return zh_err_set(err, -EOPNOTSUPP, "%s", refused);
	if (strcmp(value, "auto") != 0 || !knob->choose)
		return zh_knob_parse(knob, value, ret, err);
	return knob->choose(place, ret, ZH_KNOB_VALUE, err);
}

/* Takes the place over, also when it fails. */
static int add_change(struct zh_plan *plan, const struct zh_knob *knob, struct zh_knob_place *place,
	const char *value, struct zh_err *err)
{
	struct zh_change *change;
	int r = plan->n < ZH_PLAN_MAX
			? 0
			: zh_err_set(err, -E2BIG, "more than %d changes at once", ZH_PLAN_MAX);

	if (r == 0 && !plan->changes)
		plan->changes = calloc(ZH_PLAN_MAX, sizeof(*plan->changes));
	if (r == 0 && !plan->changes)
		r = zh_err_set(err, -ENOMEM, "out of memory");
	if (r < 0) {
		zh_knob_place_done(place);
		return r;
	}
	change = &plan->changes[plan->n++];
	*change = (struct zh_change){.knob = knob, .place = *place};
	snprintf(change->knob_id, sizeof(change->knob_id), "%s", knob->id);
	for (size_t i = 0; i + 1 < plan->n; i++)
		if (is_same_place(change, &plan->changes[i]))
			return zh_err_set(err, -EINVAL, "%s is given twice", knob->id);
	r = zh_knob_get(knob, place, change->prior, err);
	if (r < 0)
		return r;
	r = want(knob, place, value, change->wanted, err);
	if (r == -EOPNOTSUPP) { /* there is no good value: not a mistake of the user's */
		change->action = ZH_CHANGE_SKIP;
		snprintf(change->note, sizeof(change->note), "%.300s", err ? err->text : "");
		if (err)
			*err = (struct zh_err){};
		return 0;
	}
	if (r < 0)
		return r;
	snprintf(change->expected, sizeof(change->expected), "%s", change->wanted);
	if (knob->expect)
		knob->expect(place, change->wanted, change->expected, sizeof(change->expected));
	judge(plan, change);
	return 0;
}

static bool has_queue(const struct zh_knob *knob, const struct zh_knob_place *place)
{
	char text[ZH_KNOB_VALUE];

	return zh_knob_get(knob, place, text, NULL) == 0;
}

static int add_word(struct zh_plan *plan, const struct zh_knob *knob, const char *instance,
	const char *value, const struct zh_knob_where *where, struct zh_err *err)
{
	const char *device = instance ? instance : where->device;
	struct zh_knob_place place;
	char name[64];
	int r = zh_knob_place_find(knob, instance, where, &place, err);

	if (r < 0)
		return r;
	r = add_change(plan, knob, &place, value, err);
	if (r < 0 || knob->target != ZH_KNOB_QUEUE || strchr(device, '/'))
		return r;
	for (unsigned int queue = 1; r == 0 && queue < QUEUES_MAX; queue++) {
		snprintf(name, sizeof(name), "%.40s/%u", device, queue);
		if (zh_knob_place_find(knob, name, where, &place, err) < 0)
			return err ? err->code : -ENODEV;
		if (!has_queue(knob, &place)) {
			zh_knob_place_done(&place);
			break;
		}
		r = add_change(plan, knob, &place, value, err);
	}
	return r;
}

int zh_plan_add(struct zh_plan *plan, const char *word, const struct zh_knob_where *where,
	struct zh_err *err)
{
	char id[64], *instance;
	const char *value = strchr(word, '=');
	const struct zh_knob *knob;
	int r;

	if (!value)
		return zh_err_set(err, -EINVAL, "'%.60s' is no KNOB=VALUE", word);
	if (snprintf(id, sizeof(id), "%.*s", (int)(value - word), word) >= (int)sizeof(id))
		return zh_err_set(err, -EINVAL, "there is no knob '%.60s...'", word);
	instance = strchr(id, '@');
	if (instance)
		*instance++ = '\0';
	knob = zh_knob_find(id);
	if (!knob) {
		zh_err_set(err, -EINVAL, "there is no knob '%s'", id);
		zh_err_hint(err, "zerohop tune list shows all");
		return -EINVAL;
	}
	r = add_word(plan, knob, instance, value + 1, where, err);
	if (r == 0 && !plan->n)
		return zh_err_set(err, -ENOENT, "%s has nothing to be set on here", knob->id);
	return r;
}

static int by_rank(const void *a, const void *b)
{
	const struct zh_change *x = a, *y = b;

	return x->knob->rank - y->knob->rank;
}

void zh_plan_sort(struct zh_plan *plan)
{
	/* qsort() of the C library keeps equal ones in order; nothing depends on it. */
	if (plan->n)
		qsort(plan->changes, plan->n, sizeof(*plan->changes), by_rank);
}

size_t zh_plan_writes(const struct zh_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += plan->changes[i].action == ZH_CHANGE_WRITE;
	return n;
}

void zh_plan_done(struct zh_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		zh_knob_place_done(&plan->changes[i].place);
	free(plan->changes);
	*plan = (struct zh_plan){};
}
