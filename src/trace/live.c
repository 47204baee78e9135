/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "sys/process.h"
#include "trace/kernel-features.h"
#include "trace/libbpf-log.h"
#include "trace/symbols.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wshadow"
#include "live.skel.h"
#pragma GCC diagnostic pop

enum part { SOFTIRQ, DROPS, FLOWS, PARTS };

#define PROGRAMS_MAX 2
#define TIMED_RUNS 2000

/* A part has an object of its own, so that what the kernel refuses costs that part only. */
static const struct part_row {
	const char *name, *lost; /* what is not measured without it */
	const char *programs[PROGRAMS_MAX];
	size_t first_counter; /* of zh_live_percpu.hook_runs */
} rows[PARTS] = {
	[SOFTIRQ] = {"softirq", "softirq time by entry and exit",
		{"zh_live_softirq_entry", "zh_live_softirq_exit"}, 0},
	[DROPS] = {"drops", "drops by reason", {"zh_live_kfree_skb"}, 2},
	[FLOWS] = {"flows", "top flows", {"zh_live_netif_receive_skb"}, 3},
};

struct loaded {
	struct live_bpf *skeleton;
	struct bpf_link *links[PROGRAMS_MAX];
	struct zh_live_percpu *cpus; /* mapped */
	double ns_a_run[PROGRAMS_MAX];
};

struct zh_live {
	struct loaded parts[PARTS];
	uint32_t n_cpus;
	size_t map_bytes;
	struct zh_features features;
	struct zh_symbols *symbols;
	int stats_fd; /* the kernel times programs while it is open */
};

static struct bpf_program *program_of(const struct loaded *loaded, const char *name)
{
	return name ? bpf_object__find_program_by_name(loaded->skeleton->obj, name) : NULL;
}

static int load_part(struct zh_live *live, enum part part, const struct zh_live_config *config)
{
	struct loaded *loaded = &live->parts[part];
	struct bpf_program *program;
	size_t i;
	int r;

	loaded->skeleton = live_bpf__open();
	if (!loaded->skeleton)
		return -errno;
	bpf_object__for_each_program(program, loaded->skeleton->obj)
		bpf_program__set_autoload(program, false);
	for (i = 0; i < PROGRAMS_MAX; i++)
		if (rows[part].programs[i])
			bpf_program__set_autoload(program_of(loaded, rows[part].programs[i]), true);
	loaded->skeleton->rodata->zh_live_sample = ZH_MAX(config->flow_sample, 1u);
	loaded->skeleton->rodata->zh_live_has_reason = live->features.has_drop_reason;
	r = bpf_map__set_max_entries(loaded->skeleton->maps.zh_live_cpus, live->n_cpus);
	if (!r)
		r = live_bpf__load(loaded->skeleton);
	if (r)
		return r;
	loaded->cpus = mmap(NULL, live->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		bpf_map__fd(loaded->skeleton->maps.zh_live_cpus), 0);
	if (loaded->cpus == MAP_FAILED) {
		loaded->cpus = NULL;
		return -errno;
	}
	return 0;
}

static int attach_part(struct loaded *loaded, enum part part)
{
	size_t i;

	for (i = 0; i < PROGRAMS_MAX; i++) {
		if (!rows[part].programs[i] || loaded->links[i])
			continue;
		loaded->links[i] = bpf_program__attach(program_of(loaded, rows[part].programs[i]));
		if (!loaded->links[i])
			return -errno;
	}
	return 0;
}

static void detach_part(struct loaded *loaded)
{
	size_t i;

	for (i = 0; i < PROGRAMS_MAX; i++) {
		bpf_link__destroy(loaded->links[i]);
		loaded->links[i] = NULL;
	}
}

static void unload_part(struct zh_live *live, enum part part)
{
	struct loaded *loaded = &live->parts[part];

	detach_part(loaded);
	if (loaded->cpus)
		munmap(loaded->cpus, live->map_bytes);
	live_bpf__destroy(loaded->skeleton);
	*loaded = (struct loaded){};
}

static void set_ksoftirqd(void *arg, unsigned int cpu, pid_t tid)
{
	const struct zh_live *live = arg;

	if (cpu < live->n_cpus)
		live->parts[SOFTIRQ].cpus[cpu].ksoftirqd_tid = (uint32_t)tid;
}

static int open_part(struct zh_live *live, enum part part, const struct zh_live_config *config,
	struct zh_record *notes)
{
	int r = load_part(live, part, config);

	if (r == 0 && part == SOFTIRQ)
		zh_process_each_ksoftirqd(set_ksoftirqd, live);
	if (r == 0)
		r = attach_part(&live->parts[part], part);
	if (r == 0)
		return 0;
	unload_part(live, part);
	if (notes)
		zh_record_not_measured(notes, rows[part].lost, "the kernel refused: %s%s",
			strerror(-r),
			r == -EPERM || r == -EACCES ? " (run as root, or grant CAP_BPF and "
						      "CAP_PERFMON)"
						    : "");
	return r;
}

