/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command is a descriptor: name, help, option table, function. One file each, registered by its
 * file name. Commands and main are the only code that prints.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/options.h"
#include "report/doc.h"

/* Exit status of all commands but ping (which has ping's own meaning for 0 and 1). */
enum zh_exit {
	ZH_EXIT_OK = 0,       /* nothing found */
	ZH_EXIT_FINDINGS = 1, /* findings, or loss */
	ZH_EXIT_USAGE = 2,    /* wrong option, target or file */
	ZH_EXIT_UNABLE = 3,   /* could not measure, or not permitted */
};

/* Options that every command has; the first member of every command's config. */
struct zh_common {
	bool json, help, version, no_color;
	const char *output; /* -o FILE: keep the record */
	const char *netns;  /* --netns NAME or path */
	uint64_t pid;       /* --pid: the namespace of a process */
	const char *pod;    /* --pod: that of a pod or container */
};

/* To be put at the head of a command's option table. */
#define ZH_COMMON_OPTIONS                                                                          \
	{"json", 'j', ZH_OPTION_FLAG, offsetof(struct zh_common, json), NULL,                      \
		"print one JSON document and nothing else"},                                       \
		{"help", 'h', ZH_OPTION_FLAG, offsetof(struct zh_common, help), NULL,              \
			"show this help"},                                                         \
		{"version", 'V', ZH_OPTION_FLAG, offsetof(struct zh_common, version), NULL,        \
			"show the version"},                                                       \
	{                                                                                          \
		"no-color", 0, ZH_OPTION_FLAG, offsetof(struct zh_common, no_color), NULL,         \
			"plain text (also: NO_COLOR=1)"                                            \
	}

/* Where a command measures. */
#define ZH_PLACE_OPTIONS                                                                           \
	{"netns", 0, ZH_OPTION_STRING, offsetof(struct zh_common, netns), "NS",                    \
		"measure in this network namespace (name or path)"},                               \
		{"pid", 0, ZH_OPTION_COUNT, offsetof(struct zh_common, pid), "PID",                \
			"measure in the network namespace of this process", .min = 1,              \
			.max = 4194304},                                                           \
	{                                                                                          \
		"pod", 0, ZH_OPTION_STRING, offsetof(struct zh_common, pod), "POD",                \
			"measure in this pod: NAMESPACE/NAME, or a container's name or id"         \
	}

/* For commands that measure. */
#define ZH_MEASURE_OPTIONS                                                                         \
	{"output", 'o', ZH_OPTION_STRING, offsetof(struct zh_common, output), "FILE",              \
		"keep the record (.zhr) for 'zerohop report'"},                                    \
		ZH_PLACE_OPTIONS

struct zh_command {
	const char *name;
	const char *summary;  /* one line, the question it answers */
	const char *usage;    /* words after "zerohop NAME " */
	const char *examples; /* lines "zerohop ...   # what for", first in --help */
	const char *notes;    /* caveats, printed last; may be NULL */
	const struct zh_option *options;
	size_t config_size;   /* starts with struct zh_common */
	const void *defaults; /* config_size bytes */
	/* words: what is left after the options. Returns an exit status; when it returns
	 * ZH_EXIT_USAGE or ZH_EXIT_UNABLE, err may hold the sentence that main prints. */
	int (*run)(const void *config, int n_words, char **words, struct zh_err *err);
};

extern const struct zh_command *const zh_command_registry[];

/* Writes the document to standard output in the asked format. An exit status. */
int cmd_print(const struct zh_common *common, const struct zh_doc *doc, struct zh_err *err);

/* Moves the process into --netns / --pid / --pod. 0, or an exit status with err set. */
int cmd_enter_netns(const struct zh_common *common, struct zh_err *err);

/* From now on the first Ctrl-C (or SIGTERM, SIGHUP) only asks to stop; a second one kills. */
void cmd_catch_signals(void);
bool cmd_interrupted(void *unused);

/* One line on standard error, overwritten in place; only when that is a terminal. */
void cmd_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_progress_done(void);
