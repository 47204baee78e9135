#!/usr/bin/env bats
# Labs with a name: they can be looked into, and nothing of them outlives `down`, or their keeper.

load common

name() { # a name of this test's own, of three characters
	printf '%03d' $((($$ + BATS_TEST_NUMBER * 7) % 1000))
}

names() { # what still bears the lab's name
	ls /run/netns /run/zerohop 2>/dev/null | grep -E "^$1-|^lab\.$1\$"
}

no_names() {
	for _ in $(seq 40); do
		names "$1" > /dev/null || return 0
		sleep 0.1
	done
	names "$1"
	return 1
}

teardown() {
	[ "$(id -u)" = 0 ] && "$ZEROHOP" lab down "$(name)" 2>/dev/null
	true
}

@test "a lab stays up, has names, and is gone when it is down" {
	need_root
	n=$(name)
	"$ZEROHOP" lab up routed --name "$n" -j > "$BATS_TEST_TMPDIR/up.json"
	validate lab "$BATS_TEST_TMPDIR/up.json"
	[ "$(jq -r '.namespaces | join(" ")' "$BATS_TEST_TMPDIR/up.json")" = "$n-client $n-server $n-host" ]
	jq -e --arg d "$n-server-host" '.devices | any(.device == $d)' "$BATS_TEST_TMPDIR/up.json"
	"$ZEROHOP" --netns "$n-host" ping -c 3 -i 5ms 127.0.0.1 > /dev/null
	"$ZEROHOP" lab list -j > "$BATS_TEST_TMPDIR/list.json"
	validate lab "$BATS_TEST_TMPDIR/list.json"
	jq -e --arg n "$n" '.up | any(.name == $n and .topology == "routed")' "$BATS_TEST_TMPDIR/list.json"
	run "$ZEROHOP" lab up veth --name "$n"
	[ "$status" = 2 ]
	[[ "$output" == *"is up already"* ]]
	"$ZEROHOP" lab down "$n"
	no_names "$n"
	run "$ZEROHOP" lab down "$n"
	[ "$status" = 2 ]
}

@test "its output can be captured: the keeper holds no file of its maker's" {
	need_root
	out=$(timeout 10 "$ZEROHOP" lab up veth --name "$(name)" 2>&1)
	[[ "$out" == *"is up"* ]]
	"$ZEROHOP" lab down "$(name)"
}

@test "a killed keeper leaves nothing; nor do keeper and guard killed at once, after gc" {
	need_root
	n=$(name)
	keeper=$("$ZEROHOP" lab up bridge --name "$n" -j | jq .keeper_pid)
	kill -9 "$keeper"
	no_names "$n"
	keeper=$("$ZEROHOP" lab up bridge --name "$n" -j | jq .keeper_pid)
	guard=$(pgrep -P "$keeper")
	kill -9 "$guard" "$keeper"
	sleep 0.2
	"$ZEROHOP" lab gc
	no_names "$n"
	keeper=$("$ZEROHOP" lab up bridge --name "$n" -j | jq .keeper_pid)
	kill -9 "$(pgrep -P "$keeper")" # without its guard it ends by itself
	no_names "$n"
}

@test "every topology can be up" {
	need_root
	for topology in $("$ZEROHOP" lab list -j | jq -r '.topologies[].id'); do
		"$ZEROHOP" lab up "$topology" --name "$(name)" -j > "$BATS_TEST_TMPDIR/up.json"
		validate lab "$BATS_TEST_TMPDIR/up.json"
		"$ZEROHOP" lab down "$(name)"
	done
	no_names "$(name)"
}

