/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's clock, memory and log. */
#include "base/util.h"
#include "knobs/knob.h"

static const char *const thp_words[] = {"always", "madvise", "never", NULL};

static const struct zh_knob knobs[] = {
	{.id = "clocksource",
		.summary = "what the kernel reads the time from",
		.why = "tsc where it is stable: reading hpet or acpi_pm takes a microsecond or more",
		.cost = "a tsc that drifts makes time jump",
		.verify = "zerohop doctor: what a clock read takes",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_TEXT,

		.persist = ZH_KNOB_BY_TMPFILES,
		.ops = &zh_knob_file,
		.arg = "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
	{.id = "thp",
		.summary = "large pages: for all memory, where a program asks, never",
		.why = "madvise or never where compaction stalls what runs",
		.cost = "more page faults and TLB misses",
		.verify = "compact_stall in /proc/vmstat stands still",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_WORD,
		.words = thp_words,
		.persist = ZH_KNOB_BY_TMPFILES,
		.ops = &zh_knob_file,
		.arg = "/sys/kernel/mm/transparent_hugepage/enabled"},
	{.id = "log-martians",
		.summary = "packets with impossible addresses are written to the kernel log",
		.why = "0 where each is a line on a slow console",
		.cost = "nobody sees them",
		.verify = "no such lines in the kernel log",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_BOOL,

		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/ipv4/conf/{dev}/log_martians"},
	{.id = "timer-slack",
		.summary = "how much later than asked a thread's timers may be",
		.why = "1 for threads that pace by poll, epoll or nanosleep",
		.cost = "more wake-ups, more power",
		.verify = "zerohop doctor names timer-lateness no more",
		.target = ZH_KNOB_TASK,
		.type = ZH_KNOB_NUMBER,
		.max = 4294967295,
		.unit = "ns",
		.persist = ZH_KNOB_NOT_KEPT,
		.ops = &zh_knob_file,
		.arg = "/proc/{pid}/timerslack_ns"},
	{.id = "cpufreq-min",
		.summary = "frequency below which the CPU does not go",
		.why = "frequencies rise only after work came",
		.cost = "power",
		.verify = "scaling_cur_freq stays above",
		.target = ZH_KNOB_CPU,
		.type = ZH_KNOB_NUMBER,
		.max = 100000000,
		.unit = "kHz",
		.persist = ZH_KNOB_BY_TMPFILES,
		.ops = &zh_knob_file,
		.arg = "/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_min_freq"},
};

const struct zh_knob_family zh_knob_family_host = {knobs, ZH_ARRAY_SIZE(knobs)};
