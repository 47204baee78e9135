/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop lab: its verbs and options; and score: faults with known answers, and what the diagnosis
 * makes of them. The other verbs are in lab-*.c.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/lab.h"
#include "cmd/measure.h"
#include "lab/lab.h"
#include "lab/score.h"
#include "probe/load/load.h"

static const struct zh_option options[] = {
	{"runs", 'n', ZH_OPTION_COUNT, offsetof(struct lab_config, n), "N",
		"score: runs of each fault and of its control (1)", .min = 1, .max = 1000},
	{"fault", 'f', ZH_OPTION_STRING, offsetof(struct lab_config, fault), "ID",
		"score: only this fault (zerohop lab list)"},
	{"keep", 0, ZH_OPTION_STRING, offsetof(struct lab_config, keep), "DIR",
		"score: save every run's record in this directory"},
	{"seed", 0, ZH_OPTION_COUNT, offsetof(struct lab_config, seed), "N",
		"score: seed of order and parameters (drawn and printed when 0)"},
	{"no-controls", 0, ZH_OPTION_FLAG, offsetof(struct lab_config, no_controls), NULL,
		"score: leave the healthy controls out"},
	{"name", 0, ZH_OPTION_STRING, offsetof(struct lab_config, name), "NAME",
		"up: name of the lab, at most 3 of a-z and 0-9 (lab)"},
	{"steer", 0, ZH_OPTION_CPUS, offsetof(struct lab_config, steer), "CPUS",
		"up: receive work of the host's devices to these CPUs (not steered)"},
	{"rules", 0, ZH_OPTION_COUNT, offsetof(struct lab_config, rules), "N",
		"up: firewall rules that every forwarded packet passes (0)", .max = 65536},
	{"lab", 0, ZH_OPTION_STRING, offsetof(struct lab_config, lab), "NAME",
		"load: from the client to the server of this lab"},
	{"netns", 0, ZH_OPTION_STRING, offsetof(struct zh_common, netns), "NS",
		"load: the sender's namespace (the own one)"},
	{"peer-netns", 0, ZH_OPTION_STRING, offsetof(struct lab_config, peer_netns), "NS",
		"load: the receiver's (the sender's)"},
	{"to", 0, ZH_OPTION_STRING, offsetof(struct lab_config, to), "ADDRESS",
		"load: an address of the receiver's namespace (127.0.0.1)"},
	{"protocol", 0, ZH_OPTION_CHOICE, offsetof(struct lab_config, protocol), "PROTOCOL",
		"load: udp, tcp or unix (udp)", .choices = lab_protocols},
	{"rate", 0, ZH_OPTION_STRING, offsetof(struct lab_config, rate), "N",
		"load: datagrams or writes a second, max, or 0: requests only (max)"},
	{"flows", 0, ZH_OPTION_COUNT, offsetof(struct lab_config, flows), "N",
		"load: different source ports, or connections (1)", .min = 1,
		.max = ZH_LOAD_FLOWS_MAX},
	{"size", 's', ZH_OPTION_SIZE, offsetof(struct lab_config, size_bytes), "SIZE",
		"load: bytes of a datagram, or of a write (64)", .min = 1, .max = 1 << 20},
	{"requests", 0, ZH_OPTION_COUNT, offsetof(struct lab_config, requests), "N",
		"load: requests a second beside it, whose replies are timed (100)", .max = 100000},
	{"duration", 'd', ZH_OPTION_DURATION, offsetof(struct lab_config, duration_ns), "TIME",
		"load: how long (5s)", .min = 10 * ZH_NSEC_PER_MSEC, .max = 3600 * ZH_NSEC_PER_SEC},
	{"engine", 0, ZH_OPTION_CHOICE, offsetof(struct lab_config, engine), "ENGINE",
		"load: auto, socket (sendmmsg, write) or xdp (injected frames)",
		.choices = lab_engines},
	{"cpu", 0, ZH_OPTION_CPUS, offsetof(struct lab_config, cpu), "CPU",
		"load: pin the sender to this CPU"},
	{"peer-cpu", 0, ZH_OPTION_CPUS, offsetof(struct lab_config, peer_cpu), "CPU",
		"load: pin the receiver to this CPU"},
	ZH_COMMON_OPTIONS,
	{},
};

static const struct lab_config defaults = {.n = 1,
	.rate = "max",
	.flows = 1,
	.size_bytes = 64,
	.duration_ns = 5 * ZH_NSEC_PER_SEC,
	.requests = 100};

static void progress(void *arg, const char *what, unsigned int done, unsigned int total)
{
	(void)arg;
	cmd_progress("lab: %u of %u: %s", done + 1, total, what);
}

static int score(const struct lab_config *lab, char **words, struct zh_err *err)
{
	const struct zh_score_config config = {
		.n = (unsigned int)lab->n,
		.fault = lab->fault,
		.keep_dir = lab->keep,
		.controls = !lab->no_controls,
		.seed = lab->seed,
		.stop = cmd_interrupted,
		.progress = progress,
	};
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	struct zh_score *result = NULL;
	int r, status;

	(void)words;
	if (lab->keep && mkdir(lab->keep, 0755) < 0 && errno != EEXIST) {
		zh_err_sys(err, -errno, "cannot make directory %s", lab->keep);
		return ZH_EXIT_USAGE;
	}
	cmd_catch_signals();
	r = zh_lab_score(&config, &result, err);
	cmd_progress_done();
	if (r < 0)
		return r == -EINVAL ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
	doc = zh_doc_new("lab");
	zh_score_describe(result, zh_doc_root(doc));
	status = cmd_print(&lab->common, doc, err);
	if (!status)
		status = zh_score_is_perfect(result) ? ZH_EXIT_OK : ZH_EXIT_FINDINGS;
	zh_score_free(result);
	return status;
}

