#!/usr/bin/env bats
# Pods that a real containerd, runc and CNI plugins make: their names, and the devices that lead to
# them. Runs inside the namespaces that containerd.sh makes.

bats_require_minimum_version 1.5.0
load ../cli/common

ID_PTP=$(printf 'a1%062d' 1)
ID_BRIDGE=$(printf 'b2%062d' 2)
ID_HOST=$(printf 'c3%062d' 3)
export CONTAINERD_ADDRESS=/run/containerd/containerd.sock

# Directories of the machine are hidden by our own; nothing of it is written.
make_node() {
	mount --make-rprivate /
	mkdir "$ZH_NODE_DIR/etc"
	mount -t tmpfs none "$ZH_NODE_DIR/etc"
	cp -a /etc/. "$ZH_NODE_DIR/etc"
	mount --move "$ZH_NODE_DIR/etc" /etc
	mkdir "$ZH_NODE_DIR/cni"
	mount --bind "$CNI_BIN" "$ZH_NODE_DIR/cni"
	for dir in /run /var/lib /var/log /opt; do
		mount -t tmpfs none $dir
	done
	mkdir -p /opt/cni/bin /etc/cni/net.d /etc/containerd
	rm -f /etc/cni/net.d/*
	mount --bind "$ZH_NODE_DIR/cni" /opt/cni/bin
	ip link set lo up
	cat > "$ZH_NODE_DIR/config.toml" <<-'TOML'
		version = 2
		disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt",
			"io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
			"io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper",
			"io.containerd.snapshotter.v1.overlayfs"]
	TOML
	containerd -c "$ZH_NODE_DIR/config.toml" > "$ZH_NODE_DIR/log" 2>&1 3>&- 4>&- 5>&- 6>&- &
	echo $! > "$ZH_NODE_DIR/containerd.pid"
	for _ in $(seq 100); do
		ctr version > /dev/null 2>&1 && return
		sleep 0.1
	done
	echo "containerd does not answer: $(tail -1 "$ZH_NODE_DIR/log")"
	return 1
}

# run_pod NAMESPACE ID UID POD CONTAINER WORDS...: as kubelet and containerd's CRI would have it.
run_pod() {
	local namespace=$1 id=$2 uid=$3 pod=$4 container=$5
	shift 5
	jq --arg root "$ZH_NODE_DIR/rootfs" --arg pod "$pod" --arg container "$container" \
		--arg group "/$ZH_NODE_GROUP/kubepods/burstable/pod$uid/$id" \
		'.process.args = ["/pause"] | .process.terminal = false | .root.path = $root
		| .linux.cgroupsPath = $group
		| .mounts |= map(select(.destination != "/sys/fs/cgroup"))
		| .annotations = {"io.kubernetes.cri.container-type": "container",
			"io.kubernetes.cri.sandbox-name": $pod,
			"io.kubernetes.cri.sandbox-namespace": "shop",
			"io.kubernetes.cri.container-name": $container}' \
		"$ZH_NODE_DIR/config.json" > "$ZH_NODE_DIR/spec.json"
	if [ "${1:-}" = host ]; then
		jq '.linux.namespaces |= map(select(.type != "network"))
			| .mounts |= map(select(.type != "sysfs"))' "$ZH_NODE_DIR/spec.json" \
			> "$ZH_NODE_DIR/host.json"
		mv "$ZH_NODE_DIR/host.json" "$ZH_NODE_DIR/spec.json"
		shift
	fi
	ctr -n "$namespace" run -d --null-io "$@" --config "$ZH_NODE_DIR/spec.json" "$id" 3>&- 4>&- 5>&- 6>&-
}

network() { # network JSON-OF-THE-PLUGIN SUBNET
	jq -n --argjson plugin "$1" --arg subnet "$2" '{cniVersion: "1.0.0", name: "zh-net",
		plugins: [$plugin + {ipMasq: false, ipam: {type: "host-local", subnet: $subnet,
			routes: [{dst: "0.0.0.0/0"}]}}]}' > /etc/cni/net.d/10-zh.conflist
}

setup_file() {
	make_node || { echo "containerd does not start here" > "$ZH_NODE_DIR/skip"; return 0; }
	mkdir "$ZH_NODE_DIR/rootfs"
	cp "$PAUSE" "$ZH_NODE_DIR/rootfs/pause"
	(cd "$ZH_NODE_DIR" && runc spec)
	network '{"type": "ptp"}' 10.88.3.0/24
	run_pod k8s.io "$ID_PTP" 6a0f1c2d-0000-4111-8222-000000000001 cart-7f web --cni \
		2> "$ZH_NODE_DIR/skip" || return 0
	: > "$ZH_NODE_DIR/skip"
	network '{"type": "bridge", "bridge": "cni0", "isGateway": true}' 10.88.4.0/24
	# In a namespace of containerd where only its shim shows the way to its files.
	run_pod zh "$ID_BRIDGE" 6a0f1c2d-0000-4111-8222-000000000002 db-0 redis --cni
	run_pod k8s.io "$ID_HOST" 6a0f1c2d-0000-4111-8222-000000000003 proxy-x proxy host
}

# Bats waits for its children; what they leave ends with the node.
teardown_file() {
	local namespace
	for namespace in k8s.io zh; do
		ctr -n $namespace task ls -q | xargs -r -n 1 ctr -n $namespace task rm -f
	done
	kill "$(cat "$ZH_NODE_DIR/containerd.pid")"
}

setup() {
	: > "$BATS_TEST_TMPDIR/.start"
	[ ! -s "$ZH_NODE_DIR/skip" ] || skip "no container can be run: $(tail -1 "$ZH_NODE_DIR/skip")"
	out=$BATS_TEST_TMPDIR/out.json
}

pid_of() { # pid_of NAMESPACE ID
	ctr -n "$1" task ls | awk -v id="$2" '$1 == id {print $2}'
}

# The device here whose other end is the container's eth0, by its number: iproute2's view.
host_end() { # host_end NAMESPACE ID
	local number
	number=$(nsenter -t "$(pid_of "$1" "$2")" -n ip -j link show eth0 | jq '.[0].link_index')
	ip -j link | jq -r ".[] | select(.ifindex == $number) | .ifname"
}

# Runs doctor, which may or may not find something, and validates what it says.
doctor() {
	local code=0
	"$ZEROHOP" doctor --quick -j "$@" > "$out" || code=$?
	[ "$code" -eq 0 ] || [ "$code" -eq 1 ] || [ "$code" -eq 3 ]
	validate doctor "$out"
}

@test "a ptp pod: its device, and the machine's end of the veth" {
	doctor --pod shop/cart-7f
	jq -e --arg host "$(host_end k8s.io "$ID_PTP")" '
		{name: $host, place: "the host", pod: null, container: null} as $side |
		.device == {name: "eth0", place: "pod shop/cart-7f", pod: "shop/cart-7f",
			container: "web", kind: "veth", why: "it is the only device but lo",
			peer: $side, host: $side, bridge: null}' "$out"
}

@test "the same by process and by the container's name" {
	for place in "--pid $(pid_of k8s.io "$ID_PTP")" "--pod web"; do
		# shellcheck disable=SC2086
		doctor $place --dev eth0
		[ "$(jq -r .device.pod "$out")" = shop/cart-7f ]
		[ "$(jq -r .device.host.name "$out")" = "$(host_end k8s.io "$ID_PTP")" ]
	done
}

@test "a bridge pod, seen from the veth here: peer, pod, bridge" {
	veth=$(host_end zh "$ID_BRIDGE")
	doctor --dev "$veth"
	[ "$(jq -r .device.name "$out")" = "$veth" ]
	[ "$(jq -r .device.bridge "$out")" = cni0 ]
	[ "$(jq -c .device.peer "$out")" = \
		'{"name":"eth0","place":"pod shop/db-0","pod":"shop/db-0","container":"redis"}' ]
	run --separate-stderr "$ZEROHOP" doctor --quick --dev "$veth"
	[[ "$output" == *"other end"*"eth0 in pod shop/db-0 (redis)"* ]]
}

@test "a path to a pod, and one out of it, name the pod" {
	"$ZEROHOP" path -j 10.88.4.2 > "$out" || [ $? -eq 1 ]
	validate path "$out"
	jq -e '[.. | .place? | strings] | index("pod shop/db-0")' "$out"
	"$ZEROHOP" path -j --pod shop/cart-7f 10.88.3.1 > "$out" || [ $? -eq 1 ]
	validate path "$out"
	jq -e '[.. | .place? | strings] | index("pod shop/cart-7f")' "$out"
	jq -e '[.. | .place? | strings] | index("the host")' "$out"
}

@test "top names the pods behind the devices" {
	"$ZEROHOP" top --help > /dev/null || skip "there is no top"
	"$ZEROHOP" top -j --once > "$out" || [ $? -eq 1 ]
	jq -e --arg veth "$(host_end k8s.io "$ID_PTP")" '.devices[]
		| select(.dev == $veth) | .. | strings | select(. == "pod shop/cart-7f")' "$out"
}

refused() { # refused STATUS PATTERN WORDS...
	local status_wanted=$1 pattern=$2
	shift 2
	run --separate-stderr "$ZEROHOP" doctor --quick "$@"
	[ "$status" -eq "$status_wanted" ]
	[ -z "$output" ]
	# shellcheck disable=SC2053
	[[ "${stderr_lines[0]}" == $pattern ]]
}

@test "what cannot be watched is one clear line" {
	refused 2 "*no pod or container 'shop/none' runs here*" --pod shop/none
	refused 2 "*pod shop/proxy-x uses the machine's own network*" --pod shop/proxy-x
	refused 2 "*no device 'none0' in this network namespace*" --dev none0
	refused 2 "*there is no process*" --pid 4194303
	run -0 "$ZEROHOP" ping -c 2 -i 1ms --pod shop/proxy-x
	run -0 "$ZEROHOP" ping -c 2 -i 1ms --pod "${ID_PTP:0:12}" 10.88.3.2
}

# ends_with STATUS PATTERN: of the run in the background.
ends_with() {
	local code=0
	wait "$run_pid" || code=$?
	[ "$code" -eq "$1" ]
	[ ! -s "$BATS_TEST_TMPDIR/text" ]
	grep -q "$2" "$BATS_TEST_TMPDIR/error"
}

start_doctor() {
	"$ZEROHOP" doctor "$@" > "$BATS_TEST_TMPDIR/text" 2> "$BATS_TEST_TMPDIR/error" 3>&- &
	run_pid=$!
	sleep 2
}

@test "a device that vanishes, a pod that ends: status 3" {
	start_doctor --pod shop/db-0 --dev eth0
	kill -9 "$(pid_of zh "$ID_BRIDGE")"
	ends_with 3 'pod shop/db-0 ended while it was watched'
	veth=$(host_end k8s.io "$ID_PTP")
	start_doctor --dev "$veth"
	ip link del "$veth"
	ends_with 3 "device '$veth' (this namespace) vanished"
}
