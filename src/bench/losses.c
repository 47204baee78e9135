/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/losses.h"

#include <inttypes.h>
#include <linux/gen_stats.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/util.h"
#include "bench/loops.h"
#include "sys/netlink-attr.h"
#include "sys/netlink.h"
#include "sys/netns.h"
#include "sys/root.h"

/* Devices and queues, of which there may be any number, leave so many rows to the others. */
#define OTHER_ROWS 60

/* Of the calling thread's namespace: /proc/net would be the main thread's. */
#define NET "/proc/thread-self/net"

/*
 * Rows of /proc/net/snmp, netstat and snmp6, in two parts: those that name a place, and after the
 * counters of devices those that only tell that something happened. The socket's drops are counted
 * in the first three as well. UDP's SndbufErrors comes last: it counts whatever a device or queue
 * refused.
 */
struct proc_counter {
	const char *file, *proto, *name;
	bool is_vague;
	enum zh_bench_counter_kind kind;
};
static const struct proc_counter proc_counters[] = {
	{"snmp", "Udp", "RcvbufErrors", false, ZH_BENCH_COUNTER_SOCKETS},
	{"snmp", "Udp", "MemErrors", false, ZH_BENCH_COUNTER_SOCKETS},
	{"snmp", "Udp", "InCsumErrors", false, ZH_BENCH_COUNTER_SOCKETS},
	{"snmp6", "Udp6", "RcvbufErrors", false, ZH_BENCH_COUNTER_SOCKETS},
	{"snmp6", "Udp6", "MemErrors", false, ZH_BENCH_COUNTER_SOCKETS},
	{"snmp6", "Udp6", "InCsumErrors", false, ZH_BENCH_COUNTER_SOCKETS},
	{"snmp", "Icmp", "OutRateLimitGlobal", false, ZH_BENCH_COUNTER},
	{"snmp", "Icmp", "OutRateLimitHost", false, ZH_BENCH_COUNTER},
	{"netstat", "TcpExt", "IPReversePathFilter", false, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "InHdrErrors", true, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "InAddrErrors", true, ZH_BENCH_COUNTER},
	{"netstat", "IpExt", "InNoRoutes", true, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "InDiscards", true, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "OutDiscards", true, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "OutNoRoutes", true, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "ReasmFails", true, ZH_BENCH_COUNTER},
	{"snmp", "Ip", "FragFails", true, ZH_BENCH_COUNTER},
	{"snmp6", "Ip6", "InDiscards", true, ZH_BENCH_COUNTER},
	{"snmp6", "Ip6", "OutDiscards", true, ZH_BENCH_COUNTER},
	{"snmp6", "Ip6", "ReasmFails", true, ZH_BENCH_COUNTER},
	{"snmp", "Udp", "NoPorts", true, ZH_BENCH_COUNTER},
	{"snmp6", "Udp6", "NoPorts", true, ZH_BENCH_COUNTER},
	{"snmp", "Udp", "SndbufErrors", true, ZH_BENCH_COUNTER},
	{"snmp6", "Udp6", "SndbufErrors", true, ZH_BENCH_COUNTER},
};

struct reader {
	struct zh_bench_counters *counters;
	const char *where; /* behind each name: "", " of the peer's namespace" */
	struct zh_netlink *nl;
};

/* Appends a row, or adds to that of the same name: CPUs, queues of a device. */
static void add(
	struct reader *reader, const char *name, uint64_t value, enum zh_bench_counter_kind kind)
{
	struct zh_bench_counters *counters = reader->counters;
	struct zh_bench_counter *row = &counters->rows[counters->n];
	size_t i;

	if (counters->n == ZH_BENCH_COUNTERS_MAX)
		return;
	snprintf(row->name, sizeof(row->name), "%.52s%s", name, reader->where);
	for (i = 0; i < counters->n; i++)
		if (!strcmp(counters->rows[i].name, row->name)) {
			counters->rows[i].value += value;
			return;
		}
	row->value = value;
	row->kind = kind;
	counters->n++;
}

/* The n-th word (from 0) of a line, or NULL. */
static const char *word(const char *line, size_t n)
{
	for (;; n--) {
		line += strspn(line, " \t");
		if (!*line || *line == '\n')
			return NULL;
		if (!n)
			return line;
		line += strcspn(line, " \t\n");
	}
}

/* A line of names, then one of numbers, both behind "proto:" (net/ipv4/proc.c). */
static bool in_pairs(const char *text, const char *proto, const char *name, uint64_t *ret)
{
	size_t proto_len = strlen(proto), name_len = strlen(name), n;
	const char *line, *values, *at;

	for (line = text; line && *line; line = line ? line + 1 : NULL) {
		values = strchr(line, '\n');
		if (!strncmp(line, proto, proto_len) && line[proto_len] == ':' && values)
			break;
		line = values;
		if (!line)
			return false;
	}
	if (!line || !*line)
		return false;
	for (n = 1; (at = word(line, n)); n++)
		if (!strncmp(at, name, name_len) && strspn(at + name_len, " \n"))
			break;
	at = at ? word(values + 1, n) : NULL;
	return at && sscanf(at, "%" SCNu64, ret) == 1;
}

