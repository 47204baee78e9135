#!/usr/bin/env bats
# The main job, end to end.

load common

@test "doctor gives a verdict with every key of the contract" {
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr timeout 100 "$ZEROHOP" doctor --quick -j -o run.zhr
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	printf '%s' "$output" > doctor.json
	validate doctor doctor.json
	[ "$(jq '.sweep | length' doctor.json)" -ge 3 ]
	[ "$(jq .rtt.count doctor.json)" -gt 100 ]
	"$ZEROHOP" report -j run.zhr > report.json || [ $? -eq 1 ]
	[ "$(jq -S '.verdict, .findings' doctor.json)" = "$(jq -S '.verdict, .findings' report.json)" ]
}

@test "two doctors at once both finish and leave nothing behind" {
	need_root
	"$ZEROHOP" doctor --quick -j > "$BATS_TEST_TMPDIR/a.json" &
	first=$!
	"$ZEROHOP" doctor --quick -j > "$BATS_TEST_TMPDIR/b.json" || [ $? -le 1 ]
	wait $first || [ $? -le 1 ]
	validate doctor "$BATS_TEST_TMPDIR/a.json"
	validate doctor "$BATS_TEST_TMPDIR/b.json"
	nothing_left
}

@test "a captured machine's facts are not mixed with this one's" {
	run --separate-stderr env ZH_SYSROOT="$FIXTURES/empty" "$ZEROHOP" ping -j -c 5 -i 1ms udp:127.0.0.1
	[ "$status" -eq 0 ]
}

@test "read-only /sys and no tracefs cost only what they show" {
	need_root
	unshare -m sh -c "mount -t tmpfs none /sys && '$ZEROHOP' ping -j -c 20 -i 1ms udp:127.0.0.1" \
		> "$BATS_TEST_TMPDIR/nosys.json"
	[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/nosys.json")" -eq 20 ]
	[ "$(jq '.not_measured | length' "$BATS_TEST_TMPDIR/nosys.json")" -gt 0 ]
}

@test "--prove compares both arms of the experiment" {
	run --separate-stderr timeout 100 "$ZEROHOP" doctor --quick --prove -j udp:127.0.0.1
	[ "$status" -ne 2 ]
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/prove.json"
	validate doctor "$BATS_TEST_TMPDIR/prove.json"
	[ "$(jq ".experiment | .plain.count + .plain.lost" "$BATS_TEST_TMPDIR/prove.json")" -ge 800 ]
	[ "$(jq ".experiment | .changed.count + .changed.lost" "$BATS_TEST_TMPDIR/prove.json")" -ge 800 ]
}

# In a namespace of its own with two pairs of devices; of three that are up the default route picks.
@test "a namespace of several devices: which is watched, why, and what it leads to" {
	need_root
	out=$BATS_TEST_TMPDIR/out.json
	run --separate-stderr unshare -n sh -c "ip link set lo up
		ip link add va type veth peer name vb && ip link add vc type veth peer name vd
		for dev in va vb vd; do ip link set \$dev up; done
		ip addr add 10.1.1.1/24 dev vb && ip route add default via 10.1.1.2
		exec '$ZEROHOP' doctor --quick -j --netns /proc/self/ns/net"
	[ "$status" -le 1 ] || [ "$status" -eq 3 ]
	printf '%s' "$output" > "$out"
	validate doctor "$out"
	jq -e '.device | .name == "vb" and .peer.name == "va" and .peer.place == .place and .pod == null
		and .why == "of vb, va, vd the default route leads over it"' "$out"
}

@test "no such device, process or pod: one line, status 2; one that vanishes: status 3" {
	need_root
	for words in "--dev none0" "--pid 4194303" "--pod none/none" "--netns none"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr unshare -n "$ZEROHOP" doctor --quick $words
		[ -z "$output" ]
		[ "$(printf '%s\n' "$stderr" | grep -c '^zerohop: ')" -eq 1 ]
	done
	run -3 --separate-stderr unshare -n sh -c "ip link set lo up
		ip link add va type veth peer name vb && ip link set va up && ip link set vb up
		(sleep 1.5; ip link del va) &
		exec '$ZEROHOP' doctor --dev va"
	[ -z "$output" ]
	[[ "$stderr" == *"device 'va' (this namespace) vanished while it was watched"* ]]
}

# The child is in a namespace without a name, kept by one process.
@test "a macvlan's parent is the machine's side of it" {
	need_root
	out=$BATS_TEST_TMPDIR/out.json
	run --separate-stderr unshare -n sh -c "ip link set lo up
		ip link add va type veth peer name vb && ip link set va up && ip link set vb up
		ip link add br0 type bridge && ip link set va master br0
		unshare -n sleep 60 & pid=\$!
		sleep 0.5
		ip link add mv0 link vb type macvlan mode bridge || { kill \$pid; exit 77; }
		ip link set mv0 netns \$pid && nsenter -t \$pid -n ip link set mv0 up
		'$ZEROHOP' doctor --quick -j --dev mv0 --pid \$pid; code=\$?
		kill \$pid
		exit \$code"
	[ "$status" -ne 77 ] || skip "no macvlan here"
	[ "$status" -le 1 ] || [ "$status" -eq 3 ]
	printf '%s' "$output" > "$out"
	validate doctor "$out"
	jq -e '.device | .name == "mv0" and .kind == "macvlan" and .host.name == "vb"
		and (has("peer") | not)' "$out"
}

@test "who may not look at other processes' namespaces is told so, and not that there is no pod" {
	need_root
	cp "$ZEROHOP" "$BATS_TEST_TMPDIR/zh"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/zh" \
		"${BATS_TEST_TMPDIR%/*}"
	group=/sys/fs/cgroup/pids/docker/$(printf 'c0ffee%058d' "$$")
	mkdir -p "$group" 2> /dev/null || group=/sys/fs/cgroup/docker/${group##*/}
	mkdir -p "$group" || skip "no control group can be made"
	sh -c "echo \$\$ > '$group/cgroup.procs'; exec sleep 60" &
	pid=$!
	sleep 0.3
	run --separate-stderr as_nobody "$BATS_TEST_TMPDIR/zh" doctor --quick --pod c0ffee
	kill $pid
	wait $pid || true
	rmdir "$group" "${group%/*}" || true
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"run as root"* ]]
}
