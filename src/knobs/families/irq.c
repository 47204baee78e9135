/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "irq-affinity",
		.summary = "CPUs that an interrupt may go to",
		.why = "the CPU of the interrupt is full, or far from the reader",
		.cost = "irqbalance sets it anew within ten seconds unless it is told not to",
		.verify = "the columns of /proc/interrupts",
		.target = ZH_KNOB_IRQ,
		.type = ZH_KNOB_CPU_LIST,
		.persist = ZH_KNOB_BY_SERVICE,
		.ops = &zh_knob_file,
		.arg = "/proc/irq/{irq}/smp_affinity_list"},
};

const struct zh_knob_family zh_knob_family_irq = {knobs, ZH_ARRAY_SIZE(knobs)};
