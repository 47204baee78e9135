#!/usr/bin/env bats
# bench: cells, files, other programs, bad input, and what ends a run early.

load common

# One line on standard error, nothing on standard output, exit status $1.
refused() {
	local expected=$1
	shift
	run --separate-stderr timeout 20 "$ZEROHOP" bench "$@"
	[ "$status" -eq "$expected" ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

bench_json() { # bench_json ARGUMENTS: runs it, keeps and checks the document
	"$ZEROHOP" bench -j "$@" > "$BATS_TEST_TMPDIR/bench.json"
	validate bench "$BATS_TEST_TMPDIR/bench.json"
}

ask() { # ask FILTER: of the document
	jq -e "$1" "$BATS_TEST_TMPDIR/bench.json"
}

two_cpus() {
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
}

@test "every transport is measured, in every placement" {
	two_cpus
	for transport in tcp udp unix-stream unix-dgram unix-seqpacket pipe socketpair shm-futex; do
		bench_json "$transport" -p same-cpu,cross-cpu,free --rounds 1 --budget 300ms
		ask '.results | length == 3'
		ask 'all(.results[]; .rtt.count > 10 and .rtt.p50_ns > 0 and .floor_ratio > 0)'
	done
	bench_json shm-spin --rounds 1 --budget 200ms
	ask '.results[0].rtt.count > 10'
	nothing_left
}

@test "streams and fixed rates" {
	two_cpus
	bench_json tcp unix-stream pipe udp --mode stream --size 16k --rounds 1 --budget 800ms
	ask 'all(.results[]; .throughput_bytes_per_s > 0 and .rtt == null)'
	bench_json tcp udp --rate 500,2000 --for 300ms --rounds 1
	ask '[.results[].gap_ns] | sort == [500000, 500000, 2000000, 2000000]'
	ask 'all(.results[]; .mode == "rate" and .rtt.count > 20)'
	bench_json tcp --bytes 16M --rounds 2
	ask '.results[0].mode == "stream" and .results[0].rounds == 2'
}

@test "without options: the round trip and one way, for tcp, udp and unix-stream" {
	two_cpus
	bench_json
	ask '[.results[] | .transport + " " + .mode] | sort == ["tcp pingpong", "tcp stream",
		"udp pingpong", "udp stream", "unix-stream pingpong", "unix-stream stream"]'
	ask 'all(.results[]; .rounds == 3)'
	ask '.run.took_ns < 20e9'
}

@test "the matrix: sizes, buffers and placements, with a map" {
	two_cpus
	LC_ALL=C.UTF-8 "$ZEROHOP" bench tcp --matrix -s 1,1k --buf 64k,1M --rounds 1 --budget 1s \
		> "$BATS_TEST_TMPDIR/out"
	[ "$(LC_ALL=C.UTF-8 wc -L < "$BATS_TEST_TMPDIR/out")" -lt 100 ]
	grep -q 'One way, throughput' "$BATS_TEST_TMPDIR/out"
	bench_json tcp --matrix -s 1,1k --buf 64k,1M --rounds 1 --budget 1s
	ask '.results | length == 24'
}

@test "a combination that makes no sense is listed with its reason, the others are measured" {
	two_cpus
	bench_json shm-spin pipe -p same-cpu,cross-cpu --rounds 1 --budget 400ms
	ask '[.results[] | select(.why_not)] | length == 1'
	ask '.not_measured[] | select(.why | contains("two CPUs"))'
	ask '[.results[] | select(.rounds == 1)] | length == 3'
}

@test "a wrong word, size or place is one line and exit 2" {
	refused 2 nosuch
	[[ "$stderr" == *nosuch*tcp*unix-dgram* ]]
	refused 2 tcp --size 0
	refused 2 udp --size 65k
	[[ "$stderr" == *udp*65507* ]]
	refused 2 tcp --size 1G
	refused 2 tcp --size 1,,2
	refused 2 tcp --size 64,1,64
	refused 2 tcp udp tcp
	refused 2 tcp --placement here
	[[ "$stderr" == *same-cpu*cross-cpu*free* ]]
	refused 2 tcp --mode fast
	refused 2 tcp --mode rate --rate 0
	refused 2 tcp --mode rate --size 1
	refused 2 tcp --mode pingpong --rate 100
	refused 2 icmp --mode stream
	refused 2 shm-spin --placement same-cpu
	refused 2 pipe --zerocopy
	refused 2 shm-futex --buf 64k
	refused 2 tcp --rounds 0
	refused 2 tcp --compare-with nosuch
	[[ "$stderr" == *sockperf* ]]
	refused 2 tcp --over nosuch
	refused 2 unix --over lo
	refused 2 tcp --peer-netns nosuch
	refused 2 tcp --peer-netns nosuch --address 127.0.0.1
	refused 2 tcp --address localhost
	refused 2 tcp --cpus 1023
	refused 2 --rates fast
	refused 2 --rates 20,20
	refused 2 --rates 20 pipe
	refused 2 --rates 20 --size 64
	refused 2 tcp --netns nosuch
	nothing_left
}

@test "one CPU: cross-cpu is refused with the reason, the default measures" {
	run --separate-stderr taskset -c 0 "$ZEROHOP" bench tcp -p cross-cpu
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"two CPUs"* ]]
	taskset -c 0 "$ZEROHOP" bench -j tcp --rounds 1 --budget 200ms > "$BATS_TEST_TMPDIR/bench.json"
	ask '.results[0].placement == "same-cpu" and .results[0].rounds == 1'
}

