/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop trial: a randomised, interleaved experiment on one change.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/measure.h"
#include "cmd/trial.h"

struct trial_config {
	struct zh_common common;
	struct cmd_probe_options probe;
	uint64_t count, gap_ns, quads, settle_ns, seed, time_ns;
	bool more;
	uint64_t margin_percent;
};

static const struct zh_option options[] = {
	{"count", 'c', ZH_OPTION_COUNT, offsetof(struct trial_config, count), "N",
		"probes in a block (100)", .min = 10, .max = 100000},
	{"interval", 'i', ZH_OPTION_DURATION, offsetof(struct trial_config, gap_ns), "TIME",
		"between probes (2ms)", .min = 0, .max = 10 * ZH_NSEC_PER_SEC},
	{"quads", 'q', ZH_OPTION_COUNT, offsetof(struct trial_config, quads), "N",
		"at most so many times four blocks (54)", .min = 8, .max = ZH_TRIAL_QUADS},
	{"margin", 0, ZH_OPTION_COUNT, offsetof(struct trial_config, margin_percent), "PERCENT",
		"smaller effects do not matter (3 for p50, 10 for p99)", .min = 1, .max = 100},
	{"settle", 0, ZH_OPTION_DURATION, offsetof(struct trial_config, settle_ns), "TIME",
		"wait after each change (20ms)", .min = 0, .max = 60 * ZH_NSEC_PER_SEC},
	{"more-is-better", 0, ZH_OPTION_FLAG, offsetof(struct trial_config, more), NULL,
		"the number that COMMAND prints is a throughput"},
	{"command-timeout", 0, ZH_OPTION_DURATION, offsetof(struct trial_config, time_ns), "TIME",
		"for one run of COMMAND (1m)", .min = ZH_NSEC_PER_MSEC,
		.max = 3600 * ZH_NSEC_PER_SEC},
	{"seed", 0, ZH_OPTION_COUNT, offsetof(struct trial_config, seed), "N",
		"of the order of blocks (drawn)", .min = 1},
	CMD_PROBE_OPTIONS(struct trial_config, probe),
	ZH_PLACE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct trial_config defaults = {.probe = CMD_PROBE_DEFAULTS,
	.count = 100,
	.gap_ns = 2 * ZH_NSEC_PER_MSEC,
	.settle_ns = 20 * ZH_NSEC_PER_MSEC,
	.time_ns = 60 * ZH_NSEC_PER_SEC};

static void show_progress(void *arg, size_t quads, size_t next_look)
{
	(void)arg;
	cmd_progress("measuring: %zu of %zu blocks until the next look (Ctrl-C ends early)",
		4 * quads, 4 * next_look);
}

/* The words behind the change: a target, or behind "--" a command. */
static int choose_method(const struct trial_config *trial, bool is_command, int n_words,
	char **words, struct zh_session_config *session, struct cmd_trial *ret, struct zh_err *err)
{
	int status;

	if (is_command) {
		if (!n_words) {
			zh_err_set(err, -EINVAL, "-- is followed by no command");
			return ZH_EXIT_USAGE;
		}
		if (ret->change && ret->change->shape) {
			zh_err_set(err, -EINVAL,
				"%s changes how zerohop's own probes are sent: it cannot be tried "
				"on a command",
				ret->name);
			return ZH_EXIT_USAGE;
		}
		ret->command = (struct zh_trial_command){words, trial->time_ns};
		ret->method = trial->more ? &zh_trial_command_more : &zh_trial_command_less;
		ret->method_arg = &ret->command;
		return 0;
	}
	status = cmd_session_config(&trial->probe, n_words, words, session, err);
	if (status)
		return status;
	session->command = "trial";
	ret->probes = (struct zh_trial_probes){.session = session,
		.count = (uint32_t)trial->count,
		.gap_ns = trial->gap_ns,
		.change = ret->change,
		.change_arg = ret->change_arg};
	ret->method = &zh_trial_probes;
	ret->method_arg = &ret->probes;
	return 0;
}

static int run_trial(const struct trial_config *trial, struct cmd_trial *t, struct zh_err *err)
{
	const struct zh_trial_config config = {.method = t->method,
		.method_arg = t->method_arg,
		.change = t->change,
		.change_arg = t->change_arg,
		.seed = trial->seed ? trial->seed : cmd_trial_seed(),
		.settle_ns = t->change && t->change->set ? trial->settle_ns : 0,
		.max_quads = trial->quads,
		.margin = (double)trial->margin_percent / 100,
		.stop = cmd_interrupted,
		.progress = show_progress};
	int r = zh_trial_run(&config, &t->report, err);
	cmd_progress_done();
	if (r == 0)
		return 0;
	return r == -EINVAL ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
}

/* It helps: 0; it does not: 1; the numbers do not say: 3. */
static int verdict_status(enum zh_trial_verdict verdict)
{
	switch (verdict) {
	case ZH_TRIAL_HELPS:
		return ZH_EXIT_OK;
	case ZH_TRIAL_HARMS:
	case ZH_TRIAL_NO_EFFECT:
		return ZH_EXIT_FINDINGS;
	default:
		return ZH_EXIT_UNABLE;
	}
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct trial_config *trial = config;
	struct zh_session_config session = {};
	zh_cleanup(cmd_trial_done) struct cmd_trial t = {};
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	/* The parser keeps words and what stands behind "--" apart by where it leaves the "--". */
	bool is_command = !strcmp(words[-1], "--");
	int used, status = cmd_prepare(&trial->common, err);

	if (!status)
		status = cmd_trial_change(n_words, words, &t, &used, err);
	if (status)
		return status;
	status = choose_method(trial, is_command, n_words - used, words + used, &session, &t, err);
	if (!status)
		status = run_trial(trial, &t, err);
	if (status)
		return status;
	doc = zh_doc_new("trial");
	cmd_describe_trial(&t, zh_doc_root(doc), false);
	status = cmd_print(&trial->common, doc, err);
	if (!status)
		status = verdict_status(cmd_trial_verdict(&t));
	if (status == ZH_EXIT_UNABLE && !err->code)
		zh_err_set(err, -EAGAIN, "the numbers do not decide it");
	return status;
}

const struct zh_command zh_command_trial = {
	.name = "trial",
	.summary = "does this change really help here? (randomised A/B, taken back afterwards)",
	.usage = "[OPTIONS] CHANGE [TARGET | -- COMMAND...]",
	.examples =
		"  sudo zerohop trial keep-awake                          # idle states: do they "
		"cost?\n"
		"  zerohop trial task-placement=same-cpu udp:127.0.0.1    # both ends on one CPU\n"
		"  sudo zerohop trial clean-room                          # is it the "
		"configuration?\n"
		"  zerohop trial nothing                                  # A/A: the noise of this "
		"machine\n"
		"  sudo zerohop trial unix_max_dgram_qlen=512 unix:        # a setting, switched for "
		"each block\n"
		"  zerohop trial keep-awake -- ./my-benchmark             # judged by the number it "
		"prints\n",
	.notes =
		"CHANGE is an experiment: keep-awake, task-placement=same-cpu|cross-cpu, pin, "
		"clean-room,\nnothing; or a setting, KNOB[@PLACE]=VALUE (zerohop tune list). Blocks "
		"with and without it\nalternate (A B B A or B A A B, by a coin), and the trial ends "
		"as soon as the numbers decide,\na wrong 'helps' or 'harms' having a chance of at "
		"most 5 %.\n"
		"Exit status: 0 it helps, 1 it does not (no effect, harms), 2 usage, 3 inconclusive "
		"or could not\nmeasure.\n",
	.options = options,
	.config_size = sizeof(struct trial_config),
	.defaults = &defaults,
	.run = run,
};
