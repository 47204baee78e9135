/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/describe-run.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static void copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%.*s", (int)size - 1, from);
}

void session_describe_run(struct zh_record *record, const char *command)
{
	struct utsname name;
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);

	copy(record->version, sizeof(record->version), ZH_VERSION);
	copy(record->command, sizeof(record->command), command);
	if (uname(&name) == 0) {
		copy(record->host, sizeof(record->host), name.nodename);
		snprintf(record->kernel, sizeof(record->kernel), "%.60s %.32s", name.release,
			name.machine);
	}
	record->n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 1;
	record->start_realtime_ns = zh_clock_ns(CLOCK_REALTIME);
	record->start_ns = zh_now_ns();
}
