/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/root.h"

#define QUIET_WINDOW_NS (300 * ZH_NSEC_PER_MSEC) /* 30 ticks or more: steps of 3 % of a CPU */

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * ZH_NSEC_PER_SEC + (uint64_t)tv.tv_usec * ZH_NSEC_PER_USEC;
}

static uint64_t usage_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage) < 0)
		return 0;
	return timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

/* Time of all processes in user and kernel mode, all CPUs; interrupts are nobody's. */
static uint64_t busy_ns(void)
{
	zh_autofree char *text = NULL;
	uint64_t user, nice, system;
	long ticks = sysconf(_SC_CLK_TCK);

	if (ticks <= 0 || zh_sys_slurp(&text, "/proc/stat") < 0 ||
		sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice, &system) != 3)
		return 0;
	return (user + nice + system) * (ZH_NSEC_PER_SEC / (uint64_t)ticks);
}

void foreign_start(struct foreign *foreign)
{
	*foreign = (struct foreign){.wall_ns = zh_now_ns(),
		.busy_ns = busy_ns(),
		.own_ns = usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN)};
}

double foreign_cpus(const struct foreign *foreign)
{
	struct foreign now;
	uint64_t busy, own;

	foreign_start(&now);
	busy = now.busy_ns - foreign->busy_ns;
	own = now.own_ns - foreign->own_ns;
	if (busy <= own || now.wall_ns <= foreign->wall_ns)
		return 0;
	return (double)(busy - own) / (double)(now.wall_ns - foreign->wall_ns);
}

bool foreign_wait_quiet(double limit, uint64_t at_most_ns)
{
	uint64_t end_ns = zh_now_ns() + at_most_ns;
	struct foreign foreign;
	double cpus;

	do {
		foreign_start(&foreign);
		zh_sleep_until(zh_now_ns() + QUIET_WINDOW_NS);
		cpus = foreign_cpus(&foreign);
	} while (cpus > limit && zh_now_ns() < end_ns);
	return cpus <= limit;
}
