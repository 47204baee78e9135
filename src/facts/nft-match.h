/* SPDX-License-Identifier: BSD-2-Clause */
/* What a match of an nftables rule says about packets on lo. Shared by the parser's files only. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* True when the match plainly excludes every packet on lo at a local hook. */
bool zh_nft_match_excludes_lo(const json_t *match);
/* True when the match is "the device is lo". */
bool zh_nft_match_is_lo(const json_t *match);
/* True when it wants that state of the connection, alone or among others. */
bool zh_nft_match_state(const json_t *match, const char *state);
