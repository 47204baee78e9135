/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight recorder: a known pattern of sleeping and waking is seen event by event, a hog is seen
 * by name, and nothing stays attached.
 */
#include "trace/testing.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/process.h"
#include "sys/sched.h"
#include "trace/internal.h"

#define SLEEPS 101
#define HOG_NAME "zh-test-hog"

static const char *why_not;
static const struct testing_flow no_flow = {.netns_fd = -1, .peer_netns_fd = -1, .size = 64};
static const struct zh_trace_config recorder = {.recorder = true};

static struct zh_trace *start(struct zh_record **ret_record)
{
	struct zh_trace *trace;

	if (why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	*ret_record = testing_record();
	trace = testing_trace(&no_flow, recorder, *ret_record);
	zh_trace_arm(trace, true);
	return trace;
}

static void finish(struct zh_trace *trace, struct zh_record *record)
{
	zh_trace_close(trace, record);
	zh_record_free(record);
}

struct sleeper {
	uint32_t tid;
	uint64_t from_ns, to_ns;
};

static void *sleep_often(void *arg)
{
	struct sleeper *sleeper = arg;
	int i;

	zh_sched_pin(0, NULL);
	sleeper->tid = zh_sched_tid();
	sleeper->from_ns = zh_now_ns();
	for (i = 0; i < SLEEPS; i++)
		zh_sleep_until(zh_now_ns() + 1000000);
	sleeper->to_ns = zh_now_ns();
	return NULL;
}

static unsigned int count(const struct zh_record *record, const struct zh_sample *sample,
	uint64_t from_ns, enum zh_event_type type, uint32_t pid)
{
	unsigned int n = 0;
	uint32_t i;

	for (i = 0; i < sample->n_events; i++) {
		const struct zh_event *event = &record->events[sample->events + i];

		n += event->ns >= from_ns && event->type == type && event->pid == pid;
	}
	return n;
}

static void assert_sorted(const struct zh_record *record, const struct zh_sample *sample)
{
	uint32_t i;

	for (i = 1; i < sample->n_events; i++)
		assert_true(record->events[sample->events + i].ns >=
			    record->events[sample->events + i - 1].ns);
}

/*
 * Counts are exact. A round may be spoilt, by a wake-up from elsewhere, or in the object without
 * fetching atomics by a hook that interrupts another (rings.bpf.h); three in a row may not.
 */
#define ROUNDS 3

static bool sees_every_wake_up(void)
{
	struct zh_sample sample = {.seq = 0};
	struct sleeper sleeper = {};
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	unsigned int wakings, wakeups, switches;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, sleep_often, &sleeper), 0);
	pthread_join(thread, NULL);
	zh_trace_window(trace, record, &sample, sleeper.from_ns, sleeper.to_ns);
	assert_int_equal(sample.flags, 0);
	assert_sorted(record, &sample);
	wakings = count(record, &sample, sleeper.from_ns, ZH_EVENT_WAKING, sleeper.tid);
	wakeups = count(record, &sample, sleeper.from_ns, ZH_EVENT_WAKEUP, sleeper.tid);
	switches = count(record, &sample, sleeper.from_ns, ZH_EVENT_SWITCH, sleeper.tid);
	finish(trace, record);
	/* It may be preempted besides. */
	return wakings == SLEEPS && wakeups == SLEEPS && switches >= SLEEPS;
}

static void every_wake_up_is_seen(void **state)
{
	int round;

	(void)state;
	for (round = 0; round < ROUNDS; round++)
		if (sees_every_wake_up())
			return;
	fail_msg("%d rounds, and in none were exactly %d wake-ups seen", ROUNDS, SLEEPS);
}

/* In a pid namespace of its own, where this process is 1 and the hooks see another number. */
static int sleep_as_pid_1(void *arg)
{
	struct zh_sample sample = {.seq = 0};
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	struct sleeper sleeper = {};
	unsigned int wakings;

	(void)arg;
	zh_trace_thread(trace, zh_sched_tid(), false);
	sleep_often(&sleeper);
	zh_trace_window(trace, record, &sample, sleeper.from_ns, sleeper.to_ns);
	wakings = count(record, &sample, sleeper.from_ns, ZH_EVENT_WAKING, 1);
	finish(trace, record);
	return sleeper.tid == 1 && wakings == SLEEPS ? 0 : 1;
}

