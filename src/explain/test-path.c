/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of path runs from made-up facts, compared byte for byte with tests/golden/path-*.
 * ZH_GOLDEN_UPDATE=1 writes the files anew; look at the difference before keeping it.
 */
#include "explain/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "explain/checks/test-facts-text.h"
#include "explain/path-facts.h"

#define HOP(way, n, place, kind, title)                                                            \
	"path.way." #way ".hop." #n ".place " #place "\npath.way." #way ".hop." #n ".kind =" kind  \
	"\npath.way." #way ".hop." #n ".title =" title "\n"
#define ON(way, n, dev) "path.way." #way ".hop." #n ".dev =" dev "\n"
#define NOTE(way, n, k, text) "path.way." #way ".hop." #n ".note." #k " =" text "\n"
#define SEEN(way, n, requests, replies)                                                            \
	"path.way." #way ".proof.hop." #n ".requests " #requests "\npath.way." #way                \
	".proof.hop." #n ".replies " #replies "\n"
#define DEV(way, place, dev, requests, replies)                                                    \
	"path.way." #way ".proof.dev." #place "." dev ".requests " #requests "\npath.way." #way    \
	".proof.dev." #place "." dev ".replies " #replies "\n"
#define BY_LO(way)                                                                                 \
	"path.way." #way ".decision.dev =lo\npath.way." #way                                       \
	".decision.type =local\npath.way." #way ".decision.table 255\npath.way." #way              \
	".decision.plain.dev =lo\npath.way." #way ".decision.plain.type =local\npath.way." #way    \
	".decision.rule.pref 0\npath.way." #way ".decision.rule.text =from all lookup local\n"
#define PROOF(way, sent, answered)                                                                 \
	"path.way." #way ".proof.method =bpf\npath.way." #way ".proof.sent " #sent                 \
	"\npath.way." #way ".proof.answered " #answered "\npath.way." #way                         \
	".proof.refused 0\npath.way." #way ".proof.took_ns 1530000\n"
#define LO_HOPS(way)                                                                               \
	HOP(way, 0, 0, "socket", "ICMP echo")                                                      \
	HOP(way, 1, 0, "cgroup-bpf", "no program on the way out")                                  \
	HOP(way, 2, 0, "netfilter", "output hook: 2 chains, 7 rules, conntrack")                   \
	"path.way." #way ".hop.2.hook =output\n" NOTE(                                             \
		way, 2, 0, "nft inet filter output: policy accept, 6 rules") HOP(way, 3, 0,        \
		"qdisc", "noqueue") ON(way, 3, "lo") HOP(way, 4, 0, "device",                      \
		"loopback, MTU 65536, 1 queue") ON(way, 4, "lo") HOP(way, 5, 0, "netfilter",       \
		"input hook: 1 chain, 3 rules") "path.way." #way ".hop.5.hook =input\n" HOP(way,   \
		6, 0, "end", "answered by the kernel") SEEN(way, 0, 12, 12) SEEN(way, 2, 12, 12)   \
		SEEN(way, 4, 12, 12) SEEN(way, 5, 12, 12) SEEN(way, 6, 12, 12)
#define LO_FACTS                                                                                   \
	"path.lo.flags =UP LOOPBACK RUNNING\npath.lo.mtu 65536\npath.lo.mtu6 65536\n"              \
	"path.lo.ip4 =127.0.0.1/8\npath.lo.ip6 =::1/128\n"                                         \
	"path.lo.covers.0.address =127.0.0.1\npath.lo.covers.0.dev =lo\n"                          \
	"path.lo.covers.0.type =local\npath.lo.covers.0.answered 1\n"                              \
	"path.lo.covers.1.address =127.1.2.3\npath.lo.covers.1.dev =lo\n"                          \
	"path.lo.covers.1.type =local\npath.lo.covers.1.answered 1\n"                              \
	"path.lo.offload.tx-tcp-segmentation =on\npath.lo.offload.rx-checksum =on (fixed)\n"       \
	"path.lo.offload.rx-gro-hw =off (fixed)\n"                                                 \
	"path.lo.segments.on 24\npath.lo.segments.off 24\npath.lo.segments.sent_bytes 1048576\n"   \
	"path.lo.segments.mtu 65536\n"                                                             \
	"path.lo.segments_small.on 17\npath.lo.segments_small.off 725\n"                           \
	"path.lo.segments_small.sent_bytes 1048576\npath.lo.segments_small.mtu 1500\n"             \
	"path.lo.checksum =no checksum is computed or verified: lo claims both\n"                  \
	"path.lo.closed_port.4.result =refused\npath.lo.closed_port.4.took_ns 41000\n"