/* Lines of one name and one number. */
static bool in_lines(const char *text, const char *proto, const char *name, uint64_t *ret)
{
	char want[64];
	size_t len = (size_t)snprintf(want, sizeof(want), "%s%s", proto, name);
	const char *line;

	for (line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, want, len) && strspn(line + len, " \t"))
			return sscanf(line + len, "%" SCNu64, ret) == 1;
	return false;
}

static void read_proc(struct reader *reader, bool is_vague)
{
	zh_autofree char *text = NULL;
	const char *file = "";
	char name[56];
	uint64_t value;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(proc_counters); i++) {
		const struct proc_counter *c = &proc_counters[i];

		if (c->is_vague != is_vague)
			continue;
		if (strcmp(file, c->file) != 0) {
			free(zh_take(text));
			file = c->file;
			zh_sys_slurp(&text, NET "/%s", file);
		}
		if (!text || !(strcmp(file, "snmp6") == 0 ? in_lines : in_pairs)(
				     text, c->proto, c->name, &value))
			continue;
		snprintf(name, sizeof(name), "%s %s", c->proto, c->name);
		add(reader, name, value, c->kind);
	}
}

/* A whole file, line by line: f gets each without its end. */
static void for_lines(
	const char *path, struct reader *reader, void (*f)(struct reader *reader, char *line))
{
	zh_autofree char *text = NULL;
	char *line, *rest;

	if (zh_sys_slurp(&text, "%s", path) < 0)
		return;
	for (rest = text; (line = strsep(&rest, "\n"));)
		f(reader, line);
}

/* Hexadecimal, a line a CPU; the second column counts drops. The sum is of the whole host. */
static void add_softnet(struct reader *reader, char *line)
{
	uint32_t dropped;

	if (sscanf(line, "%*x %" SCNx32, &dropped) == 1)
		add(reader, "softnet dropped (backlog, whole host)", dropped, ZH_BENCH_COUNTER);
}

static bool has_room(const struct reader *reader)
{
	return reader->counters->n + OTHER_ROWS < ZH_BENCH_COUNTERS_MAX;
}

/* "name: rx_bytes packets errs drop fifo frame compressed multicast tx_bytes packets errs drop" */
static void add_device(struct reader *reader, char *line)
{
	char name[56], *colon = strrchr(line, ':');
	uint64_t rx, tx;

	if (!colon || !has_room(reader) ||
		sscanf(colon + 1, "%*u %*u %*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
			&rx, &tx) != 2)
		return;
	*colon = 0;
	line += strspn(line, " ");
	snprintf(name, sizeof(name), "%.*s rx_dropped", IF_NAMESIZE, line);
	add(reader, name, rx, ZH_BENCH_COUNTER);
	snprintf(name, sizeof(name), "%.*s tx_dropped", IF_NAMESIZE, line);
	add(reader, name, tx, ZH_BENCH_COUNTER);
}

static int add_qdisc(void *arg, const struct nlmsghdr *reply)
{
	const struct tcmsg *tc = zh_message_header(reply, sizeof(*tc));
	const struct nlattr *attrs[TCA_MAX + 1], *stats[TCA_STATS_MAX + 1];
	struct gnet_stats_queue queue = {};
	char name[96], kind[24], dev[IF_NAMESIZE];

	if (!tc || reply->nlmsg_type != RTM_NEWQDISC)
		return 0;
	zh_attrs_of(attrs, TCA_MAX, reply, sizeof(*tc));
	zh_attrs_nested(stats, TCA_STATS_MAX, attrs[TCA_STATS2]);
	if (!zh_attr_copy(stats[TCA_STATS_QUEUE], &queue, sizeof(queue)))
		return 0;
	zh_attr_string(attrs[TCA_KIND], kind, sizeof(kind));
	snprintf(name, sizeof(name), "qdisc %s of %s", kind,
		zh_netlink_ifname(dev, (unsigned int)tc->tcm_ifindex));
	if (has_room(arg))
		add(arg, name, queue.drops, ZH_BENCH_COUNTER);
	return 0;
}

static void read_qdiscs(struct reader *reader)
{
	zh_autonetlink *nl = NULL;
	struct tcmsg header = {.tcm_family = AF_UNSPEC};

	if (!zh_netlink_open(&nl, NETLINK_ROUTE, NULL))
		zh_netlink_dump(nl, RTM_GETQDISC, &header, sizeof(header), add_qdisc, reader, NULL);
}

/* A line of names, then a line of hexadecimal numbers a CPU
 * (net/netfilter/nf_conntrack_standalone.c)
 */
