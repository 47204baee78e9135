/* SPDX-License-Identifier: BSD-2-Clause */
/* From hand-made sightings to the facts of a proof. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "session/path/tally.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

#define HERE 100    /* inode numbers of namespaces */
#define THERE 200   /* on the way */
#define SOMEONE 300 /* not on the way, but known by name */
#define NOBODY 400

enum { DEV_A = 2, DEV_B = 3, DEV_C = 7 };

static const struct zh_path_config config;

/* A way from DEV_A here to DEV_B there. */
static const struct path_hop way[] = {
	{.kind = PATH_SOCKET, .hook = -1},
	{.kind = PATH_NETFILTER, .hook = NF_INET_LOCAL_OUT},
	{.kind = PATH_DEVICE, .ifindex = DEV_A, .hook = -1},
	{.kind = PATH_DEVICE, .place = 1, .ifindex = DEV_B, .hook = -1, .is_inbound = true},
	{.kind = PATH_NETFILTER, .place = 1, .hook = NF_INET_LOCAL_IN},
	{.kind = PATH_END, .place = 1, .hook = -1},
};

static const struct path_sent answered = {.outcome = PATH_ANSWERED};
static const struct path_sent silent = {.outcome = PATH_SILENT};

static const struct path_netns netns[] = {
	{.inode = HERE, .name = "here"},
	{.inode = THERE, .name = "netns there", .place = 1},
	{.inode = SOMEONE, .name = "netns someone", .place = SIZE_MAX},
};

static struct path *start(void)
{
	static struct path_link links[] = {
		{.netns = 0, .ifindex = DEV_A, .name = "eth0.5"},
		{.netns = 1, .ifindex = DEV_B, .name = "eth1"},
		{.netns = 2, .ifindex = DEV_C, .name = "sniff"},
	};
	struct path *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->config = &config;
	p->record = zh_record_new(&(struct zh_record_limits){.phases = 1});
	assert_non_null(p->record);
	p->out = &p->record->after;
	p->n_places = 2;
	p->places[0].inode = HERE;
	p->places[1].inode = THERE;
	p->n_ways = 1;
	p->ways[0].flow = (struct zh_flow){.family = AF_INET, .protocol = IPPROTO_ICMP};
	p->ways[0].n_hops = ZH_ARRAY_SIZE(way);
	memcpy(p->ways[0].hops, way, sizeof(way));
	p->map.is_taken = true;
	p->map.n_netns = ZH_ARRAY_SIZE(netns);
	memcpy(p->map.netns, netns, sizeof(netns));
	p->map.links = links;
	p->map.n_links = ZH_ARRAY_SIZE(links);
	return p;
}

static void finish(struct path *p, struct path_tally *tally)
{
	path_tally_finish(tally);
	zh_fact_set_sort(p->out);
}

static void stop(struct path *p)
{
	zh_record_free(p->record);
	free(p);
}

static void is_number(const struct path *p, const char *key, uint64_t expected)
{
	uint64_t value = UINT64_MAX;

	zh_fact_get(p->out, &value, "path.way.0.proof.%s", key);
	if (value != expected)
		fail_msg("%s is %lld, not %lld", key, (long long)value, (long long)expected);
}

static void is_text(const struct path *p, const char *key, const char *expected)
{
	const char *text = zh_fact_text(p->out, "path.way.0.proof.%s", key);

	if (!text || strcmp(text, expected))
		fail_msg("%s is '%s', not '%s'", key, text ? text : "missing", expected);
}

static void is_missing(const struct path *p, const char *key)
{
	char whole[96];

	snprintf(whole, sizeof(whole), "path.way.0.proof.%s", key);
	if (zh_fact_find(p->out, whole))
		fail_msg("%s is there", key);
}

#define STEP(at, in, dev, ...)                                                                     \
	{                                                                                          \
		.point = ZH_TRAIL_##at, .netns = in, .ifindex = dev, ##__VA_ARGS__                 \
	}

#define REQUEST                                                                                    \
	STEP(HOOK_IN, HERE, DEV_A, .what = NF_INET_LOCAL_OUT),                                     \
		STEP(HOOK_OUT, HERE, DEV_A, .what = NF_INET_LOCAL_OUT), STEP(QUEUE, HERE, DEV_A),  \
		STEP(XMIT, HERE, DEV_A), STEP(BACKLOG, THERE, DEV_B), STEP(RX, THERE, DEV_B)