static const char lo_facts[] =
	"path.target =127.0.0.1\npath.transport =icmp\npath.place.0.name =here\n"
	"path.place.0.inode 4026531840\npath.way.0.address =127.0.0.1\npath.way.0.family 4\n"
	"path.way.0.protocol =icmp\npath.way.0.uid 0\npath.way.0.decision.src =127.0.0.1\n" BY_LO(
		0) LO_HOPS(0) PROOF(0, 12, 12) DEV(0, 0, "lo", 12, 12)
		DEV(0, 0, "eth0", 0, 0) "path.way.0.proof.hook.0.output.requests_in 12\n"
					"path.way.0.proof.hook.0.output.requests_out 12\n"
					"path.way.0.proof.hook.0.output.replies_in 12\n"
					"path.way.0.proof.hook.0.output.replies_out 12\n" LO_FACTS
					"path.way.0.unix !not a Unix socket\n";

/* Two addresses; the second one loses packets in another namespace. */
static const char two_facts[] =
	"path.target =web\npath.transport =icmp\npath.place.0.name =here\n"
	"path.place.1.name =netns blue\npath.name.asked =web\npath.name.took_ns 412000\n"
	"path.name.0.ip =127.0.0.1\npath.name.1.ip =10.1.0.2\npath.way.0.address =127.0.0.1\n"
	"path.way.0.protocol =icmp\n" BY_LO(0) LO_HOPS(0) PROOF(0, 12, 12) DEV(
		0, 0, "lo", 12, 12) DEV(0, 0, "eth0", 0, 0) DEV(0, 0, "docker0", 0, 0) DEV(0, 0,
		"eth1", 0, 0) DEV(0, 0, "eth2/100", 0, 0) DEV(0, 0, "eth3", 0,
		0) "path.way.1.address =10.1.0.2\npath.way.1.protocol =icmp\npath.way.1.mark 16\n"
		   "path.way.1.decision.dev =veth0\npath.way.1.decision.type =unicast\n"
		   "path.way.1.decision.table =main\npath.way.1.decision.src =10.1.0.1\n"
		   "path.way.1.decision.rule.pref 32766\npath.way.1.decision.rule.text =from all lookup main\n"
		   "path.way.1.decision.before.0.pref 0\n"
		   "path.way.1.decision.before.0.text =from all lookup local\n"
		   "path.way.1.decision.before.0.why =table local has no route to it\n"
		   "path.way.1.decision.before.1.pref 100\n"
		   "path.way.1.decision.before.1.text =from all fwmark 0x20 lookup 100\n"
		   "path.way.1.decision.before.1.why =other mark\n"
		   "path.way.1.reply.place 1\npath.way.1.reply.dev =veth1\n"
		   "path.way.1.decision.plain.dev =veth0\npath.way.1.decision.plain.type =unicast\n" HOP(
			   1, 0, 0, "socket", "ICMP echo") HOP(1, 1, 0, "device",
			   "veth, MTU 1500") ON(1, 1, "veth0") HOP(1, 2, 0, "wire",
			   "to veth1 in netns blue") ON(1, 2, "veth0") HOP(1, 3, 1,
			   "device", "veth, MTU 1500") ON(1, 3, "veth1") HOP(1, 4, 1, "tc",
			   "") ON(1, 4, "veth1") "path.way.1.hop.4.unseen =not permitted\n" HOP(1,
			   5, 1, "netfilter",
			   "input hook: 1 chain, 3 rules, and a title that is so long that it "
			   "does not fit on one line of the picture") "path.way.1.hop.5.hook =input\n" NOTE(1,
			   5, 0,
			   "nft inet f input: icmp type echo-request drop") HOP(1, 6, 1, "end",
			   "answered by the kernel") PROOF(1, 12, 9) SEEN(1, 0, 12, 9) SEEN(1, 1,
			   12, 9) SEEN(1, 3, 12, 9) SEEN(1, 5, 12, 9) SEEN(1, 6, 9, 9) DEV(1,
			   0, "lo", 0, 0) DEV(1, 0, "veth0", 12, 9) DEV(1, 1, "veth1", 12,
			   9) "path.way.1.proof.lost.0.packets 3\npath.way.1.proof.lost.0.leg =request\n"
			      "path.way.1.proof.lost.0.place 1\npath.way.1.proof.lost.0.dev =veth1\n"
			      "path.way.1.proof.lost.0.hop 5\npath.way.1.proof.lost.0.reason =NETFILTER_DROP\n"
			      "path.way.1.proof.lost.0.function =nf_hook_slow\n"
			      "path.way.1.proof.stray.0.place 0\npath.way.1.proof.stray.0.dev =ifb0\n"
			      "path.way.1.proof.stray.0.packets 2\n";

