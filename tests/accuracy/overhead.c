/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tracing costs the traffic it looks at, next to what a capture costs, in one run.
 *
 * Each round takes every mode once, in an order of its own, each beside measurements without
 * tracing that it is compared with: RTT of back-to-back ICMP echoes, and a UDP flood, on the
 * loopback of a namespace made for this. The median over rounds and the quartiles are printed. The
 * flood's rate is packets per second of the sender's CPU time, on lo all of the kernel's receive
 * path included: that is the throughput of a saturated core, and other load on the machine does not
 * change it.
 *
 * usage: overhead [rounds]
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "record/wire.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/sched.h"
#include "trace/trace.h"

#define ROUNDS_MAX 101
#define ECHOES 2000
#define SLICES 25
#define SLICE_NS 5000000ull
#define SIZE 56
#define RUN 77

struct mode {
	const char *name;
	struct zh_trace_config config; /* all off: no tracing */
	const char *const *command;    /* instead: this program runs meanwhile */
};

static const char *const tcpdump[] = {"tcpdump", "-i", "lo", "-w", "/dev/null", NULL};

static const struct mode modes[] = {
	{.name = "bare"},
	{.name = "recorder", .config = {.recorder = true}},
	{.name = "recorder+packets", .config = {.recorder = true, .packets = true}},
	{.name = "  +softirq", .config = {.recorder = true, .packets = true, .softirq = true}},
	{.name = "  +softirq detail",
		.config = {.recorder = true,
			.packets = true,
			.softirq = true,
			.softirq_detail = true}},
	{.name = "  +qdisc", .config = {.recorder = true, .packets = true, .qdisc = true}},
	{.name = "  +netfilter", .config = {.recorder = true, .packets = true, .netfilter = true}},
	{.name = "tcpdump -w", .command = tcpdump},
};
#define MODES ZH_ARRAY_SIZE(modes)

struct result {
	double p50_ns, p99_ns, flood_per_s, sleepy_flood_per_s;
};

/* [0]: without, beside it; [1]: with the mode on */
static struct result results[ROUNDS_MAX][MODES][2];
static bool missing[MODES];
static uint32_t next_seq;

static int die(const char *what, const struct zh_err *err)
{
	fprintf(stderr, "overhead: %s: %s\n", what, err->text);
	return 77;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(double *values, size_t n, double q)
{
	qsort(values, n, sizeof(*values), compare);
	return values[(size_t)(q * (double)(n - 1) + 0.5)];
}

static void make_echo(uint8_t *buf, uint32_t seq)
{
	struct zh_wire wire = {.magic = ZH_WIRE_MAGIC, .run = RUN, .seq = seq, .size = SIZE};
	uint32_t sum = 0;
	size_t i;

	memset(buf, 0, 8 + SIZE);
	buf[0] = ICMP_ECHO;
	memcpy(buf + 8, &wire, sizeof(wire));
	for (i = 0; i < 8 + SIZE; i += 2)
		sum += (uint32_t)buf[i] << 8 | buf[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	buf[2] = (uint8_t)(~sum >> 8);
	buf[3] = (uint8_t)~sum;
}

/* Back-to-back echoes of this thread; the raw socket sees the request and then the reply. */
static void measure_rtt(struct zh_trace *trace, struct result *result)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static double rtts[ECHOES];
	uint8_t buf[256];
	uint64_t start;
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), i;

	if (trace) {
		zh_trace_socket(trace, fd, false);
		zh_trace_thread(trace, zh_sched_tid(), false);
	}
	for (i = 0; i < ECHOES; i++) {
		make_echo(buf, next_seq++);
		start = zh_now_ns();
		if (sendto(fd, buf, 8 + SIZE, 0, (void *)&to, sizeof(to)) < 0)
			break;
		do {
			if (recv(fd, buf, sizeof(buf), 0) < 0)
				break;
		} while (buf[20] != ICMP_ECHOREPLY);
		rtts[i] = (double)(zh_now_ns() - start);
	}
	close(fd);
	result->p50_ns = quantile(rtts, ECHOES, 0.5);
	result->p99_ns = quantile(rtts, ECHOES, 0.99);
}

