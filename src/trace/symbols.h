/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of kernel functions from /proc/kallsyms, for places in the code that tracepoints tell.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct zh_symbols;

/* Reads all functions, once (some 10 MB of text, tens of ms). NULL when the addresses are hidden
 * (kptr_restrict, no privilege) or memory is short: then no place has a name. */
struct zh_symbols *zh_symbols_read(void);
struct zh_symbols *zh_symbols_free(struct zh_symbols *symbols);

/* The function that the address is in, without an offset; NULL when unknown. NULL symbols are
 * allowed. Lives as long as `symbols`. */
const char *zh_symbols_find(const struct zh_symbols *symbols, uint64_t address);
