/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/send.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "record/wire.h"
#include "sys/icmp.h"
#include "sys/net-config.h"
#include "trace/trail.h"

#define MESSAGE_BYTES 56
#define FRAME_MAX 1500
#define WINDOW 64u /* packets under way at once */
#define LEG_OFFSET offsetof(struct zh_wire, leg)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t set_address(union address *ret, int family, const struct in6_addr *ip,
	uint16_t port, unsigned int scope)
{
	*ret = (union address){};
	ret->any.sa_family = (sa_family_t)family;
	if (family == AF_INET) {
		memcpy(&ret->v4.sin_addr, ip, sizeof(ret->v4.sin_addr));
		ret->v4.sin_port = htons(port);
		return sizeof(ret->v4);
	}
	ret->v6.sin6_addr = *ip;
	ret->v6.sin6_port = htons(port);
	ret->v6.sin6_scope_id = scope;
	return sizeof(ret->v6);
}

static uint16_t port_of(const union address *address)
{
	return ntohs(
		address->any.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

/* A socket owned by the flow's user, with its mark, bound to its source. The port is chosen now. */
static int prepare(const struct zh_flow *flow, int fd, uint16_t *ret_port, struct zh_err *err)
{
	union address own;
	socklen_t len = set_address(&own, flow->family, flow->has_from ? &flow->from : &in6addr_any,
		flow->from_port, flow->oif);
	int r = 0;

	if (fd < 0)
		return fd;
	if (flow->mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &flow->mark, sizeof(flow->mark)) < 0)
		r = zh_err_sys(err, -errno, "cannot give packets the mark 0x%x", flow->mark);
	if (r == 0 && bind(fd, &own.any, len) < 0)
		r = zh_err_sys(err, -errno, "cannot send from the source address");
	if (r == 0 && getsockname(fd, &own.any, &len) == 0)
		*ret_port = port_of(&own);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* Files made meanwhile belong to the flow's user, and so do the sockets. */
static int open_as(const struct zh_flow *flow, int (*open)(const struct zh_flow *flow, bool *raw),
	bool *ret_raw, struct zh_err *err)
{
	int before = flow->has_uid ? setfsuid(flow->uid) : -1, fd;

	if (flow->has_uid && (uint32_t)setfsuid(flow->uid) != flow->uid)
		return zh_err_set(err, -EPERM, "cannot send as user %u: not permitted", flow->uid);
	fd = open(flow, ret_raw);
	if (flow->has_uid)
		setfsuid((uid_t)before);
	return fd < 0 ? zh_err_sys(err, fd, "cannot open a socket") : fd;
}

static int open_icmp(const struct zh_flow *flow, bool *ret_raw)
{
	return zh_icmp_open(flow->family, ret_raw, NULL);
}

static int open_udp(const struct zh_flow *flow, bool *ret_raw)
{
	int fd = socket(flow->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)ret_raw;
	return fd < 0 ? -errno : fd;
}

static int open_tcp(const struct zh_flow *flow, bool *ret_raw)
{
	int fd = socket(flow->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)ret_raw;
	return fd < 0 ? -errno : fd;
}

/* A socket of our own that answers, on the target's address in the namespace where the way ends. */
struct answerer {
	const struct zh_flow *flow;
	const struct in6_addr *address;
	int type, fd;
	uint16_t port;
};

static int open_answerer(void *arg)
{
	struct answerer *a = arg;
	union address own;
	socklen_t len = set_address(&own, a->flow->family, a->address, 0, a->flow->oif);
	int r = 0;

	a->fd = socket(a->flow->family, a->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->fd < 0)
		return -errno;
	if (bind(a->fd, &own.any, len) < 0 || getsockname(a->fd, &own.any, &len) < 0)
		r = -errno;
	if (r == 0 && a->type == SOCK_STREAM && listen(a->fd, PATH_SENT_MAX) < 0)
		r = -errno;
	a->port = port_of(&own);
	if (r < 0)
		close(zh_take_fd(&a->fd));
	return r;
}

static void answer_datagram(int fd)
{
	uint8_t message[FRAME_MAX];
	union address from;
	socklen_t len = sizeof(from);
	const uint32_t leg = 1;
	ssize_t n = recvfrom(fd, message, sizeof(message), 0, &from.any, &len);

	if (n < (ssize_t)sizeof(struct zh_wire))
		return;
	memcpy(message + LEG_OFFSET, &leg, sizeof(leg));
	sendto(fd, message, (size_t)n, 0, &from.any, len);
}

/* What is under way. Packets do not wait for each other's answers: a lossy way takes one timeout,
 * not one a packet. */
struct run {
	struct path_send *send;
	union address to;
	socklen_t to_len;
	struct answerer answerer; /* fd -1: somebody else answers */
	bool is_tcp, is_raw;
	int fd;           /* of datagrams */
	uint16_t icmp_id; /* network order */
	uint32_t next;    /* packet to be sent */
	uint32_t n_open;  /* sent, and its fate not known */
	struct open {
		bool is_open;
		int fd; /* of a connection attempt */
		uint64_t deadline_ns;
	} open[PATH_SENT_MAX];
};

static void settle(struct run *run, uint32_t seq, enum path_outcome outcome, int error)
{
	struct open *open = &run->open[seq];

	run->send->sent[seq] = (struct path_sent){outcome, error};
	if (run->is_tcp)
		zh_closep(&open->fd);
	open->is_open = false;
	run->n_open--;
}

static uint32_t oldest_open(const struct run *run)
{
	uint32_t seq;

	for (seq = 0; seq < run->next && !run->open[seq].is_open; seq++)
		;
	return seq;
}

static void fill_wire(const struct run *run, uint8_t *payload)
{
	const struct zh_wire wire = {.magic = ZH_WIRE_MAGIC,
		.run = run->send->run,
		.seq = run->next,
		.size = MESSAGE_BYTES};

	memset(payload, 'z', MESSAGE_BYTES);
	memcpy(payload, &wire, sizeof(wire));
}

static ssize_t send_message(const struct run *run)
{
	uint8_t message[ZH_ICMP_HEADER + MESSAGE_BYTES];
	uint16_t sum, seq = htons((uint16_t)run->next);
	bool is_echo = run->send->flow->protocol != IPPROTO_UDP;
	int family = run->send->flow->family;

	fill_wire(run, message + ZH_ICMP_HEADER);
	if (!is_echo)
		return send(run->fd, message + ZH_ICMP_HEADER, MESSAGE_BYTES, 0);
	zh_icmp_request(message, family, run->icmp_id);
	memcpy(message + 6, &seq, sizeof(seq));
	if (family == AF_INET) {
		sum = zh_icmp_fold(zh_icmp_sum(message, sizeof(message), 0));
		memcpy(message + 2, &sum, sizeof(sum));
	}
	return send(run->fd, message, sizeof(message), 0);
}

/* Only a refusal comes from the port that was asked. */
static enum path_outcome outcome_of(int code)
{
	return !code ? PATH_ANSWERED : code == ECONNREFUSED ? PATH_REFUSED : PATH_UNREACHABLE;
}

/* What the socket was told about an earlier packet, which would fail the next call. */
static void take_error(struct run *run)
{
	uint32_t seq = oldest_open(run);
	int code = 0;
	socklen_t len = sizeof(code);

	if (getsockopt(run->fd, SOL_SOCKET, SO_ERROR, &code, &len) == 0 && code && seq < run->next)
		settle(run, seq, outcome_of(code), code);
}

static int send_datagram(struct run *run)
{
	uint32_t seq;
	int code;

	take_error(run);
	if (send_message(run) >= 0)
		return 0;
	/* It may have come in between: then the call works the next time. */
	code = errno;
	seq = oldest_open(run);
	if (seq == run->next)
		return -code;
	if (send_message(run) < 0)
		return -errno;
	settle(run, seq, outcome_of(code), code);
	return 0;
}

/* A connection attempt from a port of its own. 0, a negative errno of connect(), or 1 with err: no
 * attempt could be made. */
static int attempt(struct run *run, int *ret_fd, struct zh_err *err)
{
	struct zh_flow flow = *run->send->flow;
	const struct linger abort = {.l_onoff = 1};
	uint16_t port = 0;
	int fd;

	flow.from_port = 0;
	fd = prepare(&flow, open_as(&flow, open_tcp, NULL, err), &port, err);

	if (fd < 0)
		return 1;
	*ret_fd = fd;
	/* Between sockets of our own nothing stays in TIME_WAIT; others are taken leave of. */
	if (run->answerer.fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
	run->send->id = port;
	if (run->send->trail)
		zh_trail_port(run->send->trail, run->next, port);
	return connect(fd, &run->to.any, run->to_len) == 0 || errno == EINPROGRESS ? 0 : -errno;
}

static int send_next(struct run *run, struct zh_err *err)
{
	struct path_send *send = run->send;
	uint32_t seq = run->next;
	int fd = -1, r = run->is_tcp ? attempt(run, &fd, err) : send_datagram(run);

	if (r > 0)
		return err->code;
	run->open[seq] = (struct open){
		.is_open = true, .fd = fd, .deadline_ns = zh_now_ns() + send->timeout_ns};
	run->n_open++;
	run->next++;
	send->n_sent++;
	if (r < 0)
		settle(run, seq, r == -ECONNREFUSED ? PATH_REFUSED : PATH_FAILED, -r);
	return 0;
}

/* The packet that a message answers; run->next when it is none of ours. Somebody's service says
 * what it likes: then it is the oldest without an answer. */
static uint32_t answered_by(const struct run *run, const uint8_t *message, size_t len)
{
	const struct zh_flow *flow = run->send->flow;
	struct zh_wire wire;

	if (flow->protocol != IPPROTO_UDP)
		message =
			zh_icmp_reply(message, len, flow->family, run->is_raw, run->icmp_id, &len);
	else if (run->answerer.fd < 0)
		return oldest_open(run);
	if (!message || len < sizeof(wire))
		return run->next;
	memcpy(&wire, message, sizeof(wire));
	if (wire.magic != ZH_WIRE_MAGIC || wire.run != run->send->run || wire.seq >= run->next ||
		!run->open[wire.seq].is_open)
		return run->next;
	return wire.seq;
}

static void receive_datagrams(struct run *run)
{
	uint8_t message[FRAME_MAX];
	uint32_t seq;
	ssize_t n;
	int code;

	while (run->n_open) {
		n = recv(run->fd, message, sizeof(message), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		code = n < 0 ? errno : 0;
		seq = n < 0 ? oldest_open(run) : answered_by(run, message, (size_t)n);
		if (seq < run->next)
			settle(run, seq, outcome_of(code), code);
	}
}

static void finish_attempt(struct run *run, uint32_t seq)
{
	int code = 0;
	socklen_t len = sizeof(code);

	getsockopt(run->open[seq].fd, SOL_SOCKET, SO_ERROR, &code, &len);
	settle(run, seq, outcome_of(code), code);
}

/* The other end's half of what is answered here; nothing is said on it. */
static void answer(const struct answerer *answerer)
{
	int fd;

	if (answerer->type != SOCK_STREAM) {
		answer_datagram(answerer->fd);
		return;
	}
	fd = accept4(answerer->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
}

static void expire(struct run *run, uint64_t now_ns)
{
	uint32_t seq;

	for (seq = 0; seq < run->next && run->n_open; seq++)
		if (run->open[seq].is_open && now_ns >= run->open[seq].deadline_ns)
			settle(run, seq, PATH_SILENT, 0);
}

/* Sleeps until something comes, or `until_ns`. */
static void wait_events(struct run *run, uint64_t now_ns, uint64_t until_ns)
{
	uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec left = {.tv_sec = (time_t)(left_ns / ZH_NSEC_PER_SEC),
		.tv_nsec = (long)(left_ns % ZH_NSEC_PER_SEC)};
	struct pollfd fds[2 + WINDOW] = {
		{.fd = run->answerer.fd, .events = POLLIN}, {.fd = run->fd, .events = POLLIN}};
	uint32_t seqs[WINDOW], seq;
	nfds_t n = 0, i;

	for (seq = 0; run->is_tcp && seq < run->next && n < WINDOW; seq++) {
		if (!run->open[seq].is_open)
			continue;
		fds[2 + n] = (struct pollfd){.fd = run->open[seq].fd, .events = POLLOUT};
		seqs[n++] = seq;
	}
	if (ppoll(fds, 2 + n, &left, NULL) <= 0)
		return;
	if (fds[0].revents & POLLIN)
		answer(&run->answerer);
	if (fds[1].revents)
		receive_datagrams(run);
	for (i = 0; i < n; i++)
		if (fds[2 + i].revents)
			finish_attempt(run, seqs[i]);
}

static bool stopped(const struct run *run)
{
	return run->send->stop && run->send->stop(run->send->arg);
}

/* Those under way are waited for also when it is time to stop, so that none is called lost that was
 * not waited for. */
static int send_each(struct run *run, struct zh_err *err)
{
	struct path_send *send = run->send;
	uint64_t start_ns = zh_now_ns(), now_ns = start_ns, due_ns, until_ns;
	bool more = true;
	int r = 0;

	while ((more = more && r == 0 && run->next < send->count && !stopped(run)) || run->n_open) {
		due_ns = start_ns + run->next * send->gap_ns;
		if (more && now_ns >= due_ns && run->n_open < WINDOW) {
			r = send_next(run, err);
			continue;
		}
		until_ns = run->n_open ? run->open[oldest_open(run)].deadline_ns : due_ns;
		if (more && run->n_open < WINDOW)
			until_ns = ZH_MIN(until_ns, due_ns);
		wait_events(run, now_ns, until_ns);
		now_ns = zh_now_ns();
		expire(run, now_ns);
	}
	send->took_ns = zh_now_ns() - start_ns;
	return r;
}

/* The socket of echoes and datagrams: connected, so that refusals come back to it. */
static int open_datagrams(struct run *run, struct zh_err *err)
{
	const struct zh_flow *flow = run->send->flow;
	bool is_echo = flow->protocol != IPPROTO_UDP;
	uint16_t port = 0;
	int fd = open_as(flow, is_echo ? open_icmp : open_udp, &run->is_raw, err);

	run->fd = prepare(flow, fd, &port, err);
	if (run->fd < 0)
		return run->fd;
	run->send->id = port;
	if (is_echo) {
		run->icmp_id = run->is_raw ? (uint16_t)(run->send->run | 1) : htons(port);
		run->send->id = ntohs(run->icmp_id);
		if (run->is_raw && zh_icmp_filter(run->fd, flow->family, run->icmp_id, err) < 0)
			return err->code;
	}
	/* A refusal is the first packet's fate, like that of the ones behind it. */
	if (connect(run->fd, &run->to.any, run->to_len) < 0)
		return zh_err_sys(err, -errno, "cannot send to the target");
	return 0;
}

/* Without a port somebody must listen: we do, where the way ends. */
static int start_answerer(struct run *run, struct zh_err *err)
{
	const struct zh_flow *flow = run->send->flow;
	struct zh_err why = {};
	int r;

	run->answerer = (struct answerer){.flow = flow,
		.address = &run->send->end_address,
		.type = flow->protocol == IPPROTO_TCP ? SOCK_STREAM : SOCK_DGRAM,
		.fd = -1,
		.port = flow->to_port};
	if (flow->to_port || (flow->protocol != IPPROTO_UDP && flow->protocol != IPPROTO_TCP))
		return 0;
	if (run->send->spare_port) {
		run->answerer.port = run->send->spare_port;
		return 0;
	}
	if (!run->send->ends_here && run->send->end_netns_fd < 0)
		return zh_err_set(err, -EDESTADDRREQ,
			"without a port there is nobody to answer: the way's end is out of reach");
	r = run->send->ends_here
		    ? open_answerer(&run->answerer)
		    : zh_netns_call(run->send->end_netns_fd, open_answerer, &run->answerer, &why);
	return r < 0 ? zh_err_sys(err, r, "cannot answer at the target's address") : 0;
}

int path_send_all(struct path_send *send, struct zh_err *err)
{
	struct run run = {.send = send, .fd = -1, .is_tcp = send->flow->protocol == IPPROTO_TCP};
	int r = start_answerer(&run, err);

	send->n_sent = 0;
	send->to_port = run.answerer.port;
	if (r < 0)
		return r;
	run.to_len = set_address(
		&run.to, send->flow->family, &send->flow->to, run.answerer.port, send->flow->oif);
	if (!run.is_tcp)
		r = open_datagrams(&run, err);
	if (r == 0)
		r = send_each(&run, err);
	zh_closep(&run.fd);
	zh_closep(&run.answerer.fd);
	return r;
}
