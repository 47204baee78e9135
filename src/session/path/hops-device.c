/* SPDX-License-Identifier: BSD-2-Clause */
/* A device with its queues, what queues before it, and who receives for it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"
#include "facts/read.h"
#include "session/path/hops.h"

/* How many qdiscs queue; those that only hold filters do not. */
static size_t queues_of(const struct zh_fact_set *facts, const char *device)
{
	char pattern[ZH_FACTS_NAME_MAX + 24];
	const struct zh_fact *fact;
	size_t pos = 0, n = 0;

	snprintf(pattern, sizeof(pattern), "qdisc.%s.*.kind", device);
	while ((fact = zh_fact_next(facts, pattern, &pos)))
		n += fact->text && strcmp(fact->text, "clsact") != 0 &&
		     strcmp(fact->text, "ingress") != 0;
	return n;
}

void hops_qdisc(struct walk *w, const struct path_link *link)
{
	const struct zh_fact_set *facts = walk_facts(w);
	const char *why = walk_why_not(w, "qdisc"), *root;
	char device[ZH_FACTS_NAME_MAX];
	uint64_t waiting = 0, drops = 0;

	root = zh_fact_text(facts, "qdisc.%s.root", walk_device_key(device, link));
	if (!root)
		root = zh_fact_text(facts, "link.%s.qdisc", device);
	if (!root) {
		hop_add(w, PATH_QDISC, link, "qdisc");
		hop_unseen(w, "%s", why ? why : "the device is new");
		return;
	}
	if (!strcmp(root, "noqueue")) {
		hop_add(w, PATH_QDISC, link, "noqueue: handed to the device at once");
		return;
	}
	hop_add(w, PATH_QDISC, link, "%s%s", root,
		queues_of(facts, device) > 1 ? " with more below it" : "");
	if (zh_fact_get(facts, &waiting, "qdisc.%s.0.qlen_pkts", device) &&
		zh_fact_get(facts, &drops, "qdisc.%s.0.drops_pkts", device))
		hop_note(w, "%" PRIu64 " packets wait now, %" PRIu64 " were dropped so far",
			waiting, drops);
}

/* What a device may put off or put together. */
static void note_offloads(struct walk *w, const char *device)
{
	static const struct {
		const char *feature, *name;
	} offloads[] = {{"tx-tcp-segmentation", "TSO"}, {"tx-generic-segmentation", "GSO"},
		{"rx-gro", "GRO"}, {"rx-lro", "LRO"}, {"tx-checksum-ip-generic", "checksum"},
		{"tx-udp-segmentation", "USO"}};
	zh_autobuf on = {};
	uint64_t value;
	size_t i, known = 0;

	for (i = 0; i < ZH_ARRAY_SIZE(offloads); i++) {
		if (!zh_fact_get(
			    walk_facts(w), &value, "offload.%s.%s", device, offloads[i].feature))
			continue;
		known++;
		if (value)
			zh_buf_addf(&on, "%s%s", on.len ? ", " : "", offloads[i].name);
	}
	if (known)
		hop_note(w, "offloads: %s", on.len ? on.text : "none");
}

static const char *kind_of(const struct walk *w, const struct path_link *link, const char *device)
{
	const char *kind = zh_fact_text(walk_facts(w), "link.%s.kind", device);

	if (kind && !strcmp(kind, "device"))
		return "network card";
	return kind ? kind : link->kind[0] ? link->kind : "device";
}

void hops_device(struct walk *w, const struct path_link *link, bool inbound)
{
	const struct zh_fact_set *facts = walk_facts(w);
	uint64_t mtu = 0, queues = 0;
	char device[ZH_FACTS_NAME_MAX];

	walk_device_key(device, link);
	zh_fact_get(facts, &mtu, "link.%s.mtu", device);
	zh_fact_get(facts, &queues, "link.%s.%s_queues", device, inbound ? "rx" : "tx");
	hop_add(w, PATH_DEVICE, link, "%s, MTU %" PRIu64 ", %" PRIu64 " %s queue%s",
		kind_of(w, link, device), mtu, queues, inbound ? "receive" : "send",
		queues == 1 ? "" : "s");
	if (inbound)
		hop_inbound(w);
	else
		note_offloads(w, device);
	if (!link->is_up)
		hop_ends(w, "%s is down", link->name);
}

/* CPUs that receive for any of its queues, "" for none. */
static const char *rps_cpus(const struct walk *w, const char *device)
{
	char pattern[ZH_FACTS_NAME_MAX + 24];
	const struct zh_fact *fact;
	size_t pos = 0;

	snprintf(pattern, sizeof(pattern), "queue.%s.rx.*.rps_cpus", device);
	while ((fact = zh_fact_next(walk_facts(w), pattern, &pos)))
		if (fact->text && fact->text[0])
			return fact->text;
	return "";
}

void hops_steering(struct walk *w, const struct path_link *link)
{
	const char *why = walk_why_not(w, "queue"), *cpus;
	char device[ZH_FACTS_NAME_MAX];

	cpus = rps_cpus(w, walk_device_key(device, link));
	if (why)
		hop_add(w, PATH_STEERING, link, "receive backlog");
	else if (cpus[0])
		hop_add(w, PATH_STEERING, link, "RPS: a CPU of %s receives it", cpus);
	else
		hop_add(w, PATH_STEERING, link,
			"no RPS: the CPU that sends it receives it from its backlog");
	hop_inbound(w);
	if (why)
		hop_unseen(w, "receive packet steering: %s", why);
}
