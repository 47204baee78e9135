/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a trail leaves behind: nothing, also when its process is killed; and what it says where
 * nothing is permitted.
 */
#include "trace/testing-trail.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "base/util.h"
#include "sys/process.h"
#include "sys/root.h"

#define LINKS_MAX 64
#define WAIT_US 10000
#define WAITS 500 /* the kernel ends links of a dead process in its own time */

static const char *why_not;

struct links {
	pid_t pid;
	uint32_t ids[LINKS_MAX];
	size_t n;
};

static int note_link(void *arg, const char *name)
{
	struct links *links = arg;
	char text[4096];
	const char *at;
	unsigned int id;

	if (zh_sys_read(text, sizeof(text), "/proc/%d/fdinfo/%s", (int)links->pid, name) < 0)
		return 0;
	at = strstr(text, "link_id:");
	if (at && sscanf(at, "link_id: %u", &id) == 1 && links->n < LINKS_MAX)
		links->ids[links->n++] = id;
	return 0;
}

static void list_links(struct links *ret, pid_t pid)
{
	*ret = (struct links){.pid = pid};
	assert_int_equal(zh_sys_list(note_link, ret, "/proc/%d/fdinfo", (int)pid), 0);
}

static bool is_there(uint32_t id)
{
	int fd = bpf_link_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void expect_gone(const struct links *links)
{
	size_t i;
	int waits = 0;

	for (i = 0; i < links->n; i++) {
		while (is_there(links->ids[i])) {
			assert_true(waits++ < WAITS);
			usleep(WAIT_US);
		}
	}
}

static void skip_where_impossible(void)
{
	if (!why_not)
		return;
	print_message("skipped: %s\n", why_not);
	skip();
}

static void closed(void **state)
{
	struct testing_trail t = {};
	struct links links, after;

	(void)state;
	skip_where_impossible();
	testing_net_open(&t.net, 1);
	testing_trail_open(&t, 1, ZH_TRANSPORT_UDP, 0, false);
	list_links(&links, getpid());
	assert_true(links.n >= 20); /* of the hooks alone: in front of and behind 5, IPv4 and 6 */
	testing_trail_close(&t);
	list_links(&after, getpid());
	assert_int_equal(after.n, 0);
	expect_gone(&links);
	testing_net_close(&t.net);
}

struct child {
	struct testing_net *net;
	int pipe[2];
};

static int open_and_wait(void *arg)
{
	struct child *child = arg;
	struct testing_trail t = {.net = *child->net};

	testing_trail_open(&t, 1, ZH_TRANSPORT_UDP, 0, false);
	if (write(child->pipe[1], "x", 1) == 1)
		pause();
	return 1;
}

static void killed(void **state)
{
	struct testing_net net;
	struct child child = {.net = &net};
	struct links links;
	pid_t pid;
	char c;

	(void)state;
	skip_where_impossible();
	testing_net_open(&net, 1);
	assert_int_equal(pipe(child.pipe), 0);
	assert_int_equal(zh_process_fork(open_and_wait, &child, &pid, NULL), 0);
	close(child.pipe[1]);
	assert_int_equal(read(child.pipe[0], &c, 1), 1);
	list_links(&links, pid);
	assert_true(links.n >= 20);
	assert_true(is_there(links.ids[0]));
	zh_process_end(pid);
	expect_gone(&links);
	close(child.pipe[0]);
	testing_net_close(&net);
}

/* Without any privilege: 0 when the trail says that it sees nothing, and why. */
static int open_unprivileged(void *arg)
{
	struct zh_trail_config config = {.transport = ZH_TRANSPORT_UDP, .run = TESTING_RUN};
	struct zh_record *record = testing_record();
	struct zh_trail_step step;
	struct zh_trail *trail;
	char function[64];
	size_t n;

	(void)arg;
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
		zh_trail_open(&config, record, &trail, NULL))
		return 2;
	zh_trail_port(trail, 0, 1);
	n = zh_trail_read(trail, 0, &step, 1);
	if (zh_trail_method(trail) != ZH_TRAIL_NONE || n || zh_trail_lost(trail) ||
		zh_trail_drop_reason(trail, 2) ||
		*zh_trail_function(trail, function, sizeof(function), 4711) ||
		record->n_not_measured < 2)
		return 3;
	zh_trail_close(trail);
	zh_record_free(record);
	return 0;
}

static void without_privilege(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid()) {
		print_message("skipped: not root\n");
		skip();
	}
	assert_int_equal(zh_process_fork(open_unprivileged, NULL, &pid, NULL), 0);
	assert_int_equal(zh_process_wait(pid, 20 * ZH_NSEC_PER_SEC, &status), 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed),
		cmocka_unit_test(killed),
		cmocka_unit_test(without_privilege),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests_name("trail-life", tests, NULL, NULL);
}