static int enter_pid_namespace(void *arg)
{
	pid_t pid;
	int status = 1;

	if (unshare(CLONE_NEWPID))
		return 77;
	pid = fork(); /* zh_process_fork() looks for its parent, which is out of sight there */
	if (pid == 0)
		_exit(sleep_as_pid_1(arg));
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

static int run_in_pid_namespace(void)
{
	pid_t pid = 0;
	int status = -1;

	assert_int_equal(zh_process_fork(enter_pid_namespace, NULL, &pid, NULL), 0);
	assert_int_equal(zh_process_wait(pid, 30 * ZH_NSEC_PER_SEC, &status), 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void pid_namespaces_are_translated(void **state)
{
	int round, result = -1;

	(void)state;
	if (why_not)
		skip();
	for (round = 0; round < ROUNDS && result != 0; round++) {
		result = run_in_pid_namespace();
		if (result == 77)
			skip();
	}
	assert_int_equal(result, 0);
}

static void *hog(void *arg)
{
	uint64_t until = zh_now_ns() + 60000000;

	(void)arg;
	prctl(PR_SET_NAME, HOG_NAME);
	zh_sched_pin(0, NULL);
	while (zh_now_ns() < until)
		;
	return NULL;
}

static void a_hog_is_named(void **state)
{
	struct zh_sample sample = {.seq = 0};
	struct sleeper sleeper = {};
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	pthread_t threads[2];
	uint32_t i;
	bool seen = false;

	(void)state;
	assert_int_equal(pthread_create(&threads[0], NULL, hog, NULL), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, sleep_often, &sleeper), 0);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	zh_trace_window(trace, record, &sample, sleeper.from_ns, sleeper.to_ns);
	for (i = 0; i < sample.n_events; i++) {
		const struct zh_event *event = &record->events[sample.events + i];

		seen |= event->type == ZH_EVENT_SWITCH && event->cpu == 0 &&
			!strncmp(event->comm, HOG_NAME, sizeof(event->comm));
	}
	assert_true(seen);
	finish(trace, record);
}

static void the_state_before_a_window_is_known(void **state)
{
	struct zh_sample sample = {.seq = 0};
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	uint64_t from;
	bool seen = false;
	uint32_t i;

	(void)state;
	zh_sched_pin(0, NULL);
	usleep(20000);
	from = zh_now_ns();
	zh_trace_window(trace, record, &sample, from, from + 1000);
	for (i = 0; i < sample.n_events; i++) {
		const struct zh_event *event = &record->events[sample.events + i];

		seen |= event->ns < from && event->type == ZH_EVENT_SWITCH && event->cpu == 0;
	}
	assert_true(seen);
	finish(trace, record);
}

static void disarmed_records_nothing(void **state)
{
	struct zh_sample sample = {.seq = 0};
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	uint64_t from;

	(void)state;
	zh_trace_arm(trace, false);
	usleep(1000); /* hooks that had begun end */
	from = zh_now_ns();
	usleep(20000);
	zh_trace_window(trace, record, &sample, from, zh_now_ns());
	assert_int_equal(count(record, &sample, from, ZH_EVENT_SWITCH, zh_sched_tid()), 0);
	zh_trace_arm(trace, true);
	from = zh_now_ns();
	usleep(20000);
	zh_trace_window(trace, record, &sample, from, zh_now_ns());
	assert_true(count(record, &sample, from, ZH_EVENT_SWITCH, zh_sched_tid()) >= 1);
	finish(trace, record);
}

/* Programs of a closed tracer are freed by the kernel a moment later. */
static bool is_gone(uint32_t id)
{
	int i, fd;

	for (i = 0; i < 200; i++) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			return true;
		close(fd);
		usleep(10000);
	}
	return false;
}

static void nothing_stays_attached(void **state)
{
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	uint32_t ids[ZH_HOOK_MAX], n = 0, i;
	struct bpf_program *program;

	(void)state;
	bpf_object__for_each_program(program, trace->object)
	{
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (bpf_program__fd(program) < 0)
			continue;
		assert_int_equal(bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size), 0);
		assert_true(n < ZH_ARRAY_SIZE(ids));
		ids[n++] = info.id;
	}
	assert_true(n > 5);
	finish(trace, record);
	for (i = 0; i < n; i++)
		assert_true(is_gone(ids[i]));
}

static void runs_are_counted(void **state)
{
	struct zh_record *record;
	struct zh_trace *trace = start(&record);
	uint64_t switches = 0, events = 0;
	size_t i;

	(void)state;
	usleep(20000);
	zh_trace_close(trace, record);
	for (i = 0; i < record->n_counters; i++) {
		if (!strcmp(record->counters[i].name, "trace.runs.sched_switch"))
			switches = record->counters[i].value;
		if (!strcmp(record->counters[i].name, "trace.events"))
			events = record->counters[i].value;
	}
	assert_true(switches > 0);
	assert_true(events >= switches);
	zh_record_free(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wake_up_is_seen),
		cmocka_unit_test(pid_namespaces_are_translated),
		cmocka_unit_test(a_hog_is_named),
		cmocka_unit_test(the_state_before_a_window_is_known),
		cmocka_unit_test(disarmed_records_nothing),
		cmocka_unit_test(nothing_stays_attached),
		cmocka_unit_test(runs_are_counted),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests_name("trace-recorder", tests, NULL, NULL);
}
