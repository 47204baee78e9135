#!/usr/bin/env bats
# Targets that do not answer, or answer nonsense: loss with its reason, in time, never a hang.

load common

# lost PROBES FIRST-FINDING WORDS...: all probes lost, exit 1, this finding first.
lost() {
	local n=$1 first=$2
	shift 2
	run -1 --separate-stderr timeout 30 "$@"
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/out.json"
	validate ping "$BATS_TEST_TMPDIR/out.json"
	[ "$(jq .rtt.lost "$BATS_TEST_TMPDIR/out.json")" -eq "$n" ]
	[ "$(jq -r '.findings[0].id' "$BATS_TEST_TMPDIR/out.json")" = "$first" ]
}

says() { # the first finding's summary contains this
	jq -e --arg text "$1" '.findings[0].summary | contains($text)' "$BATS_TEST_TMPDIR/out.json" > /dev/null
}

# The probes of all tests here; a namespace of their own keeps other people's traffic out.
ping_in() { # ping_in SETUP TARGET
	unshare -n sh -c "ip link set lo up; $1; exec '$ZEROHOP' ping -j -c 20 -i 2ms -W 100ms $2"
}
export -f ping_in

# Somebody else's services; prints the ports of: silent TCP, silent UDP, one that closes, one that
# sends garbage without end.
services() {
	exec /usr/bin/python3 - "$BATS_TEST_TMPDIR" <<-'PY'
		import os, socket, sys, threading, time
		def listener():
		    s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(5); return s
		silent, closes, garbage = listener(), listener(), listener()
		udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(('127.0.0.1', 0))
		def close():
		    while True: closes.accept()[0].close()
		def flood():
		    while True:
		        c, _ = garbage.accept()
		        try:
		            while True: c.sendall(b'\xff' * 5000)
		        except OSError: pass
		for f in (close, flood): threading.Thread(target=f, daemon=True).start()
		with open(sys.argv[1] + '/ports.tmp', 'w') as f:
		    print(*(s.getsockname()[1] for s in (silent, udp, closes, garbage)), file=f)
		os.rename(sys.argv[1] + '/ports.tmp', sys.argv[1] + '/ports')
		time.sleep(60)
	PY
}

@test "services that do not echo: silent, closing, sending garbage" {
	services 3>&- &
	server=$!
	for _ in $(seq 50); do [ -e "$BATS_TEST_TMPDIR/ports" ] && break; sleep 0.1; done
	read -r silent udp closes garbage < "$BATS_TEST_TMPDIR/ports"
	zh="$ZEROHOP ping -j -c 20 -i 2ms -W 100ms"
	lost 20 unspecified-drop $zh "tcp:127.0.0.1:$silent"
	says 'does not answer probes'
	lost 20 unspecified-drop $zh "udp:127.0.0.1:$udp"
	says 'does not answer probes'
	lost 20 unspecified-drop $zh "tcp:127.0.0.1:$closes"
	says 'The peer refused'
	lost 20 unspecified-drop $zh "tcp:127.0.0.1:$garbage"
	says 'The peer refused'
	kill $server
	wait $server || true
	lost 20 unspecified-drop $zh "udp:127.0.0.1:$udp"
	says 'The peer refused'
	run -3 --separate-stderr "$ZEROHOP" ping -j "tcp:127.0.0.1:$silent"
	[ -z "$output" ]
	[[ "$stderr" == *"Connection refused" ]]
}

@test "a host that ignores echo requests is named, IPv4 and IPv6" {
	need_root
	lost 20 icmp-ratelimit bash -c "ping_in 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all' 127.0.0.1"
	says icmp_echo_ignore_all
	lost 20 icmp-ratelimit bash -c "ping_in 'echo 1 > /proc/sys/net/ipv6/icmp/echo_ignore_all' ::1"
	says echo_ignore_all
}

@test "no way to the target: no route, a blackhole, no IPv6" {
	need_root
	lost 20 route-drop bash -c "ping_in : 10.9.9.9"
	lost 20 route-drop bash -c "ping_in 'ip route add blackhole 10.9.9.0/24' 10.9.9.9"
	lost 20 route-drop bash -c "ping_in 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6' ::1"
	jq -e '[.findings[] | select(.id == "port-exhaustion")] == []' "$BATS_TEST_TMPDIR/out.json"
	run -3 --separate-stderr bash -c \
		"ping_in 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6' 'udp:[::1]'"
	[[ "$stderr" == *"cannot answer on udp:[::1]: "* ]]
	[[ "$stderr" == *"without IPv6"* ]]
}

@test "a firewall that drops everything, over each transport" {
	need_root
	command -v nft || skip "no nft"
	rules='nft add table inet x; nft add chain inet x i "{ type filter hook input priority 0; policy drop; }"'
	for target in 127.0.0.1 ::1 udp:127.0.0.1 tcp:127.0.0.1; do
		lost 20 firewall-drop bash -c "ping_in '$rules' $target"
	done
}

@test "pacing faster than the round trip, odd sizes, the largest of all" {
	for target in udp:127.0.0.1 tcp:127.0.0.1 'tcp:[::1]' unix: unix-dgram:; do
		for size in 32 33 1473 16385 60000; do
			"$ZEROHOP" ping -j -c 8 -i 2ms -s $size "$target" > "$BATS_TEST_TMPDIR/out.json"
			[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/out.json")" -eq 8 ]
		done
		"$ZEROHOP" ping -j -c 2000 -i 0s "$target" > "$BATS_TEST_TMPDIR/out.json"
		[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/out.json")" -eq 2000 ]
	done
	# The kernel answers ICMP before the send call returns: no overload can lose a reply.
	[ "$(id -u)" = 0 ] || return 0
	"$ZEROHOP" ping -j -c 5000 -i 1us icmp:127.0.0.1 > "$BATS_TEST_TMPDIR/out.json"
	[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/out.json")" -gt 4500 ]
}

@test "names: only IPv6, the wrong family, not at all" {
	need_root
	echo '::1 six localhost' > "$BATS_TEST_TMPDIR/hosts"
	in_six() {
		unshare -n -m sh -c "ip link set lo up
			mount --bind '$BATS_TEST_TMPDIR/hosts' /etc/hosts
			exec '$ZEROHOP' ping -j -c 10 -i 1ms $*"
	}
	for words in six '-6 six' udp:six tcp:six; do
		# shellcheck disable=SC2086
		in_six $words > "$BATS_TEST_TMPDIR/out.json"
		[ "$(jq .rtt.count "$BATS_TEST_TMPDIR/out.json")" -eq 10 ]
	done
	run -2 --separate-stderr unshare -n timeout 30 "$ZEROHOP" ping nosuch.example.com
	[[ "$stderr" == *"cannot resolve 'nosuch.example.com'"* ]]
}
