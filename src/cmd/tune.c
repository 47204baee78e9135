/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop tune: settings that are planned, applied through a journal, and always undone.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/tune.h"

static const struct zh_option options[] = {
	{"dev", 'd', ZH_OPTION_STRING, offsetof(struct tune_config, device), "DEV",
		"plan, apply: the device of knobs that are set for each one"},
	{"confirm-within", 0, ZH_OPTION_DURATION, offsetof(struct tune_config, confirm_ns), "TIME",
		"apply: undone by itself after TIME unless 'tune confirm' comes first",
		.min = ZH_NSEC_PER_SEC, .max = 7 * 86400 * ZH_NSEC_PER_SEC},
	{"yes", 'y', ZH_OPTION_FLAG, offsetof(struct tune_config, yes), NULL,
		"apply: do not ask on a terminal"},
	{"anyway", 0, ZH_OPTION_FLAG, offsetof(struct tune_config, anyway), NULL,
		"plan, apply: also what does nothing or harm here"},
	{"force", 'f', ZH_OPTION_FLAG, offsetof(struct tune_config, force), NULL,
		"undo: put back also what somebody else changed meanwhile"},
	{"expired", 0, ZH_OPTION_FLAG, offsetof(struct tune_config, expired), NULL,
		"undo: only if nobody confirmed in time (used by the timer)"},
	ZH_PLACE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct tune_config defaults = {};

#define PLACES "netns", "pid", "pod"
#define TAKES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TAKES_NONE ((const char *const[]){NULL})

static const struct tune_verb verbs[] = {
	{"list", "", 0, 0, TAKES_NONE, tune_list},
	{"show", "KNOB", 1, 1, TAKES_NONE, tune_show},
	{"plan", "KNOB[@PLACE]=VALUE...", 1, 64, TAKES("dev", "anyway", PLACES), tune_plan},
	{"apply", "KNOB[@PLACE]=VALUE...", 1, 64,
		TAKES("dev", "anyway", "confirm-within", "yes", PLACES), tune_apply},
	{"confirm", "[TX]", 0, 1, TAKES_NONE, tune_confirm},
	{"undo", "[TX]", 0, 1, TAKES("force", "expired"), tune_undo},
	{"status", "", 0, 0, TAKES_NONE, tune_status},
	{"history", "[TX]", 0, 1, TAKES_NONE, tune_history},
	{"diff", "[TX]", 0, 1, TAKES_NONE, tune_diff},
};

static const struct tune_verb *find_verb(int n_words, char **words)
{
	for (size_t i = 0; n_words && i < ZH_ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, words[0]))
			return &verbs[i];
	return NULL;
}

static bool takes(const struct tune_verb *verb, const char *name)
{
	for (size_t i = 0; verb->options[i]; i++)
		if (!strcmp(verb->options[i], name))
			return true;
	return false;
}

/* An option that the verb would ignore is a mistake. */
static const char *ignored_option(const struct tune_verb *verb, const struct tune_config *tune)
{
	const struct {
		const char *name;
		bool is_given;
	} given[] = {{"dev", tune->device}, {"confirm-within", tune->confirm_ns},
		{"yes", tune->yes}, {"anyway", tune->anyway}, {"force", tune->force},
		{"expired", tune->expired}, {"netns", tune->common.netns},
		{"pid", tune->common.pid}, {"pod", tune->common.pod}};

	for (size_t i = 0; i < ZH_ARRAY_SIZE(given); i++)
		if (given[i].is_given && !takes(verb, given[i].name))
			return given[i].name;
	return NULL;
}

int tune_failed(int r)
{
	return r == -EINVAL || r == -ERANGE ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
}

