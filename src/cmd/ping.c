/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop ping: RTT of a target, the stages it is made of, and the cause of every slow sample.
 */
#include <errno.h>

#include "base/util.h"
#include "cmd/describe.h"
#include "cmd/measure.h"

#define COUNT_MAX 1000000

struct ping_config {
	struct zh_common common;
	struct cmd_probe_options probe;
	uint64_t count, interval_ns;
};

static const struct zh_option options[] = {
	{"count", 'c', ZH_OPTION_COUNT, offsetof(struct ping_config, count), "N",
		"how many probes (100)", .min = 1, .max = COUNT_MAX},
	{"interval", 'i', ZH_OPTION_DURATION, offsetof(struct ping_config, interval_ns), "TIME",
		"time between sends (20ms); 0s: right after each reply", .min = 0,
		.max = 3600 * ZH_NSEC_PER_SEC},
	CMD_PROBE_OPTIONS(struct ping_config, probe),
	CMD_TRACE_OPTION(struct ping_config, probe),
	ZH_MEASURE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct ping_config defaults = {
	.probe = CMD_PROBE_DEFAULTS, .count = 100, .interval_ns = 20 * ZH_NSEC_PER_MSEC};

static struct zh_doc *describe(
	const struct zh_record *record, const struct zh_explanation *explanation)
{
	struct zh_doc *doc = zh_doc_new("ping");
	struct zh_node *root = zh_doc_root(doc);

	cmd_headline(root, record, explanation);
	cmd_describe_run(root, record);
	zh_explanation_describe(explanation, record, root);
	cmd_describe_overhead(root, record);
	return doc;
}

/* ping's own meaning: 0 at least one reply, 1 none. */
static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct ping_config *ping = config;
	const struct zh_session_phase phase = {
		.label = "main", .count = (uint32_t)ping->count, .gap_ns = ping->interval_ns};
	struct zh_session_config session = {.command = "ping", .phases = &phase, .n_phases = 1};
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	zh_cleanup(cmd_explanation_freep) struct zh_explanation *explanation = NULL;
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	struct zh_err save_err = {};
	int status;

	status = cmd_session_config(&ping->probe, n_words, words, &session, err);
	if (!status)
		status =
			cmd_measure(&ping->common, &session, &record, &explanation, &save_err, err);
	if (status)
		return status;
	doc = describe(record, explanation);
	status = cmd_print(&ping->common, doc, err);
	if (status)
		return status;
	if (save_err.code) {
		*err = save_err;
		return ZH_EXIT_UNABLE;
	}
	return explanation->rtt.count ? 0 : 1;
}

const struct zh_command zh_command_ping = {
	.name = "ping",
	.summary = "what is the RTT, where does it go, which samples were slow and why?",
	.usage = "[OPTIONS] [TARGET]",
	.examples = "  zerohop ping 127.0.0.1                      # 100 probes, 20 ms apart\n"
		    "  zerohop ping -c 1000 -i 1ms udp:127.0.0.1   # with a responder of our own\n"
		    "  zerohop ping tcp:127.0.0.1:6379             # somebody's echoing server\n"
		    "  zerohop ping -j ::1 | jq .rtt               # for scripts\n",
	.notes =
		"TARGET is a host (ICMP echo), icmp:HOST, udp:HOST[:PORT], tcp:HOST[:PORT], "
		"unix:[PATH] or\nunix-dgram:[PATH]. Without a port or path zerohop answers its own "
		"probes.\nExit status: 0 at least one reply, 1 none, 2 usage, 3 could not measure.\n",
	.options = options,
	.config_size = sizeof(struct ping_config),
	.defaults = &defaults,
	.run = run,
};
