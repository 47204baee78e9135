/* SPDX-License-Identifier: BSD-2-Clause */
/* tune status, history, diff; and the tables of changes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/util.h"
#include "cmd/measure.h"
#include "cmd/tune.h"

const char *tune_value(const struct zh_change *change, const char *value)
{
	bool is_cpus = change->knob && (change->knob->type == ZH_KNOB_CPU_MASK ||
					       change->knob->type == ZH_KNOB_CPU_LIST);

	return *value ? value : is_cpus ? "none" : "";
}

/* As it is now; "?" and the reason in the note where that cannot be read. */
static void read_now(const struct zh_change *change, char now[static ZH_KNOB_VALUE])
{
	struct zh_knob_place place = change->place;
	int r = change->knob ? zh_knob_place_again(change->knob, &place) : -EINVAL;

	if (r == 0)
		r = zh_knob_get(change->knob, &place, now, NULL);
	if (r < 0)
		snprintf(now, ZH_KNOB_VALUE, r == -ENOENT ? "gone" : "?");
	zh_knob_place_done(&place);
}

static const char *does(const struct zh_change *change, bool with_phase)
{
	if (change->action == ZH_CHANGE_SKIP)
		return "skipped";
	if (change->action == ZH_CHANGE_SAME)
		return "as wanted";
	return with_phase ? zh_change_phase_name(change->phase) : "to be set";
}

static const char *place_of(const struct zh_change *change)
{
	return change->knob ? zh_knob_target_name(change->knob->target) : NULL;
}

struct tables {
	struct zh_node *root, *changes, *notes; /* notes: made with the first one */
};

static void add_row(struct tables *tables, const struct zh_tx *tx, const struct zh_change *change,
	bool with_phase, const char *now)
{
	char name[96] = "", text[480];

	if (change->knob)
		zh_knob_place_name(change->knob, &change->place, name, sizeof(name));
	zh_node_row(tables->changes,
		(struct zh_cell[]){tx ? zh_count((uint64_t)tx->id) : zh_null(),
			zh_string(change->knob_id), zh_string(*name ? name : place_of(change)),
			zh_string(tune_value(change, change->prior)),
			zh_string(tune_value(change, change->wanted)),
			zh_string(tune_value(change, change->expected)),
			change->phase == ZH_PHASE_PLANNED
				? zh_null()
				: zh_string(tune_value(change, change->observed)),
			now ? zh_string(tune_value(change, now)) : zh_null(),
			zh_string(does(change, with_phase)),
			*change->note ? zh_string(change->note) : zh_null()});
	if (!*change->note)
		return;
	snprintf(text, sizeof(text), "%s: %s", change->knob_id, change->note);
	if (!tables->notes)
		tables->notes = zh_node_list(tables->root, NULL, "Notes");
	zh_node_item(tables->notes, text);
}

static void make_tables(struct tables *ret, bool with_tx, bool with_phase, bool with_now)
{
	const struct zh_column columns[] = {{"tx", with_tx ? "transaction" : NULL},
		{"knob", "knob"}, {"target", "of"},
		{"prior", with_now || with_phase ? "before" : "now"}, {"wanted", "wanted"},
		{"expected", NULL}, {"observed", with_phase ? "was set to" : NULL},
		{"now", with_now ? "is now" : NULL}, {"result", "result"}, {"note", NULL}};

	ret->changes =
		zh_node_table(ret->root, "changes", "Changes", columns, ZH_ARRAY_SIZE(columns));
}

static void add_rows(struct tables *tables, const struct zh_tx *tx, const struct zh_plan *plan,
	bool with_phase, bool with_now)
{
	char now[ZH_KNOB_VALUE];

	for (size_t i = 0; i < plan->n; i++) {
		const struct zh_change *change = &plan->changes[i];

		if (!*change->knob_id)
			continue;
		if (with_now)
			read_now(change, now);
		add_row(tables, tx, change, with_phase, with_now ? now : NULL);
	}
}

void tune_describe_changes(
	struct zh_node *root, const struct zh_plan *plan, bool with_phase, bool with_now)
{
	struct tables tables = {.root = root};

	make_tables(&tables, false, with_phase, with_now);
	add_rows(&tables, NULL, plan, with_phase, with_now);
}

/* For reading; recovers where that is possible. 1: there is no journal yet. */
static int open_to_read(struct zh_journal *journal, int *recovered, struct zh_err *err)
{
	int r;

	*recovered = 0;
	if (geteuid() == 0 && zh_journal_open(false, 0, journal, NULL) == 0) {
		zh_journal_close(journal);
		if (tune_open(0, journal, recovered, NULL) == 0)
			return 0;
	}
	r = zh_journal_open(false, 0, journal, err);
	return r == -ENOENT ? 1 : r;
}

static size_t drifted(const struct zh_plan *plan)
{
	char now[ZH_KNOB_VALUE];
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		if (plan->changes[i].phase != ZH_PHASE_DONE)
			continue;
		read_now(&plan->changes[i], now);
		n += strcmp(now, plan->changes[i].observed) != 0;
	}
	return n;
}

/* Of one that waits to be confirmed. */
static struct zh_cell undone_in(const struct zh_tx *tx)
{
	uint64_t now_ns = zh_clock_ns(CLOCK_BOOTTIME);

	if (tx->state != ZH_TX_PENDING)
		return zh_null();
	return zh_ns(tx->deadline_ns > now_ns ? tx->deadline_ns - now_ns : 0);
}

