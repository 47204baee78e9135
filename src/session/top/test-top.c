/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reading says in a sentence; and readings of a captured machine with 256 CPUs and 1000
 * devices, whose counters move between two reads.
 */
#include "session/top/top.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "trace/live.h"

#define CPUS 256
#define DEVICES 1000

static const char *answer(const struct zh_top_reading *reading, bool expect)
{
	static char text[400];

	assert_int_equal(zh_top_answer(reading, text, sizeof(text)), expect);
	return text;
}

static void a_full_cpu_is_named_with_its_flow_and_drops(void **state)
{
	struct zh_top_cpu cpus[2] = {{.cpu = 4, .idle_share = 0.5}, {.cpu = 7}};
	struct zh_top_flow flow = {
		.to = "10.0.0.2:80", .to_who = "pod shop/cart", .cpu = 7, .share = 0.8};
	struct zh_top_drop drops[] = {
		{.reason = "CPU_BACKLOG", .device = "veth1", .place = "here", .rate = 5000},
		{.reason = "NO_SOCKET", .device = "lo", .place = "here", .rate = 1},
		{.reason = "QUEUE_PURGE", .rate = 99999, .is_benign = true}};
	struct zh_top_reading reading = {.interval_ns = 1,
		.cpus = cpus,
		.n_cpus = 2,
		.flows = &flow,
		.n_flows = 1,
		.drops = drops,
		.n_drops = 3,
		.has_drops = true};

	(void)state;
	cpus[1].softirq_share[ZH_LIVE_NET_RX] = 0.95;
	cpus[1].softirq_share[1] = 0.02;
	assert_string_equal(answer(&reading, true),
		"CPU 7 is full: 97 % in softirqs, 95 % in NET_RX (80 % for pod shop/cart); 5.00k "
		"packets a second are dropped, most as CPU_BACKLOG at veth1 (here)");
	/* Half of a CPU that has time left is not full; half of one that has none is. */
	cpus[1].softirq_share[ZH_LIVE_NET_RX] = 0.5;
	cpus[1].idle_share = 0.3;
	reading.n_drops = 0;
	assert_string_equal(answer(&reading, false),
		"the busiest CPU, 7, spends 52 % in softirqs, and nothing is dropped");
	cpus[1].idle_share = 0;
	assert_non_null(strstr(answer(&reading, true), "CPU 7 is full: 52 %"));
}

static void what_is_not_known_is_not_called_fine(void **state)
{
	struct zh_top_cpu cpu = {.idle_share = -1};
	struct zh_top_reading reading = {.interval_ns = 1, .cpus = &cpu, .n_cpus = 1};

	(void)state;
	assert_string_equal(answer(&reading, false), "the busiest CPU, 0, spends 0 % in softirqs");
	for (size_t v = 0; v < ZH_LIVE_VECTORS; v++)
		cpu.softirq_share[v] = -1;
	assert_string_equal(
		answer(&reading, false), "softirq time is not known here; no drops were counted");
}

/* A file below the captured root. */
static void put(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Device i has had i packets a step, CPU i ten times as many. */
static void write_machine(const char *root, unsigned int step)
{
	char path[256], text[64];
	zh_autobuf softnet = {}, stat = {};

	for (unsigned int i = 0; i < CPUS; i++)
		zh_buf_addf(&softnet, "%08x %08x 00000000 0 0 0 0 0 0 %08x 0 00000003 %08x\n",
			10 * i * step, i == 9 ? 50 * step : 0, i, i);
	zh_buf_adds(&stat, "cpu  0 0 0 0 0 0 0 0 0 0\n");
	for (unsigned int i = 0; i < CPUS; i++)
		zh_buf_addf(&stat, "cpu%u 0 0 %u %u 0 0 0 0 0 0\n", i, step, 3 * step);
	put(root, "/proc/net/softnet_stat", softnet.text);
	put(root, "/proc/stat", stat.text);
	for (unsigned int i = 0; i < DEVICES; i++) {
		snprintf(path, sizeof(path), "/sys/class/net/veth%u/ifindex", i);
		snprintf(text, sizeof(text), "%u\n", i + 2);
		put(root, path, text);
		snprintf(path, sizeof(path), "/sys/class/net/veth%u/statistics/rx_packets", i);
		snprintf(text, sizeof(text), "%u\n", i * step);
		put(root, path, text);
		snprintf(path, sizeof(path), "/sys/class/net/veth%u/queues/rx-0/rps_cpus", i);
		put(root, path, i % 2 ? "00000001,00000000\n" : "0\n");
	}
}

static const struct zh_top_device *device(const struct zh_top_reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->n_devices; i++)
		if (!strcmp(reading->devices[i].name, name))
			return &reading->devices[i];
	fail_msg("no device %s", name);
	return NULL;
}

static void remove_tree(const char *root)
{
	const char *argv[] = {"rm", "-rf", root, NULL};
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static void a_large_captured_machine_is_read(void **state)
{
	const struct zh_top_config config = {};
	struct zh_record *notes = zh_record_new(&(struct zh_record_limits){});
	const struct zh_top_reading *reading;
	char root[] = "/tmp/zh-test-top-XXXXXX";
	struct zh_top *top = NULL;
	struct zh_err err = {};

	(void)state;
	assert_non_null(mkdtemp(root));
	write_machine(root, 1);
	setenv("ZH_SYSROOT", root, 1);
	assert_int_equal(zh_top_open(&config, notes, &top, &err), 0);
	write_machine(root, 3);
	assert_int_equal(zh_top_read(top, &reading, &err), 0);
	assert_int_equal(reading->n_cpus, CPUS);
	assert_int_equal(reading->n_devices, DEVICES);
	/* The interval is not known to the test, but it is the same for all. */
	assert_float_equal(reading->cpus[200].rx_rate, 2 * reading->cpus[100].rx_rate, 1);
	assert_float_equal(reading->cpus[200].rx_rate, 10 * device(reading, "veth200")->rx_rate, 1);
	assert_true(device(reading, "veth999")->rx_rate > 0);
	assert_true(reading->cpus[9].dropped_rate > 0 && reading->cpus[8].dropped_rate == 0);
	assert_float_equal(reading->cpus[5].idle_share, 0.75, 0.001);
	assert_int_equal((int)reading->cpus[5].backlog, 3);
	assert_string_equal(device(reading, "veth1")->rps_mask, "32");
	assert_string_equal(device(reading, "veth2")->rps_mask, "");
	/* What only a live machine has is unknown, and said. */
	assert_true(reading->cpus[5].softirq_share[ZH_LIVE_NET_RX] < 0);
	assert_true(device(reading, "veth1")->dropped_rate < 0);
	assert_int_equal(device(reading, "veth1")->cpu, -1);
	assert_false(reading->has_drops);
	assert_true(notes->n_not_measured > 0);
	/* The drops of CPU 9 are known from its own counter. */
	assert_int_equal(reading->n_drops, 1);
	assert_string_equal(reading->drops[0].reason, "CPU_BACKLOG");
	zh_top_close(top);
	zh_record_free(notes);
	unsetenv("ZH_SYSROOT");
	remove_tree(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_cpu_is_named_with_its_flow_and_drops),
		cmocka_unit_test(what_is_not_known_is_not_called_fine),
		cmocka_unit_test(a_large_captured_machine_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
