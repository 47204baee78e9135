/* SPDX-License-Identifier: BSD-2-Clause */
/* tune plan, apply, confirm, undo. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "base/util.h"
#include "cmd/measure.h"
#include "cmd/tune.h"

/* Whoever waits for the lock at the deadline must not give up because an undo is slow. */
#define EXPIRED_WAIT_NS (60 * ZH_NSEC_PER_SEC)

static int make_plan(const struct tune_config *tune, int n_words, char **words,
	struct zh_plan *plan, struct zh_err *err)
{
	const struct zh_knob_where where = {
		.netns_fd = -1, .device = tune->device, .state_dir = zh_journal_dir()};
	int r = cmd_enter_netns(&tune->common, err);

	if (r)
		return r;
	plan->anyway = tune->anyway;
	for (int i = 0; i < n_words; i++) {
		r = zh_plan_add(plan, words[i], &where, err);
		if (r < 0)
			return r == -ENODEV || r == -ESRCH || r == -ENOENT ? ZH_EXIT_USAGE
									   : tune_failed(r);
	}
	zh_plan_sort(plan);
	return 0;
}

static size_t count(const struct zh_plan *plan, enum zh_change_action action)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += plan->changes[i].action == action;
	return n;
}

static void describe_costs(struct zh_node *root, const struct zh_plan *plan)
{
	struct zh_node *list = zh_node_list(root, NULL, "What it costs");
	const struct zh_knob *last = NULL;
	char text[400];

	for (size_t i = 0; i < plan->n; i++) {
		const struct zh_change *change = &plan->changes[i];

		if (change->action != ZH_CHANGE_WRITE || change->knob == last)
			continue;
		last = change->knob;
		snprintf(text, sizeof(text), "%s: %s", last->id, last->cost);
		zh_node_item(list, text);
	}
}

static struct zh_doc *describe_plan(const struct zh_plan *plan, const char *verb)
{
	struct zh_doc *doc = zh_doc_new("tune");
	struct zh_node *root = zh_doc_root(doc);
	size_t writes = zh_plan_writes(plan), skips = count(plan, ZH_CHANGE_SKIP);
	char text[160];

	if (!writes && !skips)
		snprintf(text, sizeof(text), "Nothing to do: all is as wanted");
	else
		snprintf(text, sizeof(text), "%zu change%s, %zu skipped, %zu as wanted already",
			writes, writes == 1 ? "" : "s", skips, count(plan, ZH_CHANGE_SAME));
	zh_node_headline(root, NULL, text);
	zh_node_value(root, "verb", NULL, zh_string(verb));
	tune_describe_changes(root, plan, false, false);
	if (writes)
		describe_costs(root, plan);
	return doc;
}

