/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop lab load: traffic between a lab's client and server, or on loopback: what arrived, where
 * the rest was lost, and how long requests beside it took.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "cmd/lab.h"
#include "cmd/measure.h"
#include "lab/load-site.h"
#include "lab/traffic.h"

#define REQUESTS_MAX 1000000u
#define LOOK_NS (500 * ZH_NSEC_PER_MSEC)
#define XDP_BURST 65536 /* a call costs up to 20 ms beside its frames */

const char *const lab_protocols[] = {"udp", "tcp", "unix", NULL};  /* enum zh_load_protocol */
const char *const lab_engines[] = {"auto", "socket", "xdp", NULL}; /* enum zh_load_engine */

struct watched {
	int keeper_fd; /* a pidfd; -1: no lab, or a kernel without them (before 5.3) */
	uint64_t next_ns;
	bool is_gone;
};

/* Ctrl-C; and when the lab goes down its load ends, too. Asked between requests: one system call
 * now and then. */
static bool is_over(void *arg)
{
	struct watched *watched = arg;
	struct pollfd keeper = {.fd = watched->keeper_fd, .events = POLLIN};

	if (watched->keeper_fd >= 0 && zh_now_ns() > watched->next_ns) {
		watched->next_ns = zh_now_ns() + LOOK_NS;
		watched->is_gone = poll(&keeper, 1, 0) > 0;
	}
	return watched->is_gone || cmd_interrupted(NULL);
}

/* The one CPU of a set that holds at most one; -1: none. */
static int one_cpu(const struct zh_cpuset *set)
{
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++)
		if (zh_cpuset_has(set, cpu))
			return (int)cpu;
	return -1;
}

static int parse_rate(const char *text, uint64_t *ret, bool *ret_has, struct zh_err *err)
{
	*ret = 0;
	*ret_has = true;
	if (!strcmp(text, "max"))
		return 0;
	if (zh_parse_u64(text, ret, err) < 0)
		return zh_err_wrap(err, "--rate (a number a second, or max)");
	*ret_has = *ret != 0;
	return 0;
}

static int fill_config(const struct lab_config *lab, const struct lab_load_site *site,
	struct lab_traffic_config *ret, struct zh_err *err)
{
	bool is_unix = lab->protocol == ZH_LOAD_UNIX;
	struct zh_load_config *load = &ret->load;
	int r;

	*ret = (struct lab_traffic_config){.ns = &site->ns,
		.duration_ns = lab->duration_ns,
		.settle_ns = ZH_MIN(lab->duration_ns / 10, 100 * ZH_NSEC_PER_MSEC)};
	*load = (struct zh_load_config){.protocol = (enum zh_load_protocol)lab->protocol,
		.engine = (enum zh_load_engine)lab->engine,
		.netns_fd = site->ns.netns_fd,
		.peer_netns_fd = site->ns.peer_netns_fd,
		.to = site->to,
		.flows = (uint32_t)lab->flows,
		.size_bytes = (uint32_t)lab->size_bytes,
		.cpu = one_cpu(&lab->cpu),
		.peer_cpu = one_cpu(&lab->peer_cpu)};
	r = parse_rate(lab->rate, &load->rate, &ret->has_load, err);
	if (r < 0)
		return r;
	/* A Unix socket's name is its network namespace's. */
	if (site->ns.peer_netns_fd < 0 || is_unix)
		load->peer_netns_fd = site->ns.netns_fd;
	if (load->engine == ZH_LOAD_XDP && !site->device[0])
		return zh_err_set(err, -EINVAL,
			"frames can be injected in labs of the topologies routed and veth only");
	if (site->device[0] && load->protocol == ZH_LOAD_UDP &&
		(load->engine == ZH_LOAD_XDP || (load->engine == ZH_LOAD_AUTO && !load->rate))) {
		load->engine = ZH_LOAD_XDP;
		load->device = site->device;
		load->from = site->from;
		load->netns_fd = site->inject_netns_fd;
		load->burst = load->rate ? 0 : XDP_BURST;
	}
	return 0;
}

static int fill_victim(const struct lab_config *lab, const struct lab_load_site *site,
	struct lab_traffic_config *config, struct zh_err *err)
{
	static const enum zh_transport_id transports[] = {
		ZH_TRANSPORT_UDP, ZH_TRANSPORT_TCP, ZH_TRANSPORT_UNIX_STREAM};
	bool is_unix = lab->protocol == ZH_LOAD_UNIX;
	uint64_t count = (uint64_t)((double)lab->requests * (double)lab->duration_ns /
				    (double)ZH_NSEC_PER_SEC);

