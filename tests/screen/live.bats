#!/usr/bin/env bats
# top itself in a terminal (tmux), in a lab under load.

load terminal

setup() {
	terminal_setup
	[ "$(id -u)" = 0 ] || skip "needs root"
	lab= background=
}

teardown() {
	terminal_teardown
	[ -z "$background" ] || kill $background 2> /dev/null || true
	[ -z "$lab" ] || "$ZEROHOP" lab down "$lab" > /dev/null
}

lab_up() { # lab_up WORDS...: a lab with a name of its own, in $lab
	lab=$(tr -dc a-z < /dev/urandom | head -c 3)
	"$ZEROHOP" lab up "$@" --name "$lab" > /dev/null
}

matches() { # matches REGEX: a line of the page does
	local _
	for _ in $(seq 100); do
		page | grep -qE -- "$1" && return 0
		sleep 0.1
	done
	echo "never seen: $1" >&2
	page >&2
	return 1
}

@test "under load: the CPU, the device, the flow and the drop have their rows" {
	lab_up routed --steer 0
	"$ZEROHOP" lab load --lab "$lab" --rate 20000 -d 60s > /dev/null 2>&1 3>&- &
	background=$!
	# A packet for nobody, fifty times a second.
	ip netns exec "$lab-client" bash -c \
		'while sleep 0.02; do echo x > /dev/udp/127.0.0.1/9; done' > /dev/null 2>&1 3>&- &
	background="$background $!"
	open 200 50 "$ZEROHOP top -d 500ms"
	matches "^0 .* [0-9.]+k "
	keys 2 / "$lab-server-host" Enter
	matches "^$lab-server-host +netns $lab-host +[0-9]+ +(1[0-9]|2[0-9]|3[0-9])\\.[0-9]k .*eth0, netns $lab-server"
	keys 3
	sees "no row has the text of the filter"
	keys Escape / 10.77.2.2: Enter
	matches "^ *[0-9.]+k .* 0 udp +10.77.1.2:[0-9]+ .*zh-sink"
	keys Escape 4 / "netns $lab-client" Enter
	matches "^ *[0-9.]+ NO_SOCKET +lo +netns $lab-client +[a-z0-9_]+ "
	sees "dropped"
	sees "own cost"
	keys q
	given_back "status 0"
}

# The hooks are there for a moment of each reading then; attaching them lasts, and they count meanwhile.
@test "at high rates a CPU is never more than full" {
	local _ share seen=
	lab_up veth
	"$ZEROHOP" lab load --lab "$lab" --rate 150000 --engine socket --flows 4 -d 60s > /dev/null 2>&1 3>&- &
	background=$!
	open 100 24 "$ZEROHOP top -d 300ms"
	sees "counted 1"
	for _ in $(seq 30); do
		for share in $(page | awk '/^[0-9]+ / { print $2 }'); do
			awk -v share="$share" 'BEGIN { exit !(share <= 105) }' || { page >&2; return 1; }
			seen=yes
		done
		sleep 0.1
	done
	[ -n "$seen" ]
	keys q
	given_back "status 0"
}

@test "without hooks: counters, dashes, and the reason" {
	open 80 24 "$ZEROHOP top --no-bpf -d 200ms"
	matches "^0 +- +- +- +[0-9.]+k? "
	sees "not measured: ?"
	keys '?'
	sees "--no-bpf"
	keys C-c
	given_back "status 0"
}

@test "no screen where there can be none: plain readings, and why" {
	type=dumb
	open 200 50 "$ZEROHOP top -n 1 -d 200ms"
	sees "zerohop: a terminal with TERM=dumb cannot move its cursor: plain readings follow"
	sees "CPUs"
	sees "status "
	close
	type=xterm
	open 79 100 "$ZEROHOP top -n 1 -d 200ms"
	sees "zerohop: the terminal is too small: 79x100, needed is 80x24"
	sees "status "
}

@test "it ends after as many readings as it was asked for" {
	open 80 24 "$ZEROHOP top -n 2 -d 200ms"
	given_back "status 0"
}

@test "what makes no sense is refused before a screen is there" {
	open 80 24 "$ZEROHOP top --netns nosuch"
	sees "cannot open network namespace"
	given_back "status 2"
}