static void read_conntrack(struct reader *reader)
{
	static const char *const wanted[] = {"drop", "insert_failed"};
	zh_autofree char *text = NULL;
	char name[56];
	const char *line, *at;
	uint64_t sum, value;
	size_t i, n;

	if (zh_sys_slurp(&text, NET "/stat/nf_conntrack") < 0)
		return;
	for (i = 0; i < ZH_ARRAY_SIZE(wanted); i++) {
		size_t len = strlen(wanted[i]);

		for (n = 0; (at = word(text, n)); n++)
			if (!strncmp(at, wanted[i], len) && strspn(at + len, " \n"))
				break;
		if (!at)
			continue;
		for (sum = 0, line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
			at = word(line + 1, n);
			if (at && sscanf(at, "%" SCNx64, &value) == 1)
				sum += value;
		}
		snprintf(name, sizeof(name), "conntrack %s", wanted[i]);
		add(reader, name, sum, ZH_BENCH_COUNTER);
	}
}

static void read_namespace(struct reader *reader)
{
	read_proc(reader, false);
	read_qdiscs(reader);
	for_lines(NET "/dev", reader, add_device);
	read_conntrack(reader);
	read_proc(reader, true);
}

/* That of a thread elsewhere: enters it, and comes back. */
static void read_other_namespace(struct reader *reader, int netns_fd)
{
	zh_autoclose int home = zh_netns_current(NULL);

	if (home < 0 || zh_netns_enter(netns_fd, NULL) < 0)
		return;
	read_namespace(reader);
	zh_netns_enter(home, NULL);
}

static bool same_namespace(int a, int b)
{
	struct stat one, other;

	if (a == b)
		return true;
	if (stat(NET "/../ns/net", &one) < 0 || stat(NET "/../ns/net", &other) < 0)
		return false;
	if ((a >= 0 && fstat(a, &one) < 0) || (b >= 0 && fstat(b, &other) < 0))
		return false;
	return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

static void read_namespaces(struct reader *reader, const struct zh_bench_config *config)
{
	if (config->netns_fd >= 0)
		read_other_namespace(reader, config->netns_fd);
	else
		read_namespace(reader);
	if (same_namespace(config->netns_fd, config->peer_netns_fd))
		return;
	reader->where = " (peer)";
	if (config->peer_netns_fd >= 0)
		read_other_namespace(reader, config->peer_netns_fd);
	else
		read_namespace(reader);
	reader->where = "";
}

uint64_t zh_bench_socket_drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = {};
	socklen_t len = sizeof(info);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0 ||
		len <= SK_MEMINFO_DROPS * sizeof(info[0]))
		return 0;
	return info[SK_MEMINFO_DROPS];
}

void zh_bench_losses_read(const struct zh_bench_link *link, struct zh_bench_counters *ret)
{
	struct reader reader = {.counters = ret, .where = ""};
	zh_autoclose int peer = zh_bench_peer_fd(link);

	ret->n = 0;
	add(&reader, "peer's socket drops (SK_MEMINFO_DROPS)", zh_bench_socket_drops(peer),
		ZH_BENCH_COUNTER_SOCKET);
	add(&reader, "own socket drops (SK_MEMINFO_DROPS)", zh_bench_socket_drops(link->near.rfd),
		ZH_BENCH_COUNTER_SOCKET);
	read_namespaces(&reader, link->config);
	for_lines(NET "/softnet_stat", &reader, add_softnet);
}

static uint64_t moved(const struct zh_bench_counters *before, const struct zh_bench_counter *row)
{
	size_t i;

	for (i = 0; i < before->n; i++)
		if (!strcmp(before->rows[i].name, row->name))
			return row->value > before->rows[i].value
				       ? row->value - before->rows[i].value
				       : 0;
	return 0; /* a device that came meanwhile: its counter may have begun anywhere */
}

static void put(struct zh_bench_loss *ret, size_t *n, const char *counter, uint64_t count)
{
	snprintf(ret[*n].counter, sizeof(ret[*n].counter), "%s", counter);
	ret[(*n)++].count = count;
}

size_t zh_bench_losses_attribute(const struct zh_bench_counters *before,
	const struct zh_bench_counters *after, uint64_t missing, struct zh_bench_loss *ret,
	size_t max)
{
	uint64_t own = 0, delta, part;
	size_t i, n = 0;

	for (i = 0; i < after->n && missing && n + 1 < max; i++) {
		const struct zh_bench_counter *row = &after->rows[i];

		delta = moved(before, row);
		if (row->kind == ZH_BENCH_COUNTER_SOCKET) {
			own += delta;
		} else if (row->kind == ZH_BENCH_COUNTER_SOCKETS) {
			part = ZH_MIN(delta, own);
			delta -= part;
			own -= part;
		}
		part = ZH_MIN(delta, missing);
		if (part)
			put(ret, &n, row->name, part);
		missing -= part;
	}
	if (missing)
		put(ret, &n, "unattributed", missing);
	return n;
}
