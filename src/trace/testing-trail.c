/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/testing-trail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/root.h"

static void must(int r, const struct zh_err *err)
{
	if (r < 0)
		fail_msg("%s", err->text);
}

/* One end of the cable between namespaces i and i + 1; `side` 0 is that in i. */
static uint32_t set_up_end(struct testing_net *net, int i, int side)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};
	char name[16], address[32];
	int ifindex;

	snprintf(name, sizeof(name), "zht%d%c", i, 'a' + side);
	must(zh_netcfg_open(net->ns[i + side], &cfg, &err), &err);
	snprintf(address, sizeof(address), "10.99.%d.%d/24", i + 1, side + 1);
	must(zh_netcfg_address_add(cfg, name, address, &err), &err);
	snprintf(address, sizeof(address), "fd99:%d::%d/64", i + 1, side + 1);
	must(zh_netcfg_address_add(cfg, name, address, &err), &err);
	must(zh_netcfg_link_up(cfg, name, true, &err), &err);
	ifindex = zh_netcfg_ifindex(cfg, name, &err);
	must(ifindex, &err);
	zh_netcfg_close(cfg);
	return (uint32_t)ifindex;
}

static void join(struct testing_net *net, int i)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};
	char name[16], peer[16];

	snprintf(name, sizeof(name), "zht%da", i);
	snprintf(peer, sizeof(peer), "zht%db", i);
	must(zh_netcfg_open(net->ns[i], &cfg, &err), &err);
	must(zh_netcfg_veth_add(cfg, name, peer, net->ns[i + 1], &err), &err);
	zh_netcfg_close(cfg);
	net->right[i] = set_up_end(net, i, 0);
	net->left[i + 1] = set_up_end(net, i, 1);
}

static int forward(void *arg)
{
	(void)arg;
	return zh_sys_write("1", "/proc/sys/net/ipv4/ip_forward");
}

static void route(struct testing_net *net, int at, const struct zh_netcfg_route *to)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};

	must(zh_netcfg_open(net->ns[at], &cfg, &err), &err);
	must(zh_netcfg_route_add(cfg, to, &err), &err);
	zh_netcfg_close(cfg);
}

void testing_net_open(struct testing_net *net, int n)
{
	static const struct zh_netcfg_route there = {"10.99.2.0/24", "10.99.1.2", "zht0a", 0};
	static const struct zh_netcfg_route back = {"10.99.1.0/24", "10.99.2.1", "zht1b", 0};
	uint64_t inode;
	int i;

	*net = (struct testing_net){.n = n};
	for (i = 0; i < n; i++) {
		net->ns[i] = testing_netns();
		assert_int_equal(zh_netns_inode(net->ns[i], &inode), 0);
		net->inodes[i] = (uint32_t)inode;
	}
	for (i = 0; i + 1 < n; i++)
		join(net, i);
	if (n < 3)
		return;
	assert_int_equal(zh_netns_call(net->ns[1], forward, NULL, NULL), 0);
	route(net, 0, &there);
	route(net, 2, &back);
}

void testing_net_close(struct testing_net *net)
{
	while (net->n)
		close(net->ns[--net->n]);
}

bool testing_nft(const struct testing_net *net, int at, const char *rules)
{
	static const char *const argv[] = {"nft", "-f", "-", NULL};
	struct zh_err err = {};

	if (!zh_process_run(argv, net->ns[at], rules, strlen(rules), &err))
		return true;
	print_message("skipped: %s\n", err.text);
	return false;
}

void testing_trail_open(struct testing_trail *t, int n, enum zh_transport_id transport,
	uint16_t remote_port, bool no_bpf)
{
	struct zh_trail_config config = {.transport = transport,
		.run = TESTING_RUN,
		.remote_port = remote_port,
		.netns_fds = t->net.ns,
		.n_netns = (size_t)n,
		.no_bpf = no_bpf};
	struct zh_err err = {};

	t->record = testing_record();
	must(zh_trail_open(&config, t->record, &t->trail, &err), &err);
	if (zh_trail_method(t->trail) != (no_bpf ? ZH_TRAIL_SOCKETS : ZH_TRAIL_BPF))
		fail_msg("%s: %s", t->record->not_measured[0].what, t->record->not_measured[0].why);
}

void testing_trail_close(struct testing_trail *t)
{
	t->trail = zh_trail_close(t->trail);
	t->record = zh_record_free(t->record);
}

static bool fits(
	struct testing_trail *t, const struct zh_trail_step *step, const struct testing_want *want)
{
	bool is_hook = want->point == ZH_TRAIL_HOOK_IN || want->point == ZH_TRAIL_HOOK_OUT;
	const char *reason;

	if (step->point != want->point || step->leg != want->leg ||
		step->netns != t->net.inodes[want->netns] ||
		(is_hook && step->what != want->hook) ||
		(want->ifindex && step->ifindex != want->ifindex))
		return false;
	if (!want->reason)
		return true;
	reason = zh_trail_drop_reason(t->trail, step->what);
	return reason && !strcmp(reason, want->reason);
}

unsigned int testing_trail_count(
	struct testing_trail *t, uint32_t seq, const struct testing_want *want)
{
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	size_t i, n = zh_trail_read(t->trail, seq, steps, ZH_ARRAY_SIZE(steps));
	unsigned int count = 0;

	for (i = 0; i < n; i++)
		count += fits(t, &steps[i], want);
	return count;
}

unsigned int testing_trail_steps(struct testing_trail *t, uint32_t seq)
{
	struct zh_trail_step steps[ZH_TRAIL_STEPS];

	return (unsigned int)zh_trail_read(t->trail, seq, steps, ZH_ARRAY_SIZE(steps));
}

static const char *const point_names[] = {
	"?", "queue", "xmit", "backlog", "rx", "hook-in", "hook-out", "drop"};

static int netns_index(const struct testing_net *net, uint32_t inode)
{
	int i;

	for (i = 0; i < net->n; i++) {
		if (net->inodes[i] == inode)
			return i;
	}
	return -1;
}

void testing_trail_fail(struct testing_trail *t, uint32_t seq, const char *what)
{
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	size_t i, n = zh_trail_read(t->trail, seq, steps, ZH_ARRAY_SIZE(steps));
	const char *reason;
	char function[64];

	for (i = 0; i < n; i++) {
		const struct zh_trail_step *s = &steps[i];

		reason = s->point == ZH_TRAIL_DROP ? zh_trail_drop_reason(t->trail, s->what) : "";
		print_message("+%llu ns, leg %u, IPv%u, %s %u, ns %d, dev %u, icmp %x %s %s\n",
			(unsigned long long)(s->ns - steps[0].ns), s->leg, s->family,
			point_names[s->point], s->what, netns_index(&t->net, s->netns), s->ifindex,
			s->icmp, reason ? reason : "?",
			zh_trail_function(t->trail, function, sizeof(function), s->location));
	}
	fail_msg("packet %u, %zu steps, %llu lost: %s", seq, n,
		(unsigned long long)zh_trail_lost(t->trail), what);
}
