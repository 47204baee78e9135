#!/usr/bin/env bats
# trial: randomised experiments that leave nothing behind.

load common

setup() {
	: > "$BATS_TEST_TMPDIR/.start"
	out=$BATS_TEST_TMPDIR/out.json
}

trial() { # trial STATUS-PATTERN WORDS...: JSON into $out, checked against the schema
	local want=$1
	shift
	run --separate-stderr timeout 120 "$ZEROHOP" trial -j "$@"
	printf '%s' "$output" > "$out"
	[[ $status =~ ^($want)$ ]] || { printf '%s\n' "$status" "$stderr" "$output" >&2; return 1; }
	validate trial "$out"
}

has() {
	jq -e "$1" "$out" > /dev/null || { jq . "$out" >&2; return 1; }
}

refused() { # refused TEXT WORDS...: one line, exit 2, nothing on standard output
	local text=$1
	shift
	run --separate-stderr timeout 20 "$ZEROHOP" trial "$@"
	[ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"$text"* ]] || { echo "$stderr" >&2; return 1; }
}

@test "two ends on two CPUs are slower than on one" {
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	trial 1 task-placement=cross-cpu -c 40 -i 1ms unix:
	has '.verdict == "harms" and .ratio.p50 > 1.3 and .ci.p50.low > 1 and .p_value < 0.02'
	has '.plain.count == .changed.count and .plain.count == 40 * .blocks / 2'
	has '.blocks >= 32 and .blocks % 4 == 0'
	nothing_left
}

@test "a number that does not change: no effect; one that halves: helps or harms" {
	trial 1 keep-awake -- echo 1000
	has '.verdict == "no effect" and .ratio.number == 1 and .blocks == 32'
	# The process is the second of its block pair or not: what it prints follows its environment.
	cat > "$BATS_TEST_TMPDIR/spinners" <<-'SH'
		#!/bin/sh
		# Threads of the trial: with keep-awake there is one more for each CPU.
		echo "threads: $(grep -c . /proc/$PPID/task/*/stat | wc -l)"
	SH
	chmod +x "$BATS_TEST_TMPDIR/spinners"
	trial 1 keep-awake -- "$BATS_TEST_TMPDIR/spinners"
	has '.verdict == "harms" and .ratio.number > 1.3'
	trial 0 keep-awake --more-is-better -- "$BATS_TEST_TMPDIR/spinners"
	has '.verdict == "helps" and .plain.number < .changed.number'
}

@test "nothing against nothing is never called different" {
	trial '1|3' nothing -c 20 -i 500us --quads 12
	has '.verdict == "no effect" or .verdict == "inconclusive"'
	has '.figures | map(.id) == ["p50", "p99", "max", "spike-rate", "lost"]'
}

@test "the clean room takes a packet filter away" {
	need_root
	command -v nft > /dev/null || skip "nft is not installed"
	rules=$(for i in $(seq 1500); do echo "add rule inet zh out udp dport $((10000 + i % 7)) counter"; done)
	printf '%s\n' "$rules" > "$BATS_TEST_TMPDIR/rules"
	run --separate-stderr timeout 120 unshare -n sh -c "ip link set lo up; nft add table inet zh;
		nft add chain inet zh out '{ type filter hook output priority 0; }';
		nft -f '$BATS_TEST_TMPDIR/rules'; exec '$ZEROHOP' trial -j clean-room -c 50 -i 1ms"
	printf '%s' "$output" > "$out"
	[ "$status" -eq 0 ] || { printf '%s\n' "$stderr" "$output" >&2; return 1; }
	validate trial "$out"
	has '.verdict == "helps" and .ratio.p50 < 0.8'
}

@test "Ctrl-C ends early with what there is, and nothing is left" {
	"$ZEROHOP" trial -j nothing -i 5ms > "$out" 2> /dev/null &
	pid=$!
	sleep 2
	kill -INT $pid
	wait $pid || status=$?
	[ "${status:-0}" -eq 3 ]
	validate trial "$out"
	has '.interrupted and .verdict == "inconclusive"'
	nothing_left
}

@test "wrong words are one line and exit 2" {
	refused "which change"
	refused "unknown change 'foo'" foo
	refused "takes no value" pin=3
	refused "needs a value" task-placement
	refused "is not one of" task-placement=nowhere
	refused "one target at a time" nothing 127.0.0.1 ::1
	refused "followed by no command" nothing --
	refused "cannot be tried on a command" pin -- true
	refused "printed no number" nothing -- echo hello
	refused "unknown option" nothing --bogus
}

@test "a command that fails is exit 3 with its own words" {
	run --separate-stderr timeout 20 "$ZEROHOP" trial nothing -- sh -c 'echo broken >&2; exit 7'
	[ "$status" -eq 3 ]
	[[ $stderr == *"exit status 7: broken"* ]]
	run --separate-stderr timeout 20 "$ZEROHOP" trial --command-timeout 200ms nothing -- sleep 5
	[ "$status" -eq 3 ]
	[[ $stderr == *"no answer in time"* ]]
}

@test "the text shows the answer first and fits the page" {
	run --separate-stderr timeout 60 "$ZEROHOP" trial nothing -c 10 -i 200us --quads 8
	[[ ${lines[0]} == "nothing: "* ]]
	[ "$(printf '%s\n' "$output" | wc -L)" -lt 100 ]
}

@test "a setting: switched through the journal, and as before whatever happens" {
	need_root
	export ZEROHOP_STATE_DIR=$BATS_TEST_TMPDIR/state
	ns=zhq$$
	ip netns add "$ns"
	ip -n "$ns" link set lo up
	# Datagrams wait for a reader that is slow, so their number is felt.
	trial '0|1|3' -c 20 -i 200us --quads 8 --netns "$ns" somaxconn=100
	has '.blocks == 32 and .placebo_reason == null'
	[ "$(ip netns exec "$ns" cat /proc/sys/net/core/somaxconn)" = 4096 ]
	timeout -s KILL 2 "$ZEROHOP" trial -c 200 -i 1ms --netns "$ns" somaxconn=100 > /dev/null || [ $? -eq 137 ]
	for _ in $(seq 50); do
		[ "$(ip netns exec "$ns" cat /proc/sys/net/core/somaxconn)" = 100 ] || break
		sleep 0.1
	done
	[ "$(ip netns exec "$ns" cat /proc/sys/net/core/somaxconn)" = 4096 ]
	nothing_left
	ip netns del "$ns"
}

@test "placebos and harm are named" {
	need_root
	export ZEROHOP_STATE_DIR=$BATS_TEST_TMPDIR/state
	before=$(cat /proc/sys/net/core/busy_poll)
	trial 1 -c 20 -i 200us --quads 8 busy_poll=$((before + 50)) 127.0.0.1
	has '.verdict == "no effect" and (.placebo_reason | contains("NAPI id"))'
	[ "$(cat /proc/sys/net/core/busy_poll)" = "$before" ]
	run --separate-stderr "$ZEROHOP" trial rps=auto 127.0.0.1
	[ "$status" -eq 3 ] && [[ $stderr == *"refused here"*"wake-up"* ]]
}
