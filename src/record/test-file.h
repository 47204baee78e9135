/* SPDX-License-Identifier: BSD-2-Clause */
/* A record with something in every field, for the tests of the file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* Every sample has `n_stamps` stamps; every tenth has 4 events. */
struct zh_record *zh_test_record(size_t n_samples, size_t n_stamps);
