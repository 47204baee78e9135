/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of pods and containers from captured nodes: control group layouts of each runtime, for
 * version 1, 2 and both, and each source of names. Trees are made in a temporary directory.
 */
#include "facts/pods.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "facts/pod-cgroup.h"
#include "facts/test-pod-tree.h"

static void group_paths(void **state)
{
	static const struct {
		const char *path, *id, *uid, *runtime;
	} cases[] = {
		{"/kubepods/burstable/pod" UID_1 "/" ID_A, ID_A, UID_1, ""},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_1_
		 ".slice/cri-containerd-" ID_A ".scope",
			ID_A, UID_1, "containerd"},
		{"/kubepods.slice/kubepods-pod" HASH ".slice/crio-" ID_B ".scope", ID_B, HASH,
			"cri-o"},
		{"/kubepods.slice/kubepods-pod" UID_1_ ".slice/crio-" ID_B ".scope/container", ID_B,
			UID_1, "cri-o"},
		{"/kubepods.slice/kubepods-pod" UID_1_ ".slice/crio-conmon-" ID_B ".scope", NULL,
			"", ""},
		{"/docker/" ID_C, ID_C, "", "docker"},
		{"/system.slice/docker-" ID_C ".scope", ID_C, "", "docker"},
		{"/docker/" ID_C "/kubelet/kubepods/besteffort/pod" UID_1 "/" ID_A, ID_A, UID_1,
			""},
		{"/docker/" ID_C "/kubelet/kubepods/besteffort/pod" UID_1, NULL, "", ""},
		{"/machine.slice/libpod-" ID_A ".scope/container", ID_A, "", "podman"},
		{"/machine.slice/libpod-conmon-" ID_A ".scope", NULL, "", ""},
		{"/lxc.payload.web1/system.slice", "web1", "", "lxc"},
		{"/machine.slice/machine-db.scope", "db", "", "nspawn"},
		{"/system.slice/ssh.service", NULL, "", ""},
		{"/user.slice/docker-"
		 "abc"
		 ".scope",
			NULL, "", ""},
		{"/", NULL, "", ""},
		{"", NULL, "", ""},
	};
	struct zh_pod_group group;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		bool found = zh_pod_group_parse(&group, cases[i].path);

		if (found != (cases[i].id != NULL))
			fail_msg("%s: %s", cases[i].path, found ? group.id : "not found");
		if (!found)
			continue;
		assert_string_equal(group.id, cases[i].id);
		assert_string_equal(group.uid, cases[i].uid);
		assert_string_equal(group.runtime, cases[i].runtime);
	}
}

/* Version 2 with systemd; sandbox and container of a pod, named by kubelet's logs. */
static void containerd_node(void **state)
{
	static const char slice[] =
		"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-"
		"pod" UID_1_ ".slice/cri-containerd-";
	const struct zh_pod *pod;
	struct zh_pods pods;
	struct zh_err err = {};
	char text[400], label[200];

	(void)state;
	tree_make();
	snprintf(text, sizeof(text), "%s" ID_A ".scope\n", slice);
	tree_add_process(100, text, 500);
	snprintf(text, sizeof(text), "%s" ID_B ".scope\n", slice);
	tree_add_process(120, text, 500);
	tree_add_process(121, text, 500);
	tree_add_process(1, "0::/init.scope\n", 400);
	tree_add_file("/var/log/pods/shop_redis-0_" UID_1 "/redis/0.log", "");
	tree_add_file("/var/log/containers/redis-0_shop_redis-" ID_B ".log", "");
	assert_int_equal(zh_pods_read(&pods, &err), 0);
	assert_int_equal(pods.n, 2);
	pod = zh_pods_by_netns(&pods, 500);
	assert_non_null(pod);
	assert_string_equal(pod->container, "redis");
	assert_string_equal(pod->runtime, "containerd");
	assert_int_equal(pod->pid, 120);
	assert_string_equal(zh_pod_label(label, sizeof(label), pod), "shop/redis-0");
	assert_ptr_equal(zh_pods_find(&pods, "shop/redis-0", &err), pod);
	assert_ptr_equal(zh_pods_find(&pods, "redis-0", &err), pod);
	assert_ptr_equal(zh_pods_find(&pods, "ffb2c3", &err), pod);
	assert_null(zh_pods_find(&pods, "shop/redis-1", &err));
	assert_int_equal(err.code, -ENOENT);
	assert_non_null(strstr(err.hint, "shop/redis-0"));
	assert_null(zh_pods_by_netns(&pods, 400));
	zh_pods_done(&pods);
}

