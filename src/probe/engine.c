/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The phase loop: sends at fixed times, receives in between, never shifts a send.
 *
 * From the first to the last probe nothing here allocates, locks or prints. The stamps stand right
 * beside the send and receive calls; building the message comes before the first stamp.
 */
#include "probe/engine.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/sched.h"

/* Before the first send the machine may rest for a gap, but not longer than this. */
#define LEAD_MAX_NS (10 * ZH_NSEC_PER_MSEC)
/* The responder's last stamp comes a little after its reply: pauses to wait for it. */
#define SETTLE_STEP_NS (30 * ZH_NSEC_PER_USEC)
#define SETTLE_STEPS 8
#define SETTLE_LAST_STEPS 600
/* From here on a clock sleep is more precise than ppoll(). */
#define SLEEP_REST_NS (20 * ZH_NSEC_PER_USEC)
#define WAIT_MAX_NS ZH_NSEC_PER_SEC
/* A step of CLOCK_REALTIME during the phase makes the kernel's stamps worthless. */
#define CLOCK_STEP_NS (50 * ZH_NSEC_PER_USEC)

struct saved_thread {
	struct zh_cpuset affinity;
	uint64_t slack_ns;
	bool has_affinity;
};

static bool asked_to_stop(struct zh_probe *probe)
{
	const struct zh_probe_hooks *hooks = &probe->config.hooks;

	if (!probe->is_stopped && hooks->stop)
		probe->is_stopped = hooks->stop(hooks->arg);
	return probe->is_stopped;
}

