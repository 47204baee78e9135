/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes as runtimes lay them out, written from their documentation and sources: CRI-O's annotations
 * (cri-o pkg/annotations), containerd's (pkg/cri/annotations) and its shims' working directories
 * (runtime/v2/README.md), Docker's and Podman's files, nodes that are containers (kind), control
 * group namespaces (cgroup_namespaces(7)), pods on the machine's network, and what dead pods leave.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/util.h"
#include "facts/pods.h"
#include "facts/test-pod-tree.h"

#define SLICE "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_1_ ".slice/"
#define ID_D "dd345678dd345678dd345678dd345678dd345678dd345678dd345678dd345678"
#define BUNDLES "/run/containers/storage/overlay-containers/"

static void read_pods(struct zh_pods *pods)
{
	struct zh_err err = {};

	assert_int_equal(zh_pods_read(pods, &err), 0);
}

static void assert_label(const struct zh_pods *pods, uint64_t netns, const char *expected)
{
	const struct zh_pod *pod = zh_pods_by_netns(pods, netns);
	char label[200];

	assert_non_null(pod);
	assert_string_equal(zh_pod_label(label, sizeof(label), pod), expected);
}

/* Labels as JSON in an annotation; the sandbox is a container called POD. One has its config.json,
 * the other only runc's state. */
static void crio_labels(void **state)
{
	const struct zh_pod *pod;
	struct zh_pods pods;

	(void)state;
	tree_make();
	tree_add_process(1, "0::/init.scope\n", 1);
	tree_add_process(20, "0::" SLICE "crio-" ID_A ".scope\n", 600);
	tree_add_process(30, "0::" SLICE "crio-" ID_B ".scope/container\n", 600);
	tree_add_file(BUNDLES ID_A "/userdata/state.json",
		"{\"annotations\": {\"io.kubernetes.cri-o.ContainerType\": \"sandbox\", "
		"\"io.kubernetes.cri-o.Labels\": \"{\\\"io.kubernetes.container.name\\\":\\\"POD\\\","
		"\\\"io.kubernetes.pod.name\\\":\\\"cart-7f\\\","
		"\\\"io.kubernetes.pod.namespace\\\":\\\"shop\\\"}\"}}");
	tree_add_file(BUNDLES ID_B "/userdata/config.json",
		"{\"annotations\": {\"io.kubernetes.cri-o.Namespace\": \"shop\", "
		"\"io.kubernetes.cri-o.Labels\": \"{\\\"io.kubernetes.container.name\\\":\\\"web\\\","
		"\\\"io.kubernetes.pod.name\\\":\\\"cart-7f\\\"}\"}}");
	read_pods(&pods);
	assert_int_equal(pods.n, 2);
	pod = zh_pods_by_netns(&pods, 600);
	assert_string_equal(pod->container, "web");
	assert_string_equal(pod->namespace, "shop");
	assert_string_equal(pod->runtime, "cri-o");
	assert_false(pod->is_sandbox);
	assert_true(pods.list[1].is_sandbox);
	assert_string_equal(pods.list[1].name, "cart-7f");
	assert_string_equal(pods.list[1].container, "");
	zh_pods_done(&pods);
}

/* Seen from a container with a control group namespace of its own: paths lead up first. And
 * version 1 with version 2 beside it, where only one hierarchy names the container. */
