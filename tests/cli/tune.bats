#!/usr/bin/env bats
# tune: in namespaces of the test's own; what is the machine's is only planned.

load common

setup() {
	: > "$BATS_TEST_TMPDIR/.start"
	need_root
	export ZEROHOP_STATE_DIR=$BATS_TEST_TMPDIR/state
	out=$BATS_TEST_TMPDIR/out.json
	# A namespace that lives as long as this process, with its devices in /sys.
	unshare -n -m sh -c 'mount -t sysfs sysfs /sys; ip link add v0 type veth peer name v1; exec sleep 120' &
	keeper=$!
	for _ in $(seq 100); do
		inside test -e /sys/class/net/v1 2> /dev/null && break
		sleep 0.05
	done
}

teardown() {
	[ -z "$keeper" ] || kill "$keeper"
}

inside() {
	nsenter -t "$keeper" -n -m "$@"
}

tune() { # tune STATUS WORDS...: JSON into $out, checked against the schema
	local want=$1
	shift
	run --separate-stderr timeout 30 "$ZEROHOP" tune -j "$@"
	printf '%s' "$output" > "$out"
	[ "$status" -eq "$want" ] || { printf '%s\n' "$status" "$stderr" "$output" >&2; return 1; }
	validate tune "$out"
}

has() {
	jq -e "$1" "$out" > /dev/null || { jq . "$out" >&2; return 1; }
}

refused() { # refused STATUS TEXT WORDS...: one line, nothing on standard output
	local want=$1 text=$2
	shift 2
	run --separate-stderr timeout 30 "$ZEROHOP" tune "$@"
	[ "$status" -eq "$want" ] && [ -z "$output" ] || { echo "$status $output" >&2; return 1; }
	[[ ${stderr_lines[0]} == *"$text"* ]] || { echo "$stderr" >&2; return 1; }
	[ "${#stderr_lines[@]}" -eq 1 ] || [[ ${stderr_lines[1]} == hint:* ]]
}

value() { # value FILE TEXT
	[ "$(inside cat "$1")" = "$2" ] || { inside cat "$1" >&2; return 1; }
}

qlen=/proc/sys/net/unix/max_dgram_qlen

@test "a plan changes nothing, and says what is skipped and why" {
	tune 1 plan netdev_max_backlog=10000 rps@lo=0 mtu@lo=65536
	has '.changes | map(select(.knob == "netdev-max-backlog"))[0] |
		.prior == "'"$(cat /proc/sys/net/core/netdev_max_backlog)"'" and .wanted == "10000"'
	has '.changes | map(select(.knob == "rps-cpus"))[0] | .result == "skipped" and (.note | contains("lo"))'
	has '.changes | map(select(.knob == "link-mtu"))[0].result == "as wanted"'
	[ ! -e "$ZEROHOP_STATE_DIR" ]
}

@test "apply, status, undo: exact values in a pod's namespace" {
	tune 0 apply unix_max_dgram_qlen=55 mtu@v0=1400 gro@v0=on rps@v0=0 --pid "$keeper"
	has '.tx == 1 and .state == "applied" and (.changes | length == 4 and all(.result == "set"))'
	value $qlen 55
	value /sys/class/net/v0/mtu 1400
	value /sys/class/net/v0/queues/rx-0/rps_cpus 1
	[ "$(cat $qlen)" != 55 ]
	tune 0 status
	has '.held == 1 and .drifted == 0 and (.changes | all(.now == .observed))'
	inside sh -c "echo 7 > $qlen"
	tune 1 status
	has '.drifted == 1 and (.changes | map(select(.now == "7" and .prior == "10")) | length == 1)'
	tune 1 undo
	has '.state == "undone in part" and (.changes | map(select(.result | contains("somebody"))) | length == 1)'
	value $qlen 7
	value /sys/class/net/v0/mtu 1500
	value /sys/class/net/v0/queues/rx-0/rps_cpus 0
	tune 0 undo 1 --force
	value $qlen 10
	tune 0 status
	has '.held == 0'
	tune 0 history
	has '.history | length == 1 and .[0].state == "undone" and .[0].changes == 4'
	tune 0 diff 1
	has '.changes | length == 4'
}

@test "what nobody confirms is undone by itself, though the terminal is gone" {
	setsid "$ZEROHOP" tune apply unix_max_dgram_qlen=55 --pid "$keeper" --confirm-within 2s < /dev/null
	value $qlen 55
	tune 0 status
	has '.transactions[0].state == "pending" and .transactions[0].undone_in_ns < 2e9'
	for _ in $(seq 80); do
		[ "$(inside cat $qlen)" = 10 ] && break
		sleep 0.1
	done
	value $qlen 10
	nothing_left
	tune 0 history
	has '.history[0].state == "undone"'
	refused 3 "no transaction waits" confirm
}

