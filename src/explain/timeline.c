/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stamps → segments.
 *
 * Stamps come from several CPUs and from user space, so small inversions occur: a softirq stamp may
 * predate netif_rx, and the local sched_wakeup often fires after the remote CPU already runs the
 * receiver. They are sorted by time, known inversions of neighbours are swapped and the earlier
 * point clamped; what lies outside its own leg is clamped to it or, if far off, left out.
 */
#include "explain/timeline.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/activity.h"

#define POINTS_MAX 96

/* The receiver is woken by the very code that queues the packet, a few us later. A wake-up that
 * comes this late, and not from NET_RX, came from elsewhere (a timer, a signal): the receiver was
 * not in receive. */
#define WAKE_INSIDE_NS 200000

struct point {
	uint64_t ns;
	uint32_t arg;
	uint16_t cpu;
	uint8_t point, leg;
};

struct points {
	struct point p[POINTS_MAX];
	size_t n;
	bool incomplete;
	uint64_t from_ns[2], to_ns[2]; /* of each leg */
	const struct zh_phase *phase;
};

static void add_point(struct points *ps, unsigned int point, unsigned int leg, uint64_t ns,
	uint16_t cpu, uint32_t arg)
{
	uint64_t from = ps->from_ns[leg], to = ps->to_ns[leg];
	uint64_t off = ns < from ? from - ns : ns > to ? ns - to : 0;

	/* A wake-up is complete at the latest when the woken thread is back in user space; its
	 * stamp on the waker's CPU may come any time later. */
	if (off > ZH_STEP_BACK_NS && !(point == ZH_POINT_WAKEUP && ns > to)) {
		ps->incomplete = true;
		return;
	}
	if (ps->n == POINTS_MAX) {
		ps->incomplete = true;
		return;
	}
	ps->p[ps->n++] = (struct point){.ns = ZH_MIN(ZH_MAX(ns, from), to),
		.arg = arg,
		.cpu = cpu,
		.point = (uint8_t)point,
		.leg = (uint8_t)leg};
}

static void add_user_points(struct points *ps, const struct zh_sample *s)
{
	bool peer = s->peer_recv_ns && s->peer_send_ns;

	if (peer && (s->peer_recv_ns < s->send_ns || s->peer_send_ns < s->peer_recv_ns ||
			    s->recv_ns < s->peer_send_ns)) {
		ps->incomplete = true;
		peer = false;
	}
	ps->from_ns[0] = ps->from_ns[1] = s->send_ns;
	ps->to_ns[0] = ps->to_ns[1] = s->recv_ns;
	if (peer) {
		ps->to_ns[0] = s->peer_recv_ns;
		ps->from_ns[1] = s->peer_send_ns;
	}
	add_point(ps, ZH_POINT_SEND, 0, s->send_ns, s->send_cpu, 0);
	if (peer) {
		add_point(ps, ZH_POINT_RECV, 0, s->peer_recv_ns, s->peer_cpu, 0);
		add_point(ps, ZH_POINT_SEND, 1, s->peer_send_ns, s->peer_cpu, 0);
	}
	add_point(ps, ZH_POINT_RECV, 1, s->recv_ns, s->recv_cpu, 0);
}

static bool is_kernel_point(const struct zh_stamp *stamp)
{
	return stamp->point > ZH_POINT_SEND && stamp->point < ZH_POINT_RECV && stamp->leg <= 1;
}

static void add_kernel_points(
	struct points *ps, const struct zh_record *r, const struct zh_sample *s)
{
	size_t i, end = ZH_MIN((size_t)s->stamps + s->n_stamps, r->n_stamps);
	bool reply_seen = false;

	for (i = s->stamps; i < end; i++) {
		const struct zh_stamp *stamp = &r->stamps[i];

		if (!is_kernel_point(stamp))
			continue;
		reply_seen |= stamp->leg == 1;
		add_point(ps, stamp->point, stamp->leg, stamp->ns, stamp->cpu, stamp->arg);
	}
	/* The kernel's receive stamp is converted from the wall clock: good to a few us, so it is
	 * used only where nothing better is known of the reply. */
	if (!reply_seen && s->krx_ns > ps->from_ns[1] && s->krx_ns < s->recv_ns)
		add_point(ps, ZH_POINT_KRX, 1, s->krx_ns, s->recv_cpu, 0);
}

