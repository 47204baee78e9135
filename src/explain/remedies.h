/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What could be done for a device under watch, and what of it is right here: every remedy that is
 * commonly tried, with the reason for or against it in this very record, what it costs and when it
 * is wrong. Adds `remedies` to a document of a run that watched a device, and nothing to others.
 */
#pragma once

#include "explain/explain.h"

void zh_remedies_describe(const struct zh_explanation *explanation, const struct zh_record *record,
	struct zh_node *node);

enum zh_remedy_verdict { ZH_REMEDY_NO, ZH_REMEDY_MAYBE, ZH_REMEDY_DO };

#define ZH_REMEDY_TEXT 240

struct zh_remedy_advice {
	enum zh_remedy_verdict verdict;
	char why[ZH_REMEDY_TEXT];
	char how[ZH_REMEDY_TEXT]; /* "" where it is not advised */
};

/* The advice on the remedy with that id ("rps", "backlog"); false when there is no such, or nothing
 * was watched. Exposed for tests. */
bool zh_remedy_judge(const struct zh_explanation *explanation, const struct zh_record *record,
	const char *id, struct zh_remedy_advice *ret);
