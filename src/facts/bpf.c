/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF programs on this host and where they sit: each can delay or drop a packet. How long they run
 * is counted only while kernel.bpf_stats_enabled is set (see sysctl.kernel/bpf_stats_enabled).
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/bpf-list.h"
#include "sys/root.h"

#define PROGS_MAX 512
#define LINKS_MAX 512
#define TYPES_MAX 48

struct walk {
	struct zh_fact_set *set;
	uint64_t n;
	struct {
		const char *name;
		uint64_t count;
	} types[TYPES_MAX];
	size_t n_types;
};

static void count_type(struct walk *walk, const char *type)
{
	size_t i;

	for (i = 0; i < walk->n_types; i++)
		if (!strcmp(walk->types[i].name, type))
			break;
	if (i == TYPES_MAX)
		return;
	if (i == walk->n_types)
		walk->types[walk->n_types++].name = type;
	walk->types[i].count++;
}

static void add_prog(void *arg, const struct zh_bpf_prog *prog)
{
	struct walk *walk = arg;

	walk->n++;
	count_type(walk, prog->type);
	zh_fact_string(walk->set, prog->type, "bpf.prog.%u.type", prog->id);
	zh_fact_string(walk->set, prog->name, "bpf.prog.%u.name", prog->id);
	zh_fact_number(walk->set, prog->run_time_ns, "bpf.prog.%u.run_time_ns", prog->id);
	zh_fact_number(walk->set, prog->run_cnt, "bpf.prog.%u.run_cnt", prog->id);
}

static void add_link(void *arg, const struct zh_bpf_link *link)
{
	struct walk *walk = arg;
	char device[ZH_FACTS_NAME_MAX];

	walk->n++;
	zh_fact_string(walk->set, link->type, "bpf.link.%u.type", link->id);
	zh_fact_number(walk->set, link->prog_id, "bpf.link.%u.prog_id", link->id);
	zh_fact_number(walk->set, link->attach, "bpf.link.%u.attach", link->id);
	if (link->ifindex)
		zh_fact_string(walk->set, zh_facts_device(device, link->ifindex), "bpf.link.%u.dev",
			link->id);
	if (link->cgroup_id)
		zh_fact_number(walk->set, link->cgroup_id, "bpf.link.%u.cgroup_id", link->id);
}

/* Programs on the sockets of this process's own cgroup, inherited ones included. */
static void add_cgroup(struct zh_fact_set *set)
{
	const struct zh_bpf_attach *attach;
	const char *mount = "/sys/fs/cgroup/unified";
	char text[4096], path[4400], *own, *end;
	int n = 0;

	if (zh_sys_exists("/sys/fs/cgroup/cgroup.controllers"))
		mount = "/sys/fs/cgroup";
	if (zh_sys_read(text, sizeof(text), "/proc/self/cgroup") < 0 ||
		!(own = strstr(text, "0::/"))) {
		zh_fact_unavailable(set, "this process is in no cgroup of version 2", "bpf.cgroup");
		return;
	}
	end = own + strcspn(own, "\n");
	snprintf(path, sizeof(path), "%s%.*s", mount, (int)(end - own - 3), own + 3);
	for (attach = zh_bpf_cgroup_attaches; attach->name; attach++) {
		n = zh_bpf_cgroup_count(path, attach->type);
		if (n >= 0)
			zh_fact_number(set, (uint64_t)n, "bpf.cgroup.%s.progs", attach->name);
		else if (n == -ENOENT || n == -EPERM || n == -EACCES)
			break;
		else
			zh_facts_missing(set, n, path, "bpf.cgroup.%s.progs", attach->name);
	}
	/* What refuses the first attach type refuses them all. */
	if (attach->name)
		zh_facts_missing(set, n, path, "bpf.cgroup");
}

static void collect(struct zh_fact_set *set)
{
	struct walk progs = {.set = set}, links = {.set = set};
	struct zh_err err;
	size_t i;
	int more;

	if (zh_sys_is_captured()) {
		zh_fact_unavailable(set, "captured root", "bpf.prog");
		zh_fact_unavailable(set, "captured root", "bpf.link");
		return;
	}
	if (zh_bpf_each_prog(PROGS_MAX, add_prog, &progs, &more, &err) < 0) {
		zh_fact_unavailable(set, err.text, "bpf.prog");
	} else {
		zh_fact_number(set, progs.n, "bpf.prog.count");
		for (i = 0; i < progs.n_types; i++)
			zh_fact_number(set, progs.types[i].count, "bpf.type.%s.count",
				progs.types[i].name);
		if (more)
			zh_fact_string(set, "the first 512 are listed", "truncated.bpf-progs");
	}
	if (zh_bpf_each_link(LINKS_MAX, add_link, &links, &more, &err) < 0) {
		zh_fact_unavailable(set, err.text, "bpf.link");
	} else {
		zh_fact_number(set, links.n, "bpf.link.count");
		if (more)
			zh_fact_string(set, "the first 512 are listed", "truncated.bpf-links");
	}
	add_cgroup(set);
}

static const struct zh_fact_schema schema[] = {
	{"bpf.prog.count", ZH_FACT_NUMBER, "count", "BPF programs on this host"},
	{"bpf.prog.*.type", ZH_FACT_STRING, "", "type: sched_cls, xdp, cgroup_skb, kprobe, ..."},
	{"bpf.prog.*.name", ZH_FACT_STRING, "", "name"},
	{"bpf.prog.*.run_time_ns", ZH_FACT_NUMBER, "ns", "time it ran, while that is counted"},
	{"bpf.prog.*.run_cnt", ZH_FACT_NUMBER, "count", "times it ran, while that is counted"},
	{"bpf.type.*.count", ZH_FACT_NUMBER, "count", "programs of a type"},
	{"bpf.link.count", ZH_FACT_NUMBER, "count", "BPF links on this host"},
	{"bpf.link.*.type", ZH_FACT_STRING, "",
		"what it links to: tcx, xdp, netfilter, cgroup, ..."},
	{"bpf.link.*.prog_id", ZH_FACT_NUMBER, "", "its program"},
	{"bpf.link.*.attach", ZH_FACT_NUMBER, "", "attach type, 0 without one"},
	{"bpf.link.*.dev", ZH_FACT_STRING, "", "device it sits on"},
	{"bpf.link.*.cgroup_id", ZH_FACT_NUMBER, "", "cgroup it sits on"},
	{"bpf.cgroup.*.progs", ZH_FACT_NUMBER, "count", "programs on this process's own sockets"},
	{"bpf.cgroup", ZH_FACT_UNAVAILABLE, "", "why those could not be asked for"},
	{"bpf.prog", ZH_FACT_UNAVAILABLE, "", "why the programs could not be listed"},
	{"bpf.link", ZH_FACT_UNAVAILABLE, "", "why the links could not be listed"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_bpf = {
	.id = "bpf",
	.summary = "BPF programs and where they sit",
	.schema = schema,
	.collect = collect,
};