static int gc(const struct lab_config *lab, char **words, struct zh_err *err)
{
	(void)lab;
	(void)words;
	(void)err;
	return ZH_EXIT_OK; /* done before every verb */
}

static const struct lab_verb verbs[] = {
	{"up", "TOPOLOGY", 1, 1, false, (const char *const[]){"name", "steer", "rules", NULL},
		lab_up},
	{"down", "[NAME]", 0, 1, false, (const char *const[]){"name", NULL}, lab_down},
	{"load", "[OPTIONS]", 0, 0, false,
		(const char *const[]){"lab", "netns", "peer-netns", "to", "protocol", "rate",
			"flows", "size", "requests", "duration", "engine", "cpu", "peer-cpu", NULL},
		lab_load},
	{"run", "SCENARIO", 1, 1, false, (const char *const[]){NULL}, lab_run},
	{"score", "", 0, 0, false,
		(const char *const[]){"runs", "fault", "keep", "seed", "no-controls", NULL}, score},
	{"list", "", 0, 0, true, (const char *const[]){NULL}, lab_list},
	{"gc", "", 0, 0, false, (const char *const[]){NULL}, gc},
};

static const struct lab_verb *find_verb(int n_words, char **words)
{
	for (size_t i = 0; n_words && i < ZH_ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, words[0]))
			return &verbs[i];
	return NULL;
}

static size_t value_size(enum zh_option_type type)
{
	switch (type) {
	case ZH_OPTION_FLAG:
		return sizeof(bool);
	case ZH_OPTION_STRING:
		return sizeof(const char *);
	case ZH_OPTION_COUNT:
	case ZH_OPTION_DURATION:
	case ZH_OPTION_SIZE:
		return sizeof(uint64_t);
	case ZH_OPTION_CPUS:
		return sizeof(struct zh_cpuset);
	case ZH_OPTION_CHOICE:
		return sizeof(int);
	}
	return 0;
}

static bool takes(const struct lab_verb *verb, const struct zh_option *option)
{
	/* The common ones stand at the head of the config; --netns is one of them elsewhere. */
	if (option->offset < offsetof(struct lab_config, n) &&
		option->offset != offsetof(struct zh_common, netns))
		return true;
	for (size_t i = 0; verb->options[i]; i++)
		if (!strcmp(verb->options[i], option->name))
			return true;
	return false;
}

/* An option that the verb would ignore is a mistake. */
static int check_options(
	const struct lab_verb *verb, const struct lab_config *lab, struct zh_err *err)
{
	const struct zh_option *option;
	size_t at;

	for (option = options; option->name; option++) {
		at = option->offset;
		if (!takes(verb, option) &&
			memcmp((const char *)lab + at, (const char *)&defaults + at,
				value_size(option->type)) != 0)
			return zh_err_set(
				err, -EINVAL, "lab %s takes no --%s", verb->name, option->name);
	}
	return 0;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct lab_config *lab = config;
	const struct lab_verb *verb = find_verb(n_words, words);

	if (!verb) {
		zh_err_set(err, -EINVAL, "lab takes one of: up, down, load, run, score, list, gc");
		return ZH_EXIT_USAGE;
	}
	if (n_words - 1 < verb->min_words || n_words - 1 > verb->max_words) {
		zh_err_set(err, -EINVAL, "usage: zerohop lab %s%s%s", verb->name,
			*verb->words ? " " : "", verb->words);
		return ZH_EXIT_USAGE;
	}
	if (check_options(verb, lab, err) < 0)
		return ZH_EXIT_USAGE;
	if (!verb->for_all && geteuid() != 0) {
		zh_err_set(err, -EPERM, "lab %s needs root (namespaces, cgroups, BPF)", words[0]);
		return ZH_EXIT_UNABLE;
	}
	if (!verb->for_all)
		zh_lab_gc();
	return verb->run(lab, words + 1, err);
}

const struct zh_command zh_command_lab = {
	.name = "lab",
	.summary = "topologies, overload and faults of its own: what helps, and is it found?",
	.usage = "[OPTIONS] up TOPOLOGY | down [NAME] | load | run SCENARIO | list | score | gc",
	.examples =
		"  sudo zerohop lab up routed --name s --steer 0  # client, host and server; stays up\n"
		"  sudo ip netns exec s-client ping -c 3 10.77.2.2\n"
		"  sudo zerohop lab load --lab s --rate 50000 --flows 16\n"
		"  sudo zerohop lab down s\n"
		"  sudo zerohop lab run veth-saturation     # why a pod loses packets, and what helps\n"
		"  sudo zerohop lab score -n 5              # every fault and control five times\n"
		"  sudo zerohop lab score -f cfs-quota -n 3 # one fault\n"
		"  zerohop lab list                         # topologies, scenarios, faults, what is up\n",
	.notes =
		"All acts in namespaces and cgroups of the lab's own; nothing survives its owner: for "
		"a lab\nthat is up that is its keeper process. 'gc' removes what a killed lab left.\n"
		"'run' takes all of two CPUs for some seconds, and changes net.core.netdev_max_backlog "
		"meanwhile\nwhere the scenario says so, 'score' net.core.netdev_budget for the fault "
		"rx-budget: a guard\nprocess puts it back, whatever happens.\n"
		"Exit status: 0 all right, 1 a fault was misnamed or a control not silent, 2 usage, 3 "
		"not permitted.\n",
	.options = options,
	.config_size = sizeof(struct lab_config),
	.defaults = &defaults,
	.run = run,
};