static void group_namespaces(void **state)
{
	struct zh_pods pods;

	(void)state;
	tree_make();
	tree_add_process(20,
		"0::/../../kubepods-besteffort-pod" UID_1_ ".slice/cri-containerd-" ID_A ".scope\n",
		600);
	tree_add_process(30, "0::/../cri-containerd-" ID_B ".scope\n", 601);
	tree_add_process(40, "0::/\n", 602);
	tree_add_process(50,
		"0::/\n5:cpu,cpuacct:/\n3:pids:/kubepods/pod" UID_1 "/" ID_C "\n"
		"1:name=systemd:/system.slice/containerd.service\n",
		603);
	tree_add_process(60,
		"0::/system.slice/containerd.service/kubepods-burstable-pod" UID_1_
		".slice:cri-containerd:" ID_D "\n",
		604);
	tree_add_file("/var/log/pods/shop_cart-7f_" UID_1 "/web/0.log", "");
	read_pods(&pods);
	assert_int_equal(pods.n, 4);
	assert_label(&pods, 600, "shop/cart-7f");
	assert_label(&pods, 601, "ffb2c3d4e5f6");
	assert_null(zh_pods_by_netns(&pods, 602));
	assert_label(&pods, 603, "shop/cart-7f");
	assert_label(&pods, 604, "shop/cart-7f");
	assert_string_equal(zh_pods_by_netns(&pods, 604)->runtime, "containerd");
	zh_pods_done(&pods);
}

/* kind: the node is a Docker container with containerd inside, whose files are not the machine's
 * but those of the shim. A pod on the node's network does not own the node's namespace. */
static void nested_node(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};
	const struct zh_pod *pod;

	(void)state;
	tree_make();
	tree_add_process(1, "0::/init.scope\n", 1);
	tree_add_process(10, "0::/system.slice/docker-" ID_A ".scope/init.scope\n", 700);
	tree_add_file("/var/lib/docker/containers/" ID_A "/config.v2.json",
		"{\"Name\": \"/kind-worker\"}");
	tree_add_process(20,
		"0::/system.slice/docker-" ID_A ".scope/kubelet.slice/kubelet-kubepods"
		".slice/kubelet-kubepods-pod" UID_1_ ".slice/cri-containerd-" ID_B ".scope\n",
		701);
	tree_add_parent(20, 15);
	tree_add_file("/proc/15/" ID_B "/config.json",
		"{\"annotations\": {\"io.kubernetes.cri.container-type\": \"sandbox\", "
		"\"io.kubernetes.cri.sandbox-name\": \"cart-7f\", "
		"\"io.kubernetes.cri.sandbox-namespace\": \"shop\"}}");
	tree_add_file("/proc/15/cwd/pid", "");
	tree_add_process(30,
		"0::/system.slice/docker-" ID_A ".scope/kubelet.slice/kubelet-kubepods"
		".slice/kubelet-kubepods-pod" HASH ".slice/cri-containerd-" ID_C ".scope\n",
		700);
	tree_add_parent(30, 15);
	tree_add_file("/proc/15/" ID_C "/config.json",
		"{\"annotations\": {\"io.kubernetes.cri.sandbox-name\": \"kube-proxy-x\", "
		"\"io.kubernetes.cri.container-name\": \"proxy\", "
		"\"io.kubernetes.cri.sandbox-namespace\": \"kube-system\"}}");
	read_pods(&pods);
	assert_int_equal(pods.n, 3);
	assert_label(&pods, 700, "kind-worker");
	assert_label(&pods, 701, "shop/cart-7f");
	assert_true(zh_pods_by_netns(&pods, 701)->is_sandbox);
	assert_int_equal(zh_pods_by_netns(&pods, 701)->nesting, 1);
	pod = zh_pods_find(&pods, "kube-system/kube-proxy-x", &err);
	assert_non_null(pod);
	assert_int_equal(pod->netns, 700);
	assert_false(pod->host_network);
	zh_pods_done(&pods);
}

/* Pods on the machine's network: found by name, but the namespace is nobody's. */
static void host_network(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};
	const struct zh_pod *pod;

	(void)state;
	tree_make();
	tree_add_process(1, "0::/init.scope\n", 1);
	tree_add_process(20, "0::" SLICE "cri-containerd-" ID_A ".scope\n", 1);
	tree_add_process(30, "0::" SLICE "cri-containerd-" ID_B ".scope\n", 1);
	tree_add_file("/var/log/pods/kube-system_kube-proxy-x_" UID_1 "/kube-proxy/0.log", "");
	tree_add_file("/var/log/containers/kube-proxy-x_kube-system_kube-proxy-" ID_B ".log", "");
	read_pods(&pods);
	assert_int_equal(pods.host_netns, 1);
	assert_null(zh_pods_by_netns(&pods, 1));
	pod = zh_pods_find(&pods, "kube-system/kube-proxy-x", &err);
	assert_non_null(pod);
	assert_true(pod->host_network);
	assert_string_equal(pod->container, "kube-proxy");
	assert_int_equal(pod->pid, 30);
	zh_pods_done(&pods);
}