/* However often a packet is seen on a device, it is one packet. */
static void counts_each_once(void **state)
{
	static const struct zh_trail_step steps[] = {
		REQUEST,
		STEP(HOOK_IN, THERE, DEV_B, .what = NF_INET_LOCAL_IN),
		STEP(HOOK_OUT, THERE, DEV_B, .what = NF_INET_LOCAL_IN),
		STEP(QUEUE, THERE, DEV_B, .leg = 1),
		STEP(RX, HERE, DEV_A, .leg = 1),
		STEP(HOOK_IN, HERE, DEV_A, .what = NF_INET_LOCAL_IN, .leg = 1),
		STEP(HOOK_IN, HERE, DEV_A, .what = NF_INET_LOCAL_IN, .leg = 1),
		STEP(HOOK_OUT, HERE, DEV_A, .what = NF_INET_LOCAL_IN, .leg = 1),
	};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 3, 3);
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		path_tally_add(tally, steps, ZH_ARRAY_SIZE(steps), &answered, NULL);
	finish(p, tally);
	is_number(p, "dev.0.eth0/5.requests", 3);
	is_number(p, "dev.0.eth0/5.replies", 3);
	is_number(p, "dev.1.eth1.requests", 3);
	is_number(p, "hook.0.output.requests_in", 3);
	is_number(p, "hook.0.output.requests_out", 3);
	is_number(p, "hook.0.input.replies_in", 3);
	is_number(p, "hook.1.input.requests_out", 3);
	is_number(p, "hop.0.requests", 3);
	is_number(p, "hop.1.requests", 3);
	is_number(p, "hop.1.replies", 3);
	is_number(p, "hop.2.replies", 3);
	is_number(p, "hop.3.requests", 3);
	is_number(p, "hop.5.requests", 3);
	is_missing(p, "lost.0.packets");
	is_missing(p, "stray.0.packets");
	stop(p);
}

/* A refusal by a rule on the way is no word of the target; one from behind its input hook is. */
static void rejected_on_the_way(void **state)
{
	static const struct path_sent refused = {PATH_REFUSED, ECONNREFUSED};
	static const struct zh_trail_step there[] = {
		REQUEST,
		STEP(HOOK_IN, THERE, DEV_B, .what = NF_INET_LOCAL_IN),
		STEP(DROP, THERE, DEV_B),
		STEP(QUEUE, THERE, DEV_B, .leg = 1),
		STEP(RX, HERE, DEV_A, .leg = 1),
	};
	static const struct zh_trail_step behind[] = {
		REQUEST,
		STEP(HOOK_IN, THERE, DEV_B, .what = NF_INET_LOCAL_IN),
		STEP(HOOK_OUT, THERE, DEV_B, .what = NF_INET_LOCAL_IN),
		STEP(DROP, THERE, DEV_B),
		STEP(QUEUE, THERE, DEV_B, .leg = 1, .icmp = 3 << 8 | 3),
	};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 5, 0);
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		path_tally_add(tally, there, ZH_ARRAY_SIZE(there), &refused, NULL);
		path_tally_add(tally, behind, ZH_ARRAY_SIZE(behind), &refused, NULL);
	}
	path_tally_add(tally, there, 8, &silent, NULL);
	finish(p, tally);
	is_number(p, "lost.0.packets", 3);
	is_number(p, "lost.0.rejected", 2);
	is_text(p, "lost.0.hook", "input");
	is_number(p, "lost.0.hop", 4);
	is_missing(p, "lost.1.packets");
	is_number(p, "hop.5.requests", 2);
	stop(p);
}

/* What drops a reply is named by its own hook, not by that which the request passed. */
static void replies_have_hooks_of_their_own(void **state)
{
	static const struct zh_trail_step steps[] = {
		REQUEST,
		STEP(HOOK_IN, HERE, DEV_A, .what = NF_INET_LOCAL_IN, .leg = 1),
		STEP(DROP, HERE, DEV_A, .leg = 1),
	};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 1, 0);

	(void)state;
	path_tally_add(tally, steps, ZH_ARRAY_SIZE(steps), &silent, NULL);
	finish(p, tally);
	is_text(p, "lost.0.leg", "reply");
	is_number(p, "lost.0.hop", 1);
	is_text(p, "lost.0.hook", "input");
	stop(p);
}

/* Dropped in one place: one group, although only some senders were told why. The message about a
 * packet is not where the packet was. */
static void groups_by_end(void **state)
{
	static const struct zh_trail_step told[] = {
		REQUEST,
		STEP(DROP, THERE, DEV_B),
		STEP(QUEUE, THERE, DEV_B, .leg = 1, .icmp = 3 << 8 | 1),
		STEP(RX, HERE, DEV_A, .leg = 1, .icmp = 3 << 8 | 1),
	};
	static const struct zh_trail_step untold[] = {REQUEST, STEP(DROP, THERE, DEV_B)};
	static const struct zh_trail_step earlier[] = {
		STEP(HOOK_IN, HERE, DEV_A, .what = NF_INET_LOCAL_OUT), STEP(DROP, HERE, DEV_A)};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 6, 0);

	(void)state;
	path_tally_add(tally, untold, ZH_ARRAY_SIZE(untold), &silent, NULL);
	path_tally_add(tally, told, ZH_ARRAY_SIZE(told), &silent, NULL);
	path_tally_add(tally, untold, ZH_ARRAY_SIZE(untold), &silent, NULL);
	path_tally_add(tally, earlier, ZH_ARRAY_SIZE(earlier), &silent, NULL);
	path_tally_add(tally, told, ZH_ARRAY_SIZE(told),
		&(struct path_sent){PATH_UNREACHABLE, EHOSTUNREACH}, NULL);
	path_tally_add(tally, told, ZH_ARRAY_SIZE(told), &answered, NULL);
	finish(p, tally);
	is_number(p, "lost.0.packets", 4);
	is_text(p, "lost.0.leg", "request");
	is_text(p, "lost.0.reason", "ICMP error: host unreachable");
	is_number(p, "lost.0.place", 1);
	is_text(p, "lost.0.dev", "eth1");
	is_number(p, "lost.0.hop", 3);
	is_number(p, "lost.1.packets", 1);
	is_number(p, "lost.1.hop", 1);
	is_missing(p, "lost.1.reason");
	is_missing(p, "lost.2.packets");
	stop(p);
}