/*
 * The reader of the flood. One that sleeps between packets makes the sender wake it, which costs
 * more than the whole path where an interrupt of another CPU is a call to the hypervisor; how often
 * depends on chance. One that spins shows the path alone.
 */
struct sink {
	int fd;
	bool spins;
	atomic_bool stop;
};

static void *read_flood(void *arg)
{
	struct timeval timeout = {.tv_usec = 10000};
	struct sink *sink = arg;
	char buf[256];

	zh_sched_pin(1, NULL);
	setsockopt(sink->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	while (!atomic_load_explicit(&sink->stop, memory_order_relaxed))
		recv(sink->fd, buf, sizeof(buf), sink->spins ? MSG_DONTWAIT : 0);
	return NULL;
}

/* Packets per second of this thread's CPU time, over one slice. */
static double flood_slice(int fd)
{
	static const char payload[64];
	uint64_t cpu = zh_clock_ns(CLOCK_THREAD_CPUTIME_ID), until = zh_now_ns() + SLICE_NS, n = 0;
	int i;

	for (; zh_now_ns() < until; n += 64) {
		for (i = 0; i < 64; i++)
			send(fd, payload, sizeof(payload), 0);
	}
	return (double)n * 1e9 / (double)(zh_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
}

/* The median slice: a stall of the machine spoils its slice only. */
static double measure_flood(bool spinning_sink)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int tx = socket(AF_INET, SOCK_DGRAM, 0), i;
	struct sink sink = {.fd = socket(AF_INET, SOCK_DGRAM, 0), .spins = spinning_sink};
	socklen_t len = sizeof(to);
	double rates[SLICES];
	pthread_t thread;

	if (bind(sink.fd, (void *)&to, sizeof(to)) || getsockname(sink.fd, (void *)&to, &len) ||
		connect(tx, (void *)&to, len) || pthread_create(&thread, NULL, read_flood, &sink))
		return 0;
	flood_slice(tx); /* warms up */
	for (i = 0; i < SLICES; i++)
		rates[i] = flood_slice(tx);
	atomic_store(&sink.stop, true);
	pthread_join(thread, NULL);
	close(sink.fd);
	close(tx);
	return quantile(rates, SLICES, 0.5);
}

static int run_command(void *arg)
{
	const char *const *argv = arg;

	if (!freopen("/dev/null", "w", stderr))
		return 1;
	execvp(argv[0], (char *const *)argv);
	return 1;
}

/* What a mode has running. */
struct running {
	struct zh_record *record;
	struct zh_trace *trace;
	pid_t child;
};

static int set_up(const struct mode *mode, struct running *running, struct zh_err *err)
{
	struct zh_record_limits limits = {1, 1, 1, 1};
	struct zh_trace_config config = mode->config;
	int r = 0;

	*running = (struct running){.record = zh_record_new(&limits)};
	config.run = RUN;
	config.size_bytes = SIZE;
	config.netns_fd = config.peer_netns_fd = -1;
	if (config.recorder) {
		r = zh_trace_open(&config, running->record, &running->trace, err);
		if (r)
			return r;
		zh_trace_phase(running->trace, ZH_TRANSPORT_ICMP, next_seq);
		zh_trace_arm(running->trace, true);
	} else if (mode->command) {
		r = zh_process_fork(run_command, (void *)mode->command, &running->child, err);
		usleep(400000); /* it opens its socket */
		if (!r && zh_process_wait(running->child, 0, NULL) == 0) {
			running->child = 0;
			r = zh_err_set(err, -ENOENT, "%s does not run", mode->command[0]);
		}
	}
	return r;
}

static void tear_down(struct running *running)
{
	zh_trace_close(running->trace, NULL);
	zh_process_end(running->child);
	zh_record_free(running->record);
}

/* One mode between two measurements without: the RTT right before, the flood right after. */
static int run_mode(const struct mode *mode, struct result result[2], struct zh_err *err)
{
	struct running running;
	int r;

	measure_rtt(NULL, &result[0]);
	r = set_up(mode, &running, err);
	if (!r) {
		measure_rtt(running.trace, &result[1]);
		result[1].sleepy_flood_per_s = measure_flood(false);
		result[1].flood_per_s = measure_flood(true);
	}
	tear_down(&running);
	result[0].flood_per_s = measure_flood(true);
	result[0].sleepy_flood_per_s = measure_flood(false);
	return r;
}

/* The modes of a round, in an order that differs between rounds. */
static int run_round(unsigned int round, struct zh_err *err)
{
	size_t order[MODES], i, j, swap;
	int r;

	for (i = 0; i < MODES; i++)
		order[i] = i;
	srand(round);
	for (i = MODES - 1; i > 0; i--) {
		j = (size_t)rand() % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < MODES; i++) {
		j = order[i];
		if (missing[j])
			continue;
		r = run_mode(&modes[j], results[round][j], err);
		if (r && !modes[j].command)
			return r;
		missing[j] = r != 0;
	}
	return 0;
}

/* Change against bare in per cent: median and quartiles over rounds. */
static void print_change(size_t mode, unsigned int rounds, size_t offset)
{
	double values[ROUNDS_MAX], base, value;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		base = *(double *)((char *)&results[i][mode][0] + offset);
		value = *(double *)((char *)&results[i][mode][1] + offset);
		values[i] = (value / base - 1) * 100;
	}
	printf(" %+6.1f [%+5.1f,%+5.1f]", quantile(values, rounds, 0.5),
		quantile(values, rounds, 0.25), quantile(values, rounds, 0.75));
}

