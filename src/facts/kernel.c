/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel: version, command line, tick, preemption model, and the build options that decide what
 * can be measured here. The build options are in /proc/config.gz or in /boot.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/gzip.h"
#include "sys/root.h"

#define CONFIG_MAX (4u << 20)

static const struct zh_facts_file files[] = {
	{"proc/sys/kernel/osrelease", "release", ZH_FORM_STRING, .wanted = true},
	{"proc/sys/kernel/version", "version", ZH_FORM_STRING},
	{"proc/sys/kernel/arch", "arch", ZH_FORM_STRING},
	{"proc/sys/kernel/hostname", "hostname", ZH_FORM_STRING},
	{"proc/cmdline", "cmdline", ZH_FORM_STRING, .wanted = true},
	{"sys/kernel/security/lockdown", "lockdown", ZH_FORM_CHOICE},
	{NULL},
};

static const char *const options[] = {"HZ", "PREEMPT_NONE", "PREEMPT_VOLUNTARY", "PREEMPT",
	"PREEMPT_LAZY", "PREEMPT_RT", "PREEMPT_DYNAMIC", "NO_HZ_FULL", "NO_HZ_IDLE",
	"HIGH_RES_TIMERS", "IRQ_TIME_ACCOUNTING", "PARAVIRT_TIME_ACCOUNTING",
	"VIRT_CPU_ACCOUNTING_GEN", "TICK_CPU_ACCOUNTING", "SCHEDSTATS", "SCHED_INFO",
	"CFS_BANDWIDTH", "RT_GROUP_SCHED", "KPROBES", "FPROBE", "BPF_SYSCALL", "BPF_JIT",
	"DEBUG_INFO_BTF", "KALLSYMS_ALL", "CPU_IDLE", "HALTPOLL_CPUIDLE", "CPU_FREQ", "PARAVIRT",
	"RPS", "XPS", "RFS_ACCEL", "NET_RX_BUSY_POLL", "NET_SCH_NETEM", "NET_SCH_TBF",
	"NET_CLS_BPF", "NET_DROP_MONITOR", "NETFILTER", "NF_CONNTRACK", "NF_TABLES",
	"NETFILTER_BPF_LINK", "BRIDGE_NETFILTER", "PSI", "NUMA", "NUMA_BALANCING", "OSNOISE_TRACER",
	"TIMERLAT_TRACER", "HWLAT_TRACER", "LOCKDEP", "PROVE_LOCKING", "KASAN"};

static void add_option(struct zh_fact_set *set, char *line)
{
	const char *name = zh_facts_word(&line, "="), *value = zh_facts_word(&line, "\n");
	size_t i;

	if (!name || !value || strncmp(name, "CONFIG_", 7))
		return;
	for (i = 0; i < ZH_ARRAY_SIZE(options); i++) {
		uint64_t hz;

		if (strcmp(name + 7, options[i]))
			continue;
		zh_fact_string(set, value, "kernel.config.%s", options[i]);
		if (!strcmp(options[i], "HZ") && zh_facts_parse(value, 10, &hz))
			zh_fact_number(set, hz, "kernel.hz");
	}
}

/* The build options as text, from the first place that has them. */
static int64_t read_config(char **ret)
{
	zh_autofree char *packed = NULL;
	char release[128];
	int64_t r = zh_sys_slurp(&packed, "/proc/config.gz");

	if (r > 0)
		return zh_sys_gunzip(ret, packed, (size_t)r, CONFIG_MAX);
	if (zh_sys_read(release, sizeof(release), "/proc/sys/kernel/osrelease") < 0)
		return -ENOENT;
	r = zh_sys_slurp(ret, "/boot/config-%s", release);
	return r < 0 ? zh_sys_slurp(ret, "/lib/modules/%s/config", release) : r;
}

static void add_config(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	int64_t r = read_config(&text);

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/config.gz and /boot/config-*", "kernel.hz");
		zh_facts_missing(
			set, (int)r, "/proc/config.gz and /boot/config-*", "kernel.config");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));)
		add_option(set, line);
}

/* A dynamic kernel shows its mode in debugfs, in parentheses: "none (voluntary) full". Elsewhere
 * the version string has to do: "#1 SMP PREEMPT_DYNAMIC". */
static void add_preempt(struct zh_fact_set *set)
{
	char text[256], *open, *close;

	if (zh_sys_read(text, sizeof(text), "/sys/kernel/debug/sched/preempt") > 0 &&
		(open = strchr(text, '(')) && (close = strchr(open, ')'))) {
		*close = '\0';
		zh_fact_string(set, open + 1, "kernel.preempt");
	} else if (zh_sys_read(text, sizeof(text), "/proc/sys/kernel/version") > 0) {
		if (strstr(text, "PREEMPT_RT"))
			zh_fact_string(set, "rt", "kernel.preempt");
		else if (strstr(text, "PREEMPT_DYNAMIC"))
			zh_fact_unavailable(set,
				"chosen at boot, and /sys/kernel/debug/sched/preempt is not "
				"readable",
				"kernel.preempt");
		else if (strstr(text, "PREEMPT"))
			zh_fact_string(set, "full", "kernel.preempt");
		else
			zh_fact_string(set, "none or voluntary", "kernel.preempt");
	}
}

static void add_uptime(struct zh_fact_set *set)
{
	char text[64];
	unsigned long long seconds, hundredths;

	if (zh_sys_read(text, sizeof(text), "/proc/uptime") > 0 &&
		sscanf(text, "%llu.%llu", &seconds, &hundredths) == 2)
		zh_fact_number(set, seconds * ZH_NSEC_PER_SEC + hundredths * 10 * ZH_NSEC_PER_MSEC,
			"kernel.uptime_ns");
}

static void collect(struct zh_fact_set *set)
{
	zh_facts_files(set, files, "", "kernel");
	add_config(set);
	add_preempt(set);
	add_uptime(set);
	zh_fact_number(set, zh_sys_exists("/sys/kernel/btf/vmlinux"), "kernel.btf");
}

static const struct zh_fact_schema schema[] = {
	{"kernel.release", ZH_FACT_STRING, "", "version of the kernel"},
	{"kernel.version", ZH_FACT_STRING, "", "build of the kernel"},
	{"kernel.arch", ZH_FACT_STRING, "", "architecture"},
	{"kernel.hostname", ZH_FACT_STRING, "", "name of the host"},
	{"kernel.cmdline", ZH_FACT_STRING, "", "command line that the kernel was started with"},
	{"kernel.lockdown", ZH_FACT_STRING, "", "lockdown: none, integrity, confidentiality"},
	{"kernel.hz", ZH_FACT_NUMBER, "Hz", "timer ticks a second"},
	{"kernel.preempt", ZH_FACT_STRING, "", "preemption: none, voluntary, full, lazy, rt"},
	{"kernel.btf", ZH_FACT_NUMBER, "", "1: the kernel describes its types (BTF)"},
	{"kernel.uptime_ns", ZH_FACT_NUMBER, "ns", "time since boot"},
	{"kernel.config.*", ZH_FACT_STRING, "", "build option: y, m, or its value; absent: off"},
	{"kernel.config", ZH_FACT_UNAVAILABLE, "", "why the build options could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_kernel = {
	.id = "kernel",
	.summary = "kernel version, build and command line",
	.schema = schema,
	.collect = collect,
};
