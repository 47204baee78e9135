/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/screen/history.h"
#include "cmd/screen/view.h"

#define ROW(row) ((const struct zh_top_cpu *)(row))

enum { TIMER = 1, NET_TX = 2, NET_RX = 3, SCHED = 7, RCU = 9 }; /* the kernel's softirq vectors */

SCREEN_NUMBER(timer, zh_top_cpu, softirq_share[TIMER])
SCREEN_NUMBER(net_tx, zh_top_cpu, softirq_share[NET_TX])
SCREEN_NUMBER(net_rx, zh_top_cpu, softirq_share[NET_RX])
SCREEN_NUMBER(sched, zh_top_cpu, softirq_share[SCHED])
SCREEN_NUMBER(rcu, zh_top_cpu, softirq_share[RCU])
SCREEN_NUMBER(longest, zh_top_cpu, longest_ns)
SCREEN_NUMBER(rx, zh_top_cpu, rx_rate)
SCREEN_NUMBER(backlog, zh_top_cpu, backlog)
SCREEN_NUMBER(dropped, zh_top_cpu, dropped_rate)
SCREEN_NUMBER(squeezed, zh_top_cpu, squeezed_rate)
SCREEN_NUMBER(rps, zh_top_cpu, rps_rate)
SCREEN_NUMBER(ksoftirqd, zh_top_cpu, ksoftirqd_share)
SCREEN_NUMBER(ksoftirqd_wait, zh_top_cpu, ksoftirqd_wait_share)
SCREEN_NUMBER(idle, zh_top_cpu, idle_share)
SCREEN_NUMBER(steal, zh_top_cpu, steal_share)
SCREEN_NUMBER(irq, zh_top_cpu, irq_share)
SCREEN_NUMBER(user, zh_top_cpu, user_share)
SCREEN_NUMBER(system_time, zh_top_cpu, system_share)
SCREEN_STRING(idle_state, zh_top_cpu, idle_state)

static void number(const void *row, char *buf, size_t size)
{
	snprintf(buf, size, "%u", ROW(row)->cpu);
}

static double softirq(const void *row)
{
	return zh_top_softirq_share(row);
}

static void interrupts(const void *row, char *buf, size_t size)
{
	const struct zh_top_interrupt *list = ROW(row)->interrupts;
	zh_autobuf out = {};
	char rate[16];

	for (size_t i = 0; i < ZH_TOP_INTERRUPTS && list[i].name[0]; i++)
		zh_buf_addf(&out, "%s%s %s", i ? ", " : "", list[i].name,
			screen_format(SCREEN_RATE, list[i].rate, rate, sizeof(rate)));
	snprintf(buf, size, "%s", out.text ? out.text : "");
}

static const struct screen_column columns[] = {
	{"CPU", "number of the CPU", SCREEN_TEXT, 3, 4, .text = number},
	{"SOFTIRQ%", "time in softirqs, measured from entry to exit", SCREEN_SHARE, 8, 8, 0.5, 0.9,
		softirq},
	{"NET_RX%", "of that: receiving packets", SCREEN_SHARE, 7, 7, 0.5, 0.9, net_rx},
	{"LONGEST", "the longest softirq run of the interval", SCREEN_NS, 7, 7, 4e6, 2e7, longest},
	{"RX/s", "packets taken from queues; a packet that RPS or a veth moved counts again",
		SCREEN_RATE, 5, 6, .number = rx},
	{"BACKLOG", "packets that wait for this CPU now", SCREEN_COUNT, 7, 7, .number = backlog},
	{"DROP/s", "dropped because this CPU's backlog was full", SCREEN_RATE, 6, 6, 1e-9, 1e-9,
		dropped},
	{"SQUEEZE", "receive runs a second that ended for want of budget or time", SCREEN_RATE, 7,
		7, 1, .number = squeezed},
	{"KSOFT%", "time that ksoftirqd ran", SCREEN_SHARE, 6, 6, 0.5, .number = ksoftirqd},
	{"WAIT%", "time that ksoftirqd was ready and waited for the CPU", SCREEN_SHARE, 5, 5, 0.05,
		0.3, ksoftirqd_wait},
	{"HISTORY", "of SOFTIRQ%, newest at the right; full height is the whole CPU",
		SCREEN_HISTORY, 8, SCREEN_SAMPLES},
	{"TIMER%", "softirq time in timers", SCREEN_SHARE, 6, 6, 0.5, .number = timer},
	{"NET_TX%", "softirq time in sending", SCREEN_SHARE, 7, 7, 0.5, .number = net_tx},
	{"RPS/s", "wake-ups by other CPUs that hand packets over", SCREEN_RATE, 5, 6,
		.number = rps},
	{"STEAL%", "taken by the hypervisor (as the tick sees it)", SCREEN_SHARE, 6, 6, 0.02, 0.1,
		steal},
	{"IDLE%", "idle (as the tick sees it)", SCREEN_SHARE, 5, 5, .number = idle},
	{"STATE", "idle state it was in most; empty without an idle driver", SCREEN_TEXT, 6, 12,
		.text = idle_state},
	{"INTERRUPTS", "most frequent ones, a second", SCREEN_TEXT, 20, 90, .text = interrupts},
	{"USER%", "programs (as the tick sees it)", SCREEN_SHARE, 5, 5, .number = user},
	{"SYS%", "system calls (as the tick sees it)", SCREEN_SHARE, 5, 5, .number = system_time},
	{"IRQ%", "interrupts (as the tick sees it)", SCREEN_SHARE, 5, 5, .number = irq},
	{"SCHED%", "softirq time in balancing load", SCREEN_SHARE, 6, 6, .number = sched},
	{"RCU%", "softirq time in RCU", SCREEN_SHARE, 5, 5, .number = rcu},
};

static const void *row_at(const struct zh_top_reading *reading, size_t i, size_t *ret_n)
{
	*ret_n = reading->n_cpus;
	return i < reading->n_cpus ? &reading->cpus[i] : NULL;
}

static uint64_t identity(const void *row)
{
	return screen_identity_number(screen_identity_text(SCREEN_IDENTITY, "cpu"), ROW(row)->cpu);
}

static const char *empty(const struct zh_top_reading *reading)
{
	(void)reading;
	return "no CPU could be read";
}

const struct screen_view screen_view_cpus = {
	.name = "CPUs",
	.empty = empty,
	.columns = columns,
	.n_columns = ZH_ARRAY_SIZE(columns),
	.sorted_by = 1,
	.row = row_at,
	.identity = identity,
	.figure = softirq,
	.full = 1,
};
_Static_assert(ZH_ARRAY_SIZE(columns) <= SCREEN_COLUMNS, "too many columns");