	if (!lab->requests && !config->has_load)
		return zh_err_set(err, -EINVAL, "--rate 0 without --requests sends nothing");
	if (count > REQUESTS_MAX)
		return zh_err_set(err, -EINVAL, "at most %u requests in all, not %" PRIu64,
			REQUESTS_MAX, count);
	if (!lab->requests)
		return 0;
	config->victim = (struct lab_victim){.transport = transports[lab->protocol],
		.address = is_unix ? NULL : site->to,
		.count = (uint32_t)ZH_MAX(count, 1ull),
		.gap_ns = ZH_NSEC_PER_SEC / lab->requests,
		.timeout_ns = ZH_NSEC_PER_SEC,
		.size_bytes = (uint32_t)ZH_MAX(ZH_MIN(lab->size_bytes, 60000ull), 32ull),
		.cpu = one_cpu(&lab->cpu),
		.peer_cpu = one_cpu(&lab->peer_cpu),
		.netns_fd = site->ns.netns_fd,
		.peer_netns_fd = config->load.peer_netns_fd};
	return 0;
}

/* Injected frames arrive at the host's device as if from the client; where that cannot be, and was
 * not asked for, the client itself sends. */
static int run_load(const struct lab_config *lab, const struct lab_load_site *site,
	struct lab_traffic_config *config, struct lab_traffic *ret, struct zh_err *err)
{
	struct zh_load_config *load = &config->load;
	struct zh_err why = {};
	int r = lab_traffic_run(config, ret, &why);

	if (r == 0)
		return 0;
	if (load->engine != ZH_LOAD_XDP || lab->engine == ZH_LOAD_XDP)
		return zh_err_set(err, r, "%s", why.text);
	load->engine = ZH_LOAD_SOCKET;
	load->netns_fd = site->ns.netns_fd;
	load->from = load->device = NULL;
	load->burst = 0;
	r = lab_traffic_run(config, ret, err);
	snprintf(ret->load.why_not_xdp, sizeof(ret->load.why_not_xdp), "%.119s", why.text);
	return r;
}

static void describe_load(const struct lab_traffic_config *config,
	const struct lab_traffic *traffic, struct zh_node *root)
{
	const struct zh_load_result *load = &traffic->load;
	bool is_udp = config->load.protocol == ZH_LOAD_UDP;
	uint64_t lost = load->sent - ZH_MIN(load->sent, load->received);
	struct zh_node *node = zh_node_object(root, "load", "Load");
	struct zh_cell (*cell)(uint64_t) = is_udp ? zh_count : zh_bytes;

	if (!config->has_load)
		return;
	zh_node_value(node, "engine", "sent by", zh_string(load->engine));
	zh_node_value(node, "why_not_xdp", load->why_not_xdp[0] ? "not injected, since" : NULL,
		zh_string(load->why_not_xdp[0] ? load->why_not_xdp : NULL));
	zh_node_value(node, "to", "to", zh_string(config->load.to));
	zh_node_value(node, "unit", NULL, zh_string(is_udp ? "datagrams" : "bytes"));
	zh_node_value(node, "duration_ns", "for", zh_ns(load->elapsed_ns));
	zh_node_value(node, "sent", "sent", cell(load->sent));
	zh_node_value(node, "received", "received", cell(load->received));
	zh_node_value(node, "lost", "lost", cell(lost));
	zh_node_value(node, "lost_share", "lost", zh_share(lab_traffic_lost(traffic)));
	zh_node_value(
		node, "refused", "refused at once by the kernel", zh_count(load->send_failed));
	zh_node_value(node, "socket_drops", "full socket of the receiver",
		is_udp ? zh_count(load->socket_drops) : zh_null());
	zh_node_value(node, "offered_per_s", is_udp ? "sent/s" : NULL,
		zh_count(lab_traffic_offered(traffic)));
	zh_node_value(node, "cpu_ns", "CPU time of the sender", zh_ns(load->cpu_ns));
	zh_node_value(node, "peer_cpu_ns", "CPU time of the receiver", zh_ns(load->peer_cpu_ns));
}

static void describe_drops(const struct lab_traffic *traffic, struct zh_node *root)
{
	const struct lab_places *places = &traffic->places;
	static const struct zh_column columns[] = {{NULL, "lost at"}, {NULL, "packets"}};
	struct zh_node *node = zh_node_object(root, "drops", NULL), *table = NULL;
	size_t i;

	if (places->n)
		table = zh_node_table(root, NULL, "Drops", columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; i < places->n; i++) {
		zh_node_value(node, places->place[i].name, NULL, zh_count(places->place[i].count));
		zh_node_row(table, (struct zh_cell[]){zh_string(places->place[i].name),
					   zh_count(places->place[i].count)});
	}
	zh_node_value(root, "unattributed", "not accounted for",
		!traffic->is_reckoned       ? zh_null()
		: traffic->unattributed < 0 ? zh_real((double)traffic->unattributed)
					    : zh_count((uint64_t)traffic->unattributed));
	node = zh_node_list(root, "softirq_share", NULL);
	for (i = 0; i < traffic->n_cpus && traffic->window_ns; i++)
		zh_node_item_value(node,
			zh_share(ZH_MIN(
				(double)traffic->softirq_ns[i] / (double)traffic->window_ns, 1.0)));
}

