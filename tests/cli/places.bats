#!/usr/bin/env bats
# Bad places: each costs what it hides, says so, and nothing more.

load common

setup_file() {
	cp "$ZEROHOP" "$BATS_FILE_TMPDIR/zh"
	chmod 755 "$BATS_FILE_TMPDIR" "$BATS_FILE_TMPDIR/zh"
	[ "$(id -u)" != 0 ] || chmod 755 "$BATS_RUN_TMPDIR"
}

# measured JSON-FILE COUNT: all probes answered, and the document fits its schema.
measured() {
	validate ping "$1"
	[ "$(jq .rtt.count "$1")" -eq "$2" ]
}

missing() { # missing JSON-FILE WHAT [REASON]: WHAT is listed as not measured
	jq -e --arg what "$2" --arg why "${3:-}" \
		'.not_measured[] | select(.what == $what and (.why | contains($why)))' "$1" > /dev/null
}

# A command line for `unshare -m sh -c`, after some mounts.
in_mounts() { # in_mounts MOUNTS WORDS...
	local mounts=$1
	shift
	unshare -m sh -c "set -e; $mounts; exec '$ZEROHOP' $*"
}

@test "nobody measures ICMP targets too, and is told what could not be seen" {
	need_root
	out=$BATS_TEST_TMPDIR/out.json
	for target in 127.0.0.1 ::1 localhost ''; do
		# shellcheck disable=SC2086
		unshare -n sh -c "ip link set lo up
			echo 1 0 > /proc/sys/net/ipv4/ping_group_range
			exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
				'$BATS_FILE_TMPDIR/zh' ping -j -c 20 -i 1ms $target" > "$out"
		measured "$out" 20
		missing "$out" icmp 'probed by UDP'
		missing "$out" trace 'run as root'
		missing "$out" nft
	done
	run -3 --separate-stderr unshare -n sh -c "ip link set lo up
		exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
			'$BATS_FILE_TMPDIR/zh' ping -j icmp:127.0.0.1"
	[ -z "$output" ]
	[[ "$stderr" == *ping_group_range* ]]
}

@test "with ping_group_range nobody needs no privilege for ICMP" {
	need_root
	unshare -n sh -c "ip link set lo up
		echo 0 65534 > /proc/sys/net/ipv4/ping_group_range
		exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
			'$BATS_FILE_TMPDIR/zh' ping -j -c 20 -i 1ms icmp:127.0.0.1" > "$BATS_TEST_TMPDIR/out.json"
	measured "$BATS_TEST_TMPDIR/out.json" 20
	[ "$(jq -r .run.transport "$BATS_TEST_TMPDIR/out.json")" = icmp ]
}

@test "no BPF, no BTF, no tracefs, no nft, no /sys, no /proc" {
	need_root
	out=$BATS_TEST_TMPDIR/out.json
	words='ping -j -c 20 -i 1ms udp:127.0.0.1'
	# shellcheck disable=SC2086
	setpriv --bounding-set=-bpf,-perfmon,-sys_admin "$ZEROHOP" $words > "$out"
	measured "$out" 20
	missing "$out" trace 'CAP_BPF'
	in_mounts 'mount -t tmpfs none /sys/kernel/btf' "$words" > "$out"
	measured "$out" 20
	missing "$out" trace 'no kernel BTF'
	in_mounts 'mount -t tmpfs none /sys/kernel/tracing; mount -t tmpfs none /sys/kernel/debug' \
		"$words" > "$out"
	measured "$out" 20
	if command -v nft; then
		in_mounts "mount --bind /dev/null $(command -v nft)" "$words" > "$out"
		measured "$out" 20
		missing "$out" nft 'not installed'
	fi
	in_mounts 'mount -t tmpfs none /sys' "$words" > "$out"
	measured "$out" 20
	missing "$out" trace 'no kernel BTF'
	missing "$out" queue
	in_mounts 'mount -o remount,ro,bind /sys' "$words" > "$out"
	measured "$out" 20
	in_mounts 'mount -t tmpfs none /proc' "$words" > "$out"
	measured "$out" 20
	missing "$out" irq
}

