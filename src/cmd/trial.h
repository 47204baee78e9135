/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of zerohop trial: from words to a change, and from a report to a document. */
#pragma once

#include "cmd/command.h"
#include "session/trial.h"

struct cmd_trial {
	char name[128];                       /* as the user wrote it: "task-placement=same-cpu" */
	char what[160];                       /* "the CPUs kept awake" */
	const struct zh_trial_change *change; /* NULL: none (A against A) */
	void *change_arg;                     /* owned */
	void (*change_done)(void *arg);       /* ends it; NULL: free(3) */
	char placebo_reason[320];             /* why it can do nothing here; "": not known */
	const struct zh_trial_method *method;
	void *method_arg; /* one of these two */
	struct zh_trial_probes probes;
	struct zh_trial_command command;
	struct zh_trial_report report;
};

/* The leading word is the change; *ret_used says how many words it took. 0, or an exit status with
 * err set. */
int cmd_trial_change(
	int n_words, char **words, struct cmd_trial *ret, int *ret_used, struct zh_err *err);
/* KNOB[@PLACE]=VALUE; `target` (may be NULL) tells the device where the word does not. */
int cmd_trial_knob(const char *word, const char *target, struct cmd_trial *ret, struct zh_err *err);
/* Random; never 0. */
uint64_t cmd_trial_seed(void);
void cmd_trial_done(struct cmd_trial *trial);

/* What is said in the end. */
enum zh_trial_verdict cmd_trial_verdict(const struct cmd_trial *trial);

/* Into the root of a document, or into an object of one. */
void cmd_describe_trial(const struct cmd_trial *trial, struct zh_node *node, bool is_part);

/*
 * doctor --prove: the experiment that decides between the first finding and the rest, with the
 * target and probe settings of `session`. 0, or an exit status with err set; the caller ends *ret
 * with cmd_trial_done().
 */
struct zh_explanation;
int cmd_trial_prove(struct zh_session_config *session, const struct zh_explanation *explanation,
	struct cmd_trial *ret, struct zh_err *err);
