/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/pods.h"

#include "facts/facts.h"
#include "facts/read.h"

#define LISTED_MAX 256

static void collect(struct zh_fact_set *set)
{
	struct zh_pods pods;
	struct zh_err err;
	size_t i;

	if (zh_pods_read(&pods, &err) < 0) {
		zh_fact_unavailable(set, err.text, "pod");
		return;
	}
	if (pods.why_not[0])
		zh_fact_unavailable(set, pods.why_not, "pod");
	for (i = 0; i < pods.n && i < LISTED_MAX; i++) {
		const struct zh_pod *pod = &pods.list[i];

		zh_fact_string(set, pod->namespace, "pod.%zu.namespace", i);
		zh_fact_string(set, pod->name, "pod.%zu.name", i);
		zh_fact_string(set, pod->container, "pod.%zu.container", i);
		zh_fact_string(set, pod->runtime, "pod.%zu.runtime", i);
		zh_fact_string(set, pod->id, "pod.%zu.id", i);
		zh_fact_number(set, (uint64_t)pod->pid, "pod.%zu.pid", i);
		zh_fact_number(set, pod->netns, "pod.%zu.netns", i);
		zh_fact_number(set, pod->host_network, "pod.%zu.host_network", i);
		zh_fact_number(set, pod->is_sandbox, "pod.%zu.sandbox", i);
	}
	zh_fact_number(set, pods.n, "pod.count");
	if (pods.n > LISTED_MAX)
		zh_facts_truncated(set, "pod", LISTED_MAX, pods.n, "containers");
	zh_pods_done(&pods);
}

static const struct zh_fact_schema schema[] = {
	{"pod.count", ZH_FACT_NUMBER, "count", "containers with a process"},
	{"pod.*.namespace", ZH_FACT_STRING, "", "Kubernetes namespace of its pod"},
	{"pod.*.name", ZH_FACT_STRING, "", "its pod's name, or the container's own"},
	{"pod.*.container", ZH_FACT_STRING, "", "its name in the pod; empty: the pod's sandbox"},
	{"pod.*.runtime", ZH_FACT_STRING, "", "containerd, cri-o, docker, podman, lxc, nspawn"},
	{"pod.*.id", ZH_FACT_STRING, "", "container id"},
	{"pod.*.pid", ZH_FACT_NUMBER, "", "its first process; 0: only its network is left"},
	{"pod.*.netns", ZH_FACT_NUMBER, "", "inode of its network namespace"},
	{"pod.*.host_network", ZH_FACT_NUMBER, "", "1: that is the machine's own"},
	{"pod.*.sandbox", ZH_FACT_NUMBER, "", "1: it only holds the pod's namespaces"},
	{"pod", ZH_FACT_UNAVAILABLE, "", "why containers could not be looked for"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_pods = {
	.id = "pods",
	.summary = "containers, their pods and network namespaces",
	.schema = schema,
	.collect = collect,
};
