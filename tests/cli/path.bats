#!/usr/bin/env bats
# path: where packets go. Everything that is set up lives in namespaces of its own.

load common

setup() {
	: > "$BATS_TEST_TMPDIR/.start"
	out=$BATS_TEST_TMPDIR/out.json
	ns=zh-path-$$-$BATS_TEST_NUMBER
}

teardown() {
	for name in $(ip netns list 2>/dev/null | grep -o "^$ns[a-z]*"); do
		ip netns del "$name"
	done
}

path() { # path STATUS WORDS...: JSON into $out, checked against the schema
	local want=$1
	shift
	run --separate-stderr timeout 60 "$ZEROHOP" path -j "$@"
	printf '%s' "$output" > "$out"
	[ "$status" -eq "$want" ] || { printf '%s\n' "$status" "$stderr" "$output" >&2; return 1; }
	validate path "$out"
}

has() { # has JQ-CONDITION
	jq -e "$1" "$out" > /dev/null || { jq . "$out" >&2; return 1; }
}

found() { # found ID: among the findings
	has ".findings[] | select(.id == \"$1\")"
}

inside() { # inside SETUP STATUS WORDS...: in a fresh namespace with lo up and SETUP done
	local setup=$1 want=$2
	shift 2
	run --separate-stderr timeout 60 unshare -n sh -c \
		"ip link set lo up; set -e; $setup; exec '$ZEROHOP' path -j \"\$@\"" sh "$@"
	printf '%s' "$output" > "$out"
	[ "$status" -eq "$want" ] || { printf '%s\n' "$status" "$stderr" "$output" >&2; return 1; }
	validate path "$out"
}

only_lo() { # all packets by lo, none by anything else, all answered
	has '.proof.sent == 12 and .proof.answered == 12 and .proof.devices.lo == 12'
	has '[.proof.devices | to_entries[] | select(.key != "lo" and .value != 0)] == []'
	has '.decision.dev == "lo" and .decision.type == "local"'
}

two_places() { # two namespaces, ${ns}a and ${ns}b, joined by a veth pair
	ip netns add "${ns}a"
	ip netns add "${ns}b"
	ip -n "${ns}a" link add va type veth peer name vb netns "${ns}b"
	ip -n "${ns}a" addr add 10.99.0.1/24 dev va
	ip -n "${ns}b" addr add 10.99.0.2/24 dev vb
	for side in a b; do
		ip -n "$ns$side" link set lo up
		ip -n "$ns$side" link set "v$side" up
	done
}

@test "127.0.0.1 here: 12 sent, lo 12, others 0" {
	need_root
	path 0 127.0.0.1
	only_lo
	run --separate-stderr "$ZEROHOP" path 127.0.0.1
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "a packet to 127.0.0.1 goes by lo and stays there: 12 sent, lo 12"* ]]
	[[ "$output" == *"proof: 12 sent: lo 12"* ]]
	nothing_left
}

@test "127.1.2.3, and the same in a fresh namespace" {
	need_root
	run --separate-stderr bash -c "'$ZEROHOP' path 127.1.2.3 -j | jq -r .decision.dev"
	[ "$output" = lo ]
	inside : 0 127.1.2.3
	only_lo
	inside : 0 ::1
	only_lo
	has '.loopback.mtu == 65536'
	has '.loopback.covers[] | select(.address == "127.1.2.3" and .answered == true)'
	has '.loopback.closed_port.ip4.result == "refused"'
	has '.loopback.segments.on > 0 and .loopback.segments.off > 0'
	has '.loopback.segments_small.off > .loopback.segments_small.on'
}

@test "an own address of a veth stays on lo" {
	need_root
	two_places
	path 0 --netns "${ns}a" 10.99.0.1
	only_lo
	has '.proof.devices.va == 0'
	nothing_left
}

@test "from one namespace to the other, hop by hop" {
	need_root
	two_places
	path 0 --netns "${ns}a" --via-netns "${ns}b" 10.99.0.2
	has '.decision.dev == "va" and .proof.sent == 12 and .proof.answered == 12'
	has '.proof.devices.va == 12 and .proof.devices.lo == 0'
	has '[.proof.device_counts[] | select(.dev == "vb")][0].requests == 12'
	has '[.hops[] | select(.kind == "device") | .dev] == ["va", "vb"]'
	has '[.hops[].place] | unique | length == 2'
}

