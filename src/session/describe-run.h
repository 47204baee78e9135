/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record/record.h"

/* Fills in the names of the machine and the run, and when it started. */
void session_describe_run(struct zh_record *record, const char *command);
