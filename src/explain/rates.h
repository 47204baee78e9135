/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why the same path reads differently at different rates: the RTT at each rate, and which part of
 * it is waking up, leaving the idle state and sending the interrupt for it, the kernel's way, and
 * the programs themselves. Phases of such a run are labelled "rate PLACEMENT".
 */
#pragma once

#include "explain/explain.h"

#define ZH_RATE_LABEL "rate "

bool zh_rates_is(const struct zh_record *record);
/* Headline, `run`, `rates`, `not_measured`. */
void zh_rates_describe(const struct zh_explanation *explanation, const struct zh_record *record,
	struct zh_node *root);