int tune_guard(struct tune_guard *ret, struct zh_err *err)
{
	ssize_t len = readlink("/proc/self/exe", ret->exe, sizeof(ret->exe) - 1);

	if (len < 0) {
		zh_err_sys(err, -errno, "cannot find this program's file");
		return ZH_EXIT_UNABLE;
	}
	ret->exe[len] = '\0';
	ret->argv[0] = ret->exe;
	ret->argv[1] = "tune";
	ret->argv[2] = "undo";
	ret->argv[3] = "--expired";
	ret->argv[4] = NULL;
	return 0;
}

int64_t tune_tx_word(int n_words, char **words, struct zh_err *err)
{
	uint64_t id;

	if (!n_words)
		return 0;
	if (zh_parse_u64(words[0], &id, NULL) < 0 || !id || id > INT64_MAX)
		return zh_err_set(err, -EINVAL,
			"'%.60s' is no number of a transaction (zerohop tune history)", words[0]);
	return (int64_t)id;
}

int tune_open(uint64_t wait_ns, struct zh_journal *ret, int *ret_recovered, struct zh_err *err)
{
	int64_t last;
	int r;

	if (geteuid() != 0) {
		zh_err_set(err, -EPERM, "settings and their journal are root's");
		return ZH_EXIT_UNABLE;
	}
	r = zh_journal_open(true, wait_ns, ret, err);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	r = zh_tune_recover(ret, &last, err);
	if (r < 0) {
		zh_journal_close(ret);
		return ZH_EXIT_UNABLE;
	}
	*ret_recovered = r;
	return 0;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct tune_config *tune = config;
	const struct tune_verb *verb = find_verb(n_words, words);
	const char *ignored;

	if (!verb) {
		zh_err_set(err, -EINVAL,
			"tune takes one of: list, show, plan, apply, confirm, undo, status, "
			"history, diff");
		return ZH_EXIT_USAGE;
	}
	if (n_words - 1 < verb->min_words || n_words - 1 > verb->max_words) {
		zh_err_set(err, -EINVAL, "usage: zerohop tune %s%s%s", verb->name,
			*verb->words ? " " : "", verb->words);
		return ZH_EXIT_USAGE;
	}
	ignored = ignored_option(verb, tune);
	if (ignored) {
		zh_err_set(err, -EINVAL, "tune %s takes no --%s", verb->name, ignored);
		return ZH_EXIT_USAGE;
	}
	return verb->run(tune, n_words - 1, words + 1, err);
}

const struct zh_command zh_command_tune = {
	.name = "tune",
	.summary = "which settings help here? planned, applied, confirmed, always undone",
	.usage = "[OPTIONS] VERB [WORD...]",
	.examples =
		"  zerohop tune plan netdev_max_backlog=10000     # what would change, and its cost\n"
		"  sudo zerohop tune apply netdev_max_backlog=10000 --confirm-within 10m\n"
		"  sudo zerohop tune confirm                      # keep it; else it is undone\n"
		"  sudo zerohop tune apply rps@eth0/0=0-1 mtu@veth1=9000\n"
		"  sudo zerohop tune undo                         # the last one, values verified\n"
		"  sudo zerohop tune status                       # is it still as we set it?\n"
		"  zerohop tune show rps_cpus                     # one knob: effect, cost, risk\n",
	.notes =
		"VERB is one of: list; show KNOB; plan or apply KNOB[@PLACE]=VALUE...; confirm, undo, "
		"diff or\nhistory [TX]; status.\n"
		"PLACE is a device, DEV/QUEUE, a CPU, an interrupt or a task, as the knob needs. "
		"Every write is\nin the journal (/var/lib/zerohop) before it is made: after kill -9 "
		"the next 'tune' undoes what\nwas not finished, and undo-TX.sh there does it without "
		"zerohop. What somebody else changed\nis reported and left alone. Settings hold until "
		"undone or the next boot.\n"
		"Exit status: 0 all is as wanted, 1 something was skipped, left or has drifted, 2 "
		"usage, 3 failed\n(and undone) or not permitted.\n",
	.options = options,
	.config_size = sizeof(struct tune_config),
	.defaults = &defaults,
	.run = run,
};
