#!/usr/bin/env bats
# Help texts, byte for byte. After a wanted change: zerohop COMMAND --help > tests/golden/help/COMMAND.txt

load common

@test "the help of the program and of every command is as kept" {
	diff "$GOLDEN/help/zerohop.txt" <("$ZEROHOP" --help)
	for command in $("$ZEROHOP" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		diff "$GOLDEN/help/$command.txt" <("$ZEROHOP" "$command" --help)
	done
}

@test "help stays within 100 columns" {
	[ "$(cat "$GOLDEN"/help/*.txt | wc -L)" -lt 100 ]
}
