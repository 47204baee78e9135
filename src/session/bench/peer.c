/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/bench/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/process.h"
#include "sys/run.h"
#include "sys/sched.h"

#define OUTPUT_MAX (4u << 20)
#define START_TIMEOUT_NS (5 * ZH_NSEC_PER_SEC)
#define LOOK_NS (5 * ZH_NSEC_PER_MSEC)

/* Binds a port (0: a free one). A closed socket that never sent leaves it free at once. */
static int try_port(int type, uint16_t *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(*port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	zh_autoclose int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(address);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		return -errno;
	*port = ntohs(address.sin_port);
	return 0;
}

int bench_peer_port(int type, uint16_t *ret, struct zh_err *err)
{
	int r;

	*ret = 0;
	r = try_port(type, ret);
	return r < 0 ? zh_err_sys(err, r, "cannot find a free port") : 0;
}

struct start {
	const struct bench_peer_server *server;
	char path[256];
};

static int exec_server(void *arg)
{
	static char *const environment[] = {"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	const struct start *start = arg;
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		return 126;
	if (start->server->cpu >= 0 && zh_sched_pin(start->server->cpu, NULL) < 0)
		return 126;
	execve(start->path, (char *const *)start->server->argv, environment);
	return 127;
}

int bench_peer_server_start(const struct bench_peer_server *server, pid_t *ret, struct zh_err *err)
{
	uint64_t end_ns = zh_now_ns() + START_TIMEOUT_NS;
	const char *name = server->argv[0];
	struct start start = {.server = server};
	uint16_t port = server->port;
	pid_t pid;
	int r;

	if (zh_sys_find_program(start.path, sizeof(start.path), name) < 0)
		return zh_err_set(err, -ENOENT, "%s is not installed", name);
	r = zh_process_fork(exec_server, &start, &pid, err);
	if (r < 0)
		return r;
	/* Asking for the port again says whether it is taken, for datagrams too. */
	while (try_port(server->type, &port) != -EADDRINUSE) {
		if (zh_process_wait(pid, LOOK_NS, NULL) != -ETIMEDOUT)
			return zh_err_set(err, -EIO, "the server of %s ended at once", name);
		if (zh_now_ns() < end_ns)
			continue;
		zh_process_end(pid);
		return zh_err_set(err, -ETIMEDOUT, "the server of %s did not open its port", name);
	}
	*ret = pid;
	return 0;
}

int bench_peer_client_run(
	const char *const *argv, int cpu, uint64_t timeout_ns, char **ret, struct zh_err *err)
{
	struct zh_cpuset affinity;
	int r;

	if (cpu < 0)
		return zh_sys_run(argv, timeout_ns, OUTPUT_MAX, ret, err);
	r = zh_sched_get_affinity(&affinity, err);
	if (r >= 0)
		r = zh_sched_pin(cpu, err);
	if (r < 0)
		return r;
	r = zh_sys_run(argv, timeout_ns, OUTPUT_MAX, ret, err);
	zh_sched_set_affinity(&affinity, NULL);
	return r;
}

void bench_peer_version(const char *const *argv, const char *mark, char *ret, size_t size)
{
	zh_autofree char *text = NULL;
	const char *at;

	ret[0] = '\0';
	if (zh_sys_run(argv, ZH_NSEC_PER_SEC, OUTPUT_MAX, &text, NULL) < 0)
		return;
	at = strstr(text, mark);
	if (!at)
		return;
	at += strlen(mark);
	snprintf(ret, size, "%.*s", (int)ZH_MIN(strcspn(at, " ,\n\t"), size - 1), at);
}

double bench_peer_number(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	double value;
	char *end;

	if (!at)
		return -1;
	at += strlen(mark);
	at += strspn(at, " =");
	value = strtod(at, &end);
	return end == at ? -1 : value;
}

unsigned int bench_peer_seconds(uint64_t ns)
{
	return (unsigned int)ZH_MAX((ns + ZH_NSEC_PER_SEC / 2) / ZH_NSEC_PER_SEC, 1ull);
}
