/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the documents of ping, doctor and report that are about the run, not its explanation.
 */
#pragma once

#include "explain/explain.h"

/* The answer in one line. */
void cmd_headline(struct zh_node *root, const struct zh_record *record,
	const struct zh_explanation *explanation);
/* Target, transport, how many probes at which pace. */
void cmd_describe_run(struct zh_node *root, const struct zh_record *record);
/* The device under watch, with its pod and its other ends (doctor); nothing without one. */
void cmd_describe_device(struct zh_node *root, const struct zh_record *record);
/* RTT by gap, and in the clean room (doctor). */
void cmd_describe_sweep(struct zh_node *root, const struct zh_record *record,
	const struct zh_explanation *explanation);
/* The tool's own cost. */
void cmd_describe_overhead(struct zh_node *root, const struct zh_record *record);
/* The machine (doctor): kernel, CPUs, virtualisation. */
void cmd_describe_host(struct zh_node *root, const struct zh_record *record);
