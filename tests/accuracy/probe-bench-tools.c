/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe-bench.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "stats/summary.h"
#include "sys/sched.h"

#define SOCKPERF_PORT "11217"
#define PING_MAX 20000

/* Runs a program on a CPU; its standard output goes into *ret_out (-1: nobody reads it). */
static pid_t start(const char *const *argv, int cpu, int *ret_out)
{
	int pipe_fds[2] = {-1, -1}, null_fd;
	pid_t pid;

	if (ret_out && pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		null_fd = open("/dev/null", O_RDWR);
		dup2(ret_out ? pipe_fds[1] : null_fd, STDOUT_FILENO);
		dup2(null_fd, STDERR_FILENO);
		if (cpu >= 0)
			zh_sched_pin(cpu, NULL);
		execvp(argv[0], (char *const *)(const void *)argv);
		_exit(127);
	}
	if (ret_out) {
		close(pipe_fds[1]);
		*ret_out = pipe_fds[0];
	}
	return pid;
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

uint64_t bench_ping(int cpu, uint32_t count)
{
	char number[16], line[256];
	const char *const argv[] = {
		"ping", "-n", "-U", "-A", "-s", "64", "-c", number, "127.0.0.1", NULL};
	static uint64_t rtt_ns[PING_MAX];
	const char *time;
	size_t n = 0;
	pid_t pid;
	FILE *out;
	int fd;

	snprintf(number, sizeof(number), "%u", count);
	pid = start(argv, cpu, &fd);
	out = pid > 0 ? fdopen(fd, "r") : NULL;
	while (out && fgets(line, sizeof(line), out)) {
		time = strstr(line, " time=");
		if (time && n < PING_MAX)
			rtt_ns[n++] = (uint64_t)(strtod(time + 6, NULL) * 1e6 + 0.5);
	}
	if (out)
		fclose(out);
	end(pid);
	return n == count ? zh_stats_median(rtt_ns, n) : 0;
}

uint64_t bench_sockperf(enum zh_transport_id transport, int cpu, int peer_cpu)
{
	const char *tcp = transport == ZH_TRANSPORT_TCP ? "--tcp" : NULL;
	const char *const server_argv[] = {
		"sockperf", "sr", "-i", "127.0.0.1", "-p", SOCKPERF_PORT, tcp, NULL};
	const char *const argv[] = {"sockperf", "pp", "-i", "127.0.0.1", "-p", SOCKPERF_PORT, "-m",
		"64", "-t", "1", "--full-rtt", tcp, NULL};
	pid_t server = start(server_argv, peer_cpu, NULL), client;
	const char *found;
	uint64_t ns = 0;
	char line[512];
	FILE *out;
	int fd;

	zh_sleep_until(zh_now_ns() + 300 * ZH_NSEC_PER_MSEC);
	client = start(argv, cpu, &fd);
	out = client > 0 ? fdopen(fd, "r") : NULL;
	while (out && fgets(line, sizeof(line), out)) {
		found = strstr(line, "percentile 50.000 =");
		if (found)
			ns = (uint64_t)(strtod(found + 19, NULL) * 1e3 + 0.5);
	}
	if (out)
		fclose(out);
	end(client);
	end(server);
	return ns;
}