/* Logs, CNI results and groups of the dead name nobody; a namespace that is still there does. */
static void leftovers(void **state)
{
	static const char cni[] =
		"{\"kind\": \"cniCacheV1\", \"containerId\": \"%s\", \"ifName\": \"eth0\", "
		"\"cniArgs\": [[\"K8S_POD_NAMESPACE\", \"shop\"], [\"K8S_POD_NAME\", \"%s\"]], "
		"\"result\": {\"interfaces\": [{\"name\": \"veth12\"}, {\"name\": \"eth0\", "
		"\"sandbox\": \"/var/run/netns/%s\"}]}}";
	const struct zh_pod *pod;
	struct zh_pods pods;
	struct zh_err err = {};
	char text[600];

	(void)state;
	tree_make();
	tree_add_process(1, "0::/init.scope\n", 1);
	/* A zombie has no namespaces, and its group may be gone. */
	tree_add_file("/proc/20/cgroup", "0::" SLICE "cri-containerd-" ID_A ".scope\n");
	tree_add_process(21, "0::/kubepods/pod" UID_1 "/" ID_A " (deleted)\n", 2);
	tree_add_file("/var/log/pods/shop_old-1_" UID_1 "/web/0.log", "");
	tree_add_file("/var/log/containers/old-1_shop_web-" ID_A ".log", "");
	snprintf(text, sizeof(text), cni, ID_B, "gone-2", "cni-2");
	tree_add_file("/var/lib/cni/cache/results/net-" ID_B "-eth0", text);
	snprintf(text, sizeof(text), cni, ID_C, "kata-3", "cni-3");
	tree_add_file("/var/lib/cni/results/net-" ID_C "-eth0", text);
	tree_add_link("/var/run/netns/cni-3", "net:[803]");
	read_pods(&pods);
	assert_int_equal(pods.n, 1);
	assert_label(&pods, 803, "shop/kata-3");
	pod = zh_pods_find(&pods, "shop/kata-3", &err);
	assert_int_equal(pod->pid, 0);
	assert_string_equal(pod->netns_path, "/var/run/netns/cni-3");
	assert_null(zh_pods_find(&pods, "shop/old-1", &err));
	assert_null(zh_pods_find(&pods, "shop/gone-2", &err));
	zh_pods_done(&pods);
}

/* Docker with a data directory of its own, Podman with the rootless one: their parents lead there.
 */
static void own_directories(void **state)
{
	static const char conmon[] =
		"conmon\0-b\0/home/u/st/overlay-containers/" ID_B "/userdata\0-p\0x";
	struct zh_pods pods;

	(void)state;
	tree_make();
	tree_add_process(20, "0::/docker/" ID_A "\n", 600);
	tree_add_parent(20, 15);
	tree_add_file("/proc/15/cwd/pid", "");
	tree_add_file("/proc/15/" ID_A "/config.json",
		"{\"mounts\": [{\"destination\": \"/proc\", \"source\": \"proc\"}, "
		"{\"destination\": \"/etc/hostname\", \"source\": \"/data/docker/containers/" ID_A
		"/hostname\"}]}");
	tree_add_file("/data/docker/containers/" ID_A "/config.v2.json", "{\"Name\": \"/web\"}");
	tree_add_process(40,
		"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID_B
		".scope/container\n",
		601);
	tree_add_parent(40, 35);
	tree_add_file("/proc/35/root/home/u/st/overlay-containers/" ID_B "/userdata/config.json",
		"{\"annotations\": {\"io.container.manager\": \"libpod\"}}");
	tree_add_file("/proc/35/root/home/u/st/overlay-containers/containers.json",
		"[{\"id\": \"" ID_A "\", \"names\": [\"x\"]}, "
		"{\"id\": \"" ID_B "\", \"names\": [\"db\"]}]");
	tree_add_bytes("/proc/35/cmdline", conmon, sizeof(conmon));
	read_pods(&pods);
	assert_label(&pods, 600, "web");
	assert_label(&pods, 601, "db");
	assert_string_equal(zh_pods_by_netns(&pods, 601)->runtime, "podman");
	zh_pods_done(&pods);
}