@test "a rule for one protocol ahead of local is named, with exit 1" {
	need_root
	local rules='ip rule add pref 200 lookup local; ip rule del pref 0
		ip rule add pref 100 ipproto udp blackhole'
	inside "$rules" 1 udp:127.0.0.1:5353
	found path-diverted
	has '.findings[] | select(.id == "path-diverted") | .summary | test("rule 100: .*udp.*blackhole")'
	has '.decision.error != null and .decision.rule.pref == 100'
	has '[.findings[] | select(.id == "policy-route")] == []'
	# Another protocol is not concerned.
	inside "$rules" 0 127.0.0.1
	only_lo
	has '.decision.rules_before[] | select(.pref == 100)'
}

@test "a packet that nft drops: where, and by whom" {
	need_root
	command -v nft || skip "no nft"
	inside "nft 'add table inet t; add chain inet t c { type filter hook input priority 0; };
		add rule inet t c meta l4proto icmp counter drop'" 1 127.0.0.1
	found path-dropped
	has '.proof.sent == 12 and .proof.answered == 0'
	has '[.proof.lost[].packets] | add == 12'
	has '.proof.lost[0].reason == "NETFILTER_DROP" or .proof.lost[0].reason == null'
	has '[.findings[] | select(.id == "firewall-on-lo")] == []'
}

@test "localhost: both families are followed, in the order of getaddrinfo" {
	need_root
	inside : 0 localhost
	has '.name.asked == "localhost" and .name.took_ns > 0'
	has '([.name.addresses[]] | length) == 1 + (.other_ways | length)'
	only_lo
}

@test "one family without a way is an asymmetry" {
	need_root
	inside 'sysctl -qw net.ipv6.conf.all.disable_ipv6=1' 0 127.0.0.1
	getent ahosts localhost | grep -q ::1 || skip "localhost has one family here"
	inside 'sysctl -qw net.ipv6.conf.all.disable_ipv6=1' 1 localhost
	found path-asymmetric
}

@test "a closed TCP port is refused at once, and that is fine" {
	need_root
	inside : 0 tcp:127.0.0.1:9
	has '.proof.answered == 0 and .proof.refused == .proof.sent'
	has '.findings[] | select(.id == "path-unanswered" and .severity == "info")'
}

@test "a TCP port that keeps silent is a finding" {
	need_root
	command -v nft || skip "no nft"
	inside "nft 'add table inet t; add chain inet t c { type filter hook input priority 0; };
		add rule inet t c tcp dport 9 drop'" 1 -W 200ms tcp:127.0.0.1:9
	found path-dropped
}

@test "a Unix socket: who listens there" {
	sock=$BATS_TEST_TMPDIR/s
	/usr/bin/python3 -c "
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.bind('$sock')
s.listen(4)
sys.stdin.read()" < <(sleep 60) &
	pid=$!
	for _ in $(seq 50); do [ -S "$sock" ] && break; sleep 0.1; done
	path 0 "unix:$sock"
	kill $pid
	has '.unix.listening == 1 and .decision == null and .proof.devices == {}'
	[ "$(id -u)" != 0 ] || has ".unix.pid == $pid"
}

@test "no packet is sent with --count 0" {
	path 0 --count 0 127.0.0.1
	has '.proof.sent == 0 or .proof.sent == null'
	has '.decision.dev == "lo"'
}

@test "a mark and a user choose another way" {
	need_root
	local rules='ip rule add pref 200 lookup local; ip rule del pref 0
		ip rule add pref 100 fwmark 7 prohibit; ip rule add pref 101 uidrange 77-77 unreachable'
	inside "$rules" 0 127.0.0.1
	inside "$rules" 1 --mark 7 127.0.0.1
	has '.decision.rule.pref == 100'
	inside "$rules" 1 --mark 0x7 -c 0 127.0.0.1
	has '.decision.rule.pref == 100'
	inside "$rules" 1 --uid 77 -c 0 127.0.0.1
	has '.decision.rule.pref == 101'
}

