/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a step of a scenario is measured: its topology, tuned as the step says. */
#pragma once

#include "lab/global.h"
#include "lab/scenario.h"

struct scenario_site {
	const struct zh_topology *topology;
	struct zh_lab_ns ns;
	struct lab_global backlog;
};

/* On failure nothing is left. Fills `load` and `victim` with what belongs to the place. */
int scenario_site_up(const struct zh_scenario *scenario, const struct zh_step *step, int hot_cpu,
	struct scenario_site *ret, struct zh_err *err);
void scenario_site_down(struct scenario_site *site);

/* The host's device that the client's packets arrive at; NULL: none. */
const char *scenario_ingress(const struct zh_topology *topology);
/* The client's IPv4 address, without a prefix; in buf, or NULL. */
const char *scenario_client(const struct zh_topology *topology, char buf[static 32]);