void tune_describe_tx(struct zh_node *root, const struct zh_tx *tx)
{
	zh_node_value(root, "tx", "transaction", zh_count((uint64_t)tx->id));
	zh_node_value(root, "state", "state", zh_string(zh_tx_state_name(tx->state)));
	zh_node_value(root, "undone_in_ns", tx->state == ZH_TX_PENDING ? "undone in" : NULL,
		undone_in(tx));
}

static int describe_held(struct zh_journal *journal, struct zh_node *root, size_t *ret_held,
	size_t *ret_drifted, struct zh_err *err)
{
	static const struct zh_column columns[] = {
		{"tx", "transaction"}, {"state", "state"}, {"undone_in_ns", "undone in"}};
	struct zh_node *list =
		zh_node_table(root, "transactions", "In force", columns, ZH_ARRAY_SIZE(columns));
	struct tables tables = {.root = root};
	struct zh_tx tx;

	make_tables(&tables, true, true, true);
	for (size_t n = 0; zh_journal_nth(journal, n, &tx, NULL) == 0; n++) {
		zh_cleanup(zh_plan_done) struct zh_plan plan = {};

		if (tx.state >= ZH_TX_UNDONE)
			continue;
		if (zh_journal_changes(journal, tx.id, &plan, err) < 0)
			return -EIO;
		++*ret_held;
		*ret_drifted += drifted(&plan);
		zh_node_row(list, (struct zh_cell[]){zh_count((uint64_t)tx.id),
					  zh_string(zh_tx_state_name(tx.state)), undone_in(&tx)});
		add_rows(&tables, &tx, &plan, true, true);
	}
	return 0;
}

int tune_status(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("tune");
	struct zh_node *root = zh_doc_root(doc);
	struct zh_journal journal = {.lock_fd = -1};
	size_t held = 0, drift = 0;
	char text[160];
	int recovered = 0, status, r = open_to_read(&journal, &recovered, err);

	(void)n_words;
	(void)words;
	if (r < 0)
		return ZH_EXIT_UNABLE;
	zh_node_value(root, "verb", NULL, zh_string("status"));
	zh_node_value(root, "recovered", recovered ? "unfinished ones undone now" : NULL,
		zh_count((uint64_t)recovered));
	if (r == 0)
		r = describe_held(&journal, root, &held, &drift, err);
	zh_journal_close(&journal);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	zh_node_value(root, "held", NULL, zh_count(held));
	zh_node_value(root, "drifted", NULL, zh_count(drift));
	if (!held)
		snprintf(text, sizeof(text), "No settings of ours are in force");
	else
		snprintf(text, sizeof(text),
			"%zu transaction%s in force, %zu value%s changed since", held,
			held == 1 ? "" : "s", drift, drift == 1 ? "" : "s");
	zh_node_headline(root, NULL, text);
	status = cmd_print(&tune->common, doc, err);
	return status ? status : drift ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

static void describe_list(struct zh_journal *journal, struct zh_node *root)
{
	static const struct zh_column columns[] = {{"tx", "transaction"}, {"state", "state"},
		{"created", "made"}, {"label", "by"}, {"changes", "changes"}};
	struct zh_node *table =
		zh_node_table(root, "history", "Transactions", columns, ZH_ARRAY_SIZE(columns));
	struct zh_tx tx;

	for (size_t n = 0; zh_journal_nth(journal, n, &tx, NULL) == 0; n++) {
		struct zh_plan plan = {};
		time_t at = (time_t)tx.created_s;
		struct tm tm;
		char when[32];

		zh_journal_changes(journal, tx.id, &plan, NULL);
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
		zh_node_row(table, (struct zh_cell[]){zh_count((uint64_t)tx.id),
					   zh_string(zh_tx_state_name(tx.state)), zh_string(when),
					   zh_string(tx.label), zh_count(zh_plan_writes(&plan))});
		zh_plan_done(&plan);
	}
}

/* One transaction: with what is now, when it still holds. */
static int describe_one(struct zh_journal *journal, int64_t id, bool with_now, struct zh_node *root,
	struct zh_err *err)
{
	zh_cleanup(zh_plan_done) struct zh_plan plan = {};
	struct zh_tx tx;
	int r = id ? zh_journal_tx(journal, id, &tx, err) : zh_journal_nth(journal, 0, &tx, err);

	if (r == 0)
		r = zh_journal_changes(journal, tx.id, &plan, err);
	if (r < 0)
		return r;
	tune_describe_tx(root, &tx);
	tune_describe_changes(root, &plan, true, with_now);
	return 0;
}

static int history(const struct tune_config *tune, const char *verb, bool with_now, int n_words,
	char **words, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("tune");
	struct zh_node *root = zh_doc_root(doc);
	struct zh_journal journal = {.lock_fd = -1};
	int64_t id = tune_tx_word(n_words, words, err);
	int recovered = 0, r;

	if (id < 0)
		return ZH_EXIT_USAGE;
	r = open_to_read(&journal, &recovered, err);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	zh_node_value(root, "verb", NULL, zh_string(verb));
	if (r > 0 && (id || with_now)) {
		zh_err_set(err, -ENOENT, "there is no transaction yet");
		return ZH_EXIT_USAGE;
	}
	if (r > 0) {
		zh_node_headline(root, NULL, "No transaction yet");
		return cmd_print(&tune->common, doc, err);
	}
	if (id || with_now)
		r = describe_one(&journal, id, with_now, root, err);
	else
		describe_list(&journal, root);
	zh_journal_close(&journal);
	if (r < 0)
		return r == -ENOENT ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
	return cmd_print(&tune->common, doc, err);
}

int tune_history(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	return history(tune, "history", false, n_words, words, err);
}

int tune_diff(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	return history(tune, "diff", true, n_words, words, err);
}