@test "lo that is down is named" {
	need_root
	inside 'ip link set lo down' 1 127.0.0.1
	has '[.findings[].id] | index("loopback-down") != null'
}

@test "a record is explained again as it was" {
	need_root
	cd "$BATS_TEST_TMPDIR"
	path 0 -o path.zhr 127.0.0.1
	"$ZEROHOP" report -j path.zhr > report.json
	validate report report.json
	[ "$(jq -S 'del(.command)' "$out")" = "$(jq -S 'del(.command)' report.json)" ]
}

@test "text stays within 100 columns, in UTF-8 and in ASCII" {
	LC_ALL=C.UTF-8 "$ZEROHOP" path localhost > "$BATS_TEST_TMPDIR/utf8" || [ $? -eq 1 ]
	[ "$(LC_ALL=C.UTF-8 wc -L < "$BATS_TEST_TMPDIR/utf8")" -lt 100 ]
	LC_ALL=C "$ZEROHOP" path localhost > "$BATS_TEST_TMPDIR/ascii" || [ $? -eq 1 ]
	! LC_ALL=C grep -q '[^ -~]' "$BATS_TEST_TMPDIR/ascii"
}

@test "nobody is told what could not be seen" {
	need_root
	public=$(mktemp -d)
	chmod 755 "$public"
	install -m 755 "$ZEROHOP" "$public/zh"
	as_nobody "$public/zh" path -j udp:127.0.0.1 > "$out" || [ $? -eq 1 ] || [ $? -eq 3 ]
	rm -r "$public"
	validate path "$out"
	has '.decision.dev == "lo" and (.not_measured | length) > 0'
}

@test "bad input is one line and exit 2" {
	while read -r words; do
		# shellcheck disable=SC2086
		run --separate-stderr timeout 20 "$ZEROHOP" path $words
		[ "$status" -eq 2 ] || { echo "$status: $words: $stderr" >&2; false; }
		[ -z "$output" ]
		[ "$(printf '%s\n' "$stderr" | grep -vc '^hint:')" -eq 1 ]
		[[ "$stderr" == zerohop:* ]]
	done <<-CASES
		a b
		-4 -6
		--count 1001
		--count many
		--mark x
		--mark 0x100000000
		--uid -1
		--from nonsense
		--iif no-such-dev
		--steps
		--steps -j
		--via-netns no-such-netns
		--via-netns ,
		--netns no-such-netns
		--pid 4194304
		-o /nonexistent/x.zhr
		nosuch.invalid
		tcp:127.0.0.1:99999
		unix:$BATS_TEST_TMPDIR/none
		-6 127.0.0.1
	CASES
}

@test "a source that is not ours is said so" {
	need_root
	run --separate-stderr timeout 20 unshare -n sh -c \
		"ip link set lo up; exec '$ZEROHOP' path --from 192.0.2.1 127.0.0.1"
	[ "$status" -ne 0 ]
	[[ "$output$stderr" == *192.0.2.1* ]]
}

@test "--steps on a terminal: Enter shows the next hop, q ends" {
	need_root
	command -v script || skip "no script(1)"
	printf '\n\nq\n' | script -qec "'$ZEROHOP' path --steps --no-color 127.0.0.1" /dev/null \
		> "$BATS_TEST_TMPDIR/steps"
	grep -q 'Step 1 of ' "$BATS_TEST_TMPDIR/steps"
	grep -q 'Step 3 of ' "$BATS_TEST_TMPDIR/steps"
	! grep -q 'Step 4 of ' "$BATS_TEST_TMPDIR/steps"
}

@test "Ctrl-C ends early with the results so far; a kill leaves nothing" {
	need_root
	"$ZEROHOP" path -j --count 1000 127.0.0.1 > "$out" &
	pid=$!
	sleep 2
	kill -INT $pid
	wait $pid
	validate path "$out"
	has '.run.interrupted == true and .proof.sent > 0 and .proof.sent < 1000'
	for signal in KILL TERM; do
		"$ZEROHOP" path --count 1000 127.0.0.1 > /dev/null &
		pid=$!
		sleep 1
		kill -$signal $pid
		wait $pid || true
		nothing_left
	done
}
