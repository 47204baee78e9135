/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings written by hand, for tests of the screen. */
#pragma once

#include "record/record.h"
#include "session/top/top.h"

/* 2026-01-02 12:34:56 UTC */
#define TEST_TIME_NS 1767357296000000000ull

/* Two CPUs, one of them full; veths of a pod, a macvlan, a device that is down; two flows; drops,
 * one of them benign. */
void test_small_reading(struct zh_top_reading *ret);
/* The same machine when nothing but device counters can be read. */
void test_unknown_reading(struct zh_top_reading *ret);
/* 256 CPUs, 1000 devices in as many pods, 64 flows, 100 drops; differs by `n` as load does. */
void test_large_reading(struct zh_top_reading *ret, unsigned int n);
void test_reading_done(struct zh_top_reading *reading);

/* What test_unknown_reading() goes with. The caller frees it. */
struct zh_record *test_notes(void);
