/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Idle states: which there are, how long leaving them takes, how often they were entered, and what
 * limits them. Names, not numbers, identify a state: numbers differ between CPUs and drivers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define STATES_MAX 16

static const struct zh_facts_file host_files[] = {
	{"current_driver", "driver", ZH_FORM_STRING, .wanted = true},
	{"current_governor_ro", "governor", ZH_FORM_STRING},
	{"current_governor", "governor", ZH_FORM_STRING},
	{"available_governors", "governors", ZH_FORM_STRING},
	{NULL},
};

static const struct zh_facts_file state_files[] = {
	{"latency", "exit_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"residency", "residency_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"time", "time_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"usage", "usage"},
	{"disable", "disabled"},
	{"above", "above"},
	{"below", "below"},
	{"rejected", "rejected"},
	{NULL},
};

static const struct zh_facts_file module_files[] = {
	{"haltpoll/parameters/guest_halt_poll_ns", "haltpoll.guest_halt_poll_ns"},
	{"haltpoll/parameters/guest_halt_poll_grow", "haltpoll.guest_halt_poll_grow"},
	{"haltpoll/parameters/guest_halt_poll_shrink", "haltpoll.guest_halt_poll_shrink"},
	{"haltpoll/parameters/guest_halt_poll_grow_start", "haltpoll.guest_halt_poll_grow_start"},
	{"haltpoll/parameters/guest_halt_poll_allow_shrink",
		"haltpoll.guest_halt_poll_allow_shrink", ZH_FORM_STRING},
	{"cpuidle_haltpoll/parameters/force", "cpuidle_haltpoll.force", ZH_FORM_STRING},
	{"kvm/parameters/halt_poll_ns", "kvm.halt_poll_ns"},
	{"kvm/parameters/halt_poll_ns_grow", "kvm.halt_poll_ns_grow"},
	{"kvm/parameters/halt_poll_ns_shrink", "kvm.halt_poll_ns_shrink"},
	{"intel_idle/parameters/max_cstate", "intel_idle.max_cstate"},
	{"processor/parameters/max_cstate", "processor.max_cstate"},
	{NULL},
};

struct host {
	uint64_t deepest_us; /* longest exit among enabled states */
	unsigned int states; /* of the first CPU */
	bool first;
};

/* One state of one CPU; false when there is no such state. */
static bool add_state(struct zh_fact_set *set, struct host *host, unsigned int cpu, unsigned int n)
{
	char dir[96], prefix[96 + ZH_FACTS_NAME_MAX], text[64], name[ZH_FACTS_NAME_MAX];
	uint64_t exit_us, disabled = 0;

	snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u", cpu, n);
	if (zh_sys_read(text, sizeof(text), "%s/name", dir) < 0)
		return false;
	zh_facts_name(name, sizeof(name), text);
	snprintf(prefix, sizeof(prefix), "cpu.%u.idle.%s", cpu, name);
	zh_fact_number(set, n, "%s.index", prefix);
	zh_facts_files(set, state_files, dir, prefix);
	zh_sys_read_u64(&disabled, "%s/disable", dir);
	if (!disabled && zh_sys_read_u64(&exit_us, "%s/latency", dir) == 0)
		host->deepest_us = ZH_MAX(host->deepest_us, exit_us);
	return true;
}

static void add_cpu(struct zh_fact_set *set, void *arg, unsigned int cpu)
{
	struct host *host = arg;
	char text[32];
	unsigned int n = 0;

	while (n < STATES_MAX && add_state(set, host, cpu, n))
		n++;
	if (host->first)
		host->states = n;
	host->first = false;
	if (zh_sys_read(text, sizeof(text),
		    "/sys/devices/system/cpu/cpu%u/power/pm_qos_resume_latency_us", cpu) >= 0)
		zh_fact_string(set, text, "cpu.%u.idle_limit", cpu);
}

/* The host-wide limit: a signed 32-bit number of microseconds in the machine's byte order. Reading
 * it asks for nothing. */
static void add_dma_latency(struct zh_fact_set *set)
{
	char raw[16];
	int32_t us;
	int r = zh_sys_read(raw, sizeof(raw), "/dev/cpu_dma_latency");

	/* The reader cuts a trailing newline, which the last byte of a number can look like. */
	if (r < 3) {
		zh_facts_missing(
			set, r < 0 ? r : -EIO, "/dev/cpu_dma_latency", "cpuidle.dma_latency_us");
		return;
	}
	if (r == 3)
		raw[3] = '\n';
	memcpy(&us, raw, sizeof(us));
	zh_fact_number(set, us < 0 ? 0 : (uint64_t)us, "cpuidle.dma_latency_us");
}

static void collect(struct zh_fact_set *set)
{
	struct host host = {.first = true};

	zh_facts_files(set, host_files, "/sys/devices/system/cpu/cpuidle", "cpuidle");
	zh_facts_each_cpu(set, add_cpu, &host);
	if (host.states) {
		zh_fact_number(set, host.states, "cpuidle.states");
		zh_fact_number(set, host.deepest_us * ZH_NSEC_PER_USEC, "cpuidle.deepest_exit_ns");
	} else {
		zh_fact_unavailable(set,
			"no CPU shows idle states (/sys/devices/system/cpu/cpuN/cpuidle): in a "
			"virtual machine the host decides",
			"cpuidle.states");
	}
	add_dma_latency(set);
	zh_facts_files(set, module_files, "/sys/module", "module");
}

static const struct zh_fact_schema schema[] = {
	{"cpuidle.driver", ZH_FACT_STRING, "", "idle driver; none: the CPU is halted, no more"},
	{"cpuidle.governor", ZH_FACT_STRING, "", "what chooses the idle state"},
	{"cpuidle.governors", ZH_FACT_STRING, "", "governors that can be had"},
	{"cpuidle.states", ZH_FACT_NUMBER, "count", "idle states of the first CPU"},
	{"cpuidle.deepest_exit_ns", ZH_FACT_NUMBER, "ns", "longest exit of an enabled idle state"},
	{"cpuidle.dma_latency_us", ZH_FACT_NUMBER, "us",
		"longest exit that PM QoS allows now (2000000000: no limit)"},
	{"cpu.*.idle.*.index", ZH_FACT_NUMBER, "", "number of the state in sysfs"},
	{"cpu.*.idle.*.exit_ns", ZH_FACT_NUMBER, "ns", "time that leaving the state takes"},
	{"cpu.*.idle.*.residency_ns", ZH_FACT_NUMBER, "ns", "shortest stay that pays"},
	{"cpu.*.idle.*.time_ns", ZH_FACT_NUMBER, "ns", "time spent in the state"},
	{"cpu.*.idle.*.usage", ZH_FACT_NUMBER, "count", "times entered"},
	{"cpu.*.idle.*.disabled", ZH_FACT_NUMBER, "", "1: not used"},
	{"cpu.*.idle.*.above", ZH_FACT_NUMBER, "count", "times that the stay was too short for it"},
	{"cpu.*.idle.*.below", ZH_FACT_NUMBER, "count", "times that a deeper one would have paid"},
	{"cpu.*.idle.*.rejected", ZH_FACT_NUMBER, "count", "times that entering failed"},
	{"cpu.*.idle_limit", ZH_FACT_STRING, "us", "longest exit allowed; 0 none, n/a no idling"},
	{"module.haltpoll.guest_halt_poll_allow_shrink", ZH_FACT_STRING, "", "polling may shrink"},
	{"module.cpuidle_haltpoll.force", ZH_FACT_STRING, "", "haltpoll without the host's hint"},
	{"module.*.*", ZH_FACT_NUMBER, "", "parameter of a module that governs idling"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_cpuidle = {
	.id = "cpuidle",
	.summary = "idle states, their exit times and limits",
	.schema = schema,
	.collect = collect,
};
