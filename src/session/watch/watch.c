/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/watch/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "facts/facts.h"
#include "session/watch/internal.h"
#include "sys/net-config.h"
#include "sys/netlink.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/root.h"

static const struct zh_live_config live_config = {
	.softirq = true, .drops = true, .flows = true, .flow_sample = ZH_LIVE_FLOW_SAMPLE};

int watch_open(const struct zh_watch_config *config, struct watch **ret, struct zh_err *err)
{
	struct watch *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return zh_err_set(err, -ENOMEM, "out of memory");
	w->config = config;
	w->netns_fd = w->peer_netns_fd = -1;
	if (config->pid && zh_process_start_ticks((pid_t)config->pid, &w->pid_started) < 0) {
		free(w);
		return zh_err_set(err, -EINVAL, "process %ld has ended", config->pid);
	}
	w->cpus = calloc(WATCH_CPUS, sizeof(*w->cpus));
	r = w->cpus ? path_survey_open(&w->path, err) : zh_err_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = watch_find(w, err);
	if (r == 0 && w->link->netns != 0) {
		r = zh_netns_enter(w->netns_fd, err);
		if (r == 0)
			zh_netns_show_devices(NULL);
	}
	if (r < 0) {
		watch_close(w);
		return r;
	}
	*ret = w;
	return 0;
}

static int collect_inside(void *arg)
{
	zh_netns_show_devices(NULL);
	return zh_facts_collect(arg, NULL);
}

/* "link.eth0.mtu" becomes "watch.peer.link.mtu". */
static void copy_device(
	struct zh_fact_set *out, const struct zh_fact *fact, const char *group, const char *device)
{
	char prefix[128];
	size_t len;

	len = (size_t)snprintf(prefix, sizeof(prefix), "%s.%s.", group, device);
	if (strncmp(fact->key, prefix, len))
		return;
	if (fact->type == ZH_FACT_NUMBER)
		zh_fact_number(out, fact->number, "watch.peer.%s.%s", group, fact->key + len);
	else if (fact->type == ZH_FACT_STRING)
		zh_fact_string(out, fact->text, "watch.peer.%s.%s", group, fact->key + len);
}

static void add_peer(const struct watch *w, struct zh_fact_set *out)
{
	static const char *const sockets[] = {"snmp.Udp.RcvbufErrors", "snmp6.Udp6RcvbufErrors",
		"netstat.TcpExt.TCPRcvQDrop", "netstat.TcpExt.ListenOverflows"};
	struct zh_fact_set facts = {};
	char device[64];
	uint64_t value;

	if (!w->peer) {
		if (!strcmp(w->link->kind, "veth"))
			zh_fact_unavailable(out, w->why_no_peer, "watch.peer.dev");
		return;
	}
	watch_key_name(device, sizeof(device), w->peer->name);
	zh_netns_call(w->peer_netns_fd, collect_inside, &facts, NULL);
	for (size_t i = 0; i < facts.n; i++) {
		copy_device(out, &facts.facts[i], "link", device);
		copy_device(out, &facts.facts[i], "queue", device);
		copy_device(out, &facts.facts[i], "offload", device);
	}
	for (size_t i = 0; i < ZH_ARRAY_SIZE(sockets); i++)
		if (zh_fact_get(&facts, &value, "%s", sockets[i]))
			zh_fact_number(out, value, "watch.peer.%s", sockets[i]);
	zh_fact_set_done(&facts);
}

void watch_start(struct watch *w, struct zh_record *record)
{
	struct zh_err err = {};

	add_peer(w, &record->before);
	zh_fact_set_sort(&record->before);
	if (zh_live_open(&live_config, record, &w->live, &err) < 0)
		zh_record_not_measured(record, "softirq time, drops and flows of the device",
			"%s%s%s", err.text, err.hint[0] ? ": " : "", err.hint);
	else
		zh_live_cpus(w->live, w->cpus, WATCH_CPUS);
	watch_hogs_read(&w->hogs);
	w->start_ns = zh_now_ns();
}

/* A container sees its devices, but mostly may not change them. Missing where there is no such
 * file. */
static void add_writable(const struct watch *w, struct zh_fact_set *out)
{
	static const char file[] = "/sys/class/net/%s/queues/rx-0/rps_cpus";

	if (zh_sys_exists(file, w->link->name))
		zh_fact_number(out, zh_sys_may_write(file, w->link->name), "watch.writable");
}

