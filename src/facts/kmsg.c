/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console, and what the kernel's log says about troubles of the local path. Messages that go to
 * a serial console are written out one character after another while the sender waits.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/kernel-log.h"
#include "sys/root.h"

static const struct {
	const char *id, *text;
} messages[] = {
	{"conntrack_full", "nf_conntrack: table full"},
	{"conntrack_full", "nf_conntrack: nf_conntrack: table full"},
	{"neigh_overflow", "eighbour table overflow"},
	{"neigh_overflow", "neighbor table overflow"},
	{"nfqueue_full", "nf_queue: full at"},
	{"clock_unstable", "Marking clocksource"},
	{"clock_unstable", "clocksource: timekeeping watchdog"},
	{"syn_flood", "ossible SYN flooding"},
	{"tcp_memory", "TCP: out of memory"},
	{"tcp_orphans", "TCP: too many orphaned sockets"},
	{"audit_backlog", "audit_backlog="},
	{"martian", "martian source"},
	{"udp_checksum", "UDP: bad checksum"},
	{"rcu_stall", "detected stalls on CPUs"},
	{"rcu_stall", "self-detected stall on CPU"},
	{"soft_lockup", "soft lockup - CPU"},
	{"hung_task", "blocked for more than"},
	{"rt_throttled", "sched: RT throttling activated"},
	{"nohz_pending", "NOHZ tick-stop error"},
	{"oom_kill", "Out of memory: Killed process"},
	{"netdev_watchdog", "NETDEV WATCHDOG"},
};

#define MESSAGES ZH_ARRAY_SIZE(messages)

/* The first row of an id carries its count. */
static size_t first_of(size_t row)
{
	size_t i;

	for (i = 0; i < row; i++)
		if (!strcmp(messages[i].id, messages[row].id))
			return i;
	return row;
}

static void count_messages(struct zh_fact_set *set, char *text)
{
	uint64_t counts[MESSAGES] = {0};
	const char *last[MESSAGES] = {NULL};
	char *cursor = text, *line;
	size_t i;

	while ((line = zh_facts_line(&cursor)))
		for (i = 0; i < MESSAGES; i++)
			if (strstr(line, messages[i].text)) {
				counts[first_of(i)]++;
				last[first_of(i)] = line;
				break;
			}
	for (i = 0; i < MESSAGES; i++) {
		if (first_of(i) != i)
			continue;
		zh_fact_number(set, counts[i], "kmsg.%s.count", messages[i].id);
		if (last[i])
			zh_fact_string(set, last[i], "kmsg.%s.last", messages[i].id);
	}
}

/* The log of a captured tree is where the init system writes it at boot. */
static void add_log(struct zh_fact_set *set)
{
	bool captured = zh_sys_is_captured();
	zh_autofree char *text = NULL;
	uint64_t next = 0;
	int64_t r =
		captured ? zh_sys_slurp(&text, "/var/log/dmesg") : zh_sys_kernel_log(&text, &next);

	if (r < 0) {
		zh_facts_missing(set, (int)r, captured ? "/var/log/dmesg" : "kernel log", "kmsg");
		return;
	}
	count_messages(set, text);
	if (next)
		zh_fact_number(set, next, "kmsg.seq");
	else
		zh_fact_unavailable(set, "no /dev/kmsg", "kmsg.seq");
}

/* "ttyS0 -W- (EC   p) 4:64" a line; E: enabled, C: the preferred one. */
static void add_console(struct zh_fact_set *set)
{
	static const char *const serial[] = {"ttyS", "ttyAMA", "ttyUSB", "hvc", "ttysclp", "ttyO"};
	char text[2048], all[256] = "", *cursor = text, *line;
	bool is_serial = false;
	size_t i;
	int r = zh_sys_read(text, sizeof(text), "/proc/consoles");

	if (r < 0) {
		zh_facts_missing(set, r, "/proc/consoles", "console.active");
		return;
	}
	while ((line = zh_facts_line(&cursor))) {
		const char *flags = strchr(line, '('), *name;

		if (!flags || flags[1] != 'E')
			continue;
		name = zh_facts_word(&line, " ");
		for (i = 0; i < ZH_ARRAY_SIZE(serial); i++)
			is_serial = is_serial || !strncmp(name, serial[i], strlen(serial[i]));
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", all[0] ? " " : "",
			name);
	}
	zh_fact_string(set, all, "console.active");
	zh_fact_number(set, is_serial, "console.serial");
}

static void collect(struct zh_fact_set *set)
{
	add_console(set);
	add_log(set);
}

static const struct zh_fact_schema schema[] = {
	{"console.active", ZH_FACT_STRING, "", "consoles that kernel messages go to"},
	{"console.serial", ZH_FACT_NUMBER, "", "1: one of them is a serial line"},
	{"kmsg.*.count", ZH_FACT_NUMBER, "count", "messages of this kind in the kernel's log"},
	{"kmsg.seq", ZH_FACT_NUMBER, "count", "messages in the kernel's log since boot"},
	{"kmsg.*.last", ZH_FACT_STRING, "", "the last of them"},
	{"kmsg", ZH_FACT_UNAVAILABLE, "", "why the kernel's log could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_kmsg = {
	.id = "kmsg",
	.summary = "consoles, and troubles in the kernel's log",
	.schema = schema,
	.collect = collect,
};
