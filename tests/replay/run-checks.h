/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs all checks on two snapshots, with 100 answered probes to 127.0.0.1 around them. */
#pragma once

#include "explain/internal.h"

struct zh_run_checks {
	struct zh_record record; /* before and after are the caller's to fill */
	struct zh_explanation out;
	struct zh_explain ex; /* found: the findings */
	struct zh_phase phase;
	struct zh_rtt rtt;
};

void zh_run_checks(struct zh_run_checks *run);
void zh_run_checks_done(struct zh_run_checks *run);