int zh_live_open(const struct zh_live_config *config, struct zh_record *notes, struct zh_live **ret,
	struct zh_err *err)
{
	const bool wanted[PARTS] = {config->softirq, config->drops, config->flows};
	libbpf_print_fn_t before = zh_libbpf_listen();
	struct zh_live *live = calloc(1, sizeof(*live));
	int n_cpus = libbpf_num_possible_cpus(), r = -EINVAL, part_r;
	bool any = false;
	size_t i;

	if (!live || n_cpus < 1) {
		free(live);
		libbpf_set_print(before);
		return zh_err_set(err, -ENOMEM, "out of memory for live counters");
	}
	live->n_cpus = (uint32_t)n_cpus;
	live->map_bytes = live->n_cpus * sizeof(struct zh_live_percpu);
	live->map_bytes = (live->map_bytes + 4095) & ~(size_t)4095;
	zh_features_read(&live->features, NULL);
	live->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	for (i = 0; i < PARTS; i++) {
		part_r = wanted[i] ? open_part(live, (enum part)i, config, notes) : 0;
		r = wanted[i] && part_r ? part_r : r;
		any = any || (wanted[i] && !part_r);
	}
	libbpf_set_print(before);
	if (!any) {
		zh_live_close(live);
		zh_err_sys(err, r, "cannot count in the kernel");
		zh_err_hint(err, "run as root, or grant CAP_BPF and CAP_PERFMON");
		return r;
	}
	if (config->drops)
		live->symbols = zh_symbols_read();
	*ret = live;
	return 0;
}

struct zh_live *zh_live_close(struct zh_live *live)
{
	size_t i;

	if (!live)
		return NULL;
	for (i = 0; i < PARTS; i++)
		unload_part(live, (enum part)i);
	if (live->stats_fd >= 0)
		close(live->stats_fd);
	zh_symbols_free(live->symbols);
	free(live);
	return NULL;
}

static enum part part_of(const char *name)
{
	size_t i;

	for (i = 0; i < PARTS && strcmp(name, rows[i].name) != 0; i++)
		;
	return (enum part)i;
}

bool zh_live_has(const struct zh_live *live, const char *part)
{
	enum part i = part_of(part);

	return i < PARTS && live->parts[i].skeleton;
}

int zh_live_switch(struct zh_live *live, const char *part, bool on)
{
	enum part i = part_of(part);
	uint32_t cpu;

	if (i >= PARTS || !live->parts[i].skeleton)
		return -ENOTSUP;
	if (!on) {
		detach_part(&live->parts[i]);
		return 0;
	}
	/* A softirq whose exit was not seen would otherwise last until now. */
	for (cpu = 0; !live->parts[i].links[0] && cpu < live->n_cpus; cpu++)
		__atomic_store_n(&live->parts[i].cpus[cpu].start_ns, 0, __ATOMIC_RELAXED);
	return attach_part(&live->parts[i], i);
}

size_t zh_live_cpus(struct zh_live *live, struct zh_live_cpu *ret, size_t max)
{
	struct zh_live_percpu *cpus = live->parts[SOFTIRQ].cpus;
	size_t n = ZH_MIN(max, (size_t)live->n_cpus), cpu;

	for (cpu = 0; cpu < n; cpu++) {
		ret[cpu] = (struct zh_live_cpu){};
		if (!cpus)
			continue;
		memcpy(ret[cpu].softirq_ns, cpus[cpu].ns, sizeof(ret[cpu].softirq_ns));
		memcpy(ret[cpu].softirq_runs, cpus[cpu].runs, sizeof(ret[cpu].softirq_runs));
		ret[cpu].in_ksoftirqd_ns = cpus[cpu].ksoftirqd_ns;
		ret[cpu].softirq_longest_ns =
			__atomic_exchange_n(&cpus[cpu].longest_ns, 0, __ATOMIC_RELAXED);
	}
	return n;
}

size_t zh_live_drops(struct zh_live *live, struct zh_live_drop *ret, size_t max)
{
	const struct loaded *loaded = &live->parts[DROPS];
	struct zh_live_drop_key key, *last = NULL;
	size_t n = 0;
	int fd;

	if (!loaded->skeleton)
		return 0;
	fd = bpf_map__fd(loaded->skeleton->maps.zh_live_drops);
	while (n < max && bpf_map_get_next_key(fd, last, &key) == 0) {
		last = &key;
		if (bpf_map_lookup_elem(fd, &key, &ret[n].count))
			continue;
		ret[n].location = key.location;
		ret[n].netns = key.netns;
		ret[n].ifindex = key.ifindex;
		ret[n].reason = key.reason;
		n++;
	}
	return n;
}

static int by_packets(const void *left, const void *right)
{
	const struct zh_live_flow *a = left, *b = right;

	return a->packets > b->packets ? -1 : a->packets < b->packets;
}

