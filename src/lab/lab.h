/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lab: faults with known answers, injected into namespaces and control groups of its own.
 *
 * A topology makes the namespaces; a fault changes them, or starts processes beside them, and says
 * which finding must come first. Each fault has a healthy control: the same topology, target, pace
 * and processes, with the fault's own doing left out. The parameters are drawn from ranges, so that
 * no rule can be fitted to one value.
 *
 * A fault is judged by probes from one namespace to the other, or by watching a device while a load
 * runs, as `doctor --dev` does.
 *
 * The host's settings are never changed, but for two that no namespace has of its own (global.h).
 * Nothing survives its owner: namespaces have no name and go with their last fd, children die with
 * the process that made them and end by themselves after ZH_LAB_LIFE_NS, and control groups bear
 * their owner's name for zh_lab_gc().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/util.h"
#include "probe/load/load.h"
#include "probe/probe.h"
#include "sys/cgroup.h"

#define ZH_LAB_PARAMS 4
#define ZH_LAB_CHILDREN 8
#define ZH_LAB_LIFE_NS (60 * ZH_NSEC_PER_SEC)

struct zh_lab_run;

struct zh_lab_ns {
	int netns_fd;      /* where the prober is */
	int peer_netns_fd; /* where the responder is; -1: in the same one */
	int host_netns_fd; /* what joins the two, a stand-in for the host; -1: nothing does */
};

struct lab_plan;

struct zh_topology {
	const char *id, *summary;
	const char *address;         /* numeric, where the responder answers */
	const struct lab_plan *plan; /* lab/topologies/build.h */
	int (*up)(struct zh_lab_ns *ret, struct zh_err *err);
	void (*down)(struct zh_lab_ns *ns); /* accepts a half-built one; leaves -1 behind */
};

/* One number that a run draws, uniformly, both ends included. */
struct zh_fault_param {
	const char *name; /* with its unit: "burst_ns" */
	uint64_t min, max;
};

/* How a fault is judged that shows on a device under load. */
struct zh_fault_watched {
	const char *device; /* of the host, watched */
	/* What a run's load begins as; inject() may change it. Namespaces, addresses and CPUs are
	 * filled in: from client to server, or injected at the host's device of the client. */
	struct zh_load_config load;
};

struct zh_fault {
	const char *id, *summary;
	const char *expects;        /* id of the check or cause that must come first */
	const char *const *accepts; /* other ids that are the same truth; NULL-terminated or NULL */
	const struct zh_topology *topology;
	const struct zh_fault_watched *watched; /* NULL: judged by probes to `target` */
	const char *target;                     /* NULL: inject() sets run->target */
	uint64_t gap_ns, timeout_ns;
	uint32_t count;
	bool split_writes;                           /* of the probe, for TCP */
	struct zh_fault_param params[ZH_LAB_PARAMS]; /* ends at the first without a name */
	int (*inject)(struct zh_lab_run *run, struct zh_err *err);
	/* May be NULL. Called every few ms while process `pid` measures. */
	void (*watch)(struct zh_lab_run *run, pid_t pid);
	/* May be NULL. Undoes what inject() changed in the namespaces; children and control groups
	 * are ended afterwards by zh_lab_stop(). Also called after inject() failed half-way. */
	void (*remove)(struct zh_lab_run *run);
};

extern const struct zh_topology zh_topology_lo, zh_topology_veth, zh_topology_routed,
	zh_topology_bridge, zh_topology_macvlan;
extern const struct zh_topology *const zh_topology_registry[];
extern const struct zh_fault *const zh_fault_registry[];

const struct zh_topology *zh_topology_find(const char *id);
const struct zh_fault *zh_fault_find(const char *id);
/* True when a finding with that id is the right answer to the fault. */
bool zh_fault_is_answer(const struct zh_fault *fault, const char *id);

/* One injected fault (or its control). */
struct zh_lab_run {
	const struct zh_fault *fault;
	bool control; /* everything is there, but harmless */
	struct zh_lab_ns ns;
	uint64_t seed;                 /* for what the children draw */
	uint64_t param[ZH_LAB_PARAMS]; /* drawn, in the fault's order */
	int cpu, peer_cpu;             /* of the prober and the responder; equal on one CPU */
	char target[128];
	bool split_writes, nodelay;
	struct zh_load_config load; /* of a watched fault; for inject() to complete */
	char load_from[32];
	struct zh_load *running;
	pid_t child[ZH_LAB_CHILDREN];
	size_t n_children;
	struct zh_cgroup group;
	bool has_group;
	void *state; /* the fault's own, freed by its remove() */
};

/*
 * Builds the topology, draws the parameters from `seed` and injects. On success the caller ends it
 * with zh_lab_stop(), from the same thread; on failure nothing is left. -ENOTSUP, -EPERM, -ENOENT:
 * cannot be done on this machine, for the reason in err.
 */
int zh_lab_start(const struct zh_fault *fault, bool control, uint64_t seed, struct zh_lab_run *ret,
	struct zh_err *err);
void zh_lab_stop(struct zh_lab_run *run);

/* Only the probe's settings that the fault asks for; netns fds -1 (be in ns.netns_fd). */
int zh_lab_probe_config(
	const struct zh_lab_run *run, struct zh_probe_config *ret, struct zh_err *err);

/* Removes what labs that were killed left behind (control groups, names of namespaces, a changed
 * backlog limit); returns how many things. Cheap. */
unsigned int zh_lab_gc(void);
