/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/watch-facts.h"

#include <string.h>

#include "explain/path-facts.h"

#define CPU "watch.cpu.*."
#define DROP "watch.drop.*."
#define FLOW "watch.flow.*."

const char *const zh_watch_keys[] = {
	"watch.dev",
	"watch.kind",
	"watch.place",
	"watch.pod",
	"watch.container",
	"watch.why",
	"watch.bridge",
	"watch.host.dev",
	"watch.host.place",
	"watch.host.pod",
	"watch.host.container",
	"watch.window_ns",
	"watch.lost_rows",
	"watch.writable",
	"watch.peer.dev",
	"watch.peer.place",
	"watch.peer.pod",
	"watch.peer.container",
	"watch.peer.link.*",
	"watch.peer.link.*.*",
	"watch.peer.queue.*",
	"watch.peer.queue.*.*",
	"watch.peer.queue.*.*.*",
	"watch.peer.offload.*",
	"watch.peer.snmp.*.*",
	"watch.peer.snmp6.*",
	"watch.peer.netstat.*.*",
	CPU "softirq_ns",
	CPU "vector.*",
	CPU "ksoftirqd_ns",
	CPU "longest_ns",
	CPU "flow_pkts",
	CPU "dev",
	CPU "flows",
	CPU "top_flow_permille",
	CPU "hog.pid",
	CPU "hog.name",
	CPU "hog.run_ns",
	CPU "hog.real_time",
	CPU "hog.nice",
	DROP "count",
	DROP "reason",
	DROP "function",
	DROP "dev",
	DROP "place",
	DROP "same_place",
	DROP "ours",
	FLOW "cpu",
	FLOW "packets",
	FLOW "protocol",
	FLOW "from",
	FLOW "to",
	FLOW "from_port",
	FLOW "to_port",
	FLOW "from_place",
	FLOW "to_place",
	FLOW "dev",
	FLOW "place",
	FLOW "same_place",
	FLOW "ours",
	NULL,
};

bool zh_watch_is_key(const char *key)
{
	for (size_t i = 0; zh_watch_keys[i]; i++)
		if (zh_path_patterns_meet(key, zh_watch_keys[i]))
			return true;
	return false;
}