/* Version 1; the same name in two Kubernetes namespaces; names from the bundles' annotations. */
static void crio_node(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};

	(void)state;
	tree_make();
	tree_add_process(10,
		"5:cpu,cpuacct:/kubepods.slice/kubepods-pod" UID_1_ ".slice/crio-" ID_A
		".scope\n1:name=systemd:/kubepods.slice/kubepods-pod" UID_1_ ".slice/crio-" ID_A
		".scope\n",
		600);
	tree_add_process(20,
		"5:cpu,cpuacct:/kubepods.slice/kubepods-pod" HASH ".slice/crio-" ID_B ".scope\n",
		601);
	tree_add_file("/run/containers/storage/overlay-containers/" ID_A "/userdata/config.json",
		"{\"annotations\": {\"io.kubernetes.pod.name\": \"dns\", "
		"\"io.kubernetes.pod.namespace\": \"blue\", "
		"\"io.kubernetes.container.name\": \"coredns\"}}");
	tree_add_file("/run/containers/storage/overlay-containers/" ID_B "/userdata/config.json",
		"{\"annotations\": {\"io.kubernetes.pod.name\": \"dns\", "
		"\"io.kubernetes.pod.namespace\": \"green\"}}");
	assert_int_equal(zh_pods_read(&pods, &err), 0);
	assert_int_equal(pods.n, 2);
	assert_string_equal(zh_pods_by_netns(&pods, 600)->container, "coredns");
	assert_null(zh_pods_find(&pods, "dns", &err));
	assert_int_equal(err.code, -EEXIST);
	assert_int_equal(zh_pods_find(&pods, "green/dns", &err)->netns, 601);
	zh_pods_done(&pods);
}

/* Docker alone, both versions of control groups at once; and files that are damaged. */
static void docker_host(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};
	char label[200];

	(void)state;
	tree_make();
	tree_add_process(10, "3:cpuset:/docker/" ID_A "\n0::/docker/" ID_A "\n", 700);
	tree_add_process(11, "0::/system.slice/docker-" ID_B ".scope\n", 701);
	tree_add_process(12, "garbage\n::\n0::/docker/" ID_C "\n", 702);
	tree_add_file("/var/lib/docker/containers/" ID_A "/config.v2.json", "{\"Name\": \"/web\"}");
	tree_add_file("/var/lib/docker/containers/" ID_B "/config.v2.json", "{\"Name\": [1, 2");
	tree_add_file("/var/log/pods/broken", "");
	tree_add_file("/var/log/containers/also-broken.log", "");
	tree_add_file("/var/lib/cni/results/net-x-eth0", "[]");
	assert_int_equal(zh_pods_read(&pods, &err), 0);
	assert_int_equal(pods.n, 3);
	assert_string_equal(
		zh_pod_label(label, sizeof(label), zh_pods_by_netns(&pods, 700)), "web");
	assert_string_equal(
		zh_pod_label(label, sizeof(label), zh_pods_by_netns(&pods, 701)), "ffb2c3d4e5f6");
	assert_non_null(zh_pods_by_netns(&pods, 702));
	zh_pods_done(&pods);
}

/* Only CNI knows the sandbox; the container beside it shares the name by the pod's UID. */
static void cni_cache(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};

	(void)state;
	tree_make();
	tree_add_process(10, "0::/kubepods/besteffort/pod" UID_1 "/" ID_A "\n", 800);
	tree_add_process(11, "0::/kubepods/besteffort/pod" UID_1 "/" ID_B "\n", 800);
	tree_add_file("/var/lib/cni/results/cbr0-" ID_A "-eth0",
		"{\"kind\": \"cniCacheV1\", \"containerId\": \"" ID_A "\", \"ifName\": \"eth0\", "
		"\"cniArgs\": [[\"IgnoreUnknown\", \"1\"], [\"K8S_POD_NAMESPACE\", \"shop\"], "
		"[\"K8S_POD_NAME\", \"cart-7\"]]}");
	assert_int_equal(zh_pods_read(&pods, &err), 0);
	assert_int_equal(pods.n, 2);
	assert_string_equal(pods.list[0].name, "cart-7");
	assert_string_equal(pods.list[1].name, "cart-7");
	assert_string_equal(pods.list[1].namespace, "shop");
	assert_string_equal(pods.list[0].from, "CNI's cache");
	assert_int_equal(zh_pods_find(&pods, "shop/cart-7", &err)->netns, 800);
	zh_pods_done(&pods);
}

static void no_containers(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};

	(void)state;
	tree_make();
	assert_int_equal(zh_pods_read(&pods, &err), 0);
	assert_int_equal(pods.n, 0);
	assert_string_not_equal(pods.why_not, "");
	tree_add_process(1, "0::/init.scope\n", 400);
	assert_int_equal(zh_pods_read(&pods, &err), 0);
	assert_int_equal(pods.n, 0);
	assert_string_equal(pods.why_not, "");
	assert_null(zh_pods_find(&pods, "x", &err));
	assert_non_null(strstr(err.text, "no pod or container 'x'"));
	zh_pods_done(&pods);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_paths),
		cmocka_unit_test_teardown(containerd_node, tree_remove),
		cmocka_unit_test_teardown(crio_node, tree_remove),
		cmocka_unit_test_teardown(docker_host, tree_remove),
		cmocka_unit_test_teardown(cni_cache, tree_remove),
		cmocka_unit_test_teardown(no_containers, tree_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
