/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of pods and containers from the files that kubelet, runtimes and CNI leave on a node. */
#pragma once

#include <jansson.h>

#include "facts/pods.h"

/* What the node's directories say, read once. Opaque. */
struct zh_pod_names;
struct zh_pod_names *zh_pod_names_read(void); /* NULL only when out of memory */
struct zh_pod_names *zh_pod_names_free(struct zh_pod_names *names);

/* Fills namespace, name, container, runtime and `from` of a pod whose id or uid is known, from the
 * best source that knows it; what none knows stays as it is. */
void zh_pod_names_fill(const struct zh_pod_names *names, struct zh_pod *pod);
/* Calls f for each sandbox of which CNI's cache knows the network namespace; it may be gone. */
void zh_pod_names_each_netns(const struct zh_pod_names *names,
	void (*f)(void *arg, const struct zh_pod *pod), void *arg);

/* NULL when it is missing, too large or no JSON. */
json_t *zh_pod_read_json(const char *path);
/* What is a string and not empty. */
void zh_pod_take_string(char *ret, size_t size, const json_t *value);
