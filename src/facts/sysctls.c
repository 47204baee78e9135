/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel settings that bear on the local path. Those below net/ are the network namespace's where
 * the kernel keeps them per namespace, the host's otherwise; a setting that this kernel or this
 * namespace does not have is left out.
 *
 * The schema is the table that the collector works through: "sysctl.<path>", and for a file with
 * several numbers one row each, "sysctl.<path>.<name>", in the file's order.
 */
#include <errno.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "facts/facts.h"
#include "facts/read.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/root.h"

#define PREFIX "sysctl."

static const struct zh_fact_schema schema[] = {
	{"sysctl.net/core/netdev_max_backlog", ZH_FACT_NUMBER, "pkts",
		"receive backlog of each CPU"},
	{"sysctl.net/core/netdev_budget", ZH_FACT_NUMBER, "pkts",
		"packets that one NET_RX softirq may take"},
	{"sysctl.net/core/netdev_budget_usecs", ZH_FACT_NUMBER, "us",
		"time that one NET_RX softirq may take"},
	{"sysctl.net/core/dev_weight", ZH_FACT_NUMBER, "pkts",
		"packets of the backlog taken in one poll"},
	{"sysctl.net/core/dev_weight_rx_bias", ZH_FACT_NUMBER, "",
		"factor on dev_weight for receiving"},
	{"sysctl.net/core/dev_weight_tx_bias", ZH_FACT_NUMBER, "",
		"factor on dev_weight for sending"},
	{"sysctl.net/core/somaxconn", ZH_FACT_NUMBER, "count", "largest accept queue"},
	{"sysctl.net/core/rmem_default", ZH_FACT_NUMBER, "bytes", "default receive buffer"},
	{"sysctl.net/core/rmem_max", ZH_FACT_NUMBER, "bytes",
		"largest receive buffer a program may ask for"},
	{"sysctl.net/core/wmem_default", ZH_FACT_NUMBER, "bytes", "default send buffer"},
	{"sysctl.net/core/wmem_max", ZH_FACT_NUMBER, "bytes",
		"largest send buffer a program may ask for"},
	{"sysctl.net/core/optmem_max", ZH_FACT_NUMBER, "bytes",
		"largest ancillary buffer of a socket"},
	{"sysctl.net/core/busy_poll", ZH_FACT_NUMBER, "us", "busy polling in poll() and select()"},
	{"sysctl.net/core/busy_read", ZH_FACT_NUMBER, "us", "busy polling in a read"},
	{"sysctl.net/core/rps_sock_flow_entries", ZH_FACT_NUMBER, "count",
		"size of the RFS flow table"},
	{"sysctl.net/core/flow_limit_table_len", ZH_FACT_NUMBER, "count",
		"size of the flow limit table"},
	{"sysctl.net/core/gro_normal_batch", ZH_FACT_NUMBER, "pkts",
		"packets that GRO passes up at once"},
	{"sysctl.net/core/skb_defer_max", ZH_FACT_NUMBER, "count",
		"buffers kept for freeing on their CPU"},
	{"sysctl.net/core/netdev_tstamp_prequeue", ZH_FACT_NUMBER, "",
		"1: receive stamps before the backlog"},
	{"sysctl.net/core/default_qdisc", ZH_FACT_STRING, "",
		"qdisc of new devices (not of lo and veth)"},
	{"sysctl.net/core/rps_default_mask", ZH_FACT_STRING, "cpu list", "RPS CPUs of new queues"},
	{"sysctl.net/core/flow_limit_cpu_bitmap", ZH_FACT_STRING, "cpu list",
		"CPUs with a flow limit"},
	{"sysctl.net/ipv4/tcp_tw_reuse", ZH_FACT_NUMBER, "",
		"reuse of TIME_WAIT ports (2: loopback only)"},
	{"sysctl.net/ipv4/tcp_max_syn_backlog", ZH_FACT_NUMBER, "count",
		"half-open connections of a listener"},
	{"sysctl.net/ipv4/tcp_syncookies", ZH_FACT_NUMBER, "", "SYN cookies when that is full"},
	{"sysctl.net/ipv4/tcp_abort_on_overflow", ZH_FACT_NUMBER, "",
		"1: reset when the accept queue is full"},
	{"sysctl.net/ipv4/tcp_autocorking", ZH_FACT_NUMBER, "",
		"small writes wait for the ones on their way"},
	{"sysctl.net/ipv4/tcp_low_latency", ZH_FACT_NUMBER, "", "without effect since 4.14"},
	{"sysctl.net/ipv4/tcp_limit_output_bytes", ZH_FACT_NUMBER, "bytes",
		"bytes of a flow below TCP"},
	{"sysctl.net/ipv4/tcp_fin_timeout", ZH_FACT_NUMBER, "s", "life of FIN_WAIT_2"},
	{"sysctl.net/ipv4/tcp_fastopen", ZH_FACT_NUMBER, "", "TCP fast open, by bits"},
	{"sysctl.net/ipv4/tcp_early_demux", ZH_FACT_NUMBER, "",
		"socket look-up before routing, TCP"},
	{"sysctl.net/ipv4/udp_early_demux", ZH_FACT_NUMBER, "",
		"socket look-up before routing, UDP"},
	{"sysctl.net/ipv4/ip_early_demux", ZH_FACT_NUMBER, "", "socket look-up before routing"},
	{"sysctl.net/ipv4/tcp_rto_min_us", ZH_FACT_NUMBER, "us", "shortest retransmission timeout"},
	{"sysctl.net/ipv4/ip_forward", ZH_FACT_NUMBER, "", "IPv4 forwarding"},
	{"sysctl.net/ipv4/icmp_echo_ignore_all", ZH_FACT_NUMBER, "", "1: no echo replies"},
	{"sysctl.net/ipv6/icmp/echo_ignore_all", ZH_FACT_NUMBER, "", "1: no echo replies"},
	{"sysctl.net/ipv4/icmp_ratelimit", ZH_FACT_NUMBER, "ms",
		"spacing of ICMP errors to one target"},
	{"sysctl.net/ipv4/icmp_msgs_per_sec", ZH_FACT_NUMBER, "count", "ICMP errors a second"},
	{"sysctl.net/ipv4/udp_rmem_min", ZH_FACT_NUMBER, "bytes",
		"receive buffer that UDP always has"},
	{"sysctl.net/ipv4/tcp_congestion_control", ZH_FACT_STRING, "",
		"congestion control of new connections"},
	{"sysctl.net/ipv4/ping_group_range", ZH_FACT_STRING, "",
		"groups that may ping without privileges"},
	{"sysctl.net/ipv4/neigh/default/gc_thresh1", ZH_FACT_NUMBER, "count",
		"IPv4 neighbours kept without care"},
	{"sysctl.net/ipv4/neigh/default/gc_thresh2", ZH_FACT_NUMBER, "count",
		"IPv4 neighbours before collection"},
	{"sysctl.net/ipv4/neigh/default/gc_thresh3", ZH_FACT_NUMBER, "count",
		"most IPv4 neighbours"},
	{"sysctl.net/ipv6/neigh/default/gc_thresh1", ZH_FACT_NUMBER, "count",
		"IPv6 neighbours kept as they are"},
	{"sysctl.net/ipv6/neigh/default/gc_thresh2", ZH_FACT_NUMBER, "count",
		"IPv6 neighbours before collection"},
	{"sysctl.net/ipv6/neigh/default/gc_thresh3", ZH_FACT_NUMBER, "count",
		"most IPv6 neighbours"},
	{"sysctl.net/ipv6/conf/all/disable_ipv6", ZH_FACT_NUMBER, "", "1: IPv6 is off"},
	{"sysctl.net/bridge/bridge-nf-call-iptables", ZH_FACT_NUMBER, "",
		"bridged IPv4 passes the IP hooks"},
	{"sysctl.net/bridge/bridge-nf-call-ip6tables", ZH_FACT_NUMBER, "",
		"bridged IPv6 passes the IP hooks"},
	{"sysctl.net/bridge/bridge-nf-call-arptables", ZH_FACT_NUMBER, "",
		"bridged ARP passes the ARP hooks"},
	{"sysctl.net/unix/max_dgram_qlen", ZH_FACT_NUMBER, "count",
		"datagrams that wait at a Unix socket"},
	{"sysctl.net/netfilter/nf_conntrack_tcp_be_liberal", ZH_FACT_NUMBER, "",
		"out-of-window is not INVALID"},
	{"sysctl.net/netfilter/nf_conntrack_tcp_loose", ZH_FACT_NUMBER, "",
		"connections are picked up late"},
	{"sysctl.net/netfilter/nf_conntrack_udp_timeout", ZH_FACT_NUMBER, "s",
		"life of a UDP flow"},
	{"sysctl.net/netfilter/nf_conntrack_generic_timeout", ZH_FACT_NUMBER, "s",
		"life of other flows"},
	{"sysctl.net/netfilter/nf_conntrack_tcp_timeout_established", ZH_FACT_NUMBER, "s",
		"life of idle TCP"},
	{"sysctl.net/netfilter/nf_conntrack_tcp_timeout_time_wait", ZH_FACT_NUMBER, "s",
		"life of closed TCP"},
	{"sysctl.kernel/sched_rt_period_us", ZH_FACT_NUMBER, "us", "period of the real-time limit"},
	{"sysctl.kernel/sched_rt_runtime_us", ZH_FACT_STRING, "us",
		"real-time tasks' share of it, -1: all"},
	{"sysctl.kernel/timer_migration", ZH_FACT_NUMBER, "", "timers move away from idle CPUs"},
	{"sysctl.kernel/nmi_watchdog", ZH_FACT_NUMBER, "", "hard lockup detector"},
	{"sysctl.kernel/numa_balancing", ZH_FACT_NUMBER, "",
		"automatic moving of pages between nodes"},
	{"sysctl.kernel/bpf_stats_enabled", ZH_FACT_NUMBER, "",
		"run times of BPF programs are measured"},
	{"sysctl.kernel/unprivileged_bpf_disabled", ZH_FACT_NUMBER, "", "BPF needs privileges"},
	{"sysctl.kernel/perf_event_paranoid", ZH_FACT_STRING, "", "who may use performance events"},
	{"sysctl.kernel/printk_ratelimit", ZH_FACT_NUMBER, "s", "rate limit of kernel messages"},
	{"sysctl.kernel/hung_task_timeout_secs", ZH_FACT_NUMBER, "s", "a task is hung after"},
	{"sysctl.kernel/pid_max", ZH_FACT_NUMBER, "", "largest process number"},
	{"sysctl.kernel/tainted", ZH_FACT_NUMBER, "", "why the kernel is tainted, by bits"},
	{"sysctl.vm/swappiness", ZH_FACT_NUMBER, "", "swapping against dropping the page cache"},
	{"sysctl.vm/stat_interval", ZH_FACT_NUMBER, "s", "period of the statistics worker"},
	{"sysctl.vm/overcommit_memory", ZH_FACT_NUMBER, "", "overcommit mode"},
	{"sysctl.vm/min_free_kbytes", ZH_FACT_NUMBER, "KiB", "memory kept free"},
	{"sysctl.vm/zone_reclaim_mode", ZH_FACT_NUMBER, "", "reclaim before going to another node"},
	{"sysctl.vm/compaction_proactiveness", ZH_FACT_NUMBER, "", "background compaction"},
	{"sysctl.vm/dirty_ratio", ZH_FACT_NUMBER, "%", "dirty memory before writers wait"},
	{"sysctl.fs/nr_open", ZH_FACT_NUMBER, "count", "most open files of a process"},
	{"sysctl.net/ipv4/ip_local_port_range.min", ZH_FACT_NUMBER, "",
		"first port for outgoing connections"},
	{"sysctl.net/ipv4/ip_local_port_range.max", ZH_FACT_NUMBER, "",
		"last port for outgoing connections"},
	{"sysctl.net/ipv4/tcp_rmem.min", ZH_FACT_NUMBER, "bytes",
		"receive buffer that TCP always has"},
	{"sysctl.net/ipv4/tcp_rmem.default", ZH_FACT_NUMBER, "bytes",
		"first receive buffer of TCP"},
	{"sysctl.net/ipv4/tcp_rmem.max", ZH_FACT_NUMBER, "bytes", "largest receive buffer of TCP"},
	{"sysctl.net/ipv4/tcp_wmem.min", ZH_FACT_NUMBER, "bytes",
		"send buffer that TCP always has"},
	{"sysctl.net/ipv4/tcp_wmem.default", ZH_FACT_NUMBER, "bytes", "first send buffer of TCP"},
	{"sysctl.net/ipv4/tcp_wmem.max", ZH_FACT_NUMBER, "bytes", "largest send buffer of TCP"},
	{"sysctl.net/ipv4/tcp_mem.low", ZH_FACT_NUMBER, "pages", "TCP's memory without care"},
	{"sysctl.net/ipv4/tcp_mem.pressure", ZH_FACT_NUMBER, "pages",
		"TCP's memory before it saves"},
	{"sysctl.net/ipv4/tcp_mem.high", ZH_FACT_NUMBER, "pages", "most memory of TCP"},
	{"sysctl.net/ipv4/udp_mem.low", ZH_FACT_NUMBER, "pages", "UDP's memory without care"},
	{"sysctl.net/ipv4/udp_mem.pressure", ZH_FACT_NUMBER, "pages",
		"UDP's memory before it saves"},
	{"sysctl.net/ipv4/udp_mem.high", ZH_FACT_NUMBER, "pages", "most memory of UDP"},
	{"sysctl.kernel/printk.console", ZH_FACT_NUMBER, "",
		"messages below this level go to the console"},
	{"sysctl.kernel/printk.default", ZH_FACT_NUMBER, "", "level of messages without one"},
	{"sysctl.fs/file-nr.open", ZH_FACT_NUMBER, "count", "open files on this host"},
	{"sysctl.fs/file-nr.unused", ZH_FACT_NUMBER, "count", "always 0"},
	{"sysctl.fs/file-nr.max", ZH_FACT_NUMBER, "count", "most open files on this host"},
	{"sysctl", ZH_FACT_UNAVAILABLE, "", "why no setting could be read"},
	{NULL},
};

