/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/load/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/sched.h"

#define READY_NS (5 * ZH_NSEC_PER_SEC)
#define QUIET_NS (50 * ZH_NSEC_PER_MSEC) /* nothing arrived for so long: nothing is under way */
#define DRAIN_NS (1 * ZH_NSEC_PER_SEC)
#define END_NS (2 * ZH_NSEC_PER_SEC)
#define STEP_NS (2 * ZH_NSEC_PER_MSEC)
#define DATAGRAM_MAX 65507

uint64_t load_cpu_ns(void)
{
	return zh_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void load_note_sender(struct load_shared *shared)
{
	uint64_t now_ns = zh_now_ns();

	if (!atomic_load_explicit(&shared->sender.first_ns, memory_order_relaxed))
		atomic_store_explicit(&shared->sender.first_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&shared->sender.last_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&shared->sender.cpu_ns, load_cpu_ns(), memory_order_relaxed);
}

static int parse_address(
	const char *text, union load_address *ret, socklen_t *ret_len, struct zh_err *err)
{
	*ret = (union load_address){};
	if (inet_pton(AF_INET, text, &ret->v4.sin_addr) == 1) {
		ret->any.sa_family = AF_INET;
		*ret_len = sizeof(ret->v4);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1) {
		ret->any.sa_family = AF_INET6;
		*ret_len = sizeof(ret->v6);
		return 0;
	}
	return zh_err_set(err, -EINVAL, "'%.60s' is no numeric address", text);
}

static int check(const struct zh_load_config *config, struct zh_err *err)
{
	if (!config->flows || config->flows > ZH_LOAD_FLOWS_MAX)
		return zh_err_set(err, -EINVAL, "a load has 1 to %d flows, not %u",
			ZH_LOAD_FLOWS_MAX, config->flows);
	if (!config->size_bytes)
		return zh_err_set(err, -EINVAL, "a load of 0 bytes is none");
	if (config->protocol == ZH_LOAD_UDP && config->size_bytes > DATAGRAM_MAX)
		return zh_err_set(err, -EINVAL, "a datagram has at most %d bytes, not %u",
			DATAGRAM_MAX, config->size_bytes);
	if (config->engine == ZH_LOAD_XDP && (config->protocol != ZH_LOAD_UDP || !config->device))
		return zh_err_set(
			err, -EINVAL, "injected frames are UDP, and need a device to arrive at");
	return 0;
}

/* A Unix socket's name is abstract and new: nothing is left in the file system. */
static void name_socket(union load_address *ret, socklen_t *ret_len)
{
	ret->un = (struct sockaddr_un){.sun_family = AF_UNIX};
	*ret_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			       (size_t)snprintf(ret->un.sun_path + 1, sizeof(ret->un.sun_path) - 1,
				       "zerohop-load-%d-%llx", (int)getpid(),
				       (unsigned long long)zh_now_ns()));
}

static int set_addresses(struct zh_load *load, struct zh_err *err)
{
	const struct zh_load_config *config = &load->config;
	int r;

	if (config->protocol == ZH_LOAD_UNIX) {
		name_socket(&load->to, &load->to_len);
		return 0;
	}
	r = parse_address(config->to ? config->to : "127.0.0.1", &load->to, &load->to_len, err);
	if (r == 0 && config->from)
		r = parse_address(config->from, &load->from, &load->from_len, err);
	return r;
}

static int start_child(struct zh_load *load, int (*body)(struct zh_load *load), const char *name,
	int netns_fd, int cpu)
{
	int r = 0;

	prctl(PR_SET_NAME, name);
	signal(SIGINT, SIG_IGN); /* Ctrl-C is the maker's business */
	signal(SIGPIPE, SIG_IGN);
	if (netns_fd >= 0)
		r = zh_netns_enter(netns_fd, NULL);
	if (r == 0 && cpu >= 0)
		r = zh_sched_pin(cpu, NULL);
	return r < 0 ? r : body(load);
}

static int sender_main(void *arg)
{
	struct zh_load *load = arg;
	int (*body)(struct zh_load * load) = load_send_udp;
	int r;

	if (load->config.protocol != ZH_LOAD_UDP)
		body = load_send_stream;
	else if (load->config.engine == ZH_LOAD_XDP)
		body = load_send_xdp;
	r = start_child(load, body, "zh-load", load->config.netns_fd, load->config.cpu);
	atomic_store(&load->shared->sender.error, -r);
	return r < 0;
}

static int receiver_main(void *arg)
{
	struct zh_load *load = arg;
	int r = start_child(
		load, load_receive, "zh-sink", load->config.peer_netns_fd, load->config.peer_cpu);

	atomic_store(&load->shared->receiver.error, -r);
	return r < 0;
}

/* Waits until a side is ready; its error, or its end, is known before. */
static int wait_ready(const _Atomic uint32_t *ready, const _Atomic int32_t *error, pid_t *pid,
	const char *who, struct zh_err *err)
{
	uint64_t end_ns = zh_now_ns() + READY_NS;
	int code;

	while (!atomic_load(ready)) {
		code = atomic_load(error);
		if (!code && zh_process_wait(*pid, 0, NULL) == 0) {
			*pid = 0;
			code = atomic_load(error) ? atomic_load(error) : ECHILD;
		}
		if (!code && zh_now_ns() > end_ns)
			code = ETIMEDOUT;
		if (code)
			return zh_err_sys(err, -code, "cannot start the load's %s", who);
		zh_sleep_until(zh_now_ns() + STEP_NS);
	}
	return 0;
}

