/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/flight.h"

#include <errno.h>
#include <string.h>

static uint8_t *state_of(struct zh_flight *f, uint32_t seq)
{
	return &f->state[seq % ZH_FLIGHT_MAX];
}

static struct zh_sample *sample_of(const struct zh_flight *f, uint32_t seq)
{
	return &f->record->samples[seq];
}

static void end(struct zh_flight *f, uint32_t seq, uint64_t now_ns)
{
	uint64_t slack = ZH_FLIGHT_NO_HURRY_NS;

	*state_of(f, seq) = ZH_FLIGHT_ENDED;
	while (f->oldest < f->next && *state_of(f, f->oldest) == ZH_FLIGHT_ENDED)
		f->oldest++;
	if (f->next_send_ns)
		slack = f->next_send_ns > now_ns ? f->next_send_ns - now_ns : 0;
	if (f->hooks->sample)
		f->hooks->sample(f->hooks->arg, sample_of(f, seq), slack);
}

/* Copies what the responder noted. False while more is to come. */
static bool copy_peer_stamps(const struct zh_flight *f, struct zh_sample *s)
{
	struct zh_peer_stamps peer;
	int r;

	if (!f->responder)
		return true;
	r = zh_responder_stamps(f->responder, s->seq, s->send_ns, &peer);
	if (r == 0 || r == -EINPROGRESS) {
		s->peer_recv_ns = peer.recv_ns;
		s->peer_send_ns = peer.send_ns;
		s->peer_sent_ns = peer.sent_ns;
		s->peer_cpu = peer.cpu;
	}
	return r == 0;
}

static void give_up(struct zh_flight *f, uint32_t seq, uint64_t now_ns)
{
	struct zh_sample *s = sample_of(f, seq);

	f->n_open--;
	f->n_overdue++;
	s->flags |= ZH_SAMPLE_LOST;
	/* The request may have arrived: that tells which way lost it. */
	copy_peer_stamps(f, s);
	end(f, seq, now_ns);
}

/* The next open sample from f->oldest on, or f->next. Ended ones before it were passed already. */
static uint32_t oldest_open(const struct zh_flight *f)
{
	uint32_t seq = f->oldest;

	while (seq < f->next && f->state[seq % ZH_FLIGHT_MAX] != ZH_FLIGHT_OPEN)
		seq++;
	return seq;
}

struct zh_sample *zh_flight_begin(struct zh_flight *f, uint64_t now_ns)
{
	struct zh_sample *s;
	uint32_t seq;

	if (f->next - f->oldest >= ZH_FLIGHT_MAX) {
		zh_flight_settle(f, now_ns, true);
		seq = oldest_open(f);
		if (f->next - f->oldest >= ZH_FLIGHT_MAX && seq < f->next) {
			give_up(f, seq, now_ns);
			f->n_pushed_out++;
		}
	}
	s = sample_of(f, f->next);
	memset(s, 0, sizeof(*s));
	s->seq = f->next;
	s->phase = (uint16_t)(f->record->n_phases - 1);
	return s;
}

void zh_flight_sent(struct zh_flight *f, struct zh_sample *s)
{
	*state_of(f, s->seq) = ZH_FLIGHT_OPEN;
	f->n_open++;
	f->next = s->seq + 1;
	f->record->n_samples = f->next;
}

void zh_flight_send_failed(struct zh_flight *f, struct zh_sample *s, int error, uint64_t now_ns)
{
	zh_flight_sent(f, s);
	f->n_open--;
	s->flags |= ZH_SAMPLE_LOST | ZH_SAMPLE_SEND_FAILED;
	s->send_errno = (int16_t)error;
	end(f, s->seq, now_ns);
}

/* A reply to a sample that has ended, maybe in an earlier phase of this record. */
static void note_afterwards(
	struct zh_flight *f, struct zh_sample *s, uint64_t recv_ns, uint64_t krx_ns, uint16_t cpu)
{
	if (s->recv_ns) {
		s->flags |= ZH_SAMPLE_DUPLICATE;
		return;
	}
	if (!(s->flags & ZH_SAMPLE_LOST) || (s->flags & ZH_SAMPLE_SEND_FAILED))
		return;
	s->flags |= ZH_SAMPLE_LATE;
	s->recv_ns = recv_ns;
	s->krx_ns = krx_ns;
	s->recv_cpu = cpu;
	if (f->n_overdue)
		f->n_overdue--;
}

void zh_flight_reply(
	struct zh_flight *f, uint32_t seq, uint64_t recv_ns, uint64_t krx_ns, uint16_t cpu)
{
	struct zh_sample *s;

	if (seq < f->known || seq >= f->next || sample_of(f, seq)->send_ns > recv_ns)
		return;
	s = sample_of(f, seq);
	if (seq < f->oldest || *state_of(f, seq) != ZH_FLIGHT_OPEN) {
		note_afterwards(f, s, recv_ns, krx_ns, cpu);
		return;
	}
	s->recv_ns = recv_ns;
	s->krx_ns = krx_ns;
	s->recv_cpu = cpu;
	if (recv_ns - s->send_ns > f->timeout_ns)
		s->flags |= ZH_SAMPLE_LOST | ZH_SAMPLE_LATE;
	f->n_open--;
	if (!f->n_pending && copy_peer_stamps(f, s)) {
		end(f, seq, recv_ns);
		return;
	}
	*state_of(f, seq) = ZH_FLIGHT_ANSWERED;
	f->pending[(f->pending_first + f->n_pending) % ZH_FLIGHT_MAX] = seq;
	f->n_pending++;
}

void zh_flight_refused(struct zh_flight *f, int error, uint64_t now_ns)
{
	uint32_t seq = oldest_open(f);

	if (seq == f->next)
		return;
	sample_of(f, seq)->send_errno = (int16_t)error;
	give_up(f, seq, now_ns);
	f->n_overdue--;
}

void zh_flight_expire(struct zh_flight *f, uint64_t now_ns)
{
	uint32_t seq;

	while (f->n_open) {
		seq = oldest_open(f);
		if (now_ns < sample_of(f, seq)->send_ns + f->timeout_ns)
			return;
		give_up(f, seq, now_ns);
	}
}

uint32_t zh_flight_settle(struct zh_flight *f, uint64_t now_ns, bool force)
{
	uint32_t seq;

	while (f->n_pending) {
		seq = f->pending[f->pending_first];
		if (!copy_peer_stamps(f, sample_of(f, seq)) && !force)
			break;
		f->pending_first = (f->pending_first + 1) % ZH_FLIGHT_MAX;
		f->n_pending--;
		end(f, seq, now_ns);
	}
	return f->n_pending;
}

uint64_t zh_flight_deadline(const struct zh_flight *f)
{
	if (!f->n_open)
		return UINT64_MAX;
	return sample_of(f, oldest_open(f))->send_ns + f->timeout_ns;
}

void zh_flight_abandon(struct zh_flight *f, uint64_t now_ns)
{
	zh_flight_settle(f, now_ns, true);
	while (f->next > f->first && f->n_open && *state_of(f, f->next - 1) == ZH_FLIGHT_OPEN) {
		f->next--;
		f->n_open--;
	}
	f->record->n_samples = f->next;
	if (f->oldest > f->next)
		f->oldest = f->next;
	while (f->n_open)
		give_up(f, oldest_open(f), now_ns);
}
