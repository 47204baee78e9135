/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop path: the way of a packet: the kernel's decision, every hop, and the proof by counting.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/measure.h"
#include "explain/path.h"
#include "explain/path-facts.h"
#include "session/path.h"
#include "sys/netns.h"

#define COUNT 12
#define COUNT_MAX 1000
#define GAP_NS (5 * ZH_NSEC_PER_MSEC)
#define VIA_MAX (ZH_PATH_PLACES_MAX - 1)
#define NOT_SAID UINT64_MAX

struct path_config {
	struct zh_common common;
	const char *from, *iif, *via, *mark;
	uint64_t uid, count, timeout_ns;
	bool v4, v6, steps;
};

static const struct zh_option options[] = {
	{"from", 0, ZH_OPTION_STRING, offsetof(struct path_config, from), "ADDR",
		"source address of the packets"},
	{"mark", 0, ZH_OPTION_STRING, offsetof(struct path_config, mark), "N",
		"firewall mark of the packets (decimal, or 0x...)"},
	{"uid", 0, ZH_OPTION_COUNT, offsetof(struct path_config, uid), "UID",
		"ask and send as this user's packets", .min = 0, .max = UINT32_MAX - 1},
	{"iif", 0, ZH_OPTION_STRING, offsetof(struct path_config, iif), "DEV",
		"the packet came in by this device (asks only, sends nothing)"},
	{"via-netns", 0, ZH_OPTION_STRING, offsetof(struct path_config, via), "NS",
		"namespaces the way may lead through: NS[,NS]"},
	{"count", 'c', ZH_OPTION_COUNT, offsetof(struct path_config, count), "N",
		"how many packets to send (12 inside this machine); 0: none", .min = 0,
		.max = COUNT_MAX},
	{"timeout", 'W', ZH_OPTION_DURATION, offsetof(struct path_config, timeout_ns), "TIME",
		"wait this long for answers (500ms)", .min = ZH_NSEC_PER_MSEC,
		.max = 60 * ZH_NSEC_PER_SEC},
	{"ipv4", '4', ZH_OPTION_FLAG, offsetof(struct path_config, v4), NULL,
		"only IPv4 addresses of a name"},
	{"ipv6", '6', ZH_OPTION_FLAG, offsetof(struct path_config, v6), NULL,
		"only IPv6 addresses of a name"},
	{"steps", 0, ZH_OPTION_FLAG, offsetof(struct path_config, steps), NULL,
		"show one hop at a time (on a terminal)"},
	ZH_MEASURE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct path_config defaults = {
	.uid = NOT_SAID, .count = NOT_SAID, .timeout_ns = 500 * ZH_NSEC_PER_MSEC};

/* What the options mean, and what they point to. */
struct plan {
	struct zh_path_config session;
	char *via_text;
	const char *via[VIA_MAX];
};

static void plan_done(struct plan *plan)
{
	free(plan->via_text);
}

static int parse_mark(const char *text, struct zh_path_config *ret, struct zh_err *err)
{
	unsigned long long value;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || value > UINT32_MAX)
		return zh_err_set(err, -EINVAL,
			"--mark: '%.100s' is not a mark: 0 to 4294967295, or 0x0 to 0xffffffff",
			text);
	ret->has_mark = true;
	ret->mark = (uint32_t)value;
	return 0;
}

/* Splits --via-netns and makes sure that each is there. 0, or an exit status with err set. */
static int parse_via(const char *text, struct plan *plan, struct zh_err *err)
{
	char *rest, *name;
	int fd;

	if (!text)
		return 0;
	rest = plan->via_text = strdup(text);
	if (!rest)
		return ZH_EXIT_UNABLE;
	while ((name = strsep(&rest, ","))) {
		if (plan->session.n_via == VIA_MAX) {
			zh_err_set(err, -EINVAL, "--via-netns: at most %d namespaces", VIA_MAX);
			return ZH_EXIT_USAGE;
		}
		fd = zh_netns_by_name(name, err);
		if (fd < 0) {
			zh_err_wrap(err, "--via-netns");
			return fd == -EPERM || fd == -EACCES ? ZH_EXIT_UNABLE : ZH_EXIT_USAGE;
		}
		close(fd);
		plan->via[plan->session.n_via++] = name;
	}
	plan->session.via = plan->via;
	return 0;
}

