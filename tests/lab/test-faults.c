/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Topologies and faults leave the machine, and their namespaces, as they found them.
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
#include "machine.h"

static struct zh_err err;

static void every_id_is_found_once(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; zh_fault_registry[n]; n++)
		assert_ptr_equal(zh_fault_find(zh_fault_registry[n]->id), zh_fault_registry[n]);
	assert_true(n >= 23);
	assert_null(zh_fault_find("no-such-fault"));
}

static void every_fault_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; zh_fault_registry[i]; i++) {
		const struct zh_fault *fault = zh_fault_registry[i];

		assert_non_null(fault->summary);
		assert_non_null(fault->expects);
		assert_non_null(fault->topology);
		assert_true(fault->count >= 8 && fault->gap_ns && fault->timeout_ns);
		for (size_t k = 0; k < ZH_LAB_PARAMS && fault->params[k].name; k++)
			assert_true(fault->params[k].min <= fault->params[k].max);
		assert_true(zh_fault_is_answer(fault, fault->expects));
		assert_false(zh_fault_is_answer(fault, "nothing-of-the-kind"));
	}
}

static void topologies_leave_nothing(void **state)
{
	unsigned int named = machine_named_namespaces();

	(void)state;
	for (size_t i = 0; zh_topology_registry[i]; i++) {
		struct zh_lab_ns ns;

		assert_int_equal(zh_topology_registry[i]->up(&ns, &err), 0);
		assert_true(ns.netns_fd >= 0);
		zh_topology_registry[i]->down(&ns);
		assert_int_equal(ns.netns_fd, -1);
		assert_int_equal(ns.peer_netns_fd, -1);
		zh_topology_registry[i]->down(&ns);
	}
	assert_int_equal(machine_named_namespaces(), named);
}

static void the_same_seed_draws_the_same(void **state)
{
	const struct zh_fault *fault = zh_fault_find("rt-hog");
	struct zh_lab_run a, b, c;

	(void)state;
	assert_int_equal(zh_lab_start(fault, true, 7, &a, &err), 0);
	assert_int_equal(zh_lab_start(fault, true, 7, &b, &err), 0);
	assert_int_equal(zh_lab_start(fault, true, 8, &c, &err), 0);
	assert_memory_equal(a.param, b.param, sizeof(a.param));
	assert_memory_not_equal(a.param, c.param, sizeof(a.param));
	for (size_t i = 0; fault->params[i].name; i++)
		assert_in_range(a.param[i], fault->params[i].min, fault->params[i].max);
	zh_lab_stop(&a);
	zh_lab_stop(&b);
	zh_lab_stop(&c);
}

/* All namespaces. */
static char *describe(const struct zh_lab_ns *ns)
{
	zh_autofree char *near = machine_describe_netns(ns->netns_fd), *far = NULL;
	zh_autofree char *host = NULL;
	char *all;

	if (ns->peer_netns_fd >= 0)
		far = machine_describe_netns(ns->peer_netns_fd);
	if (ns->host_netns_fd >= 0)
		host = machine_describe_netns(ns->host_netns_fd);
	assert_true(asprintf(&all, "%s\n%s\n%s", near, far ? far : "", host ? host : "") >= 0);
	return all;
}

static char *describe_fresh(const struct zh_topology *topology)
{
	struct zh_lab_ns ns;
	char *text;

	assert_int_equal(topology->up(&ns, &err), 0);
	text = describe(&ns);
	topology->down(&ns);
	return text;
}

/* True when something is there: in the namespace, as a process, a group or a probe setting. */
static bool is_injected(const struct zh_lab_run *run, const char *clean)
{
	zh_autofree char *text = describe(&run->ns);

	return strcmp(text, clean) || run->n_children || run->has_group || !run->nodelay ||
	       run->load.rcvbuf_bytes;
}

static void check_fault(const struct zh_fault *fault, bool control)
{
	zh_autofree char *clean = describe_fresh(fault->topology), *after = NULL;
	unsigned int programs = machine_lab_programs();
	struct zh_lab_run run;
	int r = zh_lab_start(fault, control, 42, &run, &err);

	if (r < 0)
		print_error("%s: %s\n", fault->id, err.text);
	assert_int_equal(r, 0);
	if (!control)
		assert_true(is_injected(&run, clean));
	zh_load_stop(zh_take(run.running), NULL, NULL);
	if (fault->remove)
		fault->remove(&run);
	after = describe(&run.ns);
	if (strcmp(clean, after))
		print_error("%s:\n%s\n--- after:\n%s\n", fault->id, clean, after);
	assert_string_equal(clean, after);
	zh_lab_stop(&run);
	assert_int_equal(machine_children(), 0);
	assert_int_equal(machine_lab_groups(getpid()), 0);
	assert_int_equal(machine_settle(machine_lab_programs, programs), programs);
}

static void faults_leave_the_namespace_as_found(void **state)
{
	(void)state;
	for (size_t i = 0; zh_fault_registry[i]; i++)
		check_fault(zh_fault_registry[i], false);
}

static void so_do_their_controls(void **state)
{
	(void)state;
	for (size_t i = 0; zh_fault_registry[i]; i++)
		check_fault(zh_fault_registry[i], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_id_is_found_once),
		cmocka_unit_test(every_fault_is_complete),
		cmocka_unit_test(topologies_leave_nothing),
		cmocka_unit_test(the_same_seed_draws_the_same),
		cmocka_unit_test(faults_leave_the_namespace_as_found),
		cmocka_unit_test(so_do_their_controls),
	};

	if (geteuid() != 0) {
		puts("1..0 # SKIP the lab needs root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
