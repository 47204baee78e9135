/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe in namespaces of its own: needs root. Exit status 77 when namespaces are not allowed.
 */
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/testing.h"
#include "sys/netns.h"
#include "sys/root.h"
#include "sys/sched.h"

#define NOBODY 65534

static int new_namespace(void)
{
	struct zh_err err;
	int fd = zh_netns_new(&err);

	if (fd < 0 || zh_netns_lo_up(fd, &err) < 0)
		fail_msg("%s", err.text);
	return fd;
}

/* Of the calling thread's namespace. */
static void set_lo(int up)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ioctl(fd, SIOCGIFFLAGS, &ifr);
	ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &ifr), 0);
	close(fd);
}

static void answered_in_a_namespace(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){2, 60, 0, 0});
	struct zh_probe_config config = zh_test_config(*state);
	uint64_t before, after, theirs;
	int ns = new_namespace(), own = zh_netns_current(NULL), now;
	uint32_t i;

	config.netns_fd = config.peer_netns_fd = ns;
	zh_test_phase(&config, record, 30, 0, 5 * ZH_NSEC_PER_SEC);
	for (i = 0; i < 30; i++)
		assert_true(zh_sample_answered(&record->samples[i]));
	/* The caller is where it was. */
	now = zh_netns_current(NULL);
	assert_int_equal(zh_netns_inode(own, &before), 0);
	assert_int_equal(zh_netns_inode(now, &after), 0);
	assert_int_equal(zh_netns_inode(ns, &theirs), 0);
	assert_true(before == after && before != theirs);
	close(own);
	close(now);
	close(ns);
	zh_record_free(record);
}

/* The device goes down under an open probe: all lost or not sent, no hang, no error. */
static void lo_goes_down(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){2, 60, 0, 0});
	struct zh_probe_config config = zh_test_config(*state);
	int ns = new_namespace(), own = zh_netns_current(NULL);
	struct zh_probe *probe;
	struct zh_err err;
	uint32_t i;

	config.netns_fd = config.peer_netns_fd = ns;
	if (zh_probe_open(&config, &probe, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(
		zh_probe_phase(probe, "up", 20, 1000000, ZH_NSEC_PER_SEC * 5, record, &err), 0);
	assert_int_equal(zh_netns_enter(ns, NULL), 0);
	set_lo(0);
	assert_int_equal(zh_netns_enter(own, NULL), 0);
	assert_int_equal(
		zh_probe_phase(probe, "down", 20, 1000000, ZH_NSEC_PER_MSEC * 50, record, &err), 0);
	zh_probe_close(probe);
	assert_int_equal(record->n_samples, 40);
	for (i = 0; i < 40; i++)
		assert_true(zh_sample_answered(&record->samples[i]) == (i < 20));
	for (i = 20; i < 40; i++)
		assert_true(record->samples[i].flags & ZH_SAMPLE_LOST);
	close(own);
	close(ns);
	zh_record_free(record);
}

/* Never up: the phase runs, and says for each probe why it was not sent. */
static void lo_is_down(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 20, 0, 0});
	struct zh_probe_config config = zh_test_config(*state);
	struct zh_err err;
	int ns = zh_netns_new(&err);
	uint32_t i;

	config.netns_fd = config.peer_netns_fd = ns;
	zh_test_phase(&config, record, 20, 100000, ZH_NSEC_PER_SEC);
	for (i = 0; i < 20; i++) {
		assert_int_equal(record->samples[i].flags, ZH_SAMPLE_SEND_FAILED | ZH_SAMPLE_LOST);
		assert_int_equal(record->samples[i].send_errno, ENETUNREACH);
	}
	close(ns);
	zh_record_free(record);
}

/* Runs f as nobody in a namespace; its result is the child's exit status. */
static int as_nobody(int ns, int (*f)(const char *target), const char *target)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (zh_netns_enter(ns, NULL) < 0 || setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 ||
			setuid(NOBODY) < 0)
			_exit(100);
		_exit(f(target));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* 0 all answered on a datagram socket, 1 refused with a hint, else something is wrong. */
static int try_icmp(const char *target)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 20, 0, 0});
	struct zh_probe_config config = zh_test_config(target);
	struct zh_probe *probe;
	struct zh_err err;
	uint32_t i;
	int r = zh_probe_open(&config, &probe, &err);

	if (r < 0)
		return r == -EPERM && strstr(err.hint, "ping_group_range") ? 1 : 2;
	if (strcmp(zh_probe_icmp_kind(probe), "dgram"))
		return 3;
	if (zh_probe_phase(probe, "main", 20, 100000, 5 * ZH_NSEC_PER_SEC, record, &err) < 0)
		return 4;
	for (i = 0; i < 20; i++)
		if (!zh_sample_answered(&record->samples[i]) || record->samples[i].flags)
			return 5;
	zh_probe_close(probe);
	zh_record_free(record);
	return 0;
}

static void icmp_without_privileges(void **state)
{
	static const char *const ranges[] = {"1 0", "0 2147483647"};
	const char *target = *state;
	int ns = new_namespace(), own = zh_netns_current(NULL), allowed;

	for (allowed = 0; allowed < 2; allowed++) {
		assert_int_equal(zh_netns_enter(ns, NULL), 0);
		assert_int_equal(
			zh_sys_write(ranges[allowed], "/proc/sys/net/ipv4/ping_group_range"), 0);
		assert_int_equal(zh_netns_enter(own, NULL), 0);
		assert_int_equal(as_nobody(ns, try_icmp, target), allowed ? 0 : 1);
	}
	close(own);
	close(ns);
}

