/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/responder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/netns-scope.h"
#include "probe/responder-impl.h"
#include "probe/target.h"
#include "sys/netns.h"
#include "sys/sched.h"

#define START_WAIT_NS (5 * ZH_NSEC_PER_SEC)
#define ACCEPT_WAIT_NS (2 * ZH_NSEC_PER_SEC)
#define STOP_WAIT_NS (3 * ZH_NSEC_PER_SEC)
#define STEP_NS (50 * ZH_NSEC_PER_USEC)
#define STACK_BYTES (256 * 1024)

/* Takes the lock unless it is held until `until_ns` by a thread that gets no CPU. */
static bool lock_before(struct zh_responder *r, uint64_t until_ns)
{
	while (pthread_mutex_trylock(&r->lock)) {
		if (zh_now_ns() >= until_ns)
			return false;
		zh_sleep_until(zh_now_ns() + STEP_NS);
	}
	return true;
}

/* Waits until `flag` (guarded by the lock) is true. 0 or -ETIMEDOUT. */
static int wait_for(struct zh_responder *r, const bool *flag, uint64_t ns)
{
	uint64_t t = zh_now_ns() + ns;
	struct timespec until = {
		.tv_sec = (time_t)(t / ZH_NSEC_PER_SEC), .tv_nsec = (long)(t % ZH_NSEC_PER_SEC)};
	int code = 0;

	if (!lock_before(r, t))
		return -ETIMEDOUT;
	while (!*flag && !code)
		code = -pthread_cond_clockwait(&r->changed, &r->lock, CLOCK_MONOTONIC, &until);
	if (*flag)
		code = 0;
	pthread_mutex_unlock(&r->lock);
	return code;
}

static void unref(struct zh_responder *r)
{
	if (atomic_fetch_sub(&r->refs, 1) != 1)
		return;
	zh_closep(&r->fd);
	zh_closep(&r->connection);
	zh_closep(&r->netns_fd);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->buf);
	free(r);
}

static int set_up_thread(struct zh_responder *r, struct zh_err *err)
{
	int code = 0;

	zh_sched_set_timer_slack(1);
	if (r->netns_fd >= 0)
		code = zh_netns_enter(r->netns_fd, err);
	if (!code && r->config.peer_cpu >= 0)
		code = zh_sched_pin(r->config.peer_cpu, err);
	zh_sched_prefault_stack();
	return code;
}

