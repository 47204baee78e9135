/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scenarios: a load that one CPU's receive work cannot keep up with, and remedies for it, one after
 * the other. Each is data: a topology, a load, and steps; the first step is the state before, and
 * every other one is judged against it. A step is measured in a topology of its own, fresh, with a
 * UDP and then a TCP victim beside the load.
 *
 * The receive work is steered to one CPU by an RPS mask, as the stand-in for a device with a single
 * queue: without it the softirq would run on the sender's CPU and throttle the sender instead of
 * dropping. Sender, sink and victim are on another CPU, so one CPU is not enough.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "lab/traffic.h"
#include "report/doc.h"

#define ZH_SCENARIO_STEPS 8

enum zh_steer {
	ZH_STEER_NONE, /* where the sender is */
	ZH_STEER_ONE,  /* to the hot CPU */
	ZH_STEER_ALL,
};

struct zh_step {
	const char *id, *what;
	const struct zh_topology *topology; /* NULL: the scenario's */
	enum zh_steer steer;                /* of the host's devices */
	uint64_t backlog;                   /* netdev_max_backlog; 0: as it is */
	bool gro, threaded;                 /* of the host's devices; threads on the hot CPU */
	bool no_tso;                        /* of the pods' ends */
	const char *caveat;                 /* what to know about it, or NULL */
};

struct zh_scenario {
	const char *id, *summary;
	const struct zh_topology *topology;
	unsigned int rules;         /* nft rules that every forwarded packet passes */
	enum zh_load_engine engine; /* XDP: frames arrive at the host's device of the client */
	uint64_t rate;              /* packets a second; 0: as many as possible */
	double saturation;          /* instead: times what the state before can deliver; 0: not */
	uint32_t burst, flows;
	const struct zh_step *steps; /* ends with a NULL id */
};

extern const struct zh_scenario *const zh_scenario_registry[];
const struct zh_scenario *zh_scenario_find(const char *id);

enum zh_verdict {
	ZH_VERDICT_BEFORE,
	ZH_VERDICT_HELPS,
	ZH_VERDICT_NO_HELP,
	ZH_VERDICT_HARMS,
	ZH_VERDICT_NOT_SHOWN, /* too little is lost before: nothing to compare with */
	ZH_VERDICT_FAILED,    /* could not be measured: why */
};

struct zh_step_result {
	const struct zh_step *step;
	enum zh_verdict verdict;
	struct lab_traffic udp, tcp; /* with a victim of that kind */
	bool has_tcp;                /* measured to its end */
	bool throttled;              /* offered clearly less than the state before */
	char why[240];               /* failed: why; has_tcp false: why */
};

struct zh_scenario_result {
	const struct zh_scenario *scenario;
	int hot_cpu, other_cpu;
	uint64_t rate;                /* offered; 0: as many as possible */
	uint64_t can_deliver;         /* calibrated: packets a second; 0: not calibrated */
	struct zh_step_result *steps; /* owned */
	size_t n_steps;
	bool interrupted;
	double foreign_cpus; /* CPUs' worth of time that others used in the worst step */
	char not_measured[480];
	char why_not_xdp[240]; /* sent by sendmmsg instead of injected frames, since */
};

struct zh_scenario_config {
	const struct zh_scenario *scenario;
	bool (*stop)(void *arg);
	void (*progress)(void *arg, const char *what, unsigned int done, unsigned int total);
	void *arg;
};

/* Needs root. On success (also when stopped early) the caller frees *ret. -ENOTSUP: one CPU only;
 * other errors: the state before could not be measured. */
int zh_scenario_run(const struct zh_scenario_config *config, struct zh_scenario_result **ret,
	struct zh_err *err);
struct zh_scenario_result *zh_scenario_free(struct zh_scenario_result *result);

/* Judges a step against the state before; exposed for tests. */
enum zh_verdict zh_scenario_judge(
	const struct lab_traffic *before, const struct lab_traffic *after);
const char *zh_verdict_name(enum zh_verdict verdict);

void zh_scenario_describe(const struct zh_scenario_result *result, struct zh_node *node);
