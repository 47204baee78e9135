/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/places.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/root.h"
#include "trace/live.h"

#define SIDES 3
#define ROWS ZH_LIVE_DROPS
#define BACKLOG_REASON "CPU_BACKLOG"
#define SOCKET_REASON "SOCKET_RCVBUFF"

struct side {
	const char *name;
	int fd; /* not owned; -1: none */
	uint64_t inode, rcvbuf_errors;
};

struct lab_watch {
	struct side sides[SIDES];
	struct zh_live *live; /* NULL: no BPF */
	struct zh_record *notes;
	uint64_t softnet_dropped;
	struct zh_live_drop *rows;
	struct zh_live_cpu *cpus;
};

/* The sum of a column of all lines that begin with `prefix` in a table of "Udp: a b c" lines. */
static uint64_t snmp_value(const char *text, const char *prefix, const char *key)
{
	const char *names = strstr(text, prefix), *values, *at;
	unsigned int column = 0, i;

	values = names ? strstr(names + 1, prefix) : NULL;
	at = names ? strstr(names, key) : NULL;
	if (!values || !at || at > values)
		return 0;
	for (; names < at; names++)
		column += *names == ' ';
	for (i = 0; i < column && values; i++)
		values = strchr(values + 1, ' ');
	return values ? strtoull(values, NULL, 10) : 0;
}

/* Datagrams that met a full socket in the calling thread's namespace. */
static int read_rcvbuf(void *arg)
{
	uint64_t *ret = arg;
	zh_autofree char *v4 = NULL, *v6 = NULL;
	const char *at;

	*ret = 0;
	if (zh_sys_slurp(&v4, "/proc/thread-self/net/snmp") >= 0)
		*ret = snmp_value(v4, "\nUdp: ", "RcvbufErrors");
	if (zh_sys_slurp(&v6, "/proc/thread-self/net/snmp6") >= 0 &&
		(at = strstr(v6, "Udp6RcvbufErrors")))
		*ret += strtoull(at + strlen("Udp6RcvbufErrors"), NULL, 10);
	return 0;
}

static uint64_t rcvbuf_errors(const struct side *side)
{
	uint64_t value = 0;

	if (side->fd >= 0)
		zh_netns_call(side->fd, read_rcvbuf, &value, NULL);
	return value;
}

/* Second column of every line, hexadecimal; the machine's. */
static uint64_t softnet_dropped(void)
{
	zh_autofree char *text = NULL;
	uint64_t sum = 0, processed, dropped;
	const char *line;

	if (zh_sys_slurp(&text, "/proc/thread-self/net/softnet_stat") < 0)
		return 0;
	for (line = text; line && *line; line = strchr(line, '\n'), line += !!line)
		if (sscanf(line, "%" SCNx64 " %" SCNx64, &processed, &dropped) == 2)
			sum += dropped;
	return sum;
}

static int open_live(struct lab_watch *watch)
{
	static const struct zh_live_config config = {.softirq = true, .drops = true};
	struct zh_err why = {};
	int r = zh_live_open(&config, watch->notes, &watch->live, &why);

	if (r < 0)
		zh_record_not_measured(watch->notes, "places of drops",
			"only the counters of the CPUs' backlogs and of sockets are left");
	return r;
}

int lab_watch_open(const struct zh_lab_ns *ns, struct lab_watch **ret, struct zh_err *err)
{
	static const struct zh_record_limits limits = {};
	struct lab_watch *watch = calloc(1, sizeof(*watch));
	size_t i;

	if (watch) {
		watch->notes = zh_record_new(&limits);
		watch->rows = calloc(ROWS, sizeof(*watch->rows));
		watch->cpus = calloc(LAB_CPUS_MAX, sizeof(*watch->cpus));
	}
	if (!watch || !watch->notes || !watch->rows || !watch->cpus) {
		lab_watch_close(watch);
		return zh_err_set(err, -ENOMEM, "out of memory");
	}
	watch->sides[0] = (struct side){
		ns->peer_netns_fd < 0 ? "the namespace" : "client", ns->netns_fd, 0, 0};
	watch->sides[1] = (struct side){"server", ns->peer_netns_fd, 0, 0};
	watch->sides[2] = (struct side){"host", ns->host_netns_fd, 0, 0};
	for (i = 0; i < SIDES; i++)
		if (watch->sides[i].fd >= 0)
			zh_netns_inode(watch->sides[i].fd, &watch->sides[i].inode);
	open_live(watch);
	for (i = 0; i < SIDES; i++)
		watch->sides[i].rcvbuf_errors = rcvbuf_errors(&watch->sides[i]);
	watch->softnet_dropped = softnet_dropped();
	*ret = watch;
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct lab_place *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : strcmp(x->name, y->name);
}

static void add_place(struct lab_places *places, const char *name, uint64_t count)
{
	size_t i;

	if (!count)
		return;
	places->total += count;
	for (i = 0; i < places->n; i++)
		if (!strcmp(places->place[i].name, name))
			break;
	if (i == LAB_PLACES)
		name = "elsewhere", i--;
	if (i == places->n)
		places->n++;
	snprintf(places->place[i].name, LAB_PLACE_NAME, "%s", name);
	places->place[i].count += count;
}