static bool comes_before(const struct point *a, const struct point *b)
{
	unsigned int rank_a = a->point == ZH_POINT_KRX ? ZH_POINT_NETIF_RX : a->point;
	unsigned int rank_b = b->point == ZH_POINT_KRX ? ZH_POINT_NETIF_RX : b->point;

	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->leg != b->leg)
		return a->leg < b->leg;
	return rank_a < rank_b;
}

static void sort_points(struct points *ps)
{
	size_t i, k;

	for (i = 1; i < ps->n; i++) {
		struct point p = ps->p[i];

		for (k = i; k > 0 && comes_before(&p, &ps->p[k - 1]); k--)
			ps->p[k] = ps->p[k - 1];
		ps->p[k] = p;
	}
}

/* Neighbours that can only be in the wrong order because their CPUs or contexts disagree. */
static bool is_inverted(const struct point *first, const struct point *second)
{
	static const struct {
		uint8_t before, after;
		bool same_arg;
	} pairs[] = {
		{ZH_POINT_NETIF_RX, ZH_POINT_RX, true},
		{ZH_POINT_QDISC_IN, ZH_POINT_QDISC_OUT, true},
		{ZH_POINT_NF_IN, ZH_POINT_NF_OUT, true},
		{ZH_POINT_WAKING, ZH_POINT_WAKEUP, false},
		{ZH_POINT_WAKEUP, ZH_POINT_RUN, false},
	};
	size_t i;

	if (first->leg != second->leg)
		return false;
	for (i = 0; i < ZH_ARRAY_SIZE(pairs); i++)
		if (first->point == pairs[i].after && second->point == pairs[i].before)
			return !pairs[i].same_arg || first->arg == second->arg;
	return false;
}

/* The point that seems to be late is the second of its kind on that leg: another packet's. */
static bool is_repeated(const struct points *ps, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (ps->p[k].point == ps->p[i].point && ps->p[k].leg == ps->p[i].leg &&
			ps->p[k].arg == ps->p[i].arg)
			return true;
	return false;
}

static void mend_order(struct points *ps)
{
	size_t i, pass;

	for (pass = 0; pass < 3; pass++) {
		for (i = 1; i < ps->n; i++) {
			struct point *a = &ps->p[i - 1], *b = &ps->p[i], swap;

			if (!is_inverted(a, b) || is_repeated(ps, i))
				continue;
			if (b->ns - a->ns > ZH_STEP_BACK_NS && b->point != ZH_POINT_WAKEUP)
				ps->incomplete = true;
			b->ns = a->ns;
			swap = *a;
			*a = *b;
			*b = swap;
		}
	}
}

/*
 * A responder that is not ours and echoes the payload as it is sends a reply that looks like the
 * request. Where a packet enters the same device again after it was received there, the reply
 * begins.
 */
static void tell_reply(struct points *ps, const struct zh_sample *s)
{
	size_t i, k, received = SIZE_MAX;

	if (s->peer_send_ns || ps->phase->transport == ZH_TRANSPORT_ICMP)
		return;
	for (i = 0; i < ps->n; i++) {
		const struct point *p = &ps->p[i];

		if (p->leg == 1)
			return;
		if (p->point == ZH_POINT_RX && received == SIZE_MAX)
			received = i;
		if ((p->point == ZH_POINT_TX_QUEUE || p->point == ZH_POINT_NETIF_RX) &&
			received != SIZE_MAX && ps->p[received].arg == p->arg)
			break;
	}
	for (k = i; k < ps->n; k++)
		ps->p[k].leg = 1;
}

static uint32_t thread_of(const struct points *ps, bool responder)
{
	return responder ? ps->phase->responder_pid : ps->phase->prober_pid;
}