static void note(struct zh_responder *r, bool *flag)
{
	pthread_mutex_lock(&r->lock);
	*flag = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void *run_thread(void *arg)
{
	struct zh_responder *r = arg;
	const struct zh_probe_hooks *hooks = &r->config.hooks;
	int code;

	r->tid = zh_sched_tid();
	code = set_up_thread(r, &r->start_err);
	r->start_code = code;
	if (!code && !r->stop && hooks->thread)
		hooks->thread(hooks->arg, r->tid, ZH_ROLE_RESPONDER);
	note(r, &r->has_started);
	if (!code && !r->stop)
		r->transport->respond(r);
	unref(r);
	return NULL;
}

bool zh_responder_adopt(struct zh_responder *r, int connection)
{
	const struct zh_probe_hooks *hooks = &r->config.hooks;
	bool go_on;

	pthread_mutex_lock(&r->lock);
	r->connection = connection;
	/* One connection is all there is: nobody else shall find an open port. */
	zh_closep(&r->fd);
	r->fd = -1;
	go_on = !r->stop;
	pthread_mutex_unlock(&r->lock);
	/* Between this look and the call a stop waits for us, as long as we get a CPU. */
	if (go_on && hooks->socket)
		hooks->socket(hooks->arg, connection, ZH_ROLE_RESPONDER);
	note(r, &r->has_accepted);
	return go_on;
}

static int bind_socket(struct zh_responder *r, const struct zh_address *at,
	struct zh_address *ret_address, struct zh_err *err)
{
	bool is_unix = at->sa.sa_family == AF_UNIX;
	int size = (int)r->config.peer_rcvbuf_bytes, code;
	char target[300];

	r->fd = socket(at->sa.sa_family, r->transport->socket_type | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		return zh_err_sys(err, -errno, "cannot open the responder's socket");
	if (size)
		setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	/* A Unix socket bound to its family alone gets a fresh abstract name: no file is left. */
	if (bind(r->fd, &at->sa, is_unix ? sizeof(sa_family_t) : at->len) < 0) {
		code = -errno;
		zh_target_format(target, sizeof(target), r->transport, at);
		/* Port 0 stands for "any": nobody asked for it. */
		if (!is_unix && !zh_address_port(at) && strrchr(target, ':'))
			*strrchr(target, ':') = '\0';
		zh_err_sys(err, code, "cannot answer on %s", target);
		if (code == -EADDRNOTAVAIL)
			zh_err_hint(err,
				"the address is not on this machine (::1 without IPv6, or a "
				"remote one: then give an echo service's port, %s:HOST:7)",
				r->transport->prefix);
		return code;
	}
	if ((r->transport->flags & ZH_TRANSPORT_STREAM) && listen(r->fd, 1) < 0)
		return zh_err_sys(err, -errno, "cannot listen");
	ret_address->len = sizeof(ret_address->storage);
	if (getsockname(r->fd, &ret_address->sa, &ret_address->len) < 0)
		return zh_err_sys(err, -errno, "cannot read the responder's address");
	return 0;
}

static struct zh_responder *new_responder(
	const struct zh_probe_config *config, const struct zh_transport *transport)
{
	struct zh_responder *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->config = *config;
	r->transport = transport;
	r->fd = r->connection = r->netns_fd = -1;
	atomic_init(&r->refs, 1);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	/* Touched here, so that no page fault comes in between. */
	memset(r->slots, 0, sizeof(r->slots));
	r->buf_size = ZH_MAX((size_t)config->size_bytes, (size_t)65536);
	r->buf = malloc(r->buf_size);
	if (r->buf)
		memset(r->buf, 0xff, r->buf_size);
	return r->buf ? r : (unref(r), NULL);
}

static int start_thread(struct zh_responder *r, struct zh_err *err)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int code;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	atomic_fetch_add(&r->refs, 1);
	code = -pthread_create(&r->thread, &attr, run_thread, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (code < 0) {
		atomic_fetch_sub(&r->refs, 1);
		unref(r);
		return zh_err_sys(err, code, "cannot start the responder's thread");
	}
	code = wait_for(r, &r->has_started, START_WAIT_NS);
	if (code < 0)
		zh_err_sys(err, code, "the responder's thread did not start");
	else if (r->start_code < 0) {
		code = r->start_code;
		zh_err_set(err, code, "cannot set up the responder: %s", r->start_err.text);
	}
	if (code < 0)
		zh_responder_stop(r);
	return code;
}

int zh_responder_start(const struct zh_probe_config *config, const struct zh_transport *transport,
	const struct zh_address *at, struct zh_responder **ret, struct zh_address *ret_address,
	struct zh_err *err)
{
	/* Abstract names of Unix sockets are looked up in the prober's namespace. */
	int ns = transport->flags & ZH_TRANSPORT_INET ? config->peer_netns_fd : config->netns_fd;
	struct zh_responder *r = new_responder(config, transport);
	struct zh_netns_scope scope;
	int code, back;

	if (!r)
		return zh_err_set(err, -ENOMEM, "out of memory");
	code = zh_netns_scope_enter(&scope, ns, err);
	if (code >= 0) {
		code = bind_socket(r, at, ret_address, err);
		back = zh_netns_scope_leave(&scope, code < 0 ? NULL : err);
		code = code < 0 ? code : back;
	}
	if (code >= 0 && config->peer_netns_fd >= 0) {
		r->netns_fd = fcntl(config->peer_netns_fd, F_DUPFD_CLOEXEC, 3);
		if (r->netns_fd < 0)
			code = zh_err_sys(err, -errno, "cannot keep a network namespace");
	}
	if (code < 0) {
		unref(r);
		return code;
	}
	if (config->hooks.socket && !(transport->flags & ZH_TRANSPORT_STREAM))
		config->hooks.socket(config->hooks.arg, r->fd, ZH_ROLE_RESPONDER);
	code = start_thread(r, err);
	if (code < 0)
		return code;
	*ret = r;
	return 0;
}

void zh_responder_wait_accepted(struct zh_responder *r)
{
	if (r->transport->flags & ZH_TRANSPORT_STREAM)
		wait_for(r, &r->has_accepted, ACCEPT_WAIT_NS);
}

struct zh_responder *zh_responder_stop(struct zh_responder *r)
{
	uint64_t until = zh_now_ns() + STOP_WAIT_NS;
	bool has_ended = false;

	if (!r)
		return NULL;
	atomic_store(&r->stop, true);
	/* Shutting a socket down is remembered by it: a receive that begins later returns at once
	 * too, so it cannot come too early. An unconnected UDP socket answers ENOTCONN, but is shut
	 * down all the same (inet_shutdown(), case TCP_CLOSE). */
	if (lock_before(r, until)) {
		if (r->fd >= 0)
			shutdown(r->fd, SHUT_RDWR);
		if (r->connection >= 0)
			shutdown(r->connection, SHUT_RDWR);
		pthread_mutex_unlock(&r->lock);
	}
	while (!has_ended && zh_now_ns() < until) {
		has_ended = pthread_tryjoin_np(r->thread, NULL) == 0;
		if (!has_ended)
			zh_sleep_until(zh_now_ns() + STEP_NS);
	}
	if (!has_ended)
		pthread_detach(r->thread);
	unref(r);
	return NULL;
}

uint32_t zh_responder_tid(const struct zh_responder *r)
{
	return r ? r->tid : 0;
}

int zh_responder_stamps(
	const struct zh_responder *r, uint32_t seq, uint64_t since_ns, struct zh_peer_stamps *ret)
{
	const struct zh_responder_slot *slot = &r->slots[seq % ZH_RESPONDER_SLOTS];
	uint64_t tag = atomic_load_explicit(&slot->tag, memory_order_acquire);
	uint64_t recv_ns = atomic_load_explicit(&slot->recv_ns, memory_order_relaxed);

	if (tag >> 2 != seq || recv_ns < since_ns)
		return -ENOENT;
	ret->recv_ns = recv_ns;
	ret->send_ns = atomic_load_explicit(&slot->send_ns, memory_order_relaxed);
	ret->cpu = atomic_load_explicit(&slot->cpu, memory_order_relaxed);
	ret->sent_ns = (tag & 3) == SLOT_DONE
			       ? atomic_load_explicit(&slot->sent_ns, memory_order_relaxed)
			       : 0;
	return ret->sent_ns ? 0 : -EINPROGRESS;
}
