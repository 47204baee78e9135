/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of pods and containers from the files that kubelet, runtimes and CNI leave on a node. */
#pragma once

#include "facts/pods.h"

/* What the node's directories say, read once. Opaque. */
struct zh_pod_names;
struct zh_pod_names *zh_pod_names_read(void); /* NULL only when out of memory */
struct zh_pod_names *zh_pod_names_free(struct zh_pod_names *names);

/* Fills namespace, name, container, runtime and `from` of a pod whose id or uid is known, from the
 * best source that knows it; what none knows stays as it is. */
void zh_pod_names_fill(const struct zh_pod_names *names, struct zh_pod *pod);
