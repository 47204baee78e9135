#!/usr/bin/env bats
# Words, options, help: one clear line and the right exit status.

load common

@test "no command shows the overview and exits 2" {
	run "$ZEROHOP"
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "Examples:" ]
}

@test "--help starts with examples, for the program and every command" {
	run "$ZEROHOP" --help
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Examples:" ]
	for command in doctor ping report explain lab; do
		run "$ZEROHOP" $command --help
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "Examples:" ]
		[[ "$output" == *"Usage: zerohop $command"* ]]
	done
}

@test "a wrong command, option, value or word is one line and exit 2" {
	while read -r words; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ZEROHOP" $words
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$(printf '%s\n' "$stderr" | grep -vc '^hint:')" -eq 1 ]
		[[ "$stderr" == zerohop:* ]]
	done <<-'CASES'
		nonsense
		--nonsense
		ping --nonsense
		ping -c
		ping -c 0
		ping -c many
		ping -i 5
		ping -W 0ms
		ping --cpu 0-1
		ping --cpu 900
		ping -4 -6
		ping a b
		ping udp:
		ping tcp:127.0.0.1:99999
		ping nosuch.invalid
		ping ftp:127.0.0.1
		ping --netns nosuch-netns
		ping --netns .
		ping --netns /etc/passwd
		--netns= ping
		ping -o -
		ping -o /nonexistent/x.zhr
		ping -o /dev/null
		-o x.zhr explain
		--pid 1 lab list
		ping --pid 4194304
		doctor a b
		doctor --trace everything
		report
		report /nonexistent.zhr
		report /etc/passwd
		explain no-such-id
		lab
		lab explode
	CASES
}

@test "report names what is wrong with a file" {
	: > "$BATS_TEST_TMPDIR/empty.zhr"
	run "$ZEROHOP" report "$BATS_TEST_TMPDIR/empty.zhr"
	[ "$status" -eq 2 ]
	[[ "$output" == *empty.zhr* ]]
	run "$ZEROHOP" report "$BATS_TEST_TMPDIR"
	[ "$status" -eq 2 ]
}

@test "explain knows every id it lists, in text and JSON" {
	"$ZEROHOP" explain -j > "$BATS_TEST_TMPDIR/all.json"
	validate explain "$BATS_TEST_TMPDIR/all.json"
	for id in $(jq -r '.causes[].id, .checks[].id, .stages[].id, .faults[].id' \
		"$BATS_TEST_TMPDIR/all.json"); do
		run "$ZEROHOP" explain "$id"
		[ "$status" -eq 0 ]
		[[ "$output" != *"(null)"* ]]
	done
	run "$ZEROHOP" explain run-queue-wait
	[[ "$output" == *L12* ]]
}
