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
