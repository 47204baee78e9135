#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What `zerohop top` costs: its own share of a CPU at 100 000 packets a second, and the packets that
# an unpaced sender gets through a veth with it and without, in pairs of changing order.
set -eu
zerohop=$1
pairs=${2:-9}
lab=$(tr -dc a-z < /dev/urandom | head -c 3)
work=$(mktemp -d)

finish() {
	"$zerohop" lab down "$lab" > /dev/null
	rm -rf "$work"
}
trap finish EXIT
"$zerohop" lab up veth --name "$lab" > /dev/null

load() { # load RATE SECONDS: datagrams a second
	"$zerohop" lab load -j --lab "$lab" --engine socket --rate "$1" -d "$2s" |
		jq '.load.sent * 1e9 / .load.duration_ns | floor'
}

with_top() { # with_top COMMAND...: top has seen a second of it before
	local top
	"$zerohop" top --batch -d 1s > "$work/top.txt" &
	top=$!
	sleep 1.2
	"$@"
	kill -INT $top
	wait $top || true
}

median() { # of the numbers in a file: median [least .. most]
	sort -g "$1" | jq -s -r '"\(.[length / 2 | floor] * 1000 | round / 1000) [\(.[0] * 1000 | round / 1000) .. \(.[-1] * 1000 | round / 1000)]"'
}

with_top load 100000 6 > /dev/null
echo "own cost at 100000 packets/s, a reading a second:"
grep -A2 '^Own cost' "$work/top.txt" | grep -E 'program|hooks' | tail -n +5 | head -n -2 | paste - -
: > "$work/ratios"
for pair in $(seq "$pairs"); do
	if [ $((pair % 2)) = 0 ]; then
		a=$(load max 2) b=$(with_top load max 2)
	else
		b=$(with_top load max 2) a=$(load max 2)
	fi
	echo "pair $pair: $a packets/s without, $b with"
	jq -n "$b / $a" >> "$work/ratios"
done
echo "with top to without, median of $pairs pairs: $(median "$work/ratios")"
