/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "report/doc.h"
#include "session/top/top.h"

/* One reading as a document: the answer, CPUs, devices, flows, drops, own cost, and what was not
 * measured. People see the busiest rows; JSON has all. */
void cmd_top_describe(
	struct zh_node *root, const struct zh_top_reading *reading, const struct zh_record *notes);
