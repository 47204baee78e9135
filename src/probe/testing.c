/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/testing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sys/sched.h"

struct zh_probe_config zh_test_config(const char *target)
{
	struct zh_probe_config config = {
		.run = 0x12345678 ^ (uint32_t)getpid(),
		.size_bytes = 64,
		.cpu = -1,
		.peer_cpu = -1,
		.netns_fd = -1,
		.peer_netns_fd = -1,
		.nodelay = true,
		.peer_cgroup_fd = -1,
	};
	struct zh_err err;

	if (zh_target_parse(target, &config.target, &err) < 0)
		fail_msg("%s", err.text);
	return config;
}

static void on_socket(void *arg, int fd, enum zh_probe_role role)
{
	struct zh_test_hooks *hooks = arg;

	assert_true(fd >= 0);
	hooks->n_sockets[role]++;
}

static void on_thread(void *arg, uint32_t tid, enum zh_probe_role role)
{
	struct zh_test_hooks *hooks = arg;

	assert_int_equal(tid, zh_sched_tid());
	hooks->n_threads[role]++;
}

static void on_sample(void *arg, struct zh_sample *sample, uint64_t slack_ns)
{
	struct zh_test_hooks *hooks = arg;

	(void)slack_ns;
	hooks->n_samples++;
	hooks->n_in_order += sample->seq == hooks->next_seq;
	hooks->next_seq = sample->seq + 1;
}

static bool on_stop(void *arg)
{
	struct zh_test_hooks *hooks = arg;

	return hooks->stop_after && ++hooks->n_stop_asked > hooks->stop_after;
}

void zh_test_hooks(struct zh_probe_config *config, struct zh_test_hooks *hooks)
{
	config->hooks = (struct zh_probe_hooks){
		.arg = hooks,
		.socket = on_socket,
		.thread = on_thread,
		.sample = on_sample,
		.stop = on_stop,
	};
}

void zh_test_phase(const struct zh_probe_config *config, struct zh_record *record, uint32_t count,
	uint64_t gap_ns, uint64_t timeout_ns)
{
	struct zh_probe *probe;
	struct zh_err err;

	if (zh_probe_open(config, &probe, &err) < 0)
		fail_msg("%s", err.text);
	if (zh_probe_phase(probe, "main", count, gap_ns, timeout_ns, record, &err) < 0)
		fail_msg("%s", err.text);
	zh_probe_close(probe);
	if (!config->hooks.stop)
		assert_int_equal(record->n_samples, count);
}

int zh_test_try_phase(const struct zh_probe_config *config, struct zh_record *record)
{
	struct zh_probe *probe;
	struct zh_err err = {0};
	int r = zh_probe_open(config, &probe, &err);

	if (r < 0)
		return r;
	r = zh_probe_phase(probe, "try", 5, 0, ZH_NSEC_PER_SEC, record, &err);
	zh_probe_close(probe);
	return r;
}

static void echo_datagrams(int fd, enum zh_test_peer_habit habit)
{
	static _Thread_local char buf[65536];
	struct sockaddr_storage from;
	socklen_t len;
	ssize_t n;
	int i;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)(void *)&from, &len);
		if (n <= 0)
			return;
		for (i = 0; i < (habit == ZH_TEST_PEER_TWICE ? 2 : 1); i++)
			sendto(fd, buf, (size_t)n, MSG_NOSIGNAL,
				(const struct sockaddr *)(const void *)&from, len);
	}
}

/* Small pieces on purpose: the prober must put messages together again. */
static void echo_stream(int listener, enum zh_test_peer_habit habit)
{
	int fd = accept(listener, NULL, NULL);
	char buf[700];
	ssize_t n;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0) {
		send(fd, buf, (size_t)n, MSG_NOSIGNAL);
		if (habit == ZH_TEST_PEER_CLOSE)
			break;
	}
	close(fd);
}

static void *run_peer(void *arg)
{
	int *shared = arg, fd = shared[0], is_stream = shared[1];
	enum zh_test_peer_habit habit = (enum zh_test_peer_habit)shared[2];

	free(shared);
	if (is_stream)
		echo_stream(fd, habit);
	else
		echo_datagrams(fd, habit);
	return NULL;
}

static void start_peer(struct zh_test_peer *peer, const struct sockaddr *sa, socklen_t len)
{
	int type = peer->is_stream ? SOCK_STREAM : SOCK_DGRAM, *shared;

	peer->fd = socket(sa->sa_family, type | SOCK_CLOEXEC, 0);
	assert_true(peer->fd >= 0);
	assert_int_equal(bind(peer->fd, sa, len), 0);
	if (peer->is_stream)
		assert_int_equal(listen(peer->fd, 1), 0);
	if (peer->habit == ZH_TEST_PEER_SILENT)
		return;
	shared = malloc(3 * sizeof(*shared));
	shared[0] = peer->fd;
	shared[1] = peer->is_stream;
	shared[2] = (int)peer->habit;
	assert_int_equal(pthread_create(&peer->thread, NULL, run_peer, shared), 0);
	peer->has_thread = true;
}

static void start_inet(struct zh_test_peer *peer)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);

	start_peer(peer, (const struct sockaddr *)(const void *)&in, sizeof(in));
	getsockname(peer->fd, (struct sockaddr *)(void *)&in, &len);
	snprintf(peer->target, sizeof(peer->target), "%s:127.0.0.1:%u",
		peer->is_stream ? "tcp" : "udp", ntohs(in.sin_port));
}

static void start_unix(struct zh_test_peer *peer)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	snprintf(peer->dir, sizeof(peer->dir), "/tmp/zh-probe-XXXXXX");
	assert_non_null(mkdtemp(peer->dir));
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/s", peer->dir);
	start_peer(peer, (const struct sockaddr *)(const void *)&un, sizeof(un));
	snprintf(peer->target, sizeof(peer->target), "%s:%s",
		peer->is_stream ? "unix" : "unix-dgram", un.sun_path);
}

struct zh_test_peer zh_test_peer_udp(enum zh_test_peer_habit habit)
{
	struct zh_test_peer peer = {.habit = habit};

	start_inet(&peer);
	return peer;
}

struct zh_test_peer zh_test_peer_named(const char *name)
{
	struct zh_test_peer peer = {0};

	peer.is_stream = !strncmp(name, "tcp", 3) || !strcmp(name, "unix");
	if (!strcmp(name, "tcp-close"))
		peer.habit = ZH_TEST_PEER_CLOSE;
	if (!strncmp(name, "unix", 4))
		start_unix(&peer);
	else
		start_inet(&peer);
	return peer;
}

void zh_test_peer_stop(struct zh_test_peer *peer)
{
	char path[80];

	shutdown(peer->fd, SHUT_RDWR);
	if (peer->has_thread)
		pthread_join(peer->thread, NULL);
	close(peer->fd);
	if (!peer->dir[0])
		return;
	snprintf(path, sizeof(path), "%s/s", peer->dir);
	unlink(path);
	rmdir(peer->dir);
}

int zh_test_two_cpus(int ret[2])
{
	struct zh_cpuset set;
	unsigned int cpu;
	int n = 0;

	if (zh_sched_get_affinity(&set, NULL) < 0)
		return 0;
	for (cpu = 0; cpu < ZH_CPU_MAX && n < 2; cpu++)
		if (zh_cpuset_has(&set, cpu))
			ret[n++] = (int)cpu;
	if (n == 1)
		ret[1] = ret[0];
	return n;
}
