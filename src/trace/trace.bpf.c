/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF object, built twice: with tp_btf programs, whose arguments the verifier knows, and with
 * ZH_TRACE_COMPAT for kernels that refuse those or lack fetching atomics (before 5.12).
 */
#include "trace/scheduler.bpf.h"
#include "trace/interrupts.bpf.h"
#include "trace/devices.bpf.h"
#include "trace/filters.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
