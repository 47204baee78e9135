#!/usr/bin/env bats
# ping over every transport: counts, JSON, records, exit status.

load common

@test "every transport answers, stages sum to the RTT, JSON fits its schema" {
	for target in 127.0.0.1 ::1 icmp:127.0.0.1 udp:127.0.0.1 'udp:[::1]' tcp:127.0.0.1 \
		'tcp:[::1]' unix: unix-dgram:; do
		[ "$target" = 127.0.0.1 ] || [ "$(id -u)" = 0 ] || [[ "$target" != *icmp* ]] || continue
		run --separate-stderr "$ZEROHOP" ping -j -c 40 -i 2ms "$target"
		[ "$status" -eq 0 ]
		printf '%s' "$output" > "$BATS_TEST_TMPDIR/ping.json"
		validate ping "$BATS_TEST_TMPDIR/ping.json"
		[ "$(jq '.rtt.count + .rtt.lost' "$BATS_TEST_TMPDIR/ping.json")" -eq 40 ]
		[ "$(jq '.rtt.lost' "$BATS_TEST_TMPDIR/ping.json")" -eq 0 ]
	done
}

@test "the first line of text output is the answer" {
	run --separate-stderr "$ZEROHOP" ping -c 20 -i 1ms 127.0.0.1
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == *"127.0.0.1"*"RTT p50"* ]]
}

@test "text stays within 100 columns" {
	LC_ALL=C.UTF-8 "$ZEROHOP" ping -c 50 -i 1ms 127.0.0.1 > "$BATS_TEST_TMPDIR/out"
	[ "$(LC_ALL=C.UTF-8 wc -L < "$BATS_TEST_TMPDIR/out")" -lt 100 ]
}

@test "a record is explained again by anyone, with the same findings" {
	cd "$BATS_TEST_TMPDIR"
	"$ZEROHOP" ping -j -o run.zhr -c 60 -i 2ms udp:127.0.0.1 > ping.json
	"$ZEROHOP" report -j run.zhr > report.json || [ $? -eq 1 ]
	validate report report.json
	[ "$(jq -S '.findings, .rtt, .stages' ping.json)" = "$(jq -S '.findings, .rtt, .stages' report.json)" ]
	[ "$(sqlite3 run.zhr 'select count(*) from samples')" -eq 60 ]
	if [ "$(id -u)" = 0 ]; then
		public=$(mktemp -d)
		chmod 755 "$public"
		cp run.zhr "$public/run.zhr" && install -m 755 "$ZEROHOP" "$public/zh"
		as_nobody "$public/zh" report -j "$public/run.zhr" > nobody.json || [ $? -eq 1 ]
		rm -r "$public"
		[ "$(jq -S .findings nobody.json)" = "$(jq -S .findings report.json)" ]
	fi
}

@test "an unprivileged user measures and is told what could not be seen" {
	need_root
	public=$(mktemp -d)
	chmod 755 "$public"
	install -m 755 "$ZEROHOP" "$public/zh"
	for target in udp:127.0.0.1 tcp:127.0.0.1 unix:; do
		as_nobody "$public/zh" ping -j -c 20 -i 1ms "$target" > "$BATS_TEST_TMPDIR/n.json"
		[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/n.json")" -eq 20 ]
		[ "$(jq '.not_measured | length' "$BATS_TEST_TMPDIR/n.json")" -gt 0 ]
		jq -e '.not_measured[] | select(.what == "trace")' "$BATS_TEST_TMPDIR/n.json"
	done
	rm -r "$public"
}

@test "an unwritable record file is a sentence and exit 2 before anything is measured" {
	run --separate-stderr timeout 5 "$ZEROHOP" ping -c 1000 -i 1s -o /nonexistent/x.zhr udp:127.0.0.1
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" == *"/nonexistent"* ]]
}

@test "a full disk at -o leaves no file behind" {
	need_root
	mkdir "$BATS_TEST_TMPDIR/full"
	unshare -m sh -c "mount -t tmpfs -o size=16k none '$BATS_TEST_TMPDIR/full' &&
		'$ZEROHOP' ping -c 200 -i 1ms -o '$BATS_TEST_TMPDIR/full/x.zhr' udp:127.0.0.1 > /dev/null;
		status=\$?; ls -A '$BATS_TEST_TMPDIR/full' | wc -l; exit \$status" > "$BATS_TEST_TMPDIR/log" || [ $? -eq 3 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/log")" -eq 0 ]
}

@test "Ctrl-C ends early with the results so far" {
	"$ZEROHOP" ping -j -c 100000 -i 2ms udp:127.0.0.1 > "$BATS_TEST_TMPDIR/out.json" &
	pid=$!
	sleep 2
	kill -INT $pid
	wait $pid
	[ "$(jq .run.interrupted "$BATS_TEST_TMPDIR/out.json")" = true ]
	[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/out.json")" -gt 10 ]
}

@test "an unreachable target is loss with exit 1, not a hang" {
	need_root
	run timeout 60 unshare -n "$ZEROHOP" ping -j -c 10 -i 5ms -W 50ms 127.0.0.1
	[ "$status" -eq 1 ]
	[ "$(printf '%s' "$output" | jq .rtt.lost)" -eq 10 ]
	[ "$(printf '%s' "$output" | jq -r .verdict)" = findings ]
}

@test "nothing is left behind, killed or not" {
	need_root
	"$ZEROHOP" ping -c 20 -i 1ms udp:127.0.0.1 > /dev/null
	nothing_left
	for signal in KILL HUP TERM; do
		"$ZEROHOP" ping -c 100000 -i 1ms unix: > /dev/null &
		pid=$!
		sleep 1
		[[ "$(leftovers)" == *"process $pid"* ]]
		kill -$signal $pid
		wait $pid || true
		nothing_left
	done
}

@test "a flood of somebody else's ICMP does not push our replies out" {
	need_root
	unshare -n bash -c 'ip link set lo up
		ping -f -q -w 4 127.0.0.1 > /dev/null & flood=$!
		"$ZEROHOP" ping -j -c 15 -i 200ms 127.0.0.1; kill $flood 2> /dev/null; wait' \
		> "$BATS_TEST_TMPDIR/flood.json"
	[ "$(jq .rtt.lost "$BATS_TEST_TMPDIR/flood.json")" -eq 0 ]
}
