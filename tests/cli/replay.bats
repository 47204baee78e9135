#!/usr/bin/env bats
# Records of lab runs (names of foreign tasks and all facts removed) are explained as expected, by
# anyone and on any machine. After a change of the rules: look at the difference, then update
# tests/replay/records/expected.

load common

findings() { # findings RECORD: "id:severity ..." of severity low and above, as ranked
	"$ZEROHOP" report -j "$1" |
		jq -r '[.findings[] | select(.severity != "info") | .id + ":" + .severity] | join(" ")'
}

@test "every kept record gives the expected findings" {
	while read -r name expected; do
		xz -dc "$RECORDS/$name.zhr.xz" > "$BATS_TEST_TMPDIR/run.zhr"
		found=$(findings "$BATS_TEST_TMPDIR/run.zhr")
		echo "$name: $found"
		[ "$found" = "$expected" ]
	done < "$RECORDS/expected"
}

@test "the parts of the worst samples sum to no more than their excess" {
	for record in "$RECORDS"/*.zhr.xz; do
		xz -dc "$record" > "$BATS_TEST_TMPDIR/run.zhr"
		"$ZEROHOP" report -j "$BATS_TEST_TMPDIR/run.zhr" > "$BATS_TEST_TMPDIR/run.json" || [ $? -eq 1 ]
		jq -e '[.outliers[]? | select(([.parts[].ns] | add) > .excess_ns)] == []' \
			"$BATS_TEST_TMPDIR/run.json"
	done
}

@test "kept answers of path fit their schema, by themselves and as a report" {
	for file in "$GOLDEN"/path-*.json; do
		validate path "$file"
		jq '.command = "report"' "$file" > "$BATS_TEST_TMPDIR/report.json"
		validate report "$BATS_TEST_TMPDIR/report.json"
		run ! validate report "$file"
	done
}