/* Whose time a stage is, and on which CPU. */
static void set_owner(const struct points *ps, struct zh_segment *seg, const struct point *from,
	const struct point *to)
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

static bool add_segment(struct zh_timeline *tl, const struct points *ps, const struct point *from,
	const struct point *to, enum zh_stage_id stage, uint64_t from_ns, uint64_t to_ns)
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
	const struct points *ps, const struct point *from, const struct point *to)
{
	uint64_t awake = from->ns;

	if (!zh_activity_idle_until(r, s, to->cpu, from->ns, to->ns, &awake) &&
		to->point == ZH_POINT_RUN && to->arg == 0)
		awake = to->ns;
	return add_segment(tl, ps, from, to, ZH_STAGE_IDLE_EXIT, from->ns, awake) &&
	       add_segment(tl, ps, from, to, ZH_STAGE_RUN_QUEUE, awake, to->ns);
}

/* TCP may queue the packet after the send call returned: that part is a stage of its own. */
static bool add_send(struct zh_timeline *tl, const struct points *ps, const struct zh_sample *s,
	const struct point *from, const struct point *to)
{
	uint64_t sent = to->leg ? s->peer_sent_ns : s->sent_ns;

	if (ps->phase->transport != ZH_TRANSPORT_TCP || !sent || sent >= to->ns)
		sent = to->ns;
	sent = ZH_MAX(sent, from->ns);
	return add_segment(tl, ps, from, to, ZH_STAGE_SEND, from->ns, sent) &&
	       add_segment(tl, ps, from, to, ZH_STAGE_HELD, sent, to->ns);
}

/* Hooks of the way out (enum nf_inet_hooks of the kernel: LOCAL_OUT, POST_ROUTING). */
static bool is_output_hook(const struct point *p)
{
	return p->point == ZH_POINT_NF_IN && (p->arg == 3 || p->arg == 4);
}

/* A wake-up long after the packet came up to the socket, and not by its receive path. Without
 * softirq events only the socket's own stamp tells how far the packet was. */
static bool is_woken_elsewhere(const struct zh_record *r, const struct zh_sample *s,
	const struct point *from, const struct point *to)
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
static bool is_next_part(const struct points *ps, const struct point *from, const struct point *to)
{
	return ps->phase->transport == ZH_TRANSPORT_TCP && from->leg == to->leg &&
	       from->point >= ZH_POINT_SOCK && from->point <= ZH_POINT_RUN &&
	       to->point >= ZH_POINT_TX_QUEUE && to->point <= ZH_POINT_NF_IN;
}

/* A responder that is not ours leaves no stamps in user space: all between the last sign of the
 * request and the first of the reply is its own time, or that of its wake-up. */
static bool is_foreign_peer(const struct points *ps, const struct zh_sample *s,
	const struct point *from, const struct point *to)
{
	return ps->phase->transport != ZH_TRANSPORT_ICMP && !s->peer_send_ns && from->leg == 0 &&
	       to->leg == 1 && from->point != ZH_POINT_SEND && to->point != ZH_POINT_RECV;
}

/* What the pair of points alone does not tell. */
static enum zh_stage_id stage_of(const struct zh_record *r, const struct zh_sample *s,
	const struct points *ps, const struct point *from, const struct point *to)
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
	struct zh_timeline *tl, const struct points *ps, const struct point *from,
	const struct point *to)
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
	struct points ps = {.phase = phase ? phase : &no_phase};
	size_t i;

	if (!zh_sample_answered(sample) || sample->recv_ns < sample->send_ns)
		return false;
	start(record, sample, tl);
	add_user_points(&ps, sample);
	add_kernel_points(&ps, record, sample);
	sort_points(&ps);
	mend_order(&ps);
	tell_reply(&ps, sample);
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
	struct points ps = {.phase = phase ? phase : &no_phase};
	struct point from = {.ns = sample->intended_ns, .cpu = sample->send_cpu};
	struct point to = {.ns = sample->send_ns, .cpu = sample->send_cpu, .leg = 1};

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