/* One send call; a part of a stream's message is possible. */
static ssize_t send_once(struct zh_channel *ch, size_t from, size_t to)
{
	const struct sockaddr *sa = ch->connected ? NULL : &ch->remote.sa;
	ssize_t n;

	do
		n = sendto(ch->fd, ch->tx + from, to - from, MSG_DONTWAIT | MSG_NOSIGNAL, sa,
			sa ? ch->remote.len : 0);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * The peer takes only a part: the rest must follow, or the stream loses its borders. Meanwhile
 * replies are received, or both ends could wait for each other. 0 or a positive errno.
 */
static int send_rest(struct zh_probe *probe, size_t done)
{
	struct zh_channel *ch = &probe->channel;
	uint64_t until = zh_now_ns() + probe->flight.timeout_ns;
	struct pollfd p = {.fd = ch->fd, .events = POLLIN | POLLOUT};
	ssize_t n;

	while (done < ch->tx_len && !ch->closed) {
		if (zh_now_ns() >= until || asked_to_stop(probe)) {
			/* Whatever came now would be taken for the rest of this message. */
			ch->closed = true;
			return ETIMEDOUT;
		}
		poll(&p, 1, 10);
		if (p.revents & (POLLIN | POLLERR | POLLHUP))
			zh_receive_pending(probe);
		n = send_once(ch, done, ch->tx_len);
		if (n > 0)
			done += (size_t)n;
		else if (errno != EAGAIN)
			return errno;
	}
	return done < ch->tx_len ? EPIPE : 0;
}

/* Sends the message in channel->tx. 0 or a positive errno. */
static int send_message(struct zh_probe *probe)
{
	struct zh_channel *ch = &probe->channel;
	size_t first = probe->config.split_writes ? ch->tx_len / 2 : ch->tx_len;
	ssize_t n = send_once(ch, 0, first);

	if (n < 0)
		return errno;
	if ((size_t)n == first && first < ch->tx_len) {
		ssize_t second = send_once(ch, first, ch->tx_len);

		if (second > 0)
			n += second;
	}
	if (!(ch->transport->flags & ZH_TRANSPORT_STREAM) || (size_t)n == ch->tx_len)
		return 0;
	return send_rest(probe, (size_t)n);
}

/* Returns the time behind the send call. */
static uint64_t send_probe(struct zh_probe *probe, uint64_t intended_ns)
{
	struct zh_channel *ch = &probe->channel;
	struct zh_flight *f = &probe->flight;
	struct zh_sample *s = zh_flight_begin(f, intended_ns);
	int error;

	ch->transport->frame(ch, s->seq);
	s->send_cpu = (uint16_t)sched_getcpu();
	s->send_ns = zh_now_ns();
	error = zh_channel_connected(ch);
	if (!error)
		error = ch->closed ? EPIPE : send_message(probe);
	/* A refusal of an earlier request is reported by the next send, which then sends nothing.
	 */
	if (error == ECONNREFUSED && !(ch->transport->flags & ZH_TRANSPORT_STREAM) && f->n_open) {
		zh_flight_refused(f, error, s->send_ns);
		s->send_ns = zh_now_ns();
		error = send_message(probe);
	}
	s->sent_ns = zh_now_ns();
	s->intended_ns = intended_ns ? intended_ns : s->send_ns;
	if (error)
		zh_flight_send_failed(f, s, error, s->sent_ns);
	else
		zh_flight_sent(f, s);
	return s->sent_ns;
}

static void sleep_until(struct zh_probe *probe, uint64_t now_ns, uint64_t until_ns)
{
	if (zh_sleep_until(ZH_MIN(until_ns, now_ns + WAIT_MAX_NS)) == -EINTR)
		asked_to_stop(probe);
}

/* A short rest for the responder to write its last stamp; not longer than until `until_ns`. */
static uint64_t settle(struct zh_probe *probe, uint64_t now_ns, uint64_t until_ns, int steps)
{
	struct zh_flight *f = &probe->flight;

	while (zh_flight_settle(f, now_ns, false) && steps-- > 0 &&
		now_ns + SETTLE_STEP_NS < until_ns) {
		zh_sleep_until(now_ns + SETTLE_STEP_NS);
		now_ns = zh_now_ns();
	}
	return now_ns;
}

/* Receives until `until_ns`, or with `until_idle` until no reply is awaited any more. `now_ns` is a
 * time that was just read. */
static void wait_until(struct zh_probe *probe, uint64_t now_ns, uint64_t until_ns, bool until_idle)
{
	struct zh_flight *f = &probe->flight;
	uint64_t wake_ns;
	uint32_t n_open;

	while (!probe->is_stopped) {
		zh_flight_expire(f, now_ns);
		if (now_ns >= until_ns || (until_idle && !f->n_open))
			return;
		wake_ns = ZH_MIN(until_ns, zh_flight_deadline(f));
		if (probe->channel.closed || !(f->n_open || f->n_overdue) ||
			wake_ns - now_ns < SLEEP_REST_NS) {
			sleep_until(probe, now_ns, wake_ns);
			now_ns = zh_now_ns();
			continue;
		}
		n_open = f->n_open;
		now_ns = zh_receive(probe, now_ns, wake_ns);
		if (f->n_open == n_open)
			asked_to_stop(probe);
		else if (!until_idle)
			now_ns = settle(probe, now_ns, until_ns, SETTLE_STEPS);
	}
}

/*
 * The send is due or overdue: there is no time to wait, but what has come must be taken. Probes
 * paced faster than their round trip would else fill the socket and count as lost.
 */
static void catch_up(struct zh_probe *probe)
{
	uint64_t now_ns;

	if (!probe->flight.n_open)
		return;
	zh_receive_pending(probe);
	now_ns = zh_now_ns();
	zh_flight_settle(&probe->flight, now_ns, false);
	zh_flight_expire(&probe->flight, now_ns);
}

static void send_all(struct zh_probe *probe, uint32_t count, uint64_t gap_ns, uint64_t start_ns)
{
	struct zh_flight *f = &probe->flight;
	uint64_t next_ns, now_ns;
	uint32_t i;

	for (i = 0; i < count && !asked_to_stop(probe); i++) {
		next_ns = gap_ns ? start_ns + i * gap_ns : 0;
		now_ns = gap_ns ? zh_now_ns() : 0;
		if (gap_ns && now_ns < next_ns)
			wait_until(probe, now_ns, next_ns, false);
		else if (gap_ns)
			catch_up(probe);
		if (probe->is_stopped)
			return;
		f->next_send_ns = gap_ns && i + 1 < count ? next_ns + gap_ns : 0;
		now_ns = send_probe(probe, next_ns);
		if (gap_ns)
			continue;
		wait_until(probe, now_ns, UINT64_MAX, true);
		zh_flight_settle(f, f->record->samples[f->next - 1].recv_ns, false);
	}
}

/* What is still open gets its full time, then the last stamps of the responder are waited for. */
static void finish(struct zh_probe *probe)
{
	struct zh_flight *f = &probe->flight;
	uint64_t now_ns;

	wait_until(probe, zh_now_ns(), UINT64_MAX, true);
	now_ns = settle(probe, zh_now_ns(), UINT64_MAX, SETTLE_LAST_STEPS);
	zh_flight_settle(f, now_ns, true);
	if (probe->is_stopped)
		zh_flight_abandon(f, now_ns);
	zh_receive_pending(probe);
}

static int enter_thread(struct zh_probe *probe, struct saved_thread *saved, struct zh_err *err)
{
	int r;

	saved->has_affinity = probe->config.cpu >= 0;
	if (saved->has_affinity) {
		r = zh_sched_get_affinity(&saved->affinity, err);
		if (r >= 0)
			r = zh_sched_pin(probe->config.cpu, err);
		if (r < 0)
			return r;
	}
	saved->slack_ns = zh_sched_set_timer_slack(1);
	zh_sched_prefault_stack();
	return 0;
}

static void leave_thread(const struct saved_thread *saved)
{
	zh_sched_set_timer_slack(saved->slack_ns);
	if (saved->has_affinity)
		zh_sched_set_affinity(&saved->affinity, NULL);
}

static struct zh_phase *add_phase(const struct zh_probe *probe, struct zh_record *record,
	const char *label, uint64_t gap_ns, uint64_t timeout_ns)
{
	struct zh_phase *phase = &record->phases[record->n_phases++];

	memset(phase, 0, sizeof(*phase));
	snprintf(phase->label, sizeof(phase->label), "%s", label);
	snprintf(phase->target, sizeof(phase->target), "%s", probe->target);
	phase->transport = (uint8_t)probe->channel.transport->id;
	phase->own_responder = probe->responder != NULL;
	phase->gap_ns = gap_ns;
	phase->timeout_ns = timeout_ns;
	phase->size_bytes = probe->config.size_bytes;
	phase->first = (uint32_t)record->n_samples;
	phase->prober_pid = zh_sched_tid();
	phase->responder_pid = zh_responder_tid(probe->responder);
	return phase;
}

static void start_flight(struct zh_probe *probe, struct zh_record *record, uint64_t timeout_ns)
{
	struct zh_flight *f = &probe->flight;

	memset(f, 0, sizeof(*f));
	f->record = record;
	f->responder = probe->responder;
	f->hooks = &probe->config.hooks;
	f->timeout_ns = timeout_ns;
	f->first = f->next = f->oldest = (uint32_t)record->n_samples;
	f->known = probe->last_record == record ? 0 : f->first;
	probe->last_record = record;
	probe->is_stopped = false;
}

/* Kernel stamps are made with CLOCK_REALTIME; when that was set meanwhile they are dropped. */
static void check_clock(const struct zh_probe *probe, const struct zh_phase *phase)
{
	int64_t step = (int64_t)(zh_realtime_offset_ns() - probe->realtime_offset_ns);
	uint32_t i;

	if (step < (int64_t)CLOCK_STEP_NS && step > -(int64_t)CLOCK_STEP_NS)
		return;
	for (i = 0; i < phase->n; i++)
		probe->flight.record->samples[phase->first + i].krx_ns = 0;
}

int zh_probe_phase(struct zh_probe *probe, const char *label, uint32_t count, uint64_t gap_ns,
	uint64_t timeout_ns, struct zh_record *record, struct zh_err *err)
{
	const struct zh_probe_hooks *hooks = &probe->config.hooks;
	struct saved_thread saved;
	struct zh_phase *phase;
	int r;

	if (record->n_phases >= record->max_phases ||
		record->max_samples - record->n_samples < count)
		return zh_err_set(err, -ENOSPC, "no room for %u samples in the record", count);
	if (!timeout_ns)
		return zh_err_set(err, -EINVAL, "a reply must have some time to come");
	r = enter_thread(probe, &saved, err);
	if (r < 0)
		return r;
	phase = add_phase(probe, record, label, gap_ns, timeout_ns);
	if (hooks->thread)
		hooks->thread(hooks->arg, phase->prober_pid, ZH_ROLE_PROBER);
	start_flight(probe, record, timeout_ns);
	zh_receive_pending(probe);
	zh_receive_prepare(probe, gap_ns ? ZH_MIN(gap_ns, timeout_ns) : timeout_ns, !gap_ns);
	probe->realtime_offset_ns = zh_realtime_offset_ns();
	phase->start_ns = zh_now_ns();
	send_all(probe, count, gap_ns, phase->start_ns + ZH_MIN(gap_ns, LEAD_MAX_NS));
	finish(probe);
	phase->end_ns = zh_now_ns();
	phase->n = (uint32_t)record->n_samples - phase->first;
	check_clock(probe, phase);
	if (probe->flight.n_pushed_out)
		zh_record_not_measured(record, "replies later than 1024 probes",
			"%u probes count as lost ahead of their timeout: only %u can be in flight",
			probe->flight.n_pushed_out, ZH_FLIGHT_MAX);
	leave_thread(&saved);
	return 0;
}