static double median(size_t mode, unsigned int rounds, size_t offset)
{
	double values[ROUNDS_MAX];
	unsigned int i;

	for (i = 0; i < rounds; i++)
		values[i] = *(double *)((char *)&results[i][mode][1] + offset);
	return quantile(values, rounds, 0.5);
}

static void print_table(unsigned int rounds)
{
	size_t i;

	printf("%u rounds; change against bare in per cent: median [quartiles]\n", rounds);
	printf("%-17s %6s %6s %8s %21s %21s %21s\n", "", "p50 us", "p99 us", "kpps/CPU",
		"RTT p50 %", "flood %", "sleeping sink %");
	for (i = 0; i < MODES; i++) {
		if (missing[i]) {
			printf("%-17s not available\n", modes[i].name);
			continue;
		}
		printf("%-17s %6.2f %6.2f %8.0f", modes[i].name,
			median(i, rounds, offsetof(struct result, p50_ns)) / 1e3,
			median(i, rounds, offsetof(struct result, p99_ns)) / 1e3,
			median(i, rounds, offsetof(struct result, flood_per_s)) / 1e3);
		print_change(i, rounds, offsetof(struct result, p50_ns));
		print_change(i, rounds, offsetof(struct result, flood_per_s));
		print_change(i, rounds, offsetof(struct result, sleepy_flood_per_s));
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 9, i;
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};
	int ns, r;

	rounds = ZH_MIN(ZH_MAX(rounds, 1), ROUNDS_MAX);
	ns = zh_netns_new(&err);
	if (ns < 0 || zh_netns_enter(ns, &err) || zh_netcfg_open(-1, &cfg, &err) ||
		zh_netcfg_link_up(cfg, "lo", true, &err))
		return die("cannot make a namespace", &err);
	zh_netcfg_close(cfg);
	zh_sched_pin(0, &err);
	for (i = 0; i < rounds; i++) {
		r = run_round(i, &err);
		if (r)
			return die("cannot measure", &err);
	}
	print_table(rounds);
	close(ns);
	return 0;
}
