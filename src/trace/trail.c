/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/trail-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "trace/symbols.h"

struct visit {
	struct zh_trail *trail;
	uint32_t netns;
	int (*f)(struct zh_trail *trail, uint32_t netns, void *arg, struct zh_err *err);
	void *arg;
	struct zh_err err;
};

static int visit(void *arg)
{
	struct visit *v = arg;

	return v->f(v->trail, v->netns, v->arg, &v->err);
}

/* The own namespace is not entered: that would take a privilege that counting there does not. */
static int visit_one(struct visit *v, int fd, uint64_t own)
{
	uint64_t inode = own;
	int r = fd < 0 ? 0 : zh_netns_inode(fd, &inode);

	if (r)
		return zh_err_sys(&v->err, r, "cannot tell the network namespace");
	v->netns = (uint32_t)inode;
	v->err.text[0] = '\0';
	r = zh_netns_call(inode == own ? -1 : fd, visit, v, &v->err);
	if (r && !v->err.text[0])
		zh_err_sys(&v->err, r, "cannot enter the network namespace");
	return r;
}

size_t zh_trail_each_netns(struct zh_trail *trail, struct zh_record *record, const char *what,
	int (*f)(struct zh_trail *trail, uint32_t netns, void *arg, struct zh_err *err), void *arg)
{
	static const int own_only[] = {-1};
	struct visit v = {.trail = trail, .f = f, .arg = arg};
	bool listed = trail->config.n_netns > 0;
	size_t i, n = listed ? trail->config.n_netns : 1, good = 0;
	const int *fds = listed ? trail->config.netns_fds : own_only;
	zh_autoclose int here = zh_netns_current(&v.err);
	uint64_t own = 0;

	if (here >= 0)
		zh_netns_inode(here, &own);
	for (i = 0; i < n; i++) {
		if (visit_one(&v, fds[i], own))
			zh_record_not_measured(record, what, "%s", v.err.text);
		else
			good++;
	}
	return good;
}

static void set_up(struct zh_trail *trail)
{
	trail->control->transport = trail->config.transport;
	trail->control->run = trail->config.run;
	trail->control->remote_port = trail->config.remote_port;
	trail->control->armed = 1;
}

static bool try_bpf(struct zh_trail *trail, struct zh_record *record)
{
	struct zh_err err = {};

	if (trail->config.no_bpf) {
		zh_record_not_measured(record, "packets in netfilter hooks, drops",
			"counted with packet sockets, as asked for");
		return false;
	}
	if (!zh_trail_bpf_open(trail, record, &err))
		return true;
	zh_record_not_measured(record, "packets in netfilter hooks, drops",
		"counted with packet sockets: %s", err.text);
	return false;
}

static bool try_sockets(struct zh_trail *trail, struct zh_record *record)
{
	struct zh_err err = {};

	if (!zh_trail_sockets_open(trail, record, &err))
		return true;
	zh_record_not_measured(record, "packets on devices", "%s", err.text);
	return false;
}

int zh_trail_open(const struct zh_trail_config *config, struct zh_record *record,
	struct zh_trail **ret, struct zh_err *err)
{
	struct zh_trail *trail = calloc(1, sizeof(*trail));

	if (!trail)
		return zh_err_sys(err, -ENOMEM, "cannot count packets");
	trail->config = *config;
	if (try_bpf(trail, record))
		trail->method = ZH_TRAIL_BPF;
	else if (try_sockets(trail, record))
		trail->method = ZH_TRAIL_SOCKETS;
	else
		trail->method = ZH_TRAIL_NONE;
	trail->config.netns_fds = NULL;
	if (trail->control)
		set_up(trail);
	*ret = trail;
	return 0;
}

enum zh_trail_method zh_trail_method(const struct zh_trail *trail)
{
	return trail->method;
}

/* A port is one packet's only: the one that is told last. */
void zh_trail_port(struct zh_trail *trail, uint32_t seq, uint16_t port)
{
	if (!trail->control || seq >= ZH_TRAIL_PACKETS)
		return;
	trail->control->claimed[seq] = 0;
	trail->control->ports[port] = (uint16_t)(seq + 1);
}

/* Sorted in already, oldest first; equal times stay in the order they were written in. */
static void sort_in(struct zh_trail_step *steps, size_t n, const struct zh_trail_step *step)
{
	while (n && steps[n - 1].ns > step->ns) {
		steps[n] = steps[n - 1];
		n--;
	}
	steps[n] = *step;
}

size_t zh_trail_read(struct zh_trail *trail, uint32_t seq, struct zh_trail_step *ret, size_t max)
{
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	const struct zh_trail_packet *packet;
	size_t i, n = 0;
	uint64_t seen;

	if (!trail->control || seq >= ZH_TRAIL_PACKETS)
		return 0;
	if (trail->sockets)
		zh_trail_sockets_drain(trail);
	packet = &trail->packets[seq];
	seen = *(const volatile uint64_t *)&packet->n;
	for (i = 0; i < ZH_MIN(seen, (uint64_t)ZH_TRAIL_STEPS); i++) {
		if (*(const volatile uint64_t *)&packet->steps[i].ns)
			sort_in(steps, n++, &packet->steps[i]);
	}
	n = ZH_MIN(n, max);
	memcpy(ret, steps, n * sizeof(*ret));
	return n;
}

uint64_t zh_trail_lost(const struct zh_trail *trail)
{
	uint64_t lost = trail->control ? *(volatile uint64_t *)&trail->control->lost : 0;

	return lost + (trail->bpf ? zh_trail_bpf_missed(trail->bpf) : 0);
}

const char *zh_trail_drop_reason(struct zh_trail *trail, uint32_t reason)
{
	if (!trail->bpf)
		return NULL;
	return zh_trail_bpf_reason(trail->bpf, reason, trail->reason, sizeof(trail->reason));
}

char *zh_trail_function(struct zh_trail *trail, char *buf, size_t size, uint64_t location)
{
	const char *name;

	if (location && !trail->asked_symbols) {
		trail->symbols = zh_symbols_read();
		trail->asked_symbols = true;
	}
	name = location ? zh_symbols_find(trail->symbols, location) : NULL;
	snprintf(buf, size, "%s", name ? name : "");
	return buf;
}

struct zh_trail *zh_trail_close(struct zh_trail *trail)
{
	if (!trail)
		return NULL;
	if (trail->control)
		trail->control->armed = 0;
	zh_trail_bpf_close(trail->bpf);
	zh_trail_sockets_close(trail->sockets);
	zh_symbols_free(trail->symbols);
	free(trail);
	return NULL;
}