/* Other people's pings do not confuse ours, nor ours theirs: two probes to the same address. */
static void two_at_once(void **state)
{
	struct zh_record *records[2];
	struct zh_probe_config config = zh_test_config(*state);
	struct zh_probe *probes[2];
	int ns = new_namespace(), i;
	struct zh_err err;
	uint32_t n;

	config.netns_fd = config.peer_netns_fd = ns;
	for (i = 0; i < 2; i++) {
		records[i] = zh_record_new(&(struct zh_record_limits){2, 100, 0, 0});
		config.run += 77777;
		assert_int_equal(zh_probe_open(&config, &probes[i], &err), 0);
		assert_string_equal(zh_probe_icmp_kind(probes[i]), "raw");
	}
	for (n = 0; n < 50; n++)
		for (i = 0; i < 2; i++) {
			records[i]->n_phases = 0;
			assert_int_equal(zh_probe_phase(probes[i], "main", 1, 0,
						 5 * ZH_NSEC_PER_SEC, records[i], &err),
				0);
		}
	for (i = 0; i < 2; i++) {
		for (n = 0; n < 50; n++) {
			assert_true(zh_sample_answered(&records[i]->samples[n]));
			assert_int_equal(records[i]->samples[n].flags, 0);
		}
		zh_probe_close(probes[i]);
		zh_record_free(records[i]);
	}
	close(ns);
}

/* A responder in the middle of a long pause does not keep closing from ending. */
static void closing_does_not_wait_for_a_slow_responder(void **state)
{
	struct zh_probe_config config = zh_test_config(*state);
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 5, 0, 0});
	struct zh_probe *probe;
	struct zh_err err;
	uint64_t start;

	config.peer_delay_ns = 3600 * ZH_NSEC_PER_SEC;
	assert_int_equal(zh_probe_open(&config, &probe, &err), 0);
	assert_int_equal(
		zh_probe_phase(probe, "main", 5, 1000000, 20 * ZH_NSEC_PER_MSEC, record, &err), 0);
	start = zh_now_ns();
	zh_probe_close(probe);
	assert_true(zh_now_ns() - start < 60 * ZH_NSEC_PER_SEC);
	assert_true(record->samples[4].flags & ZH_SAMPLE_LOST);
	zh_record_free(record);
}

static atomic_bool may_go_on;

/* Stands for a thread that gets no CPU at the worst moment, with the responder's lock held. */
static void block_responder(void *arg, int fd, enum zh_probe_role role)
{
	(void)arg;
	(void)fd;
	while (role == ZH_ROLE_RESPONDER && !may_go_on)
		zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC);
}

static int count_entry(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
	return 0;
}

static void closing_does_not_wait_for_a_starved_responder(void **state)
{
	struct zh_probe_config config = zh_test_config("tcp:127.0.0.1");
	struct zh_probe *probe;
	struct zh_err err;
	uint64_t start;
	int n_before = 0, n_threads = 0, i;

	(void)state;
	zh_sys_list(count_entry, &n_before, "/proc/self/task");
	config.hooks.socket = block_responder;
	assert_int_equal(zh_probe_open(&config, &probe, &err), 0);
	start = zh_now_ns();
	zh_probe_close(probe);
	assert_true(zh_now_ns() - start < 60 * ZH_NSEC_PER_SEC);
	/* Left alone it ends by itself and frees its memory (the leak checker looks). */
	may_go_on = true;
	for (i = 0; i < 5000 && n_threads != n_before; i++) {
		n_threads = 0;
		zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC);
		zh_sys_list(count_entry, &n_threads, "/proc/self/task");
	}
	assert_int_equal(n_threads, n_before);
}

int main(void)
{
#define WITH(f, target)                                                                            \
	{                                                                                          \
#f " " target, f, NULL, NULL, target                                               \
	}
	const struct CMUnitTest tests[] = {
		WITH(answered_in_a_namespace, "127.0.0.1"),
		WITH(answered_in_a_namespace, "::1"),
		WITH(answered_in_a_namespace, "udp:127.0.0.1"),
		WITH(answered_in_a_namespace, "udp:[::1]"),
		WITH(answered_in_a_namespace, "tcp:127.0.0.1"),
		WITH(answered_in_a_namespace, "unix:"),
		WITH(answered_in_a_namespace, "unix-dgram:"),
		WITH(lo_goes_down, "127.0.0.1"),
		WITH(lo_goes_down, "::1"),
		WITH(lo_goes_down, "udp:127.0.0.1"),
		WITH(lo_goes_down, "tcp:127.0.0.1"),
		WITH(lo_is_down, "127.0.0.1"),
		WITH(lo_is_down, "udp:127.0.0.1"),
		WITH(icmp_without_privileges, "127.0.0.1"),
		WITH(icmp_without_privileges, "::1"),
		WITH(two_at_once, "127.0.0.1"),
		WITH(two_at_once, "::1"),
		WITH(closing_does_not_wait_for_a_slow_responder, "udp:127.0.0.1"),
		WITH(closing_does_not_wait_for_a_slow_responder, "tcp:127.0.0.1"),
		cmocka_unit_test(closing_does_not_wait_for_a_starved_responder),
	};
	struct zh_err err;
	int ns = zh_netns_new(&err);

	if (ns < 0) {
		printf("1..0 # SKIP %s\n", err.text);
		return 77;
	}
	close(ns);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
