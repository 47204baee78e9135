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
 */
#pragma once

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
	pid_t pid;                     /* the first process found in it */
	uint64_t netns;                /* inode of its network namespace */
};

struct zh_pods {
	struct zh_pod *list; /* by netns, then name; owned */
	size_t n;
	char why_not[160]; /* when processes could not be looked into; else "" */
};

/* 0 (also when there are none) or a negative errno. The caller ends it with zh_pods_done(). */
int zh_pods_read(struct zh_pods *ret, struct zh_err *err);
void zh_pods_done(struct zh_pods *pods);

/* The first container in that network namespace, or NULL. */
const struct zh_pod *zh_pods_by_netns(const struct zh_pods *pods, uint64_t netns);
/*
 * "NAMESPACE/NAME", or "NAME" when it is unique; also a container's name or the start of an id of
 * at least 6 digits. NULL with err: -ENOENT (lists what there is) or -EEXIST (ambiguous).
 */
const struct zh_pod *zh_pods_find(const struct zh_pods *pods, const char *name, struct zh_err *err);
/* "NAMESPACE/NAME", or the container's name, or the first 12 digits of the id. Returns buf. */
char *zh_pod_label(char *buf, size_t size, const struct zh_pod *pod);
