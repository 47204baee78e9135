/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lab that is killed in the middle leaves no process, no BPF program and, after the next start,
 * no control group.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/lab.h"
#include "machine.h"
#include "sys/process.h"

#define FAULTS_MAX 64

struct report {
	int status;
	size_t n;
	pid_t pids[FAULTS_MAX * ZH_LAB_CHILDREN];
};

/* Injects every fault at once, tells which processes there are, and waits for its end. */
static int lab(void *arg)
{
	static struct zh_lab_run runs[FAULTS_MAX];
	static struct report report;
	int fd = *(int *)arg;

	for (size_t i = 0; report.status == 0 && zh_fault_registry[i]; i++) {
		report.status = zh_lab_start(zh_fault_registry[i], false, i, &runs[i], NULL);
		for (size_t k = 0; report.status == 0 && k < runs[i].n_children; k++)
			report.pids[report.n++] = runs[i].child[k];
	}
	if (write(fd, &report, sizeof(report)) != sizeof(report))
		return 1;
	for (;;)
		pause();
	return 0;
}

static unsigned int alive(const struct report *report)
{
	unsigned int n = 0;
	uint64_t start;

	for (size_t i = 0; i < report->n; i++)
		n += zh_process_start_ticks(report->pids[i], &start) == 0;
	return n;
}

static size_t read_report(int fd, struct report *report)
{
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(*report) &&
		(n = read(fd, (char *)report + len, sizeof(*report) - len)) > 0)
		len += (size_t)n;
	return len;
}

static void a_killed_lab_leaves_nothing(void **state)
{
	unsigned int programs = machine_lab_programs();
	struct report report;
	int fds[2], i;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(zh_process_fork(lab, &fds[1], &pid, NULL), 0);
	close(fds[1]);
	assert_int_equal(read_report(fds[0], &report), sizeof(report));
	assert_int_equal(report.status, 0);
	assert_int_equal(alive(&report), report.n);
	assert_true(report.n >= 8);
	assert_true(machine_lab_programs() > programs);
	assert_int_equal(machine_lab_groups(pid), 1);
	zh_process_end(pid);

	for (i = 0; i < 500 && alive(&report); i++)
		usleep(10000);
	assert_int_equal(alive(&report), 0);
	assert_int_equal(machine_settle(machine_lab_programs, programs), programs);
	assert_true(zh_lab_gc() >= 1);
	assert_int_equal(machine_lab_groups(pid), 0);
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_killed_lab_leaves_nothing)};

	if (geteuid() != 0) {
		puts("1..0 # SKIP the lab needs root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