struct device_name {
	uint32_t ifindex;
	char *name;
};

static int read_device_name(void *arg)
{
	struct device_name *device = arg;

	if (!if_indextoname(device->ifindex, device->name))
		snprintf(device->name, IF_NAMESIZE, "device %" PRIu32, device->ifindex);
	return 0;
}

/* Group membership and neighbours of IPv6 and IPv4: the namespaces' own talk, nobody's load. */
static bool is_housekeeping(const char *function)
{
	static const char *const prefixes[] = {"ip6_mc_", "mld_", "igmp", "ndisc_", "icmpv6_"};
	size_t i;

	for (i = 0; function && i < ZH_ARRAY_SIZE(prefixes); i++)
		if (!strncmp(function, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void add_drop(const struct lab_watch *watch, const struct side *side,
	const struct zh_live_drop *drop, struct lab_places *ret)
{
	char device[IF_NAMESIZE] = "", reason_buf[48], name[LAB_PLACE_NAME];
	struct device_name device_name = {drop->ifindex, device};
	const char *reason =
		zh_live_reason(watch->live, drop->reason, reason_buf, sizeof(reason_buf));
	const char *function = zh_live_function(watch->live, drop->location);
	bool vague = !reason || !strcmp(reason, "NOT_SPECIFIED");

	/* The sockets' counters count theirs, with or without a device. */
	if ((reason && !strcmp(reason, SOCKET_REASON)) || is_housekeeping(function))
		return;
	zh_netns_call(side->fd, read_device_name, &device_name, NULL);
	snprintf(name, sizeof(name), "%.32s%s%.30s%s at %s in %s", reason ? reason : "DROP",
		vague && function ? " (" : "", vague && function ? function : "",
		vague && function ? ")" : "", device, side->name);
	add_place(ret, name, drop->count);
}

/*
 * The hook of a dropped packet is passed over when it would interrupt itself on the same CPU, which
 * happens a few times in a thousand under overload. The CPUs' own counter misses nothing; where
 * those packets were is then not known.
 */
static void add_missed(const struct lab_watch *watch, size_t n, struct lab_places *ret)
{
	uint64_t counted = softnet_dropped() - watch->softnet_dropped, seen = 0;
	char buf[48];
	const char *reason;
	size_t i;

	for (i = 0; i < n; i++) {
		reason = zh_live_reason(watch->live, watch->rows[i].reason, buf, sizeof(buf));
		if (reason && !strcmp(reason, BACKLOG_REASON))
			seen += watch->rows[i].count;
	}
	if (seen && counted > seen)
		add_place(ret, BACKLOG_REASON " by the CPUs' counters, device not seen",
			counted - seen);
}

static void add_sockets(const struct lab_watch *watch, struct lab_places *ret)
{
	char name[LAB_PLACE_NAME];
	size_t i;

	for (i = 0; i < SIDES; i++) {
		snprintf(name, sizeof(name), SOCKET_REASON " at sockets in %s",
			watch->sides[i].name);
		add_place(
			ret, name, rcvbuf_errors(&watch->sides[i]) - watch->sides[i].rcvbuf_errors);
	}
}

void lab_watch_places(struct lab_watch *watch, struct lab_places *ret)
{
	size_t n = 0, i, k;

	*ret = (struct lab_places){};
	add_sockets(watch, ret);
	ret->by_counters = !watch->live || !zh_live_has(watch->live, "drops");
	if (ret->by_counters)
		add_place(ret, BACKLOG_REASON " of the machine's CPUs",
			softnet_dropped() - watch->softnet_dropped);
	else
		n = zh_live_drops(watch->live, watch->rows, ROWS);
	for (i = 0; i < n; i++)
		for (k = 0; k < SIDES; k++)
			if (watch->rows[i].netns && watch->rows[i].netns == watch->sides[k].inode)
				add_drop(watch, &watch->sides[k], &watch->rows[i], ret);
	add_missed(watch, n, ret);
	qsort(ret->place, ret->n, sizeof(ret->place[0]), by_count);
}

size_t lab_watch_softirq(struct lab_watch *watch, uint64_t *ret_ns, size_t max)
{
	size_t n = 0, i, vector;

	if (watch->live && zh_live_has(watch->live, "softirq"))
		n = zh_live_cpus(watch->live, watch->cpus, ZH_MIN(max, (size_t)LAB_CPUS_MAX));
	n = ZH_MIN(n, max);
	for (i = 0; i < n; i++) {
		ret_ns[i] = 0;
		for (vector = 0; vector < ZH_LIVE_VECTORS; vector++)
			ret_ns[i] += watch->cpus[i].softirq_ns[vector];
	}
	return n;
}

const struct zh_record *lab_watch_notes(const struct lab_watch *watch)
{
	return watch->notes;
}

struct lab_watch *lab_watch_close(struct lab_watch *watch)
{
	if (!watch)
		return NULL;
	zh_live_close(watch->live);
	zh_record_free(watch->notes);
	free(watch->rows);
	free(watch->cpus);
	free(watch);
	return NULL;
}
