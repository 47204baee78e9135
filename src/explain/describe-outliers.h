/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst samples, one a row: how slow, and who had the time. */
#pragma once

#include "explain/explain.h"

/* Adds the table `outliers`; nothing when no sample was slow. */
void zh_outliers_describe(const struct zh_explanation *explanation, const struct zh_record *record,
	struct zh_node *parent);
