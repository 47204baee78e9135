/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU frequency: driver, governor, limits and energy preference of each policy. */
#include <stdio.h>
#include <string.h>

#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define DIR "/sys/devices/system/cpu/cpufreq"
#define HZ_PER_KHZ 1000

static const struct zh_facts_file policy_files[] = {
	{"scaling_driver", "driver", ZH_FORM_STRING},
	{"scaling_governor", "governor", ZH_FORM_STRING},
	{"energy_performance_preference", "epp", ZH_FORM_STRING},
	{"affected_cpus", "cpus", ZH_FORM_STRING},
	{"scaling_min_freq", "min_hz", ZH_FORM_NUMBER, HZ_PER_KHZ},
	{"scaling_max_freq", "max_hz", ZH_FORM_NUMBER, HZ_PER_KHZ},
	{"scaling_cur_freq", "cur_hz", ZH_FORM_NUMBER, HZ_PER_KHZ},
	{"cpuinfo_min_freq", "hw_min_hz", ZH_FORM_NUMBER, HZ_PER_KHZ},
	{"cpuinfo_max_freq", "hw_max_hz", ZH_FORM_NUMBER, HZ_PER_KHZ},
	{NULL},
};

static const struct zh_facts_file host_files[] = {
	{"cpufreq/boost", "boost"},
	{"intel_pstate/status", "pstate_status", ZH_FORM_STRING},
	{"intel_pstate/no_turbo", "no_turbo"},
	{NULL},
};

struct walk {
	struct zh_fact_set *set;
	unsigned int n;
};

static int add_policy(void *arg, const char *name)
{
	struct walk *walk = arg;
	char dir[128], prefix[64];
	uint64_t n;

	if (strncmp(name, "policy", 6) || !zh_facts_parse(name + 6, 10, &n))
		return 0;
	walk->n++;
	snprintf(dir, sizeof(dir), DIR "/%s", name);
	snprintf(prefix, sizeof(prefix), "cpufreq.%s", name);
	zh_facts_files(walk->set, policy_files, dir, prefix);
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	struct walk walk = {.set = set};
	int r = zh_sys_list(add_policy, &walk, DIR);

	if (r < 0)
		zh_facts_missing(set, r, DIR, "cpufreq.policies");
	else if (!walk.n)
		zh_fact_unavailable(set,
			"no frequency policies: no driver, or a virtual machine whose host decides",
			"cpufreq.policies");
	else
		zh_fact_number(set, walk.n, "cpufreq.policies");
	zh_facts_files(set, host_files, "/sys/devices/system/cpu", "cpufreq");
}

static const struct zh_fact_schema schema[] = {
	{"cpufreq.policies", ZH_FACT_NUMBER, "count", "frequency policies (groups of CPUs)"},
	{"cpufreq.*.driver", ZH_FACT_STRING, "", "frequency driver"},
	{"cpufreq.*.governor", ZH_FACT_STRING, "", "what chooses the frequency"},
	{"cpufreq.*.epp", ZH_FACT_STRING, "", "energy against performance"},
	{"cpufreq.*.cpus", ZH_FACT_STRING, "", "CPUs of the policy"},
	{"cpufreq.*.min_hz", ZH_FACT_NUMBER, "Hz", "lowest frequency allowed"},
	{"cpufreq.*.max_hz", ZH_FACT_NUMBER, "Hz", "highest frequency allowed"},
	{"cpufreq.*.cur_hz", ZH_FACT_NUMBER, "Hz", "frequency now"},
	{"cpufreq.*.hw_min_hz", ZH_FACT_NUMBER, "Hz", "lowest frequency of the hardware"},
	{"cpufreq.*.hw_max_hz", ZH_FACT_NUMBER, "Hz", "highest frequency of the hardware"},
	{"cpufreq.boost", ZH_FACT_NUMBER, "", "1: boost frequencies are allowed"},
	{"cpufreq.pstate_status", ZH_FACT_STRING, "", "mode of intel_pstate"},
	{"cpufreq.no_turbo", ZH_FACT_NUMBER, "", "1: turbo is off"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_cpufreq = {
	.id = "cpufreq",
	.summary = "CPU frequency policies",
	.schema = schema,
	.collect = collect,
};
