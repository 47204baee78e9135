/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libbpf said while an object was loaded: its first warning that means something, and the
 * program it was about. One a thread; nothing is printed.
 */
#pragma once

#include <bpf/libbpf.h>

#include "base/err.h"

struct zh_libbpf_log {
	char line[200];
	char program[64]; /* that the kernel refused; "" none */
};

/* Listens from now on, with an empty log; returns who listened before, for libbpf_set_print(). */
libbpf_print_fn_t zh_libbpf_listen(void);
void zh_libbpf_forget(void);
const struct zh_libbpf_log *zh_libbpf_said(void);

/*
 * Whether BPF objects may be made at all, found out before the kernel's type information is read,
 * which takes a tenth of a second. 0, or a negative errno with the sentence and a hint.
 */
int zh_libbpf_check_permission(struct zh_err *err);
