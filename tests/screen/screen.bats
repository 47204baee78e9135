#!/usr/bin/env bats
# The screen of top in a terminal (tmux): what is drawn, what keys and signals do.
# ZH_GOLDEN_UPDATE=1 writes what is seen as what is expected: look at the difference afterwards.

load terminal

setup() {
	terminal_setup
}

teardown() {
	terminal_teardown
}

show() { # show COLUMNS LINES SCENE [INTERVAL_MS [REDIRECTIONS]]
	open "$1" "$2" "$SHOW $3 ${4:-20} ${5:-}"
}

golden() { # golden NAME: the page is this one
	local _
	if [ -n "${ZH_GOLDEN_UPDATE:-}" ]; then
		sleep 4
		page > "$GOLDEN/top/$1.txt"
		return
	fi
	for _ in $(seq 100); do
		page > "$dir/page"
		cmp -s "$dir/page" "$GOLDEN/top/$1.txt" && return 0
		sleep 0.1
	done
	diff -u "$GOLDEN/top/$1.txt" "$dir/page" >&2
	return 1
}

@test "four views on 80x24" {
	show 80 24 small
	golden cpus-80
	keys 2
	golden devices-80
	keys 3
	golden flows-80
	keys 4
	golden drops-80
	keys q
	given_back "ended:"
}

@test "a larger window shows more columns" {
	show 200 50 small
	golden cpus-200
	keys Tab
	golden devices-200
	keys Right
	golden flows-200
	keys Left Left BTab
	golden drops-200
}

@test "what is not known is a dash, with the reason in the help" {
	show 80 24 unknown
	golden unknown-cpus
	keys 2
	golden unknown-devices
	keys 3
	sees "no flow was sampled"
	keys 4
	sees "drops are not counted by reason here"
	keys '?'
	golden help
	keys End
	sees "HISTORY    of DROP/s"
	keys Escape
	sees "drops are not counted by reason here"
}

@test "1000 devices: scroll, filter, sort" {
	show 80 24 large 100
	keys 2
	sees "1-17 of 1000"
	keys PageDown Down
	sees "18-34 of 1000"
	keys End
	sees "984-1000 of 1000"
	keys Home
	sees "1-17 of 1000"
	keys / t e a m - 3 / a p p - 99
	golden filter
	keys Enter
	sees 'filter "team-3/app-99"'
	sees "1-1 of 1"
	keys Escape
	sees "1-17 of 1000"
	keys S S S S
	sees "by DEVICE"
	row 7 "veth0 "
	keys r
	sees "by DEVICE reversed"
	row 7 "veth999 "
	keys / z z z z
	sees "no row has the text of the filter"
	keys C-u v e t h 9 9 9 Enter
	row 7 "veth999 "
	sees "1-1 of 1"
	keys q
	given_back "ended:"
}

@test "pause stops readings, and says so" {
	show 80 24 clock
	sees "12:35:"
	keys p
	sees " PAUSED "
	page > "$dir/first"
	sleep 1
	page | cmp - "$dir/first"
	keys Space
	sees "12:3"
	! page | grep -q PAUSED
	! page | cmp -s - "$dir/first"
}

@test "keys change the interval and the width" {
	show 80 24 small
	sees "every 0.02s"
	keys w Right Right Right
	golden wide
	keys w
	sees "LONGEST"
	keys +
	sees "every 0.1s"
	keys + + +
	sees "every 1s"
	keys -
	sees "every 0.5s"
}

@test "keys that come faster than pages are each taken on the page of the one before" {
	show 80 24 large 200
	sees "of 256"
	keys 2 End Up s 1 2 s PageUp
	sees "967-983 of 1000"
	sees "by CPU"
}

@test "an old reading shows its age" {
	show 80 24 old
	sees "12:34:56 age 42s"
}

@test "the terminal is resized while it runs" {
	show 80 24 small
	golden cpus-80
	mux resize-window -x 200 -y 50
	golden cpus-200
	mux resize-window -x 79 -y 24
	row 1 "terminal too small: 80x24 needed"
	mux resize-window -x 20 -y 5
	row 1 "terminal too sm"
	mux resize-window -x 80 -y 24
	golden cpus-80
	keys q
	given_back "ended:"
}

@test "plain characters where the locale or the terminal has no others" {
	locale=C
	show 80 24 small
	golden cpus-ascii
	close
	locale=C.UTF-8 type=linux
	show 80 24 small
	golden cpus-ascii
}

