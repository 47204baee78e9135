/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pod or container is behind a process, a control group or a network namespace: from files
 * alone, without asking a container runtime. Works for cgroup v1, v2 and hybrid, and for the
 * layouts of containerd, CRI-O, Docker, Podman and plain runc; everything is read through
 * sys/root.h.
 *
 * Sources, best first: the control group path of a process (container id, pod UID), the directory
 * /var/log/pods (NAMESPACE_NAME_UID), the links in /var/log/containers, the annotations in the
 * runtime's bundle (config.json), CNI's cache (/var/lib/cni). A name that no source gives stays "".
 *
 * Processes are the beginning of everything, so what dead pods left in these directories names
 * nobody; only a network namespace that CNI's cache names and that still exists is listed without a
 * process (pid 0).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct zh_pod {
	char namespace[64], name[128]; /* of the pod; of Docker: "", the container's name */
	char container[128];           /* in the pod */
	char runtime[16];              /* "containerd", "cri-o", "docker", "podman", "" */
	char id[72], uid[48];          /* container id; pod UID, with '-' */
	char from[48];                 /* which source gave the name, for people */
	pid_t pid;                     /* the first process found in it; 0: none, see netns_path */
	uint64_t netns;                /* inode of its network namespace */
	bool host_network;             /* that is the machine's own */
	bool is_sandbox;               /* the pod's pause container */
	unsigned int nesting;          /* containers around it: 1 in a node that is a container */
	char netns_path[96];           /* of a namespace without a process; else "" */
};

struct zh_pods {
	struct zh_pod *list; /* by netns, then name; owned */
	size_t n;
	char why_not[160];   /* when processes could not be looked into; else "" */
	uint64_t host_netns; /* inode of the machine's own network namespace, 0: not known */
};

/* 0 (also when there are none) or a negative errno. The caller ends it with zh_pods_done(). */
int zh_pods_read(struct zh_pods *ret, struct zh_err *err);
void zh_pods_done(struct zh_pods *pods);

/*
 * Whose network namespace that is: of several containers the outermost, and one with a name before
 * the sandbox. NULL: nobody's, or the machine's own, which pods may only share. Binary search.
 */
const struct zh_pod *zh_pods_by_netns(const struct zh_pods *pods, uint64_t netns);
/*
 * "NAMESPACE/NAME", or "NAME" when it is unique; also a container's name or the start of an id of
 * at least 6 digits. NULL with err: -ENOENT or -EEXIST (several; the sentence lists them).
 */
const struct zh_pod *zh_pods_find(const struct zh_pods *pods, const char *name, struct zh_err *err);
/* Its network namespace as an fd, or a negative errno (the process may have ended). */
int zh_pod_netns_open(const struct zh_pod *pod, struct zh_err *err);
/* "NAMESPACE/NAME", or the container's name, or the first 12 digits of the id. Returns buf. */
char *zh_pod_label(char *buf, size_t size, const struct zh_pod *pod);
