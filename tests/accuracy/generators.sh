#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The lab's generators beside trafgen (where it is installed) and a loop of nothing but sendmmsg: 64
# bytes of payload over a veth, sender on one CPU, which also does the receive work, sink on another.
# All of them in each round, in turning order; what counts is the ratio within a round.
set -eu
zerohop=$1 bare=$2
rounds=${3:-5} seconds=${4:-1.5}
lab=$(tr -dc a-z < /dev/urandom | head -c 3)
work=$(mktemp -d)
sink=
port=9

finish() {
	[ -z "$sink" ] || kill "$sink"
	"$zerohop" lab down "$lab" > /dev/null
	rm -rf "$work"
}
trap finish EXIT
"$zerohop" lab up veth --name "$lab" > /dev/null
to=10.77.0.2 from=10.77.0.1
taskset -c 0 ip netns exec "$lab-server" "$bare" sink $to $port &
sink=$!

sent() { # datagrams that left the client's device so far
	ip netns exec "$lab-client" cat /sys/class/net/zh0/statistics/tx_packets
}

own() { # own ENGINE
	"$zerohop" lab load -j --lab "$lab" --engine "$1" --requests 0 -d "${seconds}s" \
		--cpu 1 --peer-cpu 0 | jq '.load.sent * 1e9 / .load.duration_ns | floor'
}

bare() {
	taskset -c 1 ip netns exec "$lab-client" "$bare" send $to $port "$seconds"
}

mac() { # mac NAMESPACE DEVICE: as trafgen writes it
	ip netns exec "$1" cat "/sys/class/net/$2/address"
}

trafgen() { # by the device's counter, as it prints no rate
	local before after start end
	echo "{ eth(da=$(mac "$lab-server" zh1), sa=$(mac "$lab-client" zh0)),
		ipv4(saddr=$from, daddr=$to, ttl=64), udp(sport=4000, dport=$port), fill(0x41, 64) }" \
		> "$work/packet"
	before=$(sent) start=$(date +%s%N)
	timeout -s INT "$seconds" taskset -c 1 ip netns exec "$lab-client" trafgen --dev zh0 \
		--conf "$work/packet" --cpus 1 --no-sock-mem --notouch-irq --no-cpu-stats > /dev/null 2>&1 || true
	after=$(sent) end=$(date +%s%N)
	echo $(((after - before) * 1000000000 / (end - start)))
}

measure() { # measure NAME: one figure
	case $1 in
	sendmmsg) own socket ;;
	injected) own xdp ;;
	bare) bare ;;
	trafgen) trafgen ;;
	esac
}

median() { # of the numbers on standard input: median [least .. most]
	sort -g | jq -s -r '"\(.[length / 2 | floor] * 100 | round / 100) [\(.[0] * 100 | round / 100) .. \(.[-1] * 100 | round / 100)]"'
}

names=(sendmmsg injected bare)
if type -P trafgen > /dev/null; then
	names+=(trafgen)
else
	echo "not compared with trafgen: it is not installed (netsniff-ng)"
fi
for round in $(seq "$rounds"); do
	for i in "${!names[@]}"; do
		name=${names[$(((i + round) % ${#names[@]}))]}
		measure "$name" >> "$work/$name"
	done
	for name in "${names[@]}"; do
		printf '%s %s  ' "$name" "$(tail -1 "$work/$name")"
	done
	echo "packets/s"
done
for own in sendmmsg injected; do
	for other in "${names[@]:2}"; do
		echo "$own to $other, median of $rounds rounds:" \
			"$(paste "$work/$own" "$work/$other" | awk '$2 {print $1 / $2}' | median)"
	done
done