@test "every terminal shows the same page, and is given back" {
	for type in xterm xterm-256color screen tmux-256color vt100 vt220 ansi; do
		show 80 24 small
		golden cpus-80
		keys 2
		golden devices-80
		keys q
		given_back "ended:"
		close
	done
}

@test "colour, and none where it is not wanted" {
	show 80 24 small
	golden cpus-80
	mux capture-pane -e -p | grep -qF $'\e[31m'
	close
	extra=NO_COLOR=1
	show 80 24 small
	golden cpus-80
	! mux capture-pane -e -p | grep -q $'\e\[[0-9;]*3[0-7]'
	close
	extra= type=vt100
	show 80 24 small
	golden cpus-80
	! mux capture-pane -e -p | grep -q $'\e\[[0-9;]*3[0-7]'
}

unfit() { # unfit TEXT COLUMNS LINES [REDIRECTIONS]
	show "$2" "$3" small 20 "${4:-}"
	given_back "$1"
	sees "status 3"
	row 1 "unfit: "
	close
}

@test "no screen where there can be none, and why" {
	type=dumb unfit "a terminal with TERM=dumb cannot move its cursor" 100 30
	type=nonsense unfit "nothing is known of terminals with TERM=nonsense" 100 30
	type= unfit "TERM is not set" 100 30
	unfit "too small: 79x24, needed is 80x24" 79 24
	unfit "too small: 80x23, needed is 80x24" 80 23
	unfit "standard input is no terminal" 100 30 "< /dev/null"
}

@test "signals end it and give the terminal back" {
	for signal in INT TERM HUP; do
		show 80 24 small
		golden cpus-80
		kill -$signal "$(cat "$dir/pid")"
		given_back "ended:"
		sees "status 0"
		close
	done
	for signal in QUIT SEGV ABRT; do
		show 80 24 small
		golden cpus-80
		prlimit --core=0 --pid "$(cat "$dir/pid")"
		kill -$signal "$(cat "$dir/pid")"
		given_back "status 1"
		close
	done
	show 80 24 small
	golden cpus-80
	keys C-c
	given_back "ended:"
}

@test "a stop gives the terminal back, and it goes on afterwards" {
	mux new-session -d -x 80 -y 24 "env -i PATH=$PATH TERM=$type TZ=UTC LC_ALL=$locale PS1='prompt> ' \
		bash --norc --noprofile -i"
	sees "prompt>"
	keys "stty -a > $dir/before; $SHOW small 20" Enter
	golden cpus-80
	keys C-z
	sees "Stopped"
	[ "$(mux display-message -p '#{alternate_on} #{cursor_flag}')" = "0 1" ]
	mux resize-window -x 200 -y 50
	keys fg Enter
	golden cpus-200
	mux resize-window -x 80 -y 24
	golden cpus-80
	keys q
	sees "ended:"
	keys "stty -a > $dir/after; echo 'done'" Enter
	sees "done"
	sleep 0.3
	sed -i 's/columns [0-9]*//; s/rows [0-9]*//' "$dir/before" "$dir/after"
	cmp "$dir/before" "$dir/after"
}

@test "stopped from elsewhere it draws itself anew" {
	show 80 24 small
	golden cpus-80
	kill -STOP "$(cat "$dir/pid")"
	mux clear-history
	kill -CONT "$(cat "$dir/pid")"
	keys 2
	golden devices-80
	keys C-l
	golden devices-80
}

@test "it ends when its terminal goes away" {
	local _ pid
	show 80 24 small
	golden cpus-80
	pid=$(cat "$dir/pid")
	close
	for _ in $(seq 50); do
		kill -0 "$pid" 2> /dev/null || return 0
		sleep 0.1
	done
	kill -9 "$pid"
	false
}

@test "a reading that fails ends it with the reason" {
	show 80 24 failing
	given_back "failed: the third reading fails"
}

@test "256 CPUs and 1000 devices: a refresh takes less than 50 ms" {
	show 200 50 moving 50
	keys 2
	sees "1-44 of 1000"
	sleep 2
	keys 1
	sees "of 256"
	sleep 1
	keys q
	given_back "ended:"
	page | grep "ended:" | sed 's/^/# /' >&3
	page | awk '/ended:/ { exit !($2 > 10 && $10 < 50) }'
}