/* Several of a name are listed; a pod's own name counts before a container's. */
static void ambiguous(void **state)
{
	struct zh_pods pods;
	struct zh_err err = {};

	(void)state;
	tree_make();
	tree_add_process(20, "0::" SLICE "cri-containerd-" ID_A ".scope\n", 600);
	tree_add_process(30, "0::" SLICE "cri-containerd-" ID_B ".scope\n", 601);
	tree_add_process(40, "0::" SLICE "cri-containerd-" ID_C ".scope\n", 602);
	tree_add_file("/var/log/containers/cart-7f_blue_web-" ID_A ".log", "");
	tree_add_file("/var/log/containers/cart-7f_green_web-" ID_B ".log", "");
	tree_add_file("/var/log/containers/web_green_main-" ID_C ".log", "");
	read_pods(&pods);
	assert_null(zh_pods_find(&pods, "cart-7f", &err));
	assert_int_equal(err.code, -EEXIST);
	assert_string_equal(err.text,
		"'cart-7f' is the name of several: blue/cart-7f (0a1b2c3d4e5f), "
		"green/cart-7f (ffb2c3d4e5f6)");
	assert_int_equal(zh_pods_find(&pods, "web", &err)->netns, 602);
	assert_int_equal(zh_pods_find(&pods, "main", &err)->netns, 602);
	assert_int_equal(zh_pods_find(&pods, "blue/cart-7f", &err)->netns, 600);
	assert_null(zh_pods_find(&pods, "", &err));
	zh_pods_done(&pods);
}

/* Every lookup of a big node finds its pod, and once read no file is needed any more. */
static void thousand_pods(void **state)
{
	enum { PODS = 1000 };
	struct timespec from, to;
	struct zh_pods pods;
	char text[300], label[200], expected[32];
	unsigned int i;

	(void)state;
	tree_make();
	tree_add_process(1, "0::/init.scope\n", 1);
	for (i = 0; i < PODS; i++) {
		snprintf(text, sizeof(text),
			"0::/kubepods/pod%08x-0000-4111-8222-333344445555/%064x\n", i, i + 1);
		tree_add_process(10 + (int)i, text, 1000 + (i * 7919) % PODS);
		snprintf(
			text, sizeof(text), "/var/log/containers/p%u_shop_web-%064x.log", i, i + 1);
		tree_add_file(text, "");
	}
	read_pods(&pods);
	tree_remove(NULL);
	assert_int_equal(pods.n, PODS);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < PODS; i++) {
		const struct zh_pod *pod = zh_pods_by_netns(&pods, 1000 + (i * 7919) % PODS);

		assert_non_null(pod);
		snprintf(expected, sizeof(expected), "shop/p%u", i);
		assert_string_equal(zh_pod_label(label, sizeof(label), pod), expected);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	print_message("# %u lookups took %ld us\n", PODS,
		(to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
	assert_null(zh_pods_by_netns(&pods, 999));
	assert_null(zh_pods_by_netns(&pods, 1000 + PODS));
	zh_pods_done(&pods);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(crio_labels, tree_remove),
		cmocka_unit_test_teardown(group_namespaces, tree_remove),
		cmocka_unit_test_teardown(nested_node, tree_remove),
		cmocka_unit_test_teardown(host_network, tree_remove),
		cmocka_unit_test_teardown(leftovers, tree_remove),
		cmocka_unit_test_teardown(own_directories, tree_remove),
		cmocka_unit_test_teardown(ambiguous, tree_remove),
		cmocka_unit_test_teardown(thousand_pods, tree_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
