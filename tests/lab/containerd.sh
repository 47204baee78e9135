#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs containerd.bats as a node of its own: private mount, network and process namespaces, which end
# with this process, however it ends. What namespaces do not hold (control groups, a directory) a
# second process removes afterwards.
set -eu

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}

[ "$(id -u)" = 0 ] || skip "needs root"
for program in containerd ctr runc containerd-shim-runc-v2 ip jq unshare bats; do
	command -v $program > /dev/null || skip "$program is not installed"
done
CNI_BIN=
for dir in /usr/lib/cni /opt/cni/bin /usr/libexec/cni; do
	[ -x $dir/ptp ] && [ -x $dir/bridge ] && [ -x $dir/host-local ] && CNI_BIN=$dir && break
done
[ -n "$CNI_BIN" ] || skip "CNI's plugins ptp, bridge and host-local are not installed"
unshare -m -n -p -f --mount-proc true 2> /dev/null || skip "no namespaces can be made here"

ZH_NODE_GROUP=zh-test-node-$$
ZH_NODE_DIR=$(mktemp -d)
export CNI_BIN ZH_NODE_GROUP ZH_NODE_DIR
# shellcheck disable=SC2016
setsid sh -c 'tail --pid="$1" -f /dev/null
	for try in 1 2 3 4 5 6 7 8 9 10; do
		find /sys/fs/cgroup -depth -type d -path "*/$2*" -exec rmdir {} + 2> /dev/null
		[ -n "$(find /sys/fs/cgroup -maxdepth 2 -name "$2")" ] || break
		sleep 0.3
	done
	rm -rf "$3"' sh $$ "$ZH_NODE_GROUP" "$ZH_NODE_DIR" < /dev/null > /dev/null 2>&1 &
exec unshare -m -n -p -f --kill-child --mount-proc bats --tap "$@"
