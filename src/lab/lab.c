/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/lab.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "lab/global.h"
#include "lab/internal.h"
#include "lab/named.h"
#include "lab/scenario-site.h"
#include "lab/traffic.h"
#include "sys/process.h"
#include "sys/sched.h"

#define SETTLE_NS (200 * ZH_NSEC_PER_MSEC) /* queues fill, before anybody looks */

const struct zh_topology *zh_topology_find(const char *id)
{
	for (size_t i = 0; zh_topology_registry[i]; i++)
		if (!strcmp(zh_topology_registry[i]->id, id))
			return zh_topology_registry[i];
	return NULL;
}

const struct zh_fault *zh_fault_find(const char *id)
{
	for (size_t i = 0; zh_fault_registry[i]; i++)
		if (!strcmp(zh_fault_registry[i]->id, id))
			return zh_fault_registry[i];
	return NULL;
}

bool zh_fault_is_answer(const struct zh_fault *fault, const char *id)
{
	const char *const *other;

	if (!strcmp(fault->expects, id))
		return true;
	for (other = fault->accepts; other && *other; other++)
		if (!strcmp(*other, id))
			return true;
	return false;
}

/* The first two CPUs that we may use; twice the same when there is only one. */
static int choose_cpus(struct zh_lab_run *run, struct zh_err *err)
{
	struct zh_cpuset allowed;
	int r = zh_sched_get_affinity(&allowed, err), found = 0;

	for (unsigned int cpu = 0; r == 0 && cpu < ZH_CPU_MAX && found < 2; cpu++) {
		if (!zh_cpuset_has(&allowed, cpu))
			continue;
		if (found++ == 0)
			run->cpu = (int)cpu;
		run->peer_cpu = (int)cpu;
	}
	return r;
}

static void draw_params(struct zh_lab_run *run, uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < ZH_LAB_PARAMS && run->fault->params[i].name; i++)
		run->param[i] =
			lab_draw(&state, run->fault->params[i].min, run->fault->params[i].max);
	run->seed = lab_random(&state);
}

/* The load of a watched fault, as far as the topology decides it. */
static void place_load(struct zh_lab_run *run)
{
	const struct zh_fault *fault = run->fault;

	run->load = fault->watched->load;
	run->load.netns_fd = run->ns.netns_fd;
	run->load.peer_netns_fd = run->ns.peer_netns_fd;
	run->load.to = fault->topology->address;
	run->load.cpu = run->load.peer_cpu = run->peer_cpu;
	if (run->load.engine != ZH_LOAD_XDP)
		return;
	run->load.netns_fd = run->ns.host_netns_fd;
	run->load.device = scenario_ingress(fault->topology);
	run->load.from = scenario_client(fault->topology, run->load_from);
}

static int start_load(struct zh_lab_run *run, struct zh_err *err)
{
	int r = zh_load_start(&run->load, &run->running, err);

	if (r == 0)
		zh_sleep_until(zh_now_ns() + SETTLE_NS);
	return r;
}

int zh_lab_start(const struct zh_fault *fault, bool control, uint64_t seed, struct zh_lab_run *ret,
	struct zh_err *err)
{
	int r;

	*ret = (struct zh_lab_run){.fault = fault,
		.control = control,
		.ns = {-1, -1},
		.split_writes = fault->split_writes,
		.nodelay = true};
	snprintf(ret->target, sizeof(ret->target), "%s", fault->target ? fault->target : "");
	draw_params(ret, seed);
	r = choose_cpus(ret, err);
	if (r == 0)
		r = fault->topology->up(&ret->ns, err);
	if (r < 0)
		return r;
	if (fault->watched) {
		place_load(ret);
		r = lab_warm_up(&ret->ns, fault->topology->address, err);
	}
	if (r == 0)
		r = fault->inject(ret, err);
	if (r == 0 && fault->watched)
		r = start_load(ret, err);
	if (r < 0) {
		zh_lab_stop(ret);
		return zh_err_wrap(err, "cannot inject %s", fault->id);
	}
	return 0;
}

void zh_lab_stop(struct zh_lab_run *run)
{
	zh_load_stop(zh_take(run->running), NULL, NULL);
	if (run->fault->remove)
		run->fault->remove(run);
	while (run->n_children)
		zh_process_end(run->child[--run->n_children]);
	if (run->has_group)
		zh_cgroup_remove(&run->group, NULL);
	run->has_group = false;
	run->fault->topology->down(&run->ns);
}

int zh_lab_probe_config(
	const struct zh_lab_run *run, struct zh_probe_config *ret, struct zh_err *err)
{
	struct zh_probe_config config = {
		.size_bytes = 64,
		.cpu = run->cpu,
		.peer_cpu = run->peer_cpu,
		.netns_fd = -1,
		.peer_netns_fd = run->ns.peer_netns_fd,
		.kernel_stamps = true,
		.nodelay = run->nodelay,
		.split_writes = run->split_writes,
		.lock_memory = true,
		.peer_cgroup_fd = -1,
	};
	int r = zh_target_parse(run->target, &config.target, err);

	if (r == 0)
		*ret = config;
	return r;
}

unsigned int zh_lab_gc(void)
{
	unsigned int removed = 0;

	zh_cgroup_gc(&removed, NULL);
	return removed + zh_named_gc() + lab_global_gc();
}
