/* SPDX-License-Identifier: BSD-2-Clause */
/* Stamps → segments. */
#include "explain/timeline.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/activity.h"
#include "explain/points.h"

/* The receiver is woken by the very code that queues the packet, a few us later. A wake-up that
 * comes this late, and not from NET_RX, came from elsewhere (a timer, a signal): the receiver was
 * not in receive. */
#define WAKE_INSIDE_NS 200000

static uint32_t thread_of(const struct zh_points *ps, bool responder)
{
	return responder ? ps->phase->responder_pid : ps->phase->prober_pid;
}

/* Whose time a stage is, and on which CPU. */
static void set_owner(const struct zh_points *ps, struct zh_segment *seg,
	const struct zh_one_point *from, const struct zh_one_point *to)
{
	bool to_responder = to->leg == 0;

	seg->cpu = to->cpu;
	seg->pid = 0;
	switch ((enum zh_stage_id)seg->stage) {
	case ZH_STAGE_SEND:
		seg->pid = thread_of(ps, to->leg == 1);
		break;
	case ZH_STAGE_PEER:
		seg->pid = thread_of(ps, true);
		break;
	case ZH_STAGE_WAKE_IPI:
		seg->cpu = from->cpu;
		break;
	default:
		if (zh_stage_kind(seg->stage) != ZH_STAGE_WORK &&
			zh_stage_kind(seg->stage) != ZH_STAGE_QUEUE)
			seg->pid = thread_of(ps, to_responder);
	}
}

static bool add_segment(struct zh_timeline *tl, const struct zh_points *ps,
	const struct zh_one_point *from, const struct zh_one_point *to, enum zh_stage_id stage,
	uint64_t from_ns, uint64_t to_ns)
{
	struct zh_segment *seg;

	if (from_ns >= to_ns)
		return true;
	seg = zh_timeline_segment(tl);
	if (!seg)
		return false;
	seg->from_ns = from_ns;
	seg->to_ns = to_ns;
	seg->stage = (uint8_t)stage;
	seg->leg = to->leg;
	seg->from_point = from->point;
	seg->to_point = to->point;
	seg->arg = to->arg;
	set_owner(ps, seg, from, to);
	return true;
}

/* A wait for a CPU is idle exit as long as that CPU was still idle, then run queue. */
static bool add_wait(const struct zh_record *r, const struct zh_sample *s, struct zh_timeline *tl,
	const struct zh_points *ps, const struct zh_one_point *from, const struct zh_one_point *to)
{
	uint64_t awake = from->ns;

	if (!zh_activity_idle_until(r, s, to->cpu, from->ns, to->ns, &awake) &&
		to->point == ZH_POINT_RUN && to->arg == 0)
		awake = to->ns;
	return add_segment(tl, ps, from, to, ZH_STAGE_IDLE_EXIT, from->ns, awake) &&
	       add_segment(tl, ps, from, to, ZH_STAGE_RUN_QUEUE, awake, to->ns);
}

/* TCP may queue the packet after the send call returned: that part is a stage of its own. */
static bool add_send(struct zh_timeline *tl, const struct zh_points *ps, const struct zh_sample *s,
	const struct zh_one_point *from, const struct zh_one_point *to)
{
	uint64_t sent = to->leg ? s->peer_sent_ns : s->sent_ns;

	if (ps->phase->transport != ZH_TRANSPORT_TCP || !sent || sent >= to->ns)
		sent = to->ns;
	sent = ZH_MAX(sent, from->ns);
	return add_segment(tl, ps, from, to, ZH_STAGE_SEND, from->ns, sent) &&
	       add_segment(tl, ps, from, to, ZH_STAGE_HELD, sent, to->ns);
}

/* Hooks of the way out (enum nf_inet_hooks of the kernel: LOCAL_OUT, POST_ROUTING). */
static bool is_output_hook(const struct zh_one_point *p)
{
	return p->point == ZH_POINT_NF_IN && (p->arg == 3 || p->arg == 4);
}

/* A wake-up long after the packet came up to the socket, and not by its receive path. Without
 * softirq events only the socket's own stamp tells how far the packet was. */
static bool is_woken_elsewhere(const struct zh_record *r, const struct zh_sample *s,
	const struct zh_one_point *from, const struct zh_one_point *to)
{
	bool in_rx;

	if (to->point != ZH_POINT_WAKING || from->leg != to->leg ||
		to->ns - from->ns <= WAKE_INSIDE_NS)
		return false;
	if (from->point != ZH_POINT_SOCK && from->point != ZH_POINT_RX &&
		from->point != ZH_POINT_NF_OUT)
		return false;
	if (zh_activity_in_net_rx(r, s, to->cpu, to->ns, &in_rx))
		return !in_rx;
	return from->point == ZH_POINT_SOCK;
}

/* A packet of the leg is sent or received although one was already up at the receiver: the next
 * part of a message on a stream, which the sender kept until then. */
static bool is_next_part(
	const struct zh_points *ps, const struct zh_one_point *from, const struct zh_one_point *to)
{
	return ps->phase->transport == ZH_TRANSPORT_TCP && from->leg == to->leg &&
	       from->point >= ZH_POINT_SOCK && from->point <= ZH_POINT_RUN &&
	       to->point >= ZH_POINT_TX_QUEUE && to->point <= ZH_POINT_NF_IN;
}

/* A responder that is not ours leaves no stamps in user space: all between the last sign of the
 * request and the first of the reply is its own time, or that of its wake-up. */
