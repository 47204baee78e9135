/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ping and doctor share: from options to a session, from a record to an explanation and a
 * document, and the exit status that follows.
 */
#pragma once

#include "cmd/command.h"
#include "explain/explain.h"
#include "session/session.h"

/* How to probe; second member of the configs of commands that measure. */
struct cmd_probe_options {
	uint64_t timeout_ns, size_bytes;
	struct zh_cpuset cpu, peer_cpu; /* at most one CPU each */
	bool v4, v6;
	int trace; /* enum zh_trace_tier */
};

extern const char *const cmd_trace_tiers[]; /* names of enum zh_trace_tier */

#define CMD_PROBE_OPTIONS(config, member)                                                          \
	{"timeout", 'W', ZH_OPTION_DURATION, offsetof(config, member.timeout_ns), "TIME",          \
		"wait this long for each reply (1s)", .min = ZH_NSEC_PER_MSEC,                     \
		.max = 60 * ZH_NSEC_PER_SEC},                                                      \
		{"size", 's', ZH_OPTION_SIZE, offsetof(config, member.size_bytes), "SIZE",         \
			"payload of a probe (56)", .min = 32, .max = 60000},                       \
		{"ipv4", '4', ZH_OPTION_FLAG, offsetof(config, member.v4), NULL,                   \
			"use IPv4 addresses of a name"},                                           \
		{"ipv6", '6', ZH_OPTION_FLAG, offsetof(config, member.v6), NULL,                   \
			"use IPv6 addresses of a name"},                                           \
		{"cpu", 0, ZH_OPTION_CPUS, offsetof(config, member.cpu), "CPU",                    \
			"pin the prober to this CPU"},                                             \
	{                                                                                          \
		"peer-cpu", 0, ZH_OPTION_CPUS, offsetof(config, member.peer_cpu), "CPU",           \
			"pin the responder to this CPU"                                            \
	}

/* For commands that trace. */
#define CMD_TRACE_OPTION(config, member)                                                           \
	{                                                                                          \
		"trace", 0, ZH_OPTION_CHOICE, offsetof(config, member.trace), "TIER",              \
			"none, recorder, packets or full (packets)", .choices = cmd_trace_tiers    \
	}

#define CMD_PROBE_DEFAULTS                                                                         \
	{                                                                                          \
		.timeout_ns = ZH_NSEC_PER_SEC, .size_bytes = 56, .trace = ZH_TIER_PACKETS          \
	}

/*
 * Fills the session's probe part from a target and the options; the words must hold at most one
 * target (default 127.0.0.1). 0, or ZH_EXIT_USAGE with err set.
 */
int cmd_session_config(const struct cmd_probe_options *options, int n_words, char **words,
	struct zh_session_config *ret, struct zh_err *err);

/*
 * What every measuring command does first: knows that -o can be written, has enough file
 * descriptors, enters --netns and the like, and catches Ctrl-C. 0, or an exit status with err set.
 */
int cmd_prepare(const struct zh_common *common, struct zh_err *err);

/*
 * Runs the session, keeps the record if asked, explains it. On 0 the caller owns both; otherwise an
 * exit status with err set. A record that cannot be written is reported in *ret_save_err, after
 * which the results are still shown.
 */
int cmd_measure(const struct zh_common *common, const struct zh_session_config *config,
	struct zh_record **ret_record, struct zh_explanation **ret_explanation,
	struct zh_err *ret_save_err, struct zh_err *err);

/* Frees helpers for zh_cleanup(). */
void cmd_record_freep(struct zh_record **record);
void cmd_explanation_freep(struct zh_explanation **explanation);
void cmd_doc_freep(struct zh_doc **doc);
