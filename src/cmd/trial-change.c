/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trial changes: experiments by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/trial.h"
#include "knobs/knob.h"

/* "a, b or c" of what there is. */
static void list_experiments(struct zh_buf *buf)
{
	for (size_t i = 0; zh_trial_experiments[i]; i++)
		zh_buf_addf(buf, "%s%s", i ? ", " : "", zh_trial_experiments[i]->id);
}

static int unknown(const char *word, struct zh_err *err)
{
	zh_autobuf known = {};

	list_experiments(&known);
	zh_err_set(err, -EINVAL,
		"unknown change '%.60s': use one of %s, or KNOB=VALUE (zerohop tune list)", word,
		known.text ? known.text : "");
	return ZH_EXIT_USAGE;
}

static bool is_value_of(const struct zh_trial_experiment *experiment, const char *value)
{
	for (size_t i = 0; experiment->values[i]; i++)
		if (!strcmp(experiment->values[i], value))
			return true;
	return false;
}

static int check_value(
	const struct zh_trial_experiment *experiment, const char *value, struct zh_err *err)
{
	zh_autobuf allowed = {};

	if (!experiment->values) {
		if (!value)
			return 0;
		zh_err_set(err, -EINVAL, "%s takes no value, but '%.60s' was given", experiment->id,
			value);
		return ZH_EXIT_USAGE;
	}
	if (value && is_value_of(experiment, value))
		return 0;
	for (size_t i = 0; experiment->values[i]; i++)
		zh_buf_addf(&allowed, "%s%s", i ? ", " : "", experiment->values[i]);
	if (value)
		zh_err_set(err, -EINVAL, "%s: '%.60s' is not one of %s", experiment->id, value,
			allowed.text);
	else
		zh_err_set(err, -EINVAL, "%s needs a value: %s=VALUE, one of %s", experiment->id,
			experiment->id, allowed.text);
	return ZH_EXIT_USAGE;
}

/* Without the place behind "@". */
static bool is_knob(char *id)
{
	id[strcspn(id, "@")] = '\0';
	return zh_knob_find(id) != NULL;
}

int cmd_trial_change(
	int n_words, char **words, struct cmd_trial *ret, int *ret_used, struct zh_err *err)
{
	const struct zh_trial_experiment *experiment;
	char id[64];
	const char *value;
	int status;

	if (!n_words) {
		zh_err_set(err, -EINVAL, "which change? (--help shows examples)");
		return ZH_EXIT_USAGE;
	}
	value = strchr(words[0], '=');
	snprintf(id, sizeof(id), "%.*s",
		(int)ZH_MIN(value ? (size_t)(value - words[0]) : strlen(words[0]), sizeof(id) - 1),
		words[0]);
	experiment = zh_trial_experiment_find(id);
	if (!experiment && is_knob(id)) {
		*ret_used = 1;
		return cmd_trial_knob(words[0], n_words > 1 ? words[1] : NULL, ret, err);
	}
	if (!experiment)
		return unknown(words[0], err);
	status = check_value(experiment, value ? value + 1 : NULL, err);
	if (status)
		return status;
	snprintf(ret->name, sizeof(ret->name), "%s", words[0]);
	snprintf(ret->what, sizeof(ret->what), "%s", experiment->what);
	ret->change = experiment->change;
	*ret_used = 1;
	if (experiment->prepare(value ? value + 1 : NULL, &ret->change_arg, err) < 0)
		return ZH_EXIT_UNABLE;
	return 0;
}

void cmd_trial_done(struct cmd_trial *trial)
{
	if (trial->change_done && trial->change_arg)
		trial->change_done(trial->change_arg);
	else
		free(trial->change_arg);
}

uint64_t cmd_trial_seed(void)
{
	uint64_t seed = 0;

	return getentropy(&seed, sizeof(seed)) == 0 && seed ? seed : 1;
}
