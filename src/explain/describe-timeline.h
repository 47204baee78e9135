/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "explain/timeline.h"
#include "report/doc.h"

/* The worst sample: each segment with what had its CPU. JSON key `worst`. */
void zh_timeline_describe(
	const struct zh_timeline *timeline, const struct zh_record *record, struct zh_node *node);