static void describe_requests(const struct lab_traffic *traffic, struct zh_node *root)
{
	const struct lab_victim_result *victim = &traffic->victim;
	struct zh_node *node;

	if (!victim->requests)
		return;
	node = zh_node_object(root, "requests", "Requests, timed from when each was due");
	zh_node_value(node, "sent", "sent", zh_count(victim->requests));
	zh_node_value(node, "answered", "answered", zh_count(victim->answered));
	zh_node_value(node, "late", "answered after 1 s", zh_count(victim->late));
	zh_node_value(node, "p50_ns", "p50", victim->answered ? zh_ns(victim->p50_ns) : zh_null());
	zh_node_value(node, "p99_ns", "p99", victim->answered ? zh_ns(victim->p99_ns) : zh_null());
	zh_node_value(
		node, "p999_ns", "p99.9", victim->answered ? zh_ns(victim->p999_ns) : zh_null());
	zh_node_value(node, "max_ns", "max", victim->answered ? zh_ns(victim->max_ns) : zh_null());
}

static void describe_answer(const struct lab_traffic_config *config,
	const struct lab_traffic *traffic, struct zh_node *root)
{
	const struct lab_victim_result *victim = &traffic->victim;
	char text[320];
	size_t len = 0;

	if (config->has_load)
		len = (size_t)snprintf(text, sizeof(text), "%.2f %% of the load was lost%s%s%s",
			100 * lab_traffic_lost(traffic), traffic->places.n ? ", most by " : "",
			traffic->places.n ? traffic->places.place[0].name : "",
			victim->requests ? "; " : ".");
	if (victim->requests)
		snprintf(text + len, sizeof(text) - len,
			"%" PRIu32 " of %" PRIu32 " requests were answered.", victim->answered,
			victim->requests);
	zh_node_headline(root, "answer", text);
}

static int measure(const struct lab_config *lab, const struct lab_load_site *site,
	struct lab_traffic_config *config, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	zh_autoclose int keeper_fd =
		site->has_lab ? (int)syscall(SYS_pidfd_open, site->lab.keeper, 0) : -1;
	struct watched watched = {.keeper_fd = keeper_fd};
	static struct lab_traffic traffic;
	struct zh_node *root;

	config->stop = is_over;
	config->arg = &watched;
	cmd_catch_signals();
	if (site->has_lab && lab->protocol != ZH_LOAD_UNIX &&
		lab_warm_up(&site->ns, site->to, err) < 0)
		return ZH_EXIT_UNABLE;
	if (run_load(lab, site, config, &traffic, err) < 0)
		return ZH_EXIT_UNABLE;
	doc = zh_doc_new("lab");
	root = zh_doc_root(doc);
	describe_answer(config, &traffic, root);
	describe_load(config, &traffic, root);
	describe_drops(&traffic, root);
	describe_requests(&traffic, root);
	if (watched.is_gone)
		zh_node_text(root, "The lab went down meanwhile.");
	zh_node_value(root, "not_measured", traffic.not_measured[0] ? "not measured" : NULL,
		zh_string(traffic.not_measured[0] ? traffic.not_measured : NULL));
	zh_node_value(root, "interrupted", NULL, zh_bool(traffic.interrupted));
	return cmd_print(&lab->common, doc, err);
}

int lab_load(const struct lab_config *lab, char **words, struct zh_err *err)
{
	struct lab_traffic_config config;
	struct lab_load_site site;
	int r, status;

	(void)words;
	if (lab->lab && (lab->common.netns || lab->peer_netns || lab->to)) {
		zh_err_set(err, -EINVAL,
			"--lab names both ends: no --netns, --peer-netns or --to beside it");
		return ZH_EXIT_USAGE;
	}
	if (zh_cpuset_count(&lab->cpu) > 1 || zh_cpuset_count(&lab->peer_cpu) > 1) {
		zh_err_set(err, -EINVAL, "--cpu and --peer-cpu take one CPU each");
		return ZH_EXIT_USAGE;
	}
	r = lab->lab ? lab_load_site_of_lab(lab->lab, &site, err)
		     : lab_load_site_between(
			       lab->common.netns, lab->peer_netns, lab->to, &site, err);
	if (r < 0)
		return ZH_EXIT_USAGE;
	r = fill_config(lab, &site, &config, err);
	if (r == 0)
		r = fill_victim(lab, &site, &config, err);
	status = r < 0 ? ZH_EXIT_USAGE : measure(lab, &site, &config, err);
	lab_load_site_done(&site);
	return status;
}
