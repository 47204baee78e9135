/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What loopback is here: from the facts of the place where the packet starts, from questions to the
 * kernel, and from small experiments in a fresh namespace. Each part stands for itself.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"
#include "session/internal.h"
#include "session/path/internal.h"
#include "session/path/lo-experiment.h"

/* An address of the range that benchmarks may use; nobody has it, so as an alias it is new. */
#define ALIAS "198.18.0.1"

static void add_flags(struct path *p, const struct zh_fact_set *facts)
{
	static const char *const names[] = {"up", "running", "loopback", "promisc"};
	zh_autobuf text = {};
	uint64_t on;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(names); i++)
		if (zh_fact_get(facts, &on, "link.lo.flags.%s", names[i]) && on)
			zh_buf_addf(&text, "%s%s", text.len ? ", " : "", names[i]);
	if (zh_fact_get(facts, &on, "link.lo.flags.up"))
		zh_fact_string(p->out, text.len ? text.text : "none", "path.lo.flags");
}

/* "127.0.0.1/8, 10.0.0.5/32" */
static void add_addresses(struct path *p, const struct zh_fact_set *facts, uint64_t family)
{
	static const char pattern[] = "addr.lo.*.ip";
	zh_autobuf text = {};
	const struct zh_fact *fact;
	uint64_t value, prefix;
	char id[32];
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		zh_fact_part(id, sizeof(id), fact, pattern, 0);
		if (fact->type == ZH_FACT_STRING &&
			zh_fact_get(facts, &value, "addr.lo.%s.family", id) && value == family &&
			zh_fact_get(facts, &prefix, "addr.lo.%s.prefix", id))
			zh_buf_addf(&text, "%s%s/%llu", text.len ? ", " : "", fact->text,
				(unsigned long long)prefix);
	}
	if (text.len)
		zh_fact_string(p->out, text.text, family == 4 ? "path.lo.ip4" : "path.lo.ip6");
}

static void add_offloads(struct path *p, const struct zh_fact_set *facts)
{
	static const char pattern[] = "offload.lo.*";
	const struct zh_fact *fact;
	char name[64];
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		if (fact->type != ZH_FACT_NUMBER)
			continue;
		zh_fact_part(name, sizeof(name), fact, pattern, 0);
		zh_fact_string(p->out, fact->number ? "on" : "off", "path.lo.offload.%s", name);
	}
}

static void add_facts(struct path *p)
{
	const struct zh_fact_set *facts = &p->record->before;
	uint64_t mtu;

	add_flags(p, facts);
	if (zh_fact_get(facts, &mtu, "link.lo.mtu"))
		zh_fact_number(p->out, mtu, "path.lo.mtu");
	if (zh_fact_get(facts, &mtu, "devconf.6.lo.mtu"))
		zh_fact_number(p->out, mtu, "path.lo.mtu6");
	add_addresses(p, facts, 4);
	add_addresses(p, facts, 6);
	add_offloads(p, facts);
}

static void add_cover(struct path *p, struct zh_netlink *nl, const char *address, size_t index)
{
	struct zh_flow flow = {.family = AF_INET, .protocol = IPPROTO_UDP};
	struct zh_route route = {};
	struct zh_err err = {};
	int refused = 0, r;

	zh_fact_string(p->out, address, "path.lo.covers.%zu.address", index);
	inet_pton(AF_INET, address, &flow.to);
	r = zh_way_ask(nl, &flow, &route, &refused, &err);
	if (r == 0) {
		zh_fact_string(p->out, route.oif, "path.lo.covers.%zu.dev", index);
		zh_fact_string(p->out, route.type, "path.lo.covers.%zu.type", index);
	} else {
		zh_fact_string(p->out, r > 0 ? strerror(refused) : err.text,
			"path.lo.covers.%zu.type", index);
	}
	r = lo_exchange(address);
	if (r < 0)
		zh_fact_unavailable(p->out, strerror(-r), "path.lo.covers.%zu.answered", index);
	else
		zh_fact_number(p->out, (uint64_t)r, "path.lo.covers.%zu.answered", index);
}

/* All of 127/8 is loopback on Linux, without any of it being configured; other addresses are once
 * they are added to lo. */
static void add_covers(struct path *p)
{
	static const char *const addresses[] = {"127.0.0.1", "127.0.0.2", "127.1.2.3"};
	zh_autonetlink *nl = NULL;
	struct zh_err err = {};
	size_t i;
	int r;

	if (zh_netlink_open(&nl, NETLINK_ROUTE, &err) < 0) {
		zh_fact_unavailable(p->out, err.text, "path.lo.covers");
		return;
	}
	for (i = 0; i < ZH_ARRAY_SIZE(addresses); i++)
		add_cover(p, nl, addresses[i], i);
	r = lo_try_alias(ALIAS, &err);
	zh_fact_string(p->out, ALIAS " (alias on a fresh lo)", "path.lo.covers.%zu.address", i);
	if (r < 0) {
		zh_fact_unavailable(p->out, err.text, "path.lo.covers.%zu.answered", i);
		return;
	}
	zh_fact_string(p->out, "lo", "path.lo.covers.%zu.dev", i);
	zh_fact_string(p->out, "local", "path.lo.covers.%zu.type", i);
	zh_fact_number(p->out, (uint64_t)r, "path.lo.covers.%zu.answered", i);
}

static void add_segments(struct path *p, uint32_t mtu, const char *key)
{
	struct lo_experiment experiment = {.mtu = mtu};
	struct zh_err err = {};

	if (lo_count_segments(&experiment, &err) < 0) {
		zh_fact_unavailable(p->out, err.text, "path.lo.%s", key);
		return;
	}
	zh_fact_number(p->out, experiment.packets_on, "path.lo.%s.on", key);
	zh_fact_number(p->out, experiment.packets_off, "path.lo.%s.off", key);
	zh_fact_number(p->out, experiment.sent_bytes, "path.lo.%s.sent_bytes", key);
	zh_fact_number(p->out, experiment.mtu, "path.lo.%s.mtu", key);
}

static void add_checksum(struct path *p)
{
	enum lo_checksum checksum;
	struct zh_err err = {};

	if (lo_look_at_checksum(&checksum, &err) < 0)
		zh_fact_unavailable(p->out, err.text, "path.lo.checksum");
	else
		zh_fact_string(p->out,
			checksum == LO_CHECKSUM_SKIPPED
				? "skipped: a datagram crosses lo with a partial checksum, and "
				  "nobody completes or checks it"
				: "computed: a datagram crosses lo with its checksum filled in",
			"path.lo.checksum");
}

static void add_closed_ports(struct path *p)
{
	const struct zh_fact_set *before = &p->record->before;
	const char *result;
	uint64_t took_ns;
	int family;

	for (family = 4; family <= 6; family += 2) {
		result = zh_fact_text(before, "closed_port.%d.result", family);
		if (result)
			zh_fact_string(p->out, result, "path.lo.closed_port.%d.result", family);
		if (zh_fact_get(before, &took_ns, "closed_port.%d.took_ns", family))
			zh_fact_number(p->out, took_ns, "path.lo.closed_port.%d.took_ns", family);
	}
}

void path_loopback(struct path *p)
{
	add_facts(p);
	add_covers(p);
	add_segments(p, 0, "segments");
	add_segments(p, 1500, "segments_small");
	add_checksum(p);
	add_closed_ports(p);
}
