#!/usr/bin/env bats
# top: what happens now, from one reading.

load common

setup() {
	: > "$BATS_TEST_TMPDIR/.start"
	out=$BATS_TEST_TMPDIR/out.json
}

teardown() {
	[ -z "$lab" ] || "$ZEROHOP" lab down "$lab" > /dev/null
}

lab_up() { # lab_up WORDS...: a lab with a name of its own, in $lab
	need_root
	lab=$(tr -dc a-z < /dev/urandom | head -c 3)
	"$ZEROHOP" lab up "$@" --name "$lab" > /dev/null
}

top() { # top STATUS-PATTERN WORDS...: JSON into $out, checked against the schema
	local want=$1
	shift
	run --separate-stderr timeout 60 "$ZEROHOP" top -j "$@"
	printf '%s' "$output" > "$out"
	[[ $status =~ ^($want)$ ]] || { printf '%s\n' "$status" "$stderr" "$output" >&2; return 1; }
	validate top "$out"
}

has() {
	jq -e "$1" "$out" > /dev/null || { jq . "$out" >&2; return 1; }
}

refused() { # refused TEXT WORDS...: one line, exit 2, nothing on standard output
	local text=$1
	shift
	run --separate-stderr timeout 20 "$ZEROHOP" top "$@"
	[ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"$text"* ]] || { echo "$stderr" >&2; return 1; }
}

@test "a reading has every CPU and device, and its own cost" {
	need_root
	top '0|1' -d 300ms
	has ".cpus | length == $(nproc)"
	has '.cpus | all(.softirq_share >= 0 and .softirq_share <= 1.05)'
	has ".devices | map(select(.place == \"here\")) | length == $(ls /sys/class/net | wc -l)"
	has '.interval_ns >= 300000000 and .overhead.cpu_share > 0 and .overhead.bpf_share != null'
	has '.not_measured == []'
	nothing_left
}

@test "every dropped packet is counted, by reason and place, in a namespace" {
	lab_up lo
	timeout 60 "$ZEROHOP" top -j -d 4s > "$out" || true &
	# Its hooks are there before it sleeps.
	for _ in $(seq 100); do
		bpftool -j prog list | jq -e 'map(.name // "") | any(startswith("zh_live_kfree"))' > /dev/null && break
		sleep 0.1
	done
	sleep 0.5
	ip netns exec "$lab-client" bash -c 'for ((i = 0; i < 23; i++)); do echo x > /dev/udp/127.0.0.1/9; done'
	wait $!
	validate top "$out"
	jq -e --arg place "netns $lab-client" '[.drops[] | select(.reason == "NO_SOCKET" and .dev == "lo"
		and .place == $place and (.is_benign | not))] | map(.total) == [23]' "$out" ||
		{ jq .drops "$out" >&2; false; }
	has '.answer | contains("dropped")'
}

@test "under load: the device with its peer, the CPU, the flow and who gets it" {
	lab_up routed --steer 0
	"$ZEROHOP" lab load --lab "$lab" --rate 20000 -d 6s > /dev/null 2>&1 &
	load=$!
	sleep 1.5
	timeout 60 "$ZEROHOP" top -j -d 2s > "$out" || true
	wait $load || true
	validate top "$out"
	has ".devices[] | select(.dev == \"$lab-client-host\") | .place == \"netns $lab-host\" and .peer == \"eth0\"
		and .peer_place == \"netns $lab-client\" and .cpu == 0 and .rps_cpus == \"0\""
	# Not counted by the device, which got its packets, but by the flow hook there and behind.
	has ".flows[0] | .protocol == \"udp\" and .cpu == 0 and (.to | startswith(\"10.77.2.2:\"))
		and (.to_who | startswith(\"zh-sink (\")) and .per_s > 10000 and .per_s < 40000"
	has ".devices[] | select(.dev == \"$lab-server-host\") | .tx_per_s > 10000 and .tx_per_s < 40000"
	has '.cpus[0].net_rx_share > 0 and .cpus[0].rps_per_s > 0'
}

@test "a namespace by itself; and one that comes and goes while top runs" {
	lab_up veth
	top '0|1' --netns "$lab-client" -d 200ms
	has '.devices | length == 2 and all(.place == "here")'
	timeout 60 "$ZEROHOP" top --batch -d 500ms -n 8 > "$BATS_TEST_TMPDIR/out.txt" &
	sleep 1
	"$ZEROHOP" lab down "$lab"
	"$ZEROHOP" lab up veth --name "$lab" > /dev/null
	wait $! || [ $? -eq 1 ]
	[ "$(grep -c '^CPUs$' "$BATS_TEST_TMPDIR/out.txt")" -eq 8 ]
	# Top holds nothing: with its last name a namespace is gone, and its devices with it.
	"$ZEROHOP" lab down "$lab"
	lab=
	nothing_left
}

@test "without hooks, or the right to them: counters, and what is missing" {
	top '0|1' --no-bpf -d 200ms
	has '.cpus | all(.softirq_share == null and .rx_per_s != null)'
	has '.not_measured[0].why | contains("--no-bpf")'
	has '.flows == [] and (.answer | contains("not known"))'
	need_root
	cp "$ZEROHOP" "$BATS_TEST_TMPDIR/zh"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/zh"
	as_nobody "$BATS_TEST_TMPDIR/zh" top -j -d 200ms > "$out" || [ $? -eq 1 ]
	validate top "$out"
	has '.cpus | all(.rx_per_s != null)'
	has '.not_measured | length > 0 and all(.why | length > 0)'
}

@test "Ctrl-C ends early with the reading until then" {
	need_root
	timeout -s INT 1 "$ZEROHOP" top -j -d 60s > "$out" || [[ $? =~ ^(1|124)$ ]]
	validate top "$out"
	has '.interval_ns < 20000000000'
	nothing_left
}

@test "what makes no sense is refused in a line" {
	refused "takes no target" 127.0.0.1
	refused "exclude each other" --once --batch
	refused "one document" -j --batch
	refused "interval" -d 1ms
	refused "cannot open network namespace" --netns nosuch
}
