/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MSG_ZEROCOPY: the kernel sends from the caller's pages, and says on the socket's error queue when
 * it no longer needs them, and whether it has copied them after all. On loopback it always does:
 * the receiver's copy would else read pages that the sender may change (skb_orphan_frags_rx() in
 * the loopback device's way up the stack).
 */
#pragma once

#include "bench/internal.h"

/* For a stream socket of the maker's; SO_ZEROCOPY. 0 or a negative errno. */
int zh_bench_zerocopy_enable(struct zh_bench_link *link, struct zh_err *err);

/* As send of struct zh_bench_ops. The same pages are sent again before they are given back: all
 * messages are alike, so nobody could tell. */
int64_t zh_bench_zerocopy_send(struct zh_bench_end *end, const struct zh_bench_link *link);

/* Waits for what is under way (as long as the peer may be silent) and adds the completions since
 * the last call to the round's counts, unless that is NULL. */
void zh_bench_zerocopy_finish(struct zh_bench_link *link, struct zh_bench_round *round);