static void add(struct zh_fact_set *set, const struct zh_fact_schema *row, const char *text)
{
	char list[4096];
	uint64_t value;

	if (row->type == ZH_FACT_NUMBER && zh_facts_parse(text, 10, &value))
		zh_fact_number(set, value, "%s", row->pattern);
	else if (row->type == ZH_FACT_STRING && !strcmp(row->unit, "cpu list"))
		zh_fact_string(set, zh_facts_mask(list, sizeof(list), text), "%s", row->pattern);
	else if (row->type == ZH_FACT_STRING)
		zh_fact_string(set, text, "%s", row->pattern);
}

struct reading {
	const char *path;
	char text[4096];
};

static int read_text(void *arg)
{
	struct reading *reading = arg;
	int64_t r =
		zh_sys_read(reading->text, sizeof(reading->text), "/proc/sys/%s", reading->path);

	return r < 0 ? (int)r : 0;
}

/* What is the machine's (the backlog's limit, the budget) is missing in all network namespaces but
 * the first, and holds there as well: asked for where the first process is. `fd`: of that
 * namespace, -1: not open yet, -2: cannot be. */
static int read_setting(struct reading *reading, int *fd)
{
	int r = read_text(reading);

	if (r != -ENOENT || strncmp(reading->path, "net/core/", 9) || zh_sys_is_captured())
		return r;
	if (*fd == -1)
		*fd = zh_netns_first(NULL);
	if (*fd < 0) {
		*fd = -2;
		return r;
	}
	return zh_netns_call(*fd, read_text, reading, NULL);
}

