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
	for command in doctor ping path report explain lab; do
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
		"$ZEROHOP" explain -j "$id" > "$BATS_TEST_TMPDIR/one.json"
		cat "$BATS_TEST_TMPDIR/one.json" >> "$BATS_TEST_TMPDIR/each.json"
	done
	# What cures them is explained, too.
	for id in $(jq -r '.remedies[]?' "$BATS_TEST_TMPDIR/each.json" | sort -u); do
		"$ZEROHOP" explain -j "$id" >> "$BATS_TEST_TMPDIR/remedies.json"
	done
	jq -s . "$BATS_TEST_TMPDIR/each.json" "$BATS_TEST_TMPDIR/remedies.json" > "$BATS_TEST_TMPDIR/array.json"
	validate_each explain "$BATS_TEST_TMPDIR/array.json"
	"$ZEROHOP" lab list -j > "$BATS_TEST_TMPDIR/list.json"
	validate lab "$BATS_TEST_TMPDIR/list.json"
	run "$ZEROHOP" explain run-queue-wait
	[[ "$output" == *L12* ]]
}

@test "closed and full outputs: a full one is exit 3, a reader that left is none of our business" {
	for words in '-h' 'ping -h' '-V' 'explain' 'explain -j' 'ping -c 2 -i 1ms udp:127.0.0.1'; do
		run -3 bash -c "'$ZEROHOP' $words > /dev/full"
		[[ "$output" == *"No space left"* ]]
		run -3 bash -c "'$ZEROHOP' $words >&-"
		[[ "$output" == *"cannot write the output"* ]]
	done
	run bash -c "'$ZEROHOP' explain -j | true; echo \${PIPESTATUS[0]}"
	[ "$output" = 0 ]
	# A file that we open must not take the place of a closed stream and get our output.
	run -3 bash -c "'$ZEROHOP' ping -c 2 -i 1ms -o '$BATS_TEST_TMPDIR/x.zhr' udp:127.0.0.1 >&- 2>&- <&-"
	[ "$(sqlite3 "$BATS_TEST_TMPDIR/x.zhr" 'select count(*) from samples')" -eq 2 ]
}

@test "a name of any length or content is one clean line that keeps the reason" {
	long=$(printf '%10000s' '' | tr ' ' x)
	esc=$(printf 'a\033[31m\n\377b')
	for word in "$long" "$esc"; do
		for words in report explain 'ping -o' 'ping -c' 'ping -i' 'ping --cpu' 'ping --netns' \
			'ping -s' 'ping --trace' ping 'ping 127.0.0.1' lab 'lab score -f' ''; do
			# shellcheck disable=SC2086
			run --separate-stderr "$ZEROHOP" $words "$word/"
			[ "$status" -eq 2 ] || [ "$status" -eq 3 ]
			[ -z "$output" ]
			[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
			[ "${#stderr}" -lt 600 ]
			! printf '%s' "$stderr" | LC_ALL=C grep -q "[[:cntrl:]]"
		done
	done
	run "$ZEROHOP" report "$long"
	[[ "$output" == *"File name too long" ]]
}

@test "few resources: a sentence, or a listed gap, never a false finding" {
	run -3 prlimit --nofile=16 "$ZEROHOP" ping -c 2
	[[ "$output" == *"open files are limited to 16"* ]]
	prlimit --nofile=48 "$ZEROHOP" ping -j -c 20 -i 1ms udp:127.0.0.1 > "$BATS_TEST_TMPDIR/f.json"
	jq -e '[.findings[] | select(.severity == "critical")] == []' "$BATS_TEST_TMPDIR/f.json"
	prlimit --memlock=0 "$ZEROHOP" ping -j -c 20 -i 1ms udp:127.0.0.1 > "$BATS_TEST_TMPDIR/f.json"
	[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/f.json")" -eq 20 ]
	run -3 prlimit --as=$((20 << 20)) "$ZEROHOP" ping -c 2
	[[ "$output" == *"out of memory"* ]]
}
