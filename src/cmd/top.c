/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop top: live: which CPU does whose softirq work, what drops where, which pod.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "cmd/measure.h"
#include "cmd/top-screen.h"
#include "cmd/top.h"

#define STEP_NS (50 * ZH_NSEC_PER_MSEC) /* how soon Ctrl-C is seen */

struct top_config {
	struct zh_common common;
	uint64_t interval_ns, count, sample;
	bool once, batch, no_bpf, no_flows;
};

static const struct zh_option options[] = {
	{"once", '1', ZH_OPTION_FLAG, offsetof(struct top_config, once), NULL,
		"one reading, then end (also what -j does)"},
	{"batch", 'b', ZH_OPTION_FLAG, offsetof(struct top_config, batch), NULL,
		"a reading after the other as plain text (also when this is no terminal)"},
	{"interval", 'd', ZH_OPTION_DURATION, offsetof(struct top_config, interval_ns), "TIME",
		"time between two readings (1s)", .min = 100 * ZH_NSEC_PER_MSEC,
		.max = 3600 * ZH_NSEC_PER_SEC},
	{"count", 'n', ZH_OPTION_COUNT, offsetof(struct top_config, count), "N",
		"end after so many readings (0: never)", .max = UINT32_MAX},
	{"sample", 0, ZH_OPTION_COUNT, offsetof(struct top_config, sample), "N",
		"count one packet in N for the flows (64)", .min = 1, .max = 65536},
	{"no-flows", 0, ZH_OPTION_FLAG, offsetof(struct top_config, no_flows), NULL,
		"leave out flows, whose hook costs most"},
	{"no-bpf", 0, ZH_OPTION_FLAG, offsetof(struct top_config, no_bpf), NULL,
		"counters only, no hooks in the kernel"},
	ZH_PLACE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct top_config defaults = {.interval_ns = ZH_NSEC_PER_SEC, .sample = 64};

static int check(const struct top_config *top, int n_words, char **words, struct zh_err *err)
{
	if (n_words)
		return zh_err_set(err, -EINVAL,
			"top takes no target, but '%.100s' was given (--netns, --pid and --pod say "
			"where)",
			words[0]);
	if (top->once && top->batch)
		return zh_err_set(err, -EINVAL, "--once and --batch exclude each other");
	if (top->common.json && (top->batch || top->count > 1))
		return zh_err_set(
			err, -EINVAL, "-j prints one document: without --batch and --count");
	return 0;
}

/* Sleeps until then, or until Ctrl-C; false after that. */
static bool wait_until(uint64_t ns)
{
	while (!cmd_interrupted(NULL) && zh_now_ns() < ns)
		zh_sleep_until(ZH_MIN(ns, zh_now_ns() + STEP_NS));
	return !cmd_interrupted(NULL);
}

static int print(const struct top_config *top, const struct zh_top_reading *reading,
	const struct zh_record *notes, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("top");

	cmd_top_describe(zh_doc_root(doc), reading, notes);
	return cmd_print(&top->common, doc, err);
}

/* Prints readings until there were enough, or Ctrl-C: that one still shows what was until then. */
static int run_batch(const struct top_config *top, struct zh_top *readings,
	const struct zh_record *notes, struct zh_err *err)
{
	uint64_t left = top->once || top->common.json ? 1 : top->count ? top->count : UINT64_MAX;
	uint64_t next = zh_now_ns();
	const struct zh_top_reading *reading;
	bool has_found = false, goes_on = true;
	char answer[400];
	int status;

	for (; left && goes_on; left--) {
		next += top->interval_ns;
		goes_on = wait_until(next);
		if (zh_top_read(readings, &reading, err) < 0)
			return ZH_EXIT_UNABLE;
		has_found |= zh_top_answer(reading, answer, sizeof(answer));
		status = print(top, reading, notes, err);
		if (status)
			return status;
		if (left > 1 && goes_on)
			printf("\n");
	}
	return has_found ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

static int read_next(void *context, const struct zh_top_reading **ret, struct zh_err *err)
{
	return zh_top_read(context, ret, err);
}

/* On a terminal that can show it, the screen; else plain readings, and one line that says why. */
static int run_screen(const struct top_config *top, struct zh_top *readings,
	const struct zh_record *notes, struct zh_err *err)
{
	const struct cmd_top_screen_config config = {
		.source = {.context = readings, .read = read_next, .notes = notes},
		.interval_ns = top->interval_ns,
		.count = top->count,
		.no_color = top->common.no_color};
	int r = cmd_top_screen(&config, NULL, err);

	if (r < 0)
		return ZH_EXIT_UNABLE;
	if (r != CMD_TOP_SCREEN_UNFIT)
		return ZH_EXIT_OK;
	fprintf(stderr, "zerohop: %s: plain readings follow\n", err->text);
	*err = (struct zh_err){};
	return run_batch(top, readings, notes, err);
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct top_config *top = config;
	zh_cleanup(cmd_record_freep) struct zh_record *notes = NULL;
	struct zh_top *readings = NULL;
	struct zh_top_config session = {.no_bpf = top->no_bpf,
		.no_flows = top->no_flows,
		.only_here = top->common.netns || top->common.pid || top->common.pod,
		.flow_sample = (uint32_t)top->sample};
	bool is_plain;
	int status;

	if (check(top, n_words, words, err) < 0)
		return ZH_EXIT_USAGE;
	status = cmd_prepare(&top->common, err);
	if (status)
		return status;
	notes = zh_record_new(&(struct zh_record_limits){});
	if (!notes || zh_top_open(&session, notes, &readings, err) < 0)
		return ZH_EXIT_UNABLE;
	is_plain = top->once || top->batch || top->common.json || !isatty(STDOUT_FILENO);
	status = is_plain ? run_batch(top, readings, notes, err)
			  : run_screen(top, readings, notes, err);
	zh_top_close(readings);
	return status;
}

const struct zh_command zh_command_top = {
	.name = "top",
	.summary = "live: which CPU does whose softirq work, what drops where, which pod",
	.usage = "[OPTIONS]",
	.examples = "  sudo zerohop top                     # live; ? for help, q ends\n"
		    "  sudo zerohop top --once              # one reading of a second\n"
		    "  sudo zerohop top -j | jq '.cpus[0]'  # the same for programs\n"
		    "  sudo zerohop top --batch -d 5s -n 12 # a minute, every five seconds\n"
		    "  sudo zerohop top --pod shop/cart     # devices, flows and drops of a pod\n",
	.notes = "Softirq time is measured from entry to exit of each run, drops by the kernel's "
		 "reason and place,\nflows by one packet in 64. Without BPF or root it shows what "
		 "counters tell, and says what is\nmissing. Own cost is shown with each reading.\n"
		 "Exit status: 0 nothing full or dropped; 1 a CPU is full or packets are dropped; "
		 "2 usage; 3 could\nnot measure.\n",
	.options = options,
	.config_size = sizeof(struct top_config),
	.defaults = &defaults,
	.run = run,
};
