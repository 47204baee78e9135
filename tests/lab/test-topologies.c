/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every topology carries probes to the address that it names, and is gone when it is down.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "lab/lab.h"
#include "probe/probe.h"
#include "sys/netns.h"

#define PROBES 13

/* The IPv6 address of the same place. */
static const struct {
	const char *topology, *address;
} v6[] = {
	{"lo", "::1"},
	{"veth", "fd00:77::2"},
	{"routed", "fd00:77:2::2"},
	{"bridge", "fd00:77:3::2"},
	{"macvlan", "fd00:77:4::2"},
};

static void probe(const struct zh_lab_ns *ns, const char *target)
{
	static const struct zh_record_limits limits = {.phases = 1, .samples = PROBES};
	struct zh_probe_config config = {.size_bytes = 56,
		.cpu = -1,
		.peer_cpu = -1,
		.netns_fd = ns->netns_fd,
		.peer_netns_fd = ns->peer_netns_fd >= 0 ? ns->peer_netns_fd : ns->netns_fd,
		.peer_cgroup_fd = -1};
	struct zh_record *record = zh_record_new(&limits);
	struct zh_probe *probe = NULL;
	struct zh_err err = {};
	size_t i;

	assert_non_null(record);
	if (zh_target_parse(target, &config.target, &err) < 0 ||
		zh_probe_open(&config, &probe, &err) < 0 ||
		zh_probe_phase(probe, "main", PROBES, ZH_NSEC_PER_MSEC, 2 * ZH_NSEC_PER_SEC, record,
			&err) < 0)
		fail_msg("%s: %s", target, err.text);
	zh_probe_close(probe);
	assert_int_equal(record->n_samples, PROBES);
	for (i = 0; i < PROBES; i++)
		if (!zh_sample_answered(&record->samples[i]))
			fail_msg("%s: probe %zu was lost", target, i);
	zh_record_free(record);
}

static const char *address_v6(const char *topology)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(v6); i++)
		if (!strcmp(v6[i].topology, topology))
			return v6[i].address;
	fail_msg("%s has no IPv6 address in this test", topology);
	return NULL;
}

static void carries_probes(void **state)
{
	const struct zh_topology *topology = *state;
	struct zh_lab_ns ns;
	struct zh_err err = {};
	char target[96];
	int r = topology->up(&ns, &err);

	if (r == -EPERM || r == -EOPNOTSUPP) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	if (r < 0)
		fail_msg("%s", err.text);
	snprintf(target, sizeof(target), "udp:%s", topology->address);
	probe(&ns, target);
	snprintf(target, sizeof(target), "udp:[%s]", address_v6(topology->id));
	probe(&ns, target);
	topology->down(&ns);
	assert_int_equal(ns.netns_fd, -1);
	assert_int_equal(ns.peer_netns_fd, -1);
	assert_int_equal(ns.host_netns_fd, -1);
}

int main(void)
{
	struct CMUnitTest tests[16];
	size_t n;

	for (n = 0; zh_topology_registry[n] && n < ZH_ARRAY_SIZE(tests); n++)
		tests[n] = (struct CMUnitTest){.name = zh_topology_registry[n]->id,
			.test_func = carries_probes,
			.initial_state = (void *)zh_topology_registry[n]};
	return _cmocka_run_group_tests("topologies", tests, n, NULL, NULL);
}