/* The keys are collected first: deleting while walking would start the walk again. */
static size_t take_flows(int fd, struct zh_live_flow *all)
{
	struct zh_live_flow_key keys[256], *last = NULL;
	struct zh_live_flow_count count;
	size_t n = 0, i, batch;

	do {
		for (batch = 0; batch < ZH_ARRAY_SIZE(keys); batch++) {
			if (bpf_map_get_next_key(fd, last, &keys[batch]))
				break;
			last = &keys[batch];
		}
		for (i = 0; i < batch && n < ZH_LIVE_FLOWS; i++) {
			if (bpf_map_lookup_elem(fd, &keys[i], &count))
				continue;
			bpf_map_delete_elem(fd, &keys[i]);
			all[n] = (struct zh_live_flow){.family = keys[i].family,
				.protocol = keys[i].protocol,
				.from_port = keys[i].from_port,
				.to_port = keys[i].to_port,
				.netns = keys[i].netns,
				.ifindex = keys[i].ifindex,
				.cpu = keys[i].cpu,
				.packets = count.packets,
				.bytes = count.bytes};
			memcpy(all[n].from, keys[i].from, sizeof(all[n].from));
			memcpy(all[n].to, keys[i].to, sizeof(all[n].to));
			n++;
		}
		last = NULL;
	} while (batch == ZH_ARRAY_SIZE(keys) && n < ZH_LIVE_FLOWS);
	return n;
}

size_t zh_live_top_flows(struct zh_live *live, struct zh_live_flow *ret, size_t max)
{
	const struct loaded *loaded = &live->parts[FLOWS];
	zh_autofree struct zh_live_flow *all = calloc(ZH_LIVE_FLOWS, sizeof(*all));
	size_t n;

	if (!loaded->skeleton || !all)
		return 0;
	n = take_flows(bpf_map__fd(loaded->skeleton->maps.zh_live_flows), all);
	qsort(all, n, sizeof(*all), by_packets);
	n = ZH_MIN(n, max);
	memcpy(ret, all, n * sizeof(*all));
	return n;
}

uint64_t zh_live_lost(const struct zh_live *live)
{
	uint64_t lost = 0;
	uint32_t cpu;
	size_t i;

	for (i = 0; i < PARTS; i++)
		for (cpu = 0; live->parts[i].cpus && cpu < live->n_cpus; cpu++)
			lost += live->parts[i].cpus[cpu].lost;
	return lost;
}

static uint64_t runs_of(const struct zh_live *live, enum part part, size_t program)
{
	const struct zh_live_percpu *cpus = live->parts[part].cpus;
	uint64_t runs = 0;
	uint32_t cpu;

	for (cpu = 0; cpus && cpu < live->n_cpus; cpu++)
		runs += cpus[cpu].hook_runs[rows[part].first_counter + program];
	return runs;
}

uint64_t zh_live_runs(const struct zh_live *live, const char *part)
{
	enum part i = part_of(part);

	return i < PARTS ? runs_of(live, i, 0) + runs_of(live, i, 1) : 0;
}

/* What one run takes, as the kernel timed it so far. Returns how many runs were timed. */
static uint64_t read_timing(struct zh_live *live)
{
	struct bpf_prog_info info;
	uint64_t all = 0;
	uint32_t len;
	size_t i, k;

	for (i = 0; i < PARTS; i++)
		for (k = 0; live->parts[i].skeleton && k < PROGRAMS_MAX; k++) {
			const struct bpf_program *program =
				program_of(&live->parts[i], rows[i].programs[k]);

			memset(&info, 0, sizeof(info));
			len = sizeof(info);
			if (!program ||
				bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len) !=
					0 ||
				!info.run_cnt)
				continue;
			live->parts[i].ns_a_run[k] =
				(double)info.run_time_ns / (double)info.run_cnt;
			all += info.run_cnt;
		}
	return all;
}

uint64_t zh_live_cost_ns(struct zh_live *live)
{
	double sum = 0, mean = 0;
	size_t i, k, n = 0;

	/* The timing, which costs too, is switched off when there was enough of it. */
	if (live->stats_fd >= 0 && read_timing(live) > TIMED_RUNS)
		close(zh_take_fd(&live->stats_fd));
	for (i = 0; i < PARTS; i++)
		for (k = 0; k < PROGRAMS_MAX; k++) {
			mean += live->parts[i].ns_a_run[k];
			n += live->parts[i].ns_a_run[k] > 0;
		}
	mean = n ? mean / (double)n : 0;
	for (i = 0; i < PARTS; i++)
		for (k = 0; k < PROGRAMS_MAX && rows[i].programs[k]; k++)
			sum += (double)runs_of(live, (enum part)i, k) *
			       (live->parts[i].ns_a_run[k] > 0 ? live->parts[i].ns_a_run[k] : mean);
	return (uint64_t)sum;
}

const char *zh_live_reason(const struct zh_live *live, uint32_t reason, char *buf, size_t size)
{
	return zh_features_reason(&live->features, reason, buf, size);
}

const char *zh_live_function(const struct zh_live *live, uint64_t location)
{
	return zh_symbols_find(live->symbols, location);
}