@test "a container: its own namespaces, with lo up and down" {
	need_root
	out=$BATS_TEST_TMPDIR/out.json
	for target in 127.0.0.1 ::1 udp:127.0.0.1 tcp:127.0.0.1; do
		unshare -n -m -p -f --mount-proc sh -c \
			"ip link set lo up; exec '$ZEROHOP' ping -j -c 20 -i 1ms $target" > "$out"
		measured "$out" 20
		run -1 --separate-stderr unshare -n -m -p -f --mount-proc \
			"$ZEROHOP" ping -j -c 5 -i 1ms -W 50ms "$target"
		printf '%s' "$output" > "$out"
		measured "$out" 0
		[ "$(jq -r '.findings[0].id' "$out")" = loopback-down ]
	done
}

@test "a user namespace's root is told what that root may not" {
	need_root
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		unshare -U -r -n sh -c \
		"ip link set lo up; exec '$BATS_FILE_TMPDIR/zh' ping -j -c 20 -i 1ms"
	[[ "$stderr" != *"unshare failed"* ]] || skip "no user namespaces here"
	[ "$status" -eq 0 ]
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/out.json"
	measured "$BATS_TEST_TMPDIR/out.json" 20
	missing "$BATS_TEST_TMPDIR/out.json" trace
}

@test "another namespace: by name, by path, by process; wrong ones are named" {
	need_root
	ns=zh-cli-$$
	ip netns add "$ns"
	out=$BATS_TEST_TMPDIR/out.json
	ip netns exec "$ns" sleep 60 &
	pid=$!
	sleep 0.3
	for words in "--netns $ns" "--netns /run/netns/$ns" "--pid $pid"; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr "$ZEROHOP" $words ping -j -c 3 -i 1ms -W 50ms
		printf '%s' "$output" > "$out"
		measured "$out" 0
		[ "$(jq -r '.findings[0].id' "$out")" = loopback-down ]
	done
	kill $pid
	ip netns del "$ns"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for words in "--netns $ns" "--netns $BATS_TEST_TMPDIR/fifo" "--netns /proc/self/ns/mnt" \
		"--netns /dev/zero" "--pid $pid"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr timeout 10 "$ZEROHOP" $words ping
		[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
	done
}

# A process in a control group as Docker names them, in a namespace of its own.
start_container() { # start_container ID
	local top
	for top in /sys/fs/cgroup/pids /sys/fs/cgroup; do
		[ -w "$top/cgroup.procs" ] && break
	done
	container_group=$top/docker/$1
	mkdir -p "$container_group" 2> /dev/null || skip "no control group can be made in $top"
	unshare -n sh -c "echo \$\$ > '$container_group/cgroup.procs'; ip link set lo up
		ip addr add 10.99.0.1/32 dev lo; exec sleep 60" &
	container_pid=$!
	for _ in $(seq 50); do
		[ "$(cat "/proc/$container_pid/comm")" = sleep ] && break
		sleep 0.1
	done
}

end_container() {
	kill "$container_pid" 2> /dev/null || true
	wait "$container_pid" 2> /dev/null || true
	rmdir "$container_group" 2> /dev/null || true
	rmdir "${container_group%/*}" 2> /dev/null || true
}

@test "--pod measures in a container's namespace, found by its id" {
	need_root
	id=$(printf 'c0ffee%058d' "$$")
	start_container "$id"
	# Only there is the address an own one.
	code=0
	"$ZEROHOP" ping -j -c 10 -i 1ms --pod "${id:0:12}" 10.99.0.1 > "$BATS_TEST_TMPDIR/out.json" || code=$?
	run -2 --separate-stderr "$ZEROHOP" ping -c 1 --pod no-such-pod
	end_container
	[ "$code" -eq 0 ]
	measured "$BATS_TEST_TMPDIR/out.json" 10
	[[ "$stderr" == *"no pod or container 'no-such-pod'"*"c0ffee"* ]]
	run -2 --separate-stderr "$ZEROHOP" ping -c 1 --pod a --pid 1
}
