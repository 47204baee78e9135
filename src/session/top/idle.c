/* SPDX-License-Identifier: BSD-2-Clause */
/* The idle state that a CPU spent most time in. States are those of the first CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/top/internal.h"
#include "sys/root.h"

#define STATE "/sys/devices/system/cpu/cpu%u/cpuidle/state%zu"

void top_idle_open(struct top_idle *idle)
{
	while (idle->n < TOP_IDLE_STATES &&
		zh_sys_read(idle->names[idle->n], sizeof(idle->names[0]), STATE "/name", 0u,
			idle->n) > 0)
		idle->n++;
	if (idle->n)
		idle->time = calloc(TOP_CPUS, sizeof(*idle->time));
}

void top_idle_read(struct zh_top *top)
{
	struct top_idle *idle = &top->idle;

	for (size_t i = 0; idle->time && i < top->reading.n_cpus; i++) {
		struct zh_top_cpu *cpu = &top->reading.cpus[i];
		uint64_t now, most = 0;

		for (size_t state = 0; state < idle->n; state++) {
			uint64_t *then = &idle->time[cpu->cpu][state];

			if (zh_sys_read_u64(&now, STATE "/time", cpu->cpu, state) < 0)
				continue;
			if (*then && now > *then && now - *then > most) {
				most = now - *then;
				memcpy(cpu->idle_state, idle->names[state],
					sizeof(cpu->idle_state));
			}
			*then = now;
		}
	}
}
