/* SPDX-License-Identifier: BSD-2-Clause */
/* A block of a trial: one run of a program that prints a number. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/trial.h"
#include "sys/run.h"

#define ARGS_MAX 128
#define OUTPUT_MAX (1 << 20)

static const struct zh_trial_figure less[] = {
	{.name = "number", .is_ratio = true, .decides = true, .margin = 0.03}};
static const struct zh_trial_figure more[] = {{.name = "number",
	.is_ratio = true,
	.decides = true,
	.more_is_better = true,
	.margin = 0.03}};

/* The last word that is a number greater than 0; "1234.5" of "requests per second: 1234.5". */
static double last_number(char *text)
{
	double found = NAN;
	char *save = NULL, *end;

	for (char *word = strtok_r(text, " \t\r\n,;", &save); word;
		word = strtok_r(NULL, " \t\r\n,;", &save)) {
		double value = strtod(word, &end);

		if (end != word && !*end && isfinite(value) && value > 0)
			found = value;
	}
	return found;
}

static int measure(void *arg, bool is_b, struct zh_trial_block *ret, struct zh_err *err)
{
	const struct zh_trial_command *command = arg;
	const char *argv[ARGS_MAX + 2] = {"env", "--"}; /* looks it up in PATH */
	zh_autofree char *output = NULL;
	size_t n = 0;
	int r;

	(void)is_b;
	for (; command->argv[n]; n++) {
		if (n + 3 > ARGS_MAX)
			return zh_err_set(
				err, -E2BIG, "the command has more than %d words", ARGS_MAX - 3);
		argv[n + 2] = command->argv[n];
	}
	r = zh_sys_run(argv, command->timeout_ns, OUTPUT_MAX, &output, err);
	if (r < 0)
		return zh_err_wrap(err, "cannot measure by '%.60s'", command->argv[0]);
	ret->value[0] = last_number(output);
	if (isnan(ret->value[0]))
		return zh_err_set(err, -EINVAL,
			"'%.60s' printed no number above 0: print one as the last word",
			command->argv[0]);
	return 0;
}

const struct zh_trial_method zh_trial_command_less = {
	.figures = less, .n_figures = 1, .measure = measure};
const struct zh_trial_method zh_trial_command_more = {
	.figures = more, .n_figures = 1, .measure = measure};
