/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two snapshots as text, for tests.
 *
 * A fact a line: "KEY N" (the same number before and after), "KEY N M" (before, after),
 * "KEY =TEXT" (to the end of the line), "KEY !REASON" (unavailable). A leading '<' or '>' puts the
 * fact into the snapshot before or after only; '#' starts a comment. The snapshots are 10 s apart.
 */
#pragma once

#include "record/fact-set.h"

void zh_test_facts_parse(const char *text, struct zh_fact_set *before, struct zh_fact_set *after);