/* An answer that gets lost, and an ICMP error that does, are replies. */
static void replies_get_lost(void **state)
{
	static const struct zh_trail_step answer[] = {
		REQUEST, STEP(RX, HERE, DEV_A, .leg = 1), STEP(DROP, HERE, DEV_A, .leg = 1)};
	static const struct zh_trail_step error[] = {REQUEST,
		STEP(QUEUE, THERE, DEV_B, .leg = 1, .icmp = 3 << 8 | 3),
		STEP(DROP, THERE, DEV_B, .leg = 1, .icmp = 3 << 8 | 3)};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 2, 0);

	(void)state;
	path_tally_add(tally, answer, ZH_ARRAY_SIZE(answer), &silent, NULL);
	path_tally_add(tally, error, ZH_ARRAY_SIZE(error), &silent, NULL);
	finish(p, tally);
	is_text(p, "lost.0.leg", "reply");
	is_number(p, "lost.0.place", 0);
	is_text(p, "lost.1.leg", "reply");
	is_number(p, "lost.1.place", 1);
	is_missing(p, "lost.2.packets");
	stop(p);
}

/* The sender's own errors count without a sighting; silence without a sighting says nothing, and
 * what was handed to its socket is not lost. */
static void lost_or_not(void **state)
{
	static const struct zh_trail_step delivered[] = {
		REQUEST, STEP(HOOK_OUT, THERE, DEV_B, .what = NF_INET_LOCAL_IN)};
	static const struct zh_trail_step halfway[] = {
		STEP(QUEUE, HERE, DEV_A), STEP(XMIT, HERE, DEV_A)};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 6, 0);

	(void)state;
	path_tally_add(tally, NULL, 0, &(struct path_sent){PATH_FAILED, EPERM}, NULL);
	path_tally_add(tally, NULL, 0, &(struct path_sent){PATH_UNREACHABLE, EHOSTUNREACH}, NULL);
	path_tally_add(tally, NULL, 0, &(struct path_sent){PATH_REFUSED, ECONNREFUSED}, NULL);
	path_tally_add(tally, NULL, 0, &silent, NULL);
	path_tally_add(tally, delivered, ZH_ARRAY_SIZE(delivered), &silent, NULL);
	path_tally_add(tally, halfway, ZH_ARRAY_SIZE(halfway), &silent, NULL);
	finish(p, tally);
	is_number(p, "lost.0.packets", 1);
	is_text(p, "lost.0.reason", strerror(EPERM));
	is_missing(p, "lost.0.hop");
	is_text(p, "lost.1.reason", strerror(EHOSTUNREACH));
	is_number(p, "lost.2.packets", 1);
	is_number(p, "lost.2.hop", 2);
	is_missing(p, "lost.2.reason");
	is_missing(p, "lost.3.packets");
	stop(p);
}

static void strays_have_names(void **state)
{
	static const struct zh_trail_step steps[] = {REQUEST, STEP(RX, SOMEONE, DEV_C),
		STEP(RX, NOBODY, DEV_C), STEP(QUEUE, HERE, DEV_C)};
	struct path *p = start();
	struct path_tally *tally = path_tally_new(p, 0, 1, 1);

	(void)state;
	path_tally_add(tally, steps, ZH_ARRAY_SIZE(steps), &answered, NULL);
	finish(p, tally);
	is_text(p, "stray.0.place", "netns someone");
	is_text(p, "stray.0.dev", "sniff");
	is_text(p, "stray.1.place", "namespace 400");
	is_text(p, "stray.1.dev", "if7");
	is_number(p, "stray.2.place", 0);
	is_number(p, "stray.2.packets", 1);
	is_missing(p, "stray.3.packets");
	stop(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_each_once),
		cmocka_unit_test(rejected_on_the_way),
		cmocka_unit_test(replies_have_hooks_of_their_own),
		cmocka_unit_test(groups_by_end),
		cmocka_unit_test(replies_get_lost),
		cmocka_unit_test(lost_or_not),
		cmocka_unit_test(strays_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