@test "names and topologies that cannot be are refused in one line" {
	need_root
	for arguments in "up veth --steer 0" "up nonesuch" "up veth --name toolong" "up veth --name A" "up" "down x y" \
		"down nox" "up lo --seed 3" "list --name x"; do
		run --separate-stderr "$ZEROHOP" lab $arguments
		[ "$status" = 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
}

@test "a load in a lab: counts add up, and it ends with the lab" {
	need_root
	n=$(name)
	"$ZEROHOP" lab up routed --name "$n" > /dev/null
	"$ZEROHOP" lab load --lab "$n" --rate 5000 --flows 7 -d 500ms -j > "$BATS_TEST_TMPDIR/load.json"
	validate lab "$BATS_TEST_TMPDIR/load.json"
	jq -e '.load.sent > 0 and .load.received + .load.lost == .load.sent and .requests.sent == 50' \
		"$BATS_TEST_TMPDIR/load.json"
	jq -e '.unattributed >= -8 and .unattributed <= .requests.sent - .requests.answered' \
		"$BATS_TEST_TMPDIR/load.json"
	for protocol in tcp unix; do
		"$ZEROHOP" lab load --lab "$n" --protocol $protocol --size 4k -d 300ms -j > "$BATS_TEST_TMPDIR/load.json"
		validate lab "$BATS_TEST_TMPDIR/load.json"
		jq -e '.load.unit == "bytes" and .load.received == .load.sent' "$BATS_TEST_TMPDIR/load.json"
	done
	"$ZEROHOP" lab load --netns "$n-client" --peer-netns "$n-server" --to 10.77.2.2 \
		--rate 0 --requests 200 -d 200ms -j > "$BATS_TEST_TMPDIR/load.json"
	validate lab "$BATS_TEST_TMPDIR/load.json"
	jq -e '.requests.sent == 40' "$BATS_TEST_TMPDIR/load.json"
	"$ZEROHOP" lab load --lab "$n" --rate 1000 -d 60s > "$BATS_TEST_TMPDIR/out" &
	sleep 0.5
	"$ZEROHOP" lab down "$n"
	wait $!
	grep "went down" "$BATS_TEST_TMPDIR/out"
	nothing_left
}

@test "a load never leaves" {
	need_root
	n=$(name)
	"$ZEROHOP" lab up veth --name "$n" > /dev/null
	for arguments in "--to 192.0.2.1" "--netns $n-client --to 10.77.0.2" \
		"--peer-netns $n-server --to 10.77.0.2"; do
		run "$ZEROHOP" lab load $arguments -d 100ms
		[ "$status" = 2 ]
		[[ "$output" == *"leave"* || "$output" == *"not of one lab"* ]]
	done
	for arguments in "--lab $n --to 10.77.0.2" "--lab nox" "--rate fast" "--rate 0 --requests 0" \
		"--cpu 0-1" "--flows 0" "--protocol sctp"; do
		run --separate-stderr "$ZEROHOP" lab load $arguments
		[ "$status" = 2 ]
		[ -n "$stderr" ]
	done
	"$ZEROHOP" lab load --netns "$n-server" --to 10.77.0.2 --rate 100 -d 100ms > /dev/null
}

@test "a killed load leaves nothing" {
	need_root
	"$ZEROHOP" lab load --rate 1000 -d 60s > /dev/null &
	sleep 0.5
	kill -9 $!
	wait $! || true
	nothing_left
}

@test "a scenario stopped by Ctrl-C gives what it has, and leaves nothing" {
	need_root
	[ "$(nproc)" -gt 1 ] || skip "one CPU only"
	limit=$(cat /proc/sys/net/core/netdev_max_backlog 2>/dev/null) || skip "no backlog limit here"
	"$ZEROHOP" lab run microburst -j > "$BATS_TEST_TMPDIR/run.json" &
	sleep 2
	kill -INT $!
	wait $!
	validate lab "$BATS_TEST_TMPDIR/run.json"
	jq -e .interrupted "$BATS_TEST_TMPDIR/run.json"
	[ "$(cat /proc/sys/net/core/netdev_max_backlog)" = "$limit" ]
	nothing_left
}

@test "one CPU is not enough for a scenario, and it says so" {
	need_root
	run taskset -c 0 "$ZEROHOP" lab run microburst
	[ "$status" = 3 ]
	[[ "$output" == *"two CPUs"* ]]
	run "$ZEROHOP" lab run nonesuch
	[ "$status" = 2 ]
	[[ "$output" == *"hot-rx-cpu"* ]]
}

@test "without BPF a load is sent by sockets, counted by counters, and says what is missing" {
	need_root
	command -v strace > /dev/null || skip "strace is not installed"
	n=$(name)
	"$ZEROHOP" lab up routed --name "$n" > /dev/null
	strace -f -o /dev/null -e trace=bpf -e inject=bpf:error=EPERM \
		"$ZEROHOP" lab load --lab "$n" -d 300ms -j > "$BATS_TEST_TMPDIR/load.json"
	validate lab "$BATS_TEST_TMPDIR/load.json"
	jq -e '.load.engine == "sendmmsg" and .load.why_not_xdp != null and .load.received > 0' \
		"$BATS_TEST_TMPDIR/load.json"
	jq -e '(.not_measured | contains("counters")) and .softirq_share == []' "$BATS_TEST_TMPDIR/load.json"
	"$ZEROHOP" lab down "$n"
	nothing_left
}