int tune_plan(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	zh_cleanup(zh_plan_done) struct zh_plan plan = {};
	int status = make_plan(tune, n_words, words, &plan, err);

	if (status)
		return status;
	doc = describe_plan(&plan, "plan");
	status = cmd_print(&tune->common, doc, err);
	return status ? status : count(&plan, ZH_CHANGE_SKIP) ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

/* Only a person at a terminal is asked. */
static bool is_agreed(const struct tune_config *tune, const struct zh_plan *plan)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	char answer[16];

	if (tune->yes || tune->common.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
		!zh_plan_writes(plan))
		return true;
	doc = describe_plan(plan, "plan");
	if (cmd_print(&tune->common, doc, NULL) != 0)
		return false;
	printf("\nApply? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static struct zh_doc *describe_applied(
	const struct tune_config *tune, const struct zh_plan *plan, int64_t tx, int recovered)
{
	struct zh_doc *doc = zh_doc_new("tune");
	struct zh_node *root = zh_doc_root(doc);
	char text[200], within[32];

	if (!tx)
		snprintf(text, sizeof(text), "Nothing was set: %zu as wanted already, %zu skipped",
			count(plan, ZH_CHANGE_SAME), count(plan, ZH_CHANGE_SKIP));
	else if (tune->confirm_ns)
		snprintf(text, sizeof(text),
			"Transaction %lld is set; it is undone in %s unless: zerohop tune confirm",
			(long long)tx, zh_format_ns(within, sizeof(within), tune->confirm_ns));
	else
		snprintf(text, sizeof(text),
			"Transaction %lld is set (take back: zerohop tune undo)", (long long)tx);
	zh_node_headline(root, NULL, text);
	zh_node_value(root, "verb", NULL, zh_string("apply"));
	zh_node_value(root, "tx", NULL, tx ? zh_count((uint64_t)tx) : zh_null());
	zh_node_value(root, "state", NULL,
		tx ? zh_string(tune->confirm_ns ? "pending" : "applied") : zh_null());
	zh_node_value(root, "recovered", recovered ? "unfinished ones undone first" : NULL,
		zh_count((uint64_t)recovered));
	tune_describe_changes(root, plan, true, false);
	return doc;
}

static int write_plan(const struct tune_config *tune, struct zh_plan *plan, int64_t *ret_tx,
	int *ret_recovered, struct zh_err *err)
{
	struct tune_guard guard;
	const struct zh_apply apply = {.label = "tune",
		.confirm_ns = tune->confirm_ns,
		.guard_argv = tune->confirm_ns ? guard.argv : NULL};
	struct zh_journal journal;
	int r = tune_guard(&guard, err);

	if (r == 0)
		r = tune_open(0, &journal, ret_recovered, err);
	if (r)
		return r;
	cmd_catch_signals();
	r = zh_tune_apply(&journal, plan, &apply, ret_tx, err);
	zh_journal_close(&journal);
	return r < 0 ? ZH_EXIT_UNABLE : 0;
}

int tune_apply(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	zh_cleanup(zh_plan_done) struct zh_plan plan = {};
	int64_t tx = 0;
	int recovered = 0, status = make_plan(tune, n_words, words, &plan, err);

	if (status)
		return status;
	if (!is_agreed(tune, &plan)) {
		zh_err_set(err, -ECANCELED, "nothing was set");
		return ZH_EXIT_UNABLE;
	}
	if (zh_plan_writes(&plan)) {
		status = write_plan(tune, &plan, &tx, &recovered, err);
		if (status)
			return status;
	}
	doc = describe_applied(tune, &plan, tx, recovered);
	status = cmd_print(&tune->common, doc, err);
	return status ? status : count(&plan, ZH_CHANGE_SKIP) ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

static int print_result(const struct tune_config *tune, const char *verb, const struct zh_tx *tx,
	const char *headline, const struct zh_plan *plan, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("tune");
	struct zh_node *root = zh_doc_root(doc);

	zh_node_headline(root, NULL, headline);
	zh_node_value(root, "verb", NULL, zh_string(verb));
	zh_node_value(root, "tx", NULL, zh_count((uint64_t)tx->id));
	zh_node_value(root, "state", NULL, zh_string(zh_tx_state_name(tx->state)));
	if (plan)
		tune_describe_changes(root, plan, true, false);
	return cmd_print(&tune->common, doc, err);
}

int tune_confirm(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	struct zh_journal journal;
	struct zh_tx tx = {};
	char text[120];
	int64_t id = tune_tx_word(n_words, words, err);
	int recovered, status, r;

	if (id < 0)
		return ZH_EXIT_USAGE;
	status = tune_open(0, &journal, &recovered, err);
	if (status)
		return status;
	r = zh_tune_confirm(&journal, id, &id, err);
	if (r == 0)
		r = zh_journal_tx(&journal, id, &tx, err);
	zh_journal_close(&journal);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	snprintf(text, sizeof(text), "Transaction %lld stays until it is undone, or the next boot",
		(long long)id);
	return print_result(tune, "confirm", &tx, text, NULL, err);
}

static int undo_expired(int64_t id, struct zh_err *err)
{
	struct zh_journal journal;
	int r;

	if (geteuid() != 0 || !id) {
		zh_err_set(err, -EINVAL, "--expired needs root and a transaction");
		return ZH_EXIT_USAGE;
	}
	r = zh_journal_open(true, EXPIRED_WAIT_NS, &journal, err);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	r = zh_tune_expire(&journal, id, err);
	zh_journal_close(&journal);
	return r < 0 ? ZH_EXIT_UNABLE : r > 0 ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

/* What recovery did already is an answer to "undo the last one", too. */
static int undo_one(struct zh_journal *journal, int64_t id, bool force, int recovered,
	struct zh_tx *ret_tx, struct zh_undo *ret, struct zh_plan *plan, struct zh_err *err)
{
	int r = 0;

	if (!id) {
		r = zh_tune_newest(journal, ret_tx, recovered ? NULL : err);
		if (r == -ENOENT && recovered) {
			ret->undone = (size_t)recovered;
			return zh_journal_nth(journal, 0, ret_tx, err);
		}
		id = ret_tx->id;
	}
	if (r == 0)
		r = zh_tune_undo(journal, id, force, ret, plan, err);
	if (r == -EALREADY && recovered)
		r = 0;
	return r < 0 || zh_journal_tx(journal, id, ret_tx, err) == 0 ? r : -EIO;
}

int tune_undo(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	zh_cleanup(zh_plan_done) struct zh_plan plan = {};
	struct zh_journal journal;
	struct zh_undo undo = {};
	struct zh_tx tx = {};
	int64_t id = tune_tx_word(n_words, words, err);
	int recovered, status, r;
	char text[200];

	if (id < 0)
		return ZH_EXIT_USAGE;
	if (tune->expired)
		return undo_expired(id, err);
	status = tune_open(0, &journal, &recovered, err);
	if (status)
		return status;
	r = undo_one(&journal, id, tune->force, recovered, &tx, &undo, &plan, err);
	zh_journal_close(&journal);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	snprintf(text, sizeof(text),
		"Transaction %lld is %s: %zu put back, %zu changed by others, "
		"%zu gone, %zu failed",
		(long long)tx.id, zh_tx_state_name(tx.state), undo.undone, undo.foreign, undo.gone,
		undo.failed);
	status = print_result(tune, "undo", &tx, text, &plan, err);
	return status ? status : r > 0 ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}