@test "files that cannot be written are known before anything is measured" {
	refused 2 tcp --for 10s -o /nonexistent/x.zhr
	refused 2 tcp --for 10s --hgrm /nonexistent/x
	refused 2 tcp --for 10s --hgrm ''
}

@test "too few file descriptors are a sentence and exit 3" {
	run --separate-stderr bash -c "ulimit -n 20; '$ZEROHOP' bench tcp"
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"ulimit -n"* ]]
	nothing_left
}

@test "icmp without the permission is a sentence and exit 3" {
	need_root
	public=$(mktemp -d)
	chmod 755 "$public"
	install -m 755 "$ZEROHOP" "$public/zh"
	run --separate-stderr unshare -n sh -c "ip link set lo up
		setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
			--bounding-set=-all '$public/zh' bench icmp"
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ "$stderr" == *ICMP* || "$stderr" == *icmp* ]]
	# Beside others it is a cell that was not measured.
	unshare -n sh -c "ip link set lo up
		setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
			--bounding-set=-all '$public/zh' bench -j icmp tcp --rounds 1" \
		> "$BATS_TEST_TMPDIR/bench.json"
	ask '.results[] | select(.transport == "icmp") | .rounds == 0 and (.why_not | length > 0)'
	ask '.results[] | select(.transport == "tcp") | .rounds == 1'
	rm -r "$public"
}

@test "an unreachable peer is a sentence and exit 3" {
	need_root
	run --separate-stderr timeout 30 unshare -n "$ZEROHOP" bench tcp
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[ -n "$stderr" ]
	nothing_left
}

@test "a record is reported as it was shown, histograms are written" {
	cd "$BATS_TEST_TMPDIR"
	"$ZEROHOP" bench -j unix tcp --rounds 2 --budget 400ms -o run.zhr --hgrm h > bench.json
	"$ZEROHOP" report -j run.zhr > report.json
	validate report report.json
	[ "$(jq -S .results bench.json)" = "$(jq -S .results report.json)" ]
	[ "$(find . -name 'h-*.hgrm' | wc -l)" -eq 2 ]
	grep -q '^#\[Max' h-tcp-pingpong-1-*.hgrm
	mkdir dir
	"$ZEROHOP" bench -j tcp --rounds 1 --budget 100ms --hgrm dir > /dev/null
	[ "$(find dir -name '*.hgrm' | wc -l)" -eq 1 ]
}

@test "through a pair of namespaces, built for it or somebody's" {
	need_root
	bench_json tcp udp icmp --over veth --rounds 1 --budget 600ms
	ask 'all(.results[]; .over == "veth" and .rtt.count > 10)'
	name="zh-test-$$-$RANDOM"
	ip netns add "$name-a" && ip netns add "$name-b"
	ip -n "$name-a" link add zt0 type veth peer name zt1 netns "$name-b"
	ip -n "$name-a" addr add 10.78.0.1/24 dev zt0
	ip -n "$name-b" addr add 10.78.0.2/24 dev zt1
	ip -n "$name-a" link set zt0 up && ip -n "$name-b" link set zt1 up
	"$ZEROHOP" bench -j tcp --netns "$name-a" --peer-netns "$name-b" --address 10.78.0.2 --rounds 1 \
		--for 2s > "$BATS_TEST_TMPDIR/bench.json" &
	pid=$!
	sleep 1 # the names may vanish meanwhile: what is measured is held open
	ip netns del "$name-a" && ip netns del "$name-b"
	wait $pid
	validate bench "$BATS_TEST_TMPDIR/bench.json"
	ask '.results[0].rtt.count > 10'
	refused 2 tcp --netns "$name-a"
	nothing_left
}