static void add_place(const struct watch *w, struct zh_fact_set *out, const char *key,
	const struct path_link *link)
{
	const struct zh_pod *pod =
		zh_pods_by_netns(&w->path->pods, w->path->map.netns[link->netns].inode);
	char text[200];

	watch_place_name(w, link->netns, text, sizeof(text));
	zh_fact_string(out, text, "watch.%splace", key);
	if (!pod)
		return;
	zh_fact_string(out, zh_pod_label(text, sizeof(text), pod), "watch.%spod", key);
	if (pod->container[0])
		zh_fact_string(out, pod->container, "watch.%scontainer", key);
}

static void add_names(const struct watch *w, struct zh_fact_set *out)
{
	zh_fact_string(out, w->link->name, "watch.dev");
	zh_fact_string(out, w->link->kind[0] ? w->link->kind : "device", "watch.kind");
	if (w->why[0])
		zh_fact_string(out, w->why, "watch.why");
	add_place(w, out, "", w->link);
	if (w->peer) {
		zh_fact_string(out, w->peer->name, "watch.peer.dev");
		add_place(w, out, "peer.", w->peer);
	}
	if (w->host) {
		zh_fact_string(out, w->host->name, "watch.host.dev");
		add_place(w, out, "host.", w->host);
	}
	if (w->bridge)
		zh_fact_string(out, w->bridge->name, "watch.bridge");
}

/* Whether anybody of the pod is still there: its network lives on as long as we look at it. */
static bool has_process(const struct zh_pods *pods, const struct zh_pod *like)
{
	for (size_t i = 0; i < pods->n; i++)
		if (pods->list[i].netns == like->netns && pods->list[i].pid)
			return true;
	return false;
}

static int check_pod(const struct watch *w, struct zh_err *err)
{
	const struct zh_pod *pod = zh_pods_find(&w->path->pods, w->config->pod, NULL);
	struct zh_pods now = {};
	char label[200];
	bool is_there = true;

	if (pod && pod->pid && zh_pods_read(&now, NULL) == 0)
		is_there = has_process(&now, pod);
	zh_pods_done(&now);
	return is_there ? 0
			: zh_err_set(err, -ENODEV, "pod %.100s ended while it was watched",
				  zh_pod_label(label, sizeof(label), pod));
}

/* The thread is in the device's namespace. */
static int check_there(const struct watch *w, struct zh_err *err)
{
	char name[64], place[200];
	uint64_t started;

	if (w->config->pid && (zh_process_start_ticks((pid_t)w->config->pid, &started) < 0 ||
				      started != w->pid_started))
		return zh_err_set(
			err, -ENODEV, "process %ld ended while it was watched", w->config->pid);
	if (w->config->pod && check_pod(w, err) < 0)
		return -ENODEV;
	if (zh_netlink_ifname(name, w->link->ifindex)[0])
		return 0;
	watch_place_name(w, w->link->netns, place, sizeof(place));
	return zh_err_set(err, -ENODEV, "device '%s' (%s) vanished while it was watched",
		w->link->name, place);
}

int watch_stop(struct watch *w, struct zh_record *record, struct zh_err *err)
{
	struct zh_fact_set *out = &record->after;
	int r = check_there(w, err);

	if (r < 0)
		return r;
	zh_fact_number(out, zh_now_ns() - w->start_ns, "watch.window_ns");
	watch_add_counted(w, out);
	w->live = zh_live_close(w->live);
	watch_hogs_add(&w->hogs, out);
	add_names(w, out);
	add_writable(w, out);
	add_peer(w, out);
	/* Names of devices may be new by now, but those that dropped were there before. */
	zh_fact_set_sort(out);
	return 0;
}

struct watch *watch_close(struct watch *w)
{
	if (!w)
		return NULL;
	zh_live_close(w->live);
	watch_hogs_done(&w->hogs);
	if (w->path)
		zh_netns_enter(w->path->places[0].netns_fd, NULL);
	path_survey_close(w->path);
	if (w->netns_fd >= 0)
		close(w->netns_fd);
	if (w->peer_netns_fd >= 0)
		close(w->peer_netns_fd);
	free(w->cpus);
	free(w);
	return NULL;
}