/* XDP where it was asked for or is best and works; in the sender's namespace. */
static int check_xdp(void *arg)
{
	struct zh_load *load = arg;
	struct zh_err err = {};
	int r = load_xdp_check(load, &err);

	snprintf(load->why_not_xdp, sizeof(load->why_not_xdp), "%.119s", r < 0 ? err.text : "");
	return r;
}

static int choose_engine(struct zh_load *load, struct zh_err *err)
{
	struct zh_load_config *config = &load->config;
	bool maybe = config->protocol == ZH_LOAD_UDP && !config->rate && config->device;
	int r;

	load->engine = config->protocol == ZH_LOAD_UDP ? "sendmmsg" : "stream";
	if (config->engine == ZH_LOAD_SOCKET || (config->engine == ZH_LOAD_AUTO && !maybe))
		return 0;
	r = config->netns_fd < 0 ? check_xdp(load)
				 : zh_netns_call(config->netns_fd, check_xdp, load, err);
	if (r < 0 && config->engine == ZH_LOAD_XDP)
		return zh_err_set(err, r, "%s", load->why_not_xdp);
	config->engine = r < 0 ? ZH_LOAD_SOCKET : ZH_LOAD_XDP;
	if (r == 0)
		load->engine = "xdp";
	return 0;
}

static int start(struct zh_load *load, struct zh_err *err)
{
	struct load_shared *shared = load->shared;
	int r = zh_process_fork(receiver_main, load, &load->receiver, err);

	if (r == 0)
		r = wait_ready(&shared->receiver.ready, &shared->receiver.error, &load->receiver,
			"receiver", err);
	if (r < 0)
		return r;
	if (load->to.any.sa_family == AF_INET)
		load->to.v4.sin_port = (in_port_t)atomic_load(&shared->receiver.port);
	else if (load->to.any.sa_family == AF_INET6)
		load->to.v6.sin6_port = (in_port_t)atomic_load(&shared->receiver.port);
	r = choose_engine(load, err);
	if (r == 0)
		r = zh_process_fork(sender_main, load, &load->sender, err);
	if (r == 0)
		r = wait_ready(
			&shared->sender.ready, &shared->sender.error, &load->sender, "sender", err);
	return r;
}

static struct zh_load *load_free(struct zh_load *load)
{
	zh_process_end(load->sender);
	zh_process_end(load->receiver);
	if (load->shared)
		munmap(load->shared, sizeof(*load->shared));
	free(load);
	return NULL;
}

int zh_load_start(const struct zh_load_config *config, struct zh_load **ret, struct zh_err *err)
{
	struct zh_load *load;
	int r = check(config, err);

	if (r < 0)
		return r;
	load = calloc(1, sizeof(*load));
	if (!load)
		return zh_err_set(err, -ENOMEM, "out of memory for a load");
	load->config = *config;
	load->shared = mmap(NULL, sizeof(*load->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED) {
		load->shared = NULL;
		r = zh_err_sys(err, -errno, "no shared memory for a load");
	}
	if (r == 0)
		r = set_addresses(load, err);
	if (r == 0)
		r = start(load, err);
	if (r < 0) {
		load_free(load);
		return r;
	}
	*ret = load;
	return 0;
}

void zh_load_peek(const struct zh_load *load, struct zh_load_result *ret)
{
	const struct load_shared *shared = load->shared;

	*ret = (struct zh_load_result){
		.sent = atomic_load(&shared->sender.sent),
		.send_failed = atomic_load(&shared->sender.failed),
		.received = atomic_load(&shared->receiver.received),
		.socket_drops = atomic_load(&shared->receiver.drops),
		.cpu_ns = atomic_load(&shared->sender.cpu_ns),
		.peer_cpu_ns = atomic_load(&shared->receiver.cpu_ns),
		.engine = load->engine,
	};
	ret->elapsed_ns =
		atomic_load(&shared->sender.last_ns) - atomic_load(&shared->sender.first_ns);
	memcpy(ret->why_not_xdp, load->why_not_xdp, sizeof(ret->why_not_xdp));
}

/* What is in queues arrives within a moment; what is dropped never does. */
static void drain(const struct load_shared *shared)
{
	uint64_t end_ns = zh_now_ns() + DRAIN_NS, quiet_ns = zh_now_ns(), seen = UINT64_MAX, now;

	while ((now = zh_now_ns()) < end_ns && now - quiet_ns < QUIET_NS) {
		if (atomic_load(&shared->receiver.received) != seen)
			quiet_ns = now;
		seen = atomic_load(&shared->receiver.received);
		zh_sleep_until(now + STEP_NS);
	}
}

/* Ends one side in order, or else by force. 0, or a negative errno when it failed or had died. */
static int end_side(pid_t *pid, const _Atomic int32_t *error)
{
	int status = 0, r = *pid ? zh_process_wait(*pid, END_NS, &status) : 0;
	int code = atomic_load(error);

	if (r == 0)
		*pid = 0;
	if (code)
		return -code;
	return r < 0 ? r : status ? -ECHILD : 0;
}

int zh_load_stop(struct zh_load *load, struct zh_load_result *ret, struct zh_err *err)
{
	int sender, receiver;

	if (!load)
		return 0;
	atomic_store(&load->shared->stop, 1);
	sender = end_side(&load->sender, &load->shared->sender.error);
	drain(load->shared);
	atomic_store(&load->shared->stop, 2);
	receiver = end_side(&load->receiver, &load->shared->receiver.error);
	if (ret)
		zh_load_peek(load, ret);
	load_free(load);
	if (sender < 0)
		return zh_err_sys(err, sender, "the load's sender ended early");
	return receiver < 0 ? zh_err_sys(err, receiver, "the load's receiver ended early") : 0;
}