static int check_words(
	const struct path_config *path, int n_words, char **words, struct zh_err *err)
{
	if (n_words > 1)
		return zh_err_set(err, -EINVAL,
			"one target at a time, but '%.100s' follows '%.100s'", words[1], words[0]);
	if (path->v4 && path->v6)
		return zh_err_set(err, -EINVAL, "-4 and -6 exclude each other");
	if (path->steps && path->common.json)
		return zh_err_set(
			err, -EINVAL, "--steps is for people, -j for programs: one of them");
	if (path->steps && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return zh_err_set(err, -EINVAL, "--steps needs a terminal");
	return 0;
}

/* 0, or an exit status with err set. */
static int make_plan(const struct path_config *path, int n_words, char **words, struct plan *plan,
	struct zh_err *err)
{
	struct zh_path_config *session = &plan->session;

	if (check_words(path, n_words, words, err) < 0 ||
		zh_target_parse(n_words ? words[0] : "127.0.0.1", &session->target, err) < 0 ||
		parse_mark(path->mark, session, err) < 0)
		return ZH_EXIT_USAGE;
	session->ip_version = path->v4 ? 4 : path->v6 ? 6 : 0;
	session->from = path->from;
	session->iif = path->iif;
	session->has_uid = path->uid != NOT_SAID;
	session->uid = session->has_uid ? (uint32_t)path->uid : 0;
	session->count_given = path->count != NOT_SAID;
	session->count = session->count_given ? (uint32_t)path->count : COUNT;
	session->gap_ns = GAP_NS;
	session->timeout_ns = path->timeout_ns;
	session->stop = cmd_interrupted;
	return parse_via(path->via, plan, err);
}

/* The target, an address or a device was wrong: usage. Anything else: could not measure. */
static int session_status(const struct zh_path_config *config, int r)
{
	bool no_socket = config->target.path[0] &&
			 (r == -ENOENT || r == -ENOTDIR || r == -EPROTOTYPE || r == -ELOOP);

	return r == -EINVAL || r == -ENODEV || no_socket ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
}

/* Waits for Enter. False for "q", the end of input, or Ctrl-C. */
static bool wants_next(void)
{
	char line[64];

	printf("\n[Enter: next, q: quit] ");
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) && line[0] != 'q' && line[0] != 'Q';
}

/* One hop at a time; true when the user saw the last one. An exit status in *ret_status. */
static bool walk(const struct path_config *path, const struct zh_record *record, int *ret_status,
	struct zh_err *err)
{
	size_t n = zh_path_n_hops(record), hop;

	for (hop = 0; hop < n; hop++) {
		struct zh_doc *doc = zh_path_describe_hop(record, hop);

		*ret_status = cmd_print(&path->common, doc, err);
		zh_doc_free(doc);
		if (*ret_status || !wants_next())
			return false;
	}
	return true;
}

static int show(const struct path_config *path, const struct zh_record *record,
	const struct zh_explanation *explanation, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	int status = 0;

	if (path->steps && !walk(path, record, &status, err))
		return status;
	doc = zh_doc_new("path");
	zh_path_describe(record, explanation, zh_doc_root(doc));
	return cmd_print(&path->common, doc, err);
}

/* Whether the way leads out of the machine, where packets are sent only on demand. */
static bool leaves(const struct zh_record *record)
{
	size_t n = zh_path_n_hops(record);
	const char *kind = n ? zh_path_text(record, "path.way.0.hop.%zu.kind", n - 1) : NULL;

	return kind && !strcmp(kind, "leaves");
}

/* Unable: packets were wanted and not sent, without a finding that says why. */
static int status_of(const struct zh_path_config *session, const struct zh_record *record,
	const struct zh_explanation *explanation, struct zh_err *err)
{
	const char *why = zh_path_text(record, "path.way.0.proof.not_sent");

	if (zh_path_has_findings(record, explanation))
		return ZH_EXIT_FINDINGS;
	if (!session->count || session->iif || record->interrupted || !why ||
		session->target.transport == ZH_TRANSPORT_UNIX_DGRAM ||
		(leaves(record) && !session->count_given))
		return ZH_EXIT_OK;
	zh_err_set(err, -EIO, "no packet was sent: %s", why);
	return ZH_EXIT_UNABLE;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct path_config *path = config;
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	zh_cleanup(cmd_explanation_freep) struct zh_explanation *explanation = NULL;
	zh_cleanup(plan_done) struct plan plan = {};
	struct zh_err save_err = {};
	int r, status;

	status = make_plan(path, n_words, words, &plan, err);
	if (!status)
		status = cmd_prepare(&path->common, err);
	if (status)
		return status;
	cmd_progress("following the way (Ctrl-C ends early with results)");
	r = zh_session_path(&plan.session, &record, err);
	cmd_progress_done();
	if (r < 0)
		return session_status(&plan.session, r);
	if (path->common.output)
		zh_record_save(record, path->common.output, &save_err);
	if (zh_explain(record, &explanation, err) < 0)
		return ZH_EXIT_UNABLE;
	status = show(path, record, explanation, err);
	if (status)
		return status;
	if (save_err.code) {
		*err = save_err;
		return ZH_EXIT_UNABLE;
	}
	return status_of(&plan.session, record, explanation, err);
}

const struct zh_command zh_command_path = {
	.name = "path",
	.summary = "which way does a packet go, hop by hop; and the proof by counting",
	.usage = "[OPTIONS] [TARGET]",
	.examples =
		"  sudo zerohop path 127.0.0.1               # by lo? and nothing by the card?\n"
		"  sudo zerohop path udp:10.0.0.5:53         # with the rules for this very flow\n"
		"  sudo zerohop path --via-netns blue 10.1.0.2   # into a container\n"
		"  sudo zerohop path --steps localhost       # one hop at a time\n"
		"  zerohop path 127.1.2.3 -j | jq .decision.dev\n",
	.notes = "TARGET is a host (ICMP echo), icmp:HOST, udp:HOST[:PORT], tcp:HOST[:PORT], "
		 "unix:PATH or\nunix-dgram:PATH. Where the way leaves this machine packets are "
		 "sent only with --count.\nNeeds root to see everything; what could not be seen "
		 "is marked.\n"
		 "Exit status: 0 as it should be; 1 a diversion, a drop or an asymmetry; 2 usage; "
		 "3 could not\nmeasure.\n",
	.options = options,
	.config_size = sizeof(struct path_config),
	.defaults = &defaults,
	.run = run,
};