static const char blackhole_facts[] =
	"path.target =udp:127.0.0.1:53\npath.transport =udp\npath.way.0.address =127.0.0.1\n"
	"path.way.0.protocol =udp\npath.way.0.to_port 53\n"
	"path.way.0.decision.error =Invalid argument\npath.way.0.decision.rule.pref 100\n"
	"path.way.0.decision.rule.text =from all ipproto udp dport 53 blackhole\n"
	"path.way.0.decision.plain.dev =lo\npath.way.0.decision.plain.type =local\n" HOP(
		0, 0, 0, "socket", "UDP") HOP(0, 1, 0, "routing",
		"rule 100") "path.way.0.hop.1.ends =Invalid argument: rule 100 is a blackhole\n"
			    "path.way.0.proof.not_sent =the kernel has no way for it\n"
			    "link.lo.flags.up 1\nloopback.has_ip4 1\nrule.4.count 3\nrule.4.has_local 1\n"
			    "rule.4.ahead_of_local 1\nrule.4.0.pref 100\nrule.4.0.action =blackhole\n"
			    "rule.4.0.text =from all ipproto udp dport 53 blackhole\n"
			    "qdisc.lo.root =noqueue\ncpuidle.driver =none\n";

static const char unix_facts[] =
	"path.target =unix:/run/x\npath.transport =unix\npath.way.0.unix.path =/run/x\n"
	"path.way.0.unix.type =stream\npath.way.0.unix.listening 1\npath.way.0.unix.pid 77\n"
	"path.way.0.unix.process =redis-server\npath.way.0.unix.queued 0\n"
	"path.way.0.unix.max_queued 128\n" HOP(0, 0, 0, "socket", "stream socket")
		HOP(0, 1, 0, "end", "redis-server (pid 77)")
			PROOF(0, 12, 12) "path.way.0.proof.hook !no packets: nothing to hook\n";

#define LITTLE                                                                                     \
	"path.target =127.0.0.1\npath.way.0.address =127.0.0.1\npath.way.0.decision.dev =lo\n"     \
	"path.way.0.hop.0.kind =socket\npath.way.0.proof.sent 0\n"

static struct zh_record *record_of(const char *facts)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 1, 1, 1});

	assert_non_null(record);
	snprintf(record->command, sizeof(record->command), "path");
	record->start_ns = 1000;
	record->end_ns = 2001000;
	record->n_cpus = 2;
	zh_test_facts_parse(facts, &record->before, &record->after);
	return record;
}

static char *draw(const struct zh_doc *doc, bool json, bool ascii)
{
	const struct zh_text_style style = {.ascii = ascii};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(
		json ? zh_render_json(doc, f, NULL) : zh_render_text(doc, &style, f, NULL), 0);
	fclose(f);
	return text;
}

static char *read_file(const char *path)
{
	zh_autobuf buf = {};
	char part[4096];
	size_t len;
	FILE *f = fopen(path, "r");

	if (!f)
		return NULL;
	while ((len = fread(part, 1, sizeof(part), f)) > 0)
		zh_buf_add(&buf, part, len);
	fclose(f);
	return zh_buf_take(&buf);
}

/* The version in a JSON document is not part of what is compared. */
static char *without_version(const char *text)
{
	const char *hit = strstr(text, "\"" ZH_VERSION "\"");
	zh_autobuf buf = {};

	if (!hit)
		return strdup(text);
	zh_buf_add(&buf, text, (size_t)(hit - text));
	zh_buf_addf(&buf, "\"@VERSION@\"%s", hit + strlen(ZH_VERSION) + 2);
	return zh_buf_take(&buf);
}