@test "confirm keeps it and ends the timer" {
	tune 0 apply unix_max_dgram_qlen=55 --pid "$keeper" --confirm-within 2s
	has '.state == "pending"'
	tune 0 confirm
	has '.state == "applied" and .tx == 1'
	nothing_left
	sleep 2.2
	value $qlen 55
	tune 0 undo
	value $qlen 10
}

@test "the timer is a second line: a killed one is made up for at the next start" {
	tune 0 apply unix_max_dgram_qlen=55 --pid "$keeper" --confirm-within 4s
	guard=$(sqlite3 "$ZEROHOP_STATE_DIR/journal.db" 'SELECT guard FROM tx')
	[ "$(cat /proc/"$guard"/comm)" = zh-revert ]
	# Not everywhere may root lower it.
	lowered=$(sh -c 'echo -1000 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj' 2> /dev/null)
	[ "$(cat /proc/"$guard"/oom_score_adj)" = "$lowered" ]
	kill -HUP "$guard"
	[ -d /proc/"$guard" ]
	kill -9 "$guard"
	sleep 4.1
	value $qlen 55
	tune 0 status
	has '.recovered == 1 and .held == 0'
	value $qlen 10
}

@test "failure half-way: one line, and all is as before" {
	refused 3 "what had been set before is undone" apply unix_max_dgram_qlen=55 mtu@v0=99999 --pid "$keeper"
	value $qlen 10
	value /sys/class/net/v0/mtu 1500
	tune 0 status
	has '.held == 0'
}

@test "a read-only /proc/sys, a mask beyond this machine, a full disk under the journal" {
	refused 3 "cannot set rps-cpus of v0/0 to 900" apply rps@v0=900 --pid "$keeper"
	inside mount -o bind,ro /proc/sys /proc/sys
	run --separate-stderr inside "$ZEROHOP" tune apply unix_max_dgram_qlen=55
	[ "$status" -eq 3 ]
	[[ ${stderr_lines[0]} == *"ead-only file system"*"nothing is changed"* ]] || { echo "$stderr" >&2; return 1; }
	inside umount /proc/sys
	mkdir -p "$BATS_TEST_TMPDIR/small"
	inside mount -t tmpfs -o size=64k,mode=700 small "$BATS_TEST_TMPDIR/small"
	inside sh -c "ZEROHOP_STATE_DIR=$BATS_TEST_TMPDIR/small $ZEROHOP tune history" > /dev/null
	inside sh -c "cat /dev/zero > $BATS_TEST_TMPDIR/small/fill" 2> /dev/null || true
	run --separate-stderr inside env ZEROHOP_STATE_DIR="$BATS_TEST_TMPDIR/small" "$ZEROHOP" tune apply unix_max_dgram_qlen=55
	[ "$status" -eq 3 ] && [ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"disk is full"* || $stderr == *"No space left"* ]] || { echo "$stderr" >&2; return 1; }
	value $qlen 10
}

@test "two at once: the second one is told" {
	mkdir -m 700 "$ZEROHOP_STATE_DIR"
	: > "$ZEROHOP_STATE_DIR/lock"
	flock "$ZEROHOP_STATE_DIR/lock" sleep 20 &
	holder=$!
	sleep 0.3
	refused 3 "another zerohop is changing settings" apply unix_max_dgram_qlen=55 --pid "$keeper"
	kill $holder
	value $qlen 10
}

@test "wrong words are one line and exit 2" {
	refused 2 "tune takes one of"
	refused 2 "tune takes one of" sing
	refused 2 "there is no knob 'foo'" plan foo=1
	refused 2 "is no KNOB=VALUE" plan mtu
	refused 2 "it takes" plan netdev_max_backlog=ten
	refused 2 "it takes" plan rps@lo=ffff
	refused 2 "say which" plan mtu=1400
	refused 2 "there is no device none0" plan mtu@none0=1400
	refused 2 "is given twice" plan mtu@lo=1400 mtu@lo=1500
	refused 2 "takes no --force" plan mtu@lo=1400 --force
	refused 2 "no number of a transaction" undo x
	refused 3 "no such transaction" undo 99
}

@test "unprivileged: planning works, the rest says what is missing" {
	cp "$ZEROHOP" "$BATS_TEST_TMPDIR/zh"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/zh"
	run as_nobody "$BATS_TEST_TMPDIR/zh" tune plan unix_max_dgram_qlen=9999 mtu@lo=1500
	[ "$status" -eq 0 ] || { echo "$output" >&2; return 1; }
	run --separate-stderr as_nobody "$BATS_TEST_TMPDIR/zh" tune apply unix_max_dgram_qlen=9999
	[ "$status" -eq 3 ] && [[ $stderr == *"root"* ]]
}

@test "a knob is explained" {
	tune 0 list
	has '.knobs | map(.id) | index("rps-cpus") and index("task-affinity")'
	tune 0 show rps
	has '.id == "rps-cpus" and .cost and .verify'
	run "$ZEROHOP" explain rps_cpus
	[ "$status" -eq 0 ] && [[ ${lines[0]} == rps-cpus:* ]]
}
