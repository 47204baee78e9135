/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of zerohop tune; its verbs and options are in tune.c. */
#pragma once

#include <limits.h>

#include "cmd/command.h"
#include "knobs/engine.h"

struct tune_config {
	struct zh_common common;
	const char *device;
	uint64_t confirm_ns;
	bool yes, anyway, force, expired;
};

struct tune_verb {
	const char *name, *words;
	int min_words, max_words;
	const char *const *options; /* long names, NULL-terminated; common ones need no mention */
	int (*run)(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
};

int tune_list(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_show(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_plan(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_apply(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_confirm(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_undo(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_status(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_history(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);
int tune_diff(const struct tune_config *tune, int n_words, char **words, struct zh_err *err);

/* What a knob is, as `tune show` and `explain` print it. */
struct zh_doc *cmd_describe_knob(const char *command, const struct zh_knob *knob);

/* "expected" or "-": what a value is shown as; an empty CPU list is "none". */
const char *tune_value(const struct zh_change *change, const char *value);
/* Number of a transaction; 0 when there is no word. -EINVAL with err set. */
int64_t tune_tx_word(int n_words, char **words, struct zh_err *err);
/* Exit status of a failure. */
int tune_failed(int r);
/* Opens it and undoes what was left unfinished; *ret_recovered counts that. 0, or an exit status
 * with err set. */
int tune_open(uint64_t wait_ns, struct zh_journal *ret, int *ret_recovered, struct zh_err *err);
/* What takes a transaction back when this program cannot, for struct zh_apply. 0, or an exit status
 * with err set. */
struct tune_guard {
	char exe[PATH_MAX];
	const char *argv[5]; /* into it: not to be copied */
};
int tune_guard(struct tune_guard *ret, struct zh_err *err);
/* Adds a table of changes. */
void tune_describe_changes(
	struct zh_node *root, const struct zh_plan *plan, bool with_phase, bool with_now);
void tune_describe_tx(struct zh_node *root, const struct zh_tx *tx);