static void collect(struct zh_fact_set *set)
{
	const struct zh_fact_schema *row;
	char path[128], last[128] = "", *cursor = NULL;
	struct reading reading = {.path = path};
	int first_netns = -1;

	if (!zh_sys_exists("/proc/sys")) {
		zh_facts_missing(set, -ENOENT, "/proc/sys", "sysctl");
		return;
	}
	for (row = schema; row->pattern; row++) {
		const char *name, *point;

		if (row->type == ZH_FACT_UNAVAILABLE)
			continue;
		name = row->pattern + sizeof(PREFIX) - 1;
		point = strchr(name, '.');
		snprintf(path, sizeof(path), "%.*s",
			(int)(point ? (size_t)(point - name) : strlen(name)), name);
		if (!point || strcmp(path, last)) {
			cursor = read_setting(&reading, &first_netns) < 0 ? NULL : reading.text;
			snprintf(last, sizeof(last), "%s", path);
		}
		if (!cursor)
			continue;
		add(set, row, point ? zh_facts_word(&cursor, " \t") : cursor);
	}
	if (first_netns >= 0)
		close(first_netns);
}

const struct zh_fact_group zh_fact_group_sysctls = {
	.id = "sysctls",
	.summary = "kernel settings that bear on the local path",
	.schema = schema,
	.collect = collect,
};
