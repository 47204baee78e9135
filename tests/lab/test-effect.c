/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every fault is felt by a bare probe (no tracing, no diagnosis), and its control loses nothing:
 * the ground truth of the score is true.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/lab.h"
#include "record/record.h"
#include "sys/netns.h"
#include "sys/process.h"

#define TRIES 4      /* other load on the machine may hide a fault once */
#define FELT_TIMES 5 /* a fault's 99th percentile against its control's median */
#define WATCH_NS (3 * ZH_NSEC_PER_MSEC)

struct felt {
	int status;
	uint64_t p50_ns, p99_ns;
	uint32_t answered, lost;
};

struct job {
	struct zh_lab_run *run;
	int fd;
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void summarise(const struct zh_record *record, struct felt *ret)
{
	uint64_t *rtt = calloc(record->n_samples + 1, sizeof(*rtt));

	for (size_t i = 0; i < record->n_samples; i++) {
		if (zh_sample_answered(&record->samples[i]))
			rtt[ret->answered++] = zh_sample_rtt(&record->samples[i]);
		else
			ret->lost++;
	}
	qsort(rtt, ret->answered, sizeof(*rtt), compare_u64);
	if (ret->answered) {
		ret->p50_ns = rtt[ret->answered / 2];
		ret->p99_ns = rtt[(uint64_t)ret->answered * 99 / 100];
	}
	free(rtt);
}

static int probe(const struct zh_lab_run *run, struct zh_record *record)
{
	const struct zh_fault *fault = run->fault;
	struct zh_probe_config config;
	struct zh_probe *prober = NULL;
	int r = zh_netns_enter(run->ns.netns_fd, NULL);

	if (r == 0)
		r = zh_lab_probe_config(run, &config, NULL);
	if (r == 0)
		r = zh_probe_open(&config, &prober, NULL);
	if (r == 0)
		r = zh_probe_phase(prober, "main", fault->count / 2, fault->gap_ns,
			fault->timeout_ns, record, NULL);
	zh_probe_close(prober);
	return r;
}

static int child(void *arg)
{
	const struct job *job = arg;
	const struct zh_record_limits limits = {.phases = 1, .samples = job->run->fault->count};
	struct zh_record *record = zh_record_new(&limits);
	struct felt felt = {.status = record ? probe(job->run, record) : -ENOMEM};

	if (felt.status == 0)
		summarise(record, &felt);
	zh_record_free(record);
	return write(job->fd, &felt, sizeof(felt)) != sizeof(felt);
}

static struct felt feel(const struct zh_fault *fault, bool control, uint64_t seed)
{
	struct felt felt = {.status = -ECHILD};
	struct zh_lab_run run;
	struct zh_err err = {0};
	struct job job = {.run = &run};
	int fds[2];
	pid_t pid;

	if (zh_lab_start(fault, control, seed, &run, &err) < 0)
		print_error("%s\n", err.text);
	assert_int_equal(err.code, 0);
	assert_int_equal(pipe(fds), 0);
	job.fd = fds[1];
	assert_int_equal(zh_process_fork(child, &job, &pid, NULL), 0);
	while (zh_process_wait(pid, WATCH_NS, NULL) == -ETIMEDOUT)
		if (fault->watch)
			fault->watch(&run, pid);
	close(fds[1]);
	assert_int_equal(read(fds[0], &felt, sizeof(felt)), sizeof(felt));
	close(fds[0]);
	zh_lab_stop(&run);
	return felt;
}

static bool is_felt(const struct zh_fault *fault, uint64_t seed)
{
	struct felt bad = feel(fault, false, seed), good = feel(fault, true, seed);

	print_message(
		"# %s: p50 %llu, p99 %llu us, %u lost; control p50 %llu, p99 %llu us, %u lost\n",
		fault->id, (unsigned long long)bad.p50_ns / 1000,
		(unsigned long long)bad.p99_ns / 1000, bad.lost,
		(unsigned long long)good.p50_ns / 1000, (unsigned long long)good.p99_ns / 1000,
		good.lost);
	assert_int_equal(good.status, 0);
	assert_int_equal(good.lost, 0);
	/* A probe that cannot even start (no route) feels the fault as well. */
	return bad.status < 0 || bad.lost || bad.p99_ns > FELT_TIMES * good.p50_ns;
}

static void every_fault_is_felt(void **state)
{
	(void)state;
	for (size_t i = 0; zh_fault_registry[i]; i++) {
		uint64_t seed = 1;

		/* What shows on a device under load is felt there, and not by probes. */
		if (zh_fault_registry[i]->watched)
			continue;
		while (seed <= TRIES && !is_felt(zh_fault_registry[i], seed))
			seed++;
		if (seed > TRIES)
			print_error("%s is not felt\n", zh_fault_registry[i]->id);
		assert_true(seed <= TRIES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_fault_is_felt)};

	if (geteuid() != 0) {
		puts("1..0 # SKIP the lab needs root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