static void compare(const char *name, const char *suffix, const char *drawn)
{
	zh_autofree char *golden = NULL, *text = without_version(drawn);
	char path[500];
	FILE *f;

	snprintf(path, sizeof(path), "%s/path-%s%s", GOLDEN_DIR, name, suffix);
	if (getenv("ZH_GOLDEN_UPDATE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
		return;
	}
	golden = read_file(path);
	if (!golden)
		fail_msg("cannot read %s", path);
	assert_string_equal(text, golden);
}

static void check_golden(const char *name, const char *facts, bool has_findings)
{
	struct zh_record *record = record_of(facts);
	struct zh_explanation *explanation = NULL;
	struct zh_doc *doc = zh_doc_new("path");
	zh_autofree char *text = NULL, *json = NULL;

	assert_true(zh_path_is(record));
	assert_int_equal(zh_explain(record, &explanation, NULL), 0);
	zh_path_describe(record, explanation, zh_doc_root(doc));
	assert_int_equal(zh_path_has_findings(record, explanation), has_findings);
	text = draw(doc, false, false);
	json = draw(doc, true, false);
	compare(name, ".txt", text);
	compare(name, ".json", json);
	zh_doc_free(doc);
	zh_explanation_free(explanation);
	zh_record_free(record);
}

static void lo_is_as_it_should_be(void **state)
{
	(void)state;
	check_golden("lo", lo_facts, false);
}

static void two_addresses_and_a_drop(void **state)
{
	(void)state;
	check_golden("two", two_facts, true);
}

static void a_rule_refuses_the_flow(void **state)
{
	(void)state;
	check_golden("blackhole", blackhole_facts, true);
}

static void a_unix_socket(void **state)
{
	(void)state;
	check_golden("unix", unix_facts, false);
}

/* What these tests write is what the list of keys says. */
static void facts_are_in_the_list_of_keys(void **state)
{
	const char *const all[] = {lo_facts, two_facts, blackhole_facts, unix_facts};
	size_t i, k;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(all); i++) {
		struct zh_record *record = record_of(all[i]);

		for (k = 0; k < record->after.n; k++) {
			const struct zh_fact *fact = &record->after.facts[k];

			if (strncmp(fact->key, "path.", 5) || fact->type == ZH_FACT_UNAVAILABLE)
				continue;
			if (!zh_path_is_key(fact->key))
				fail_msg("%s is in no list", fact->key);
		}
		zh_record_free(record);
	}
	assert_true(zh_path_is_key("path.way.*.proof.dev.*.*.requests"));
	assert_false(zh_path_is_key("path.way.0.proof.dev.0.requests"));
	assert_false(zh_path_is_key("path.way.0"));
	assert_false(zh_path_is_key("path.way.0.address.more"));
	assert_false(zh_path_is_key("rule.4.0.text"));
}

static void hops_one_at_a_time(void **state)
{
	struct zh_record *record = record_of(two_facts);
	size_t n = zh_path_n_hops(record), i;

	(void)state;
	assert_int_equal(n, 7);
	for (i = 0; i < n; i++) {
		struct zh_doc *doc = zh_path_describe_hop(record, i);
		zh_autofree char *text = draw(doc, false, true);
		char title[32];

		snprintf(title, sizeof(title), "Step %zu of 7\n", i + 1);
		assert_memory_equal(text, title, strlen(title));
		if (i == 2)
			assert_non_null(strstr(text, "output hook: 2 chains"));
		zh_doc_free(doc);
	}
	zh_record_free(record);
}

/* A record of nothing but its target, as an early Ctrl-C leaves it, and one of another command. */
static void little_is_enough(void **state)
{
	const char *const facts[] = {"path.target =127.0.0.1\n",
		"path.target =127.0.0.1\npath.way.0.address =127.0.0.1\n", LITTLE,
		"path.target =x\npath.way.0.unix.path =x\npath.lo.mtu !no\npath.name.asked =x\n"};
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(facts); i++) {
		struct zh_record *record = record_of(facts[i]);
		struct zh_explanation *explanation = NULL;
		struct zh_doc *doc = zh_doc_new("path");
		zh_autofree char *text = NULL;

		assert_int_equal(zh_explain(record, &explanation, NULL), 0);
		zh_path_describe(record, explanation, zh_doc_root(doc));
		text = draw(doc, false, false);
		assert_null(strstr(text, "(null)"));
		free(draw(doc, true, false));
		assert_false(zh_path_has_findings(record, explanation));
		zh_doc_free(doc);
		zh_explanation_free(explanation);
		zh_record_free(record);
	}
	{
		struct zh_record *record = record_of("link.lo.mtu 65536\n");

		assert_false(zh_path_is(record));
		assert_int_equal(zh_path_n_hops(record), 0);
		zh_record_free(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lo_is_as_it_should_be),
		cmocka_unit_test(two_addresses_and_a_drop),
		cmocka_unit_test(a_rule_refuses_the_flow),
		cmocka_unit_test(a_unix_socket),
		cmocka_unit_test(facts_are_in_the_list_of_keys),
		cmocka_unit_test(hops_one_at_a_time),
		cmocka_unit_test(little_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