static bool is_foreign_peer(const struct zh_points *ps, const struct zh_sample *s,
	const struct zh_one_point *from, const struct zh_one_point *to)
{
	return ps->phase->transport != ZH_TRANSPORT_ICMP && !s->peer_send_ns && from->leg == 0 &&
	       to->leg == 1 && from->point != ZH_POINT_SEND && to->point != ZH_POINT_RECV;
}

/* What the pair of points alone does not tell. */
static enum zh_stage_id stage_of(const struct zh_record *r, const struct zh_sample *s,
	const struct zh_points *ps, const struct zh_one_point *from, const struct zh_one_point *to)
{
	enum zh_stage_id stage = zh_stage_between(from->point, from->leg, to->point, to->leg);

	if (stage == ZH_STAGE_PROTOCOL && from->leg == to->leg && is_output_hook(to))
		stage = ZH_STAGE_SEND;
	/* The kernel answers an echo by itself: no send call, all of it is protocol work. */
	if (stage == ZH_STAGE_SEND && to->leg == 1 && !s->peer_send_ns)
		stage = ZH_STAGE_PROTOCOL;
	if (is_woken_elsewhere(r, s, from, to))
		stage = ZH_STAGE_PICK_UP;
	if (is_next_part(ps, from, to))
		stage = ZH_STAGE_HELD;
	if (is_foreign_peer(ps, s, from, to))
		stage = ZH_STAGE_PEER;
	return stage;
}

static bool add_between(const struct zh_record *r, const struct zh_sample *s,
	struct zh_timeline *tl, const struct zh_points *ps, const struct zh_one_point *from,
	const struct zh_one_point *to)
{
	enum zh_stage_id stage = stage_of(r, s, ps, from, to);

	if (stage == ZH_STAGE_RUN_QUEUE)
		return add_wait(r, s, tl, ps, from, to);
	if (stage == ZH_STAGE_SEND)
		return add_send(tl, ps, s, from, to);
	return add_segment(tl, ps, from, to, stage, from->ns, to->ns);
}

static const struct zh_phase no_phase;

static void start(const struct zh_record *r, const struct zh_sample *s, struct zh_timeline *tl)
{
	tl->sample = (uint32_t)(s - r->samples);
	tl->incomplete = s->flags & (ZH_SAMPLE_INCOMPLETE | ZH_SAMPLE_OVERRUN);
	tl->measured = s->n_events != 0;
	tl->n_segments = tl->n_pieces = 0;
	tl->excess_ns = tl->unexplained_ns = 0;
}

bool zh_timeline_build(
	const struct zh_record *record, const struct zh_sample *sample, struct zh_timeline *tl)
{
	const struct zh_phase *phase = zh_timeline_phase(record, sample);
	struct zh_points ps = {.phase = phase ? phase : &no_phase};
	size_t i;

	if (!zh_sample_answered(sample) || sample->recv_ns < sample->send_ns)
		return false;
	start(record, sample, tl);
	zh_points_find(&ps, record, sample);
	tl->incomplete |= ps.incomplete;
	for (i = 1; i < ps.n; i++)
		if (!add_between(record, sample, tl, &ps, &ps.p[i - 1], &ps.p[i]))
			return false;
	return true;
}

bool zh_timeline_build_lateness(
	const struct zh_record *record, const struct zh_sample *sample, struct zh_timeline *tl)
{
	const struct zh_phase *phase = zh_timeline_phase(record, sample);
	struct zh_points ps = {.phase = phase ? phase : &no_phase};
	struct zh_one_point from = {.ns = sample->intended_ns, .cpu = sample->send_cpu};
	struct zh_one_point to = {.ns = sample->send_ns, .cpu = sample->send_cpu, .leg = 1};

	start(record, sample, tl);
	if (!sample->intended_ns || sample->intended_ns >= sample->send_ns)
		return false;
	return add_segment(tl, &ps, &from, &to, ZH_STAGE_LATENESS, from.ns, to.ns);
}

const struct zh_phase *zh_timeline_phase(
	const struct zh_record *record, const struct zh_sample *sample)
{
	return sample->phase < record->n_phases ? &record->phases[sample->phase] : NULL;
}

/* Room for one more entry of `size` bytes; doubles. */
static bool grow(void **array, size_t n, size_t *size, size_t entry)
{
	size_t more = *size ? 2 * *size : 32;
	void *p;

	if (n < *size)
		return true;
	p = realloc(*array, more * entry);
	if (!p)
		return false;
	*array = p;
	*size = more;
	return true;
}

struct zh_segment *zh_timeline_segment(struct zh_timeline *tl)
{
	if (!grow((void **)&tl->segments, tl->n_segments, &tl->size_segments,
		    sizeof(struct zh_segment)))
		return NULL;
	tl->segments[tl->n_segments] = (struct zh_segment){.cpu = ZH_CPU_NONE};
	return &tl->segments[tl->n_segments++];
}

struct zh_piece *zh_timeline_piece(struct zh_timeline *tl)
{
	if (!grow((void **)&tl->pieces, tl->n_pieces, &tl->size_pieces, sizeof(struct zh_piece)))
		return NULL;
	tl->pieces[tl->n_pieces] = (struct zh_piece){.cpu = ZH_CPU_NONE};
	return &tl->pieces[tl->n_pieces++];
}

void zh_timeline_done(struct zh_timeline *tl)
{
	free(tl->segments);
	free(tl->pieces);
	*tl = (struct zh_timeline){0};
}
