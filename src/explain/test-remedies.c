/* SPDX-License-Identifier: BSD-2-Clause */
/* What is advised in which state, and what is not. */
#include "explain/remedies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/checks/test-facts-text.h"

/* A veth on CPU 0 of four, with an RPS mask of that CPU. Seconds: five watched, ten between facts.
 */
#define BASE                                                                                       \
	"watch.window_ns 5000000000\nwatch.dev =cali0\nwatch.kind =veth\nwatch.cpu.0.dev =cali0\n" \
	"topology.possible =0-3\ntopology.online =0-3\nwatch.flow.0.cpu 0\n"                       \
	"watch.flow.0.dev =cali0\nwatch.flow.0.same_place 1\nwatch.flow.0.protocol 17\n"           \
	"queue.cali0.rx.0.rps_cpus =0\nqueue.cali0.rx.count 1\nlink.cali0.kind =veth\n"            \
	"softnet.cpu.0.processed_pkts 0 400000\nsysctl.net/core/netdev_max_backlog 1000\n"
#define MANY "watch.cpu.0.flows 32\nwatch.cpu.0.top_flow_permille 60\n"
#define FULL                                                                                       \
	"watch.cpu.0.softirq_ns 4800000000\nsoftnet.cpu.0.dropped_pkts 0 900000\n"                 \
	"cpu.0.time.idle_ns 0 100000000\n"
#define IDLE(dropped)                                                                              \
	"watch.cpu.0.softirq_ns 600000000\nsoftnet.cpu.0.dropped_pkts 0 " dropped "\n"             \
	"cpu.0.time.idle_ns 0 8000000000\n"
#define BEHIND                                                                                     \
	"watch.cpu.0.softirq_ns 600000000\nsoftnet.cpu.0.dropped_pkts 0 9000\n"                    \
	"cpu.0.time.idle_ns 0 0\ncpu.0.time.user_ns 0 8000000000\n"                                \
	"ksoftirqd.0.wait_ns 0 2000000000\nksoftirqd.0.runs 0 200\n"                               \
	"watch.cpu.0.hog.name =crunch\nwatch.cpu.0.hog.pid 4711\n"                                 \
	"cpu.2.time.idle_ns 0 9000000000\n"

static const struct {
	const char *name, *facts, *id, *says; /* part of why or how, or NULL */
	enum zh_remedy_verdict verdict;
} cases[] = {
	{"full: spread it", BASE MANY FULL, "rps", "32 flows", ZH_REMEDY_DO},
	{"full: a queue does not help", BASE MANY FULL, "backlog", NULL, ZH_REMEDY_NO},
	{"full: threads are still one CPU", BASE MANY FULL, "threaded-napi", NULL, ZH_REMEDY_NO},
	{"full: datagrams are not merged", BASE MANY FULL, "gro", NULL, ZH_REMEDY_NO},
	{"full, of TCP: they are", BASE MANY FULL "watch.flow.0.protocol 6", "gro", NULL,
		ZH_REMEDY_MAYBE},
	{"full: leave the stack out", BASE MANY FULL "nft.hook.forward.rules 900", "macvlan", "900",
		ZH_REMEDY_MAYBE},
	{"full: no hardware here", BASE MANY FULL, "sr-iov", NULL, ZH_REMEDY_NO},
	{"full: RFS is on",
		BASE MANY FULL
		"sysctl.net/core/rps_sock_flow_entries 32768\nqueue.cali0.rx.0.rps_flow_cnt 4096",
		"rfs", "already", ZH_REMEDY_NO},
	{"one flow: not RPS", BASE FULL "watch.cpu.0.flows 2\nwatch.cpu.0.top_flow_permille 990",
		"rps", "never splits", ZH_REMEDY_NO},
	{"one flow: not queues", BASE FULL "watch.cpu.0.flows 2\nwatch.cpu.0.top_flow_permille 990",
		"queues", NULL, ZH_REMEDY_NO},
	{"bursts: a longer queue", BASE MANY IDLE("9000"), "backlog", "=10000", ZH_REMEDY_DO},
	{"bursts: not RPS", BASE MANY IDLE("9000"), "rps", "bursts", ZH_REMEDY_NO},
	{"behind a task: move it", BASE MANY BEHIND, "move-task", "4711", ZH_REMEDY_DO},
	{"behind a task: another mask", BASE MANY BEHIND, "rps", "CPU 2", ZH_REMEDY_DO},
	{"fine: nothing", BASE MANY IDLE("0"), "nothing", NULL, ZH_REMEDY_DO},
	{"fine: no RPS", BASE MANY IDLE("0"), "rps", NULL, ZH_REMEDY_NO},
	{"fine: budget never ran out", BASE MANY IDLE("0"), "budget", "never", ZH_REMEDY_NO},
};

static void advice_follows_the_state(void **state)
{
	(void)state;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		struct zh_explanation explanation = {};
		struct zh_remedy_advice advice;
		struct zh_record record = {.n_cpus = 4};
		bool told;

		zh_test_facts_parse(cases[i].facts, &record.before, &record.after);
		assert_true(zh_remedy_judge(&explanation, &record, cases[i].id, &advice));
		if (advice.verdict != cases[i].verdict)
			fail_msg("%s: %s", cases[i].name, advice.why);
		told = !cases[i].says || strstr(advice.why, cases[i].says) ||
		       strstr(advice.how, cases[i].says);
		if (!told)
			fail_msg("%s: %s; %s", cases[i].name, advice.why, advice.how);
		assert_true(*advice.why);
		zh_fact_set_done(&record.before);
		zh_fact_set_done(&record.after);
	}
}

static void without_a_watch_there_is_none(void **state)
{
	struct zh_explanation explanation = {};
	struct zh_remedy_advice advice;
	struct zh_record record = {};

	(void)state;
	assert_false(zh_remedy_judge(&explanation, &record, "rps", &advice));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(advice_follows_the_state),
		cmocka_unit_test(without_a_watch_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