@test "Ctrl-C ends early with what was measured, as one valid document" {
	two_cpus
	"$ZEROHOP" bench -j tcp unix --rounds 50 --for 100ms > "$BATS_TEST_TMPDIR/bench.json" &
	pid=$!
	sleep 3
	kill -INT $pid
	wait $pid
	validate bench "$BATS_TEST_TMPDIR/bench.json"
	ask '.run.interrupted'
	ask 'any(.results[]; .rounds > 1 and .rtt.count > 10)'
	nothing_left
}

@test "a peer that dies is said, with exit 1 and what there was" {
	"$ZEROHOP" bench -j tcp --rounds 1 --for 3s --no-floor > "$BATS_TEST_TMPDIR/bench.json" &
	pid=$!
	sleep 1.5
	peer=$(pgrep -P $pid)
	kill -KILL $peer
	status=0
	wait $pid || status=$?
	[ "$status" -eq 1 ]
	validate bench "$BATS_TEST_TMPDIR/bench.json"
	ask '.results[0].rtt.count > 10'
	ask '.not_measured | length > 0'
	nothing_left
}

@test "a peer that stalls once is charged with all that was due meanwhile" {
	"$ZEROHOP" bench -j tcp --rate 1000 --rounds 1 --for 4500ms --no-floor \
		> "$BATS_TEST_TMPDIR/bench.json" &
	pid=$!
	sleep 2
	peer=$(pgrep -P $pid)
	kill -STOP $peer
	sleep 0.2
	kill -CONT $peer
	wait $pid
	# 200 of 4500 messages waited up to 200 ms: the slowest hundredth for 155 ms and more.
	ask '.results[0].rtt.p99_ns > 140e6'
	ask '.results[0].rtt.p50_ns < 100e6'
}

@test "nothing is left behind, killed or not" {
	for signal in KILL TERM; do
		"$ZEROHOP" bench tcp udp --rounds 100 --for 100ms > /dev/null &
		pid=$!
		sleep 1
		kill -$signal $pid
		wait $pid || true
		nothing_left
	done
}

@test "other programs beside each round; one that is not there says so" {
	need_root
	command -v sockperf > /dev/null || skip "needs sockperf"
	bench_json tcp --rounds 1 --compare-with sockperf,iperf3
	ask '.tools | length == 2'
	ask '.tools[] | select(.tool == "sockperf") | .p50_ns > 0'
	ask '.tools[] | select(.tool == "iperf3") | .why_not | contains("throughput")'
	unshare -m sh -c "mount --bind /dev/null $(command -v sockperf)
		'$ZEROHOP' bench -j tcp --rounds 1 --compare-with sockperf" > "$BATS_TEST_TMPDIR/bench.json"
	ask '.tools[0].why_not == "sockperf is not installed"'
	nothing_left
}

@test "a killed run takes the other program's server along" {
	command -v sockperf > /dev/null || skip "needs sockperf"
	"$ZEROHOP" bench tcp --rounds 20 --for 20ms --compare-with sockperf > /dev/null &
	pid=$!
	for _ in $(seq 100); do
		children=$(pgrep -P $pid -x sockperf) && break
		sleep 0.1
	done
	[ -n "$children" ]
	kill -KILL $pid
	wait $pid || true
	for child in $children; do
		for _ in $(seq 40); do
			kill -0 "$child" 2> /dev/null || break
			sleep 0.1
		done
		run kill -0 "$child"
		[ "$status" -ne 0 ]
	done
}

@test "rates: each with its round trips and what they are made of" {
	need_root
	cd "$BATS_TEST_TMPDIR"
	"$ZEROHOP" bench -j --rates 20,max -o rates.zhr > bench.json
	validate bench bench.json
	ask '[.rates[] | .transport] | unique == ["icmp", "udp"]'
	ask 'all(.rates[]; .rtt.count >= 40 and .rtt.p50_ns > 0)'
	ask 'all(.rates[]; [.shares[]] | (all(. != null)) and add > 0.98 and add < 1.02)'
	# Only a second thread has to be woken.
	ask '[.rates[] | select(.transport == "udp") | .shares.wake_up] | min > 0'
	ask 'all(.rates[] | select(.transport == "icmp"); .kernel_rtt.p50_ns < .rtt.p50_ns)'
	"$ZEROHOP" report -j rates.zhr > report.json
	validate report report.json
	[ "$(jq -S .rates bench.json)" = "$(jq -S .rates report.json)" ]
	nothing_left
}
