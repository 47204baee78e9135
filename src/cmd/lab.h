/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop lab has verbs; each takes some of the options.
 */
#pragma once

#include "cmd/command.h"

struct lab_config {
	struct zh_common common;
	uint64_t n, seed;
	const char *fault, *keep;
	bool no_controls;
	const char *name; /* up, steer and rules too */
	struct zh_cpuset steer;
	uint64_t rules;
	/* load; the sender's namespace is common.netns */
	const char *lab, *peer_netns, *to, *rate;
	int protocol, engine; /* enum zh_load_protocol, zh_load_engine */
	uint64_t flows, size_bytes, duration_ns, requests;
	struct zh_cpuset cpu, peer_cpu;
};

struct lab_verb {
	const char *name, *words;   /* "up", "TOPOLOGY" */
	int min_words, max_words;   /* behind the verb */
	bool for_all;               /* needs no root */
	const char *const *options; /* long names, NULL-terminated; common ones need no mention */
	int (*run)(const struct lab_config *lab, char **words, struct zh_err *err);
};

int lab_up(const struct lab_config *lab, char **words, struct zh_err *err);
int lab_down(const struct lab_config *lab, char **words, struct zh_err *err);
extern const char *const lab_protocols[], *const lab_engines[];

int lab_load(const struct lab_config *lab, char **words, struct zh_err *err);
int lab_run(const struct lab_config *lab, char **words, struct zh_err *err);
int lab_list(const struct lab_config *lab, char **words, struct zh_err *err);
