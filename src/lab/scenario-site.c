/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario-site.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "lab/topologies/build.h"
#include "lab/tune.h"
#include "sys/net-config.h"
#include "sys/net-tune.h"
#include "sys/process.h"
#include "sys/root.h"
#include "sys/sched.h"

#define THREADS_MAX 256
#define NAPI_PREFIX "napi/"

const char *scenario_ingress(const struct zh_topology *topology)
{
	const struct lab_device *device = lab_next_host_device(topology->plan->devices);

	return device ? device->name : NULL;
}

const char *scenario_client(const struct zh_topology *topology, char buf[static 32])
{
	const struct lab_device *device;

	for (device = topology->plan->devices; device->name; device++) {
		if (device->side != LAB_NEAR || !device->v4)
			continue;
		snprintf(buf, 32, "%.31s", device->v4);
		buf[strcspn(buf, "/")] = '\0';
		return buf;
	}
	return NULL;
}

struct threads {
	pid_t pid[THREADS_MAX];
	size_t n;
};

static int add_thread(void *arg, const char *name)
{
	struct threads *threads = arg;
	char comm[32];
	int pid = (int)strtol(name, NULL, 10);

	if (pid > 0 && threads->n < THREADS_MAX &&
		zh_sys_read(comm, sizeof(comm), "/proc/%d/comm", pid) > 0 &&
		!strncmp(comm, NAPI_PREFIX, strlen(NAPI_PREFIX)))
		threads->pid[threads->n++] = pid;
	return 0;
}

static bool has_thread(const struct threads *threads, pid_t pid)
{
	for (size_t i = 0; i < threads->n; i++)
		if (threads->pid[i] == pid)
			return true;
	return false;
}

/* Those that are new since `before` are ours: their names are cut, and say no namespace. */
static int pin_threads(const struct threads *before, int cpu, struct zh_err *err)
{
	struct threads *now = calloc(1, sizeof(*now));
	cpu_set_t set;
	int n = 0;
	size_t i;

	if (!now)
		return zh_err_set(err, -ENOMEM, "out of memory");
	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	zh_sys_list(add_thread, now, "/proc");
	for (i = 0; i < now->n; i++)
		if (!has_thread(before, now->pid[i]))
			n += sched_setaffinity(now->pid[i], sizeof(set), &set) == 0;
	free(now);
	return n ? 0 : zh_err_set(err, -ENOENT, "the kernel made no NAPI thread");
}

static int tune_device(const struct scenario_site *site, const struct zh_step *step,
	const struct lab_device *device, struct zh_err *err)
{
	int fd = site->ns.host_netns_fd, r = 0;

	if (step->gro)
		r = zh_nettune_gro(fd, device->name, true, err);
	if (r == 0 && step->threaded)
		r = zh_nettune_threaded(fd, device->name, true, err);
	if (r == 0 && step->no_tso)
		r = zh_nettune_tso(
			device->peer_side == LAB_NEAR ? site->ns.netns_fd : site->ns.peer_netns_fd,
			device->peer, false, err);
	return r;
}

static int tune(const struct scenario_site *site, const struct zh_step *step, int hot_cpu,
	struct zh_err *err)
{
	const struct lab_device *device = site->topology->plan->devices;
	struct threads *before = calloc(1, sizeof(*before));
	struct zh_cpuset cpus = {};
	int r = before ? 0 : zh_err_set(err, -ENOMEM, "out of memory");

	if (r == 0 && step->steer == ZH_STEER_ALL)
		r = zh_sched_get_affinity(&cpus, err);
	else if (step->steer == ZH_STEER_ONE)
		zh_cpuset_add(&cpus, (unsigned int)hot_cpu);
	if (r == 0)
		r = lab_steer(site->topology->plan, NULL, site->ns.host_netns_fd, &cpus, err);
	if (r == 0 && step->threaded)
		zh_sys_list(add_thread, before, "/proc");
	for (; r == 0 && (device = lab_next_host_device(device)); device++)
		r = tune_device(site, step, device, err);
	if (r == 0 && step->threaded)
		r = pin_threads(before, hot_cpu, err);
	free(before);
	return r;
}

/* IPv6 would only add packets that nobody counts. */
static void switch_v6_off(const struct zh_lab_ns *ns)
{
	const int fds[] = {ns->netns_fd, ns->peer_netns_fd, ns->host_netns_fd};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			zh_netcfg_sysctl_set(fds[i], "net/ipv6/conf/all/disable_ipv6", "1", NULL);
}

int scenario_site_up(const struct zh_scenario *scenario, const struct zh_step *step, int hot_cpu,
	struct scenario_site *ret, struct zh_err *err)
{
	int r;

	*ret = (struct scenario_site){
		.topology = step->topology ? step->topology : scenario->topology,
		.ns = {-1, -1, -1}};
	r = ret->topology->up(&ret->ns, err);
	if (r < 0)
		return r;
	r = lab_add_rules(ret->ns.host_netns_fd, scenario->rules, err);
	switch_v6_off(&ret->ns);
	if (r == 0)
		r = tune(ret, step, hot_cpu, err);
	if (r == 0)
		r = lab_warm_up(&ret->ns, ret->topology->address, err);
	if (r == 0 && step->backlog)
		r = lab_global_set(&ret->backlog, ZH_NETTUNE_BACKLOG, step->backlog, err);
	if (r < 0)
		scenario_site_down(ret);
	return r;
}

void scenario_site_down(struct scenario_site *site)
{
	lab_global_restore(&site->backlog);
	site->topology->down(&site->ns);
}
