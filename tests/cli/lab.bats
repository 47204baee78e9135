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
	for arguments in "up nonesuch" "up veth --name toolong" "up veth --name A" "up" "down x y" \
		"down nox" "up lo --seed 3" "list --name x"; do
		run --separate-stderr "$ZEROHOP" lab $arguments
		[ "$status" = 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
}
