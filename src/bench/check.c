/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a cell makes sense, with one line that says what is allowed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "bench/loops.h"
#include "bench/rate.h"
#include "sys/sched.h"

const struct zh_bench_transport *zh_bench_transport_find(const char *name)
{
	size_t i;

	if (!strcmp(name, "unix"))
		name = "unix-stream";
	for (i = 0; zh_bench_transport_registry[i]; i++)
		if (!strcmp(zh_bench_transport_registry[i]->name, name))
			return zh_bench_transport_registry[i];
	return NULL;
}

static int check_name(const struct zh_bench_cell *cell, struct zh_err *err)
{
	char names[300] = "";
	size_t i, n = 0;

	if (zh_bench_transport_find(cell->transport))
		return 0;
	for (i = 0; zh_bench_transport_registry[i] && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
			zh_bench_transport_registry[i]->name);
	return zh_err_set(
		err, -EINVAL, "there is no transport '%s': use one of %s", cell->transport, names);
}

static int check_size(const struct zh_bench_cell *cell, const struct zh_bench_transport *transport,
	struct zh_err *err)
{
	uint32_t max = ZH_MIN(transport->max_bytes, ZH_BENCH_BYTES_MAX);

	if (cell->size_bytes >= 1 && cell->size_bytes <= max)
		return 0;
	return zh_err_set(err, -EINVAL, "a message of %s has 1 to %u bytes, not %u",
		transport->name, max, cell->size_bytes);
}

/* Spinning takes a whole CPU on each side: on one the answer waits for the end of a time slice. */
static int check_spin(const struct zh_bench_cell *cell, const struct zh_bench_transport *transport,
	const struct zh_cpuset *allowed, struct zh_err *err)
{
	bool spins = cell->spin || (transport->flags & ZH_BENCH_SPIN_ONLY);

	if (cell->spin && !(transport->flags & (ZH_BENCH_SPIN | ZH_BENCH_SPIN_ONLY)))
		return zh_err_set(
			err, -EINVAL, "%s cannot poll instead of sleeping", transport->name);
	if (spins && !(transport->flags & ZH_BENCH_NO_PEER) &&
		(cell->placement == ZH_PLACE_SAME_CPU || zh_cpuset_count(allowed) < 2))
		return zh_err_set(err, -EINVAL,
			"%s that polls needs two CPUs: on one, each side would wait for the "
			"other's time slice to end",
			transport->name);
	return 0;
}

static int check_cpu(int cpu, const struct zh_cpuset *allowed, struct zh_err *err)
{
	char list[256];

	if (cpu >= 0 && cpu < ZH_CPU_MAX && zh_cpuset_has(allowed, (unsigned int)cpu))
		return 0;
	return zh_err_set(err, -EINVAL, "CPU %d cannot be used: this process may run on CPUs %s",
		cpu, zh_format_cpulist(list, sizeof(list), allowed));
}

static int check_placement(
	const struct zh_bench_cell *cell, const struct zh_cpuset *allowed, struct zh_err *err)
{
	int r;

	if (cell->placement == ZH_PLACE_FREE)
		return cell->cpu < 0 && cell->peer_cpu < 0
			       ? 0
			       : zh_err_set(err, -EINVAL, "placement free names no CPUs");
	if (cell->placement >= ZH_PLACE_MAX)
		return zh_err_set(err, -EINVAL, "there is no placement %u", cell->placement);
	r = check_cpu(cell->cpu, allowed, err);
	if (r >= 0)
		r = check_cpu(cell->peer_cpu, allowed, err);
	if (r < 0)
		return r;
	if ((cell->cpu == cell->peer_cpu) != (cell->placement == ZH_PLACE_SAME_CPU))
		return zh_err_set(err, -EINVAL, "placement %s does not go with CPUs %d and %d",
			cell->placement == ZH_PLACE_SAME_CPU ? "same-cpu" : "cross-cpu", cell->cpu,
			cell->peer_cpu);
	return 0;
}

static int check_options(const struct zh_bench_cell *cell,
	const struct zh_bench_transport *transport, struct zh_err *err)
{
	const struct zh_bench_loops *loops = zh_bench_mode_loops(cell->mode);
	const struct {
		bool is_asked;
		unsigned int flag;
		const char *what;
	} rows[] = {
		{loops && loops->flag, loops ? loops->flag : 0, "be measured in this mode"},
		{cell->busy_poll_us > 0, ZH_BENCH_BUSY_POLL, "be busy-polled by the kernel"},
		{cell->zerocopy, ZH_BENCH_ZEROCOPY, "send without copying"},
		{cell->buf_bytes > 0, ZH_BENCH_BUFFERS, "be given other buffers"},
		{cell->over[0], ZH_BENCH_INET, "cross network namespaces"},
	};
	size_t i;

	if (!loops)
		return zh_err_set(err, -EINVAL, "there is no mode %u", cell->mode);
	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++)
		if (rows[i].is_asked && !(transport->flags & rows[i].flag))
			return zh_err_set(
				err, -EINVAL, "%s cannot %s", transport->name, rows[i].what);
	if (cell->mode == ZH_BENCH_RATE && cell->size_bytes < ZH_BENCH_RATE_SIZE_MIN)
		return zh_err_set(err, -EINVAL,
			"a message at a fixed rate has at least %d bytes, since it carries its "
			"time",
			ZH_BENCH_RATE_SIZE_MIN);
	if (cell->mode == ZH_BENCH_RATE && !cell->gap_ns)
		return zh_err_set(err, -EINVAL, "a fixed rate needs a gap between messages");
	if (cell->buf_bytes > INT32_MAX)
		return zh_err_set(err, -EINVAL, "a buffer has at most %d bytes", INT32_MAX);
	return 0;
}

int zh_bench_check(const struct zh_bench_cell *cell, struct zh_err *err)
{
	const struct zh_bench_transport *transport = zh_bench_transport_find(cell->transport);
	struct zh_cpuset allowed;
	int r = check_name(cell, err);

	if (r >= 0)
		r = check_size(cell, transport, err);
	if (r >= 0)
		r = check_options(cell, transport, err);
	if (r >= 0)
		r = zh_sched_get_affinity(&allowed, err);
	if (r >= 0)
		r = check_placement(cell, &allowed, err);
	return r < 0 ? r : check_spin(cell, transport, &allowed, err);
}
