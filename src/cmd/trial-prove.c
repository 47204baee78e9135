/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor --prove: which experiment decides, and running it. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cmd/command.h"
#include "cmd/trial.h"
#include "explain/explain.h"

#define BLOCK_PROBES 50
#define BLOCK_GAP_NS (5 * ZH_NSEC_PER_MSEC)
#define QUADS_MAX 16

/* What a finding blames, and the experiment that takes it away. */
static const struct {
	const char *finding, *experiment;
} decisive[] = {
	{"idle-exit", "keep-awake"},
	{"guest-idle", "keep-awake"},
	{"cpuidle-deep", "keep-awake"},
	{"haltpoll-inert", "keep-awake"},
	{"late-responder", "pin"},
	{"run-queue-wait", "pin"},
	{"interference", "pin"},
	{"ipi-send", "task-placement=same-cpu"},
	{"netfilter-rules", "clean-room"},
	{"qdisc-delay", "clean-room"},
	{"bpf-program", "clean-room"},
	{"bpf-on-path", "clean-room"},
	{"firewall-drop", "clean-room"},
	{"bpf-drop", "clean-room"},
	{"qdisc-drop", "clean-room"},
	{"policy-route", "clean-room"},
	{"rps-hop", "clean-room"},
	{"rps-on-lo", "clean-room"},
	{"rule-volume", "clean-room"},
};

/* Of the first finding that has one; keeping the CPUs awake otherwise. */
static const char *choose(const struct zh_explanation *explanation)
{
	for (size_t i = 0; i < explanation->n_findings; i++)
		for (size_t k = 0; k < ZH_ARRAY_SIZE(decisive); k++)
			if (!strcmp(explanation->findings[i].rule->id, decisive[k].finding))
				return decisive[k].experiment;
	return decisive[0].experiment;
}

static void show_progress(void *arg, size_t quads, size_t next_look)
{
	const struct cmd_trial *trial = arg;

	cmd_progress("experiment: %s, %zu of %zu blocks", trial->name, 4 * quads, 4 * next_look);
}

int cmd_trial_prove(struct zh_session_config *session, const struct zh_explanation *explanation,
	struct cmd_trial *ret, struct zh_err *err)
{
	char word[64];
	char *words[] = {word, NULL};
	struct zh_trial_config config = {.method = &zh_trial_probes,
		.method_arg = &ret->probes,
		.seed = cmd_trial_seed(),
		.settle_ns = 20 * ZH_NSEC_PER_MSEC,
		.max_quads = QUADS_MAX,
		.stop = cmd_interrupted,
		.progress = show_progress,
		.arg = ret};
	int used, status, r;

	snprintf(word, sizeof(word), "%s", choose(explanation));
	status = cmd_trial_change(1, words, ret, &used, err);
	if (status)
		return status;
	ret->probes = (struct zh_trial_probes){.session = session,
		.count = BLOCK_PROBES,
		.gap_ns = BLOCK_GAP_NS,
		.change = ret->change,
		.change_arg = ret->change_arg};
	ret->method = &zh_trial_probes;
	ret->method_arg = &ret->probes;
	config.change = ret->change;
	config.change_arg = ret->change_arg;
	r = zh_trial_run(&config, &ret->report, err);
	cmd_progress_done();
	return r < 0 ? ZH_EXIT_UNABLE : 0;
}
