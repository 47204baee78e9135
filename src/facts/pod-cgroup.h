/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which container a control group belongs to, from its path alone. Container managers put the
 * container's id, and Kubernetes the pod's UID, into the names of the groups.
 */
#pragma once

#include <stdbool.h>

struct zh_pod_group {
	char id[72];      /* container id (64 hexadecimal digits), or a name where there is no id */
	char uid[48];     /* pod UID with '-'; "" outside Kubernetes */
	char runtime[16]; /* "" when the path does not tell */
	unsigned int nesting; /* containers around it */
	bool is_name;         /* id is a name that people gave: LXC, systemd-nspawn */
};

/* "/kubepods.slice/.../cri-containerd-<id>.scope". False when it is no container's (of the helper
 * processes beside containers neither). */
bool zh_pod_group_parse(struct zh_pod_group *ret, const char *path);
