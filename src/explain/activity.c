/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments → pieces: each segment is intersected with what its CPU and its thread did meanwhile.
 *
 * Nesting counts once, strongest first: host stall > NMI > the thread's own reason not to run
 * (asleep, throttled) > hard interrupt > softirq of others > another task > idle > own work. What
 * is "own" depends on the stage: NET_RX softirq works on the packet in a protocol stage, and is in
 * the way of a thread that waits for its CPU.
 */
#include "explain/activity.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/cpu-state.h"

#define OVERLAYS_MAX 64

/* A user stamp proves that its thread had its CPU then, even if the switch to it was not seen. */
struct proof {
	uint64_t ns;
	uint32_t pid;
	uint16_t cpu;
};

struct cutter {
	struct zh_timeline *tl;
	const struct zh_record *record;
	const struct zh_sample *sample;
	struct proof proofs[4];
	size_t n_proofs;
	const struct zh_segment *seg;
	struct zh_events events;
	struct zh_cpu_state cpu;
	struct zh_thread_state thread;
	uint32_t doer; /* the task whose kernel time is work on the packet */
	bool has_doer;
	/* stretches that override everything: stalls, NMIs of this CPU; sorted, disjoint */
	struct zh_stretch overlays[OVERLAYS_MAX];
	size_t n_overlays, n_stalls;
	struct zh_stretch stalls[OVERLAYS_MAX / 2];
	bool failed;
};

/* Whether the running softirq works on the packet of this segment. */
static bool is_own_softirq(const struct cutter *c)
{
	enum zh_stage_kind kind = zh_stage_kind(c->seg->stage);

	if (c->cpu.softirq == ZH_SOFTIRQ_NET_TX)
		return kind == ZH_STAGE_WORK;
	if (c->cpu.softirq != ZH_SOFTIRQ_NET_RX)
		return false;
	if (kind == ZH_STAGE_WORK || kind == ZH_STAGE_WHOLE)
		return true;
	/* The tail of the softirq that delivered the packet, on its way back to user space. */
	return (c->seg->stage == ZH_STAGE_PICK_UP || c->seg->stage == ZH_STAGE_RESUME ||
		       c->seg->stage == ZH_STAGE_PEER) &&
	       c->cpu.softirq_since_ns <= c->seg->from_ns;
}

static void name_task(const struct cutter *c, struct zh_piece *piece)
{
	if (!c->cpu.task_known) {
		piece->activity = ZH_ACTIVITY_UNKNOWN;
		return;
	}
	piece->activity = c->cpu.pid == 0 ? ZH_ACTIVITY_IDLE : ZH_ACTIVITY_TASK;
	piece->pid = c->cpu.pid;
	piece->flags |= c->cpu.task_flags;
	memcpy(piece->comm, c->cpu.comm, ZH_COMM_LEN);
	if (piece->pid && !piece->comm[0])
		snprintf(piece->comm, ZH_COMM_LEN, "%s", zh_events_comm(c->events, piece->pid));
}

static bool is_probe_thread(const struct cutter *c, uint32_t pid)
{
	const struct zh_phase *phase = zh_timeline_phase(c->record, c->sample);

	return pid && (pid == c->seg->pid ||
			      (phase && (pid == phase->prober_pid || pid == phase->responder_pid)));
}

/* A stage in which code works on the packet, in task context. */
static void classify_work(const struct cutter *c, struct zh_piece *piece)
{
	static const char ksoftirqd[] = "ksoftirqd/";

	name_task(c, piece);
	if (piece->activity == ZH_ACTIVITY_TASK && c->has_doer && piece->pid == c->doer)
		piece->activity = ZH_ACTIVITY_OWN;
	else if (piece->activity == ZH_ACTIVITY_TASK && is_probe_thread(c, c->cpu.pid))
		piece->activity = ZH_ACTIVITY_OWN;
	else if (strncmp(piece->comm, ksoftirqd, sizeof(ksoftirqd) - 1) == 0)
		piece->activity = ZH_ACTIVITY_OWN;
	else if (piece->activity == ZH_ACTIVITY_UNKNOWN)
		piece->activity = ZH_ACTIVITY_OWN;
	if (piece->activity == ZH_ACTIVITY_IDLE && c->seg->stage != ZH_STAGE_BACKLOG)
		piece->activity = ZH_ACTIVITY_OWN; /* an interrupt of the idle task sent it */
}

/* A stage that belongs to a thread of the probe. */
static void classify_thread(const struct cutter *c, struct zh_piece *piece)
{
	bool whole = zh_stage_kind(c->seg->stage) == ZH_STAGE_WHOLE;

	switch (c->thread.status) {
	case ZH_THREAD_THROTTLED:
		piece->activity = ZH_ACTIVITY_THROTTLED;
		piece->pid = c->thread.pid;
		break;
	case ZH_THREAD_SLEEPING:
		/* Over a whole leg the prober sleeps because it waits for the packet. */
		piece->activity = whole ? ZH_ACTIVITY_OWN : ZH_ACTIVITY_SLEEP;
		piece->arg = c->thread.task_state;
		piece->pid = c->thread.pid;
		break;
	case ZH_THREAD_WAITING:
		name_task(c, piece);
		if (piece->pid == c->thread.pid && piece->activity == ZH_ACTIVITY_TASK)
			piece->activity = ZH_ACTIVITY_OWN;
		break;
	default:
		piece->activity = ZH_ACTIVITY_OWN;
		piece->pid = c->thread.pid;
		if (c->cpu.reclaim_pid && c->cpu.reclaim_pid == c->thread.pid)
			piece->activity = ZH_ACTIVITY_RECLAIM;
	}
}

/* The thread would not run even if its CPU were free: interrupts there do not matter to it. */
static bool is_off(const struct cutter *c)
{
	return c->thread.pid &&
	       (c->thread.status == ZH_THREAD_THROTTLED || c->thread.status == ZH_THREAD_SLEEPING);
}

static void classify(const struct cutter *c, struct zh_piece *piece)
{
	enum zh_stage_kind kind = zh_stage_kind(c->seg->stage);

	piece->flags = ZH_PIECE_MEASURED;
	if (kind == ZH_STAGE_QUEUE) {
		piece->activity = ZH_ACTIVITY_OWN;
	} else if (kind != ZH_STAGE_WORK && is_off(c)) {
		classify_thread(c, piece);
	} else if (c->cpu.irqs || c->cpu.vectors) {
		piece->activity = ZH_ACTIVITY_IRQ;
		piece->arg = c->cpu.irqs ? c->cpu.irq : c->cpu.vector;
		piece->flags |= c->cpu.irqs ? 0 : ZH_PIECE_VECTOR;
		if (c->cpu.irqs)
			memcpy(piece->comm, c->cpu.irq_name, ZH_COMM_LEN);
	} else if (c->cpu.in_softirq && is_own_softirq(c)) {
		piece->activity = ZH_ACTIVITY_OWN;
		piece->flags |= ZH_PIECE_IN_RX;
	} else if (c->cpu.in_softirq && kind != ZH_STAGE_WHOLE) {
		name_task(c, piece); /* in whose context it runs */
		piece->activity = ZH_ACTIVITY_SOFTIRQ;
		piece->arg = c->cpu.softirq;
	} else if (kind == ZH_STAGE_WORK) {
		classify_work(c, piece);
	} else {
		classify_thread(c, piece);
	}
}

static bool same_piece(const struct zh_piece *a, const struct zh_piece *b)
{
	return a->activity == b->activity && a->pid == b->pid && a->arg == b->arg &&
	       a->flags == b->flags && a->to_ns == b->from_ns;
}

static void add_piece(struct cutter *c, struct zh_piece piece, uint64_t from, uint64_t to)
{
	struct zh_timeline *tl = c->tl;
	struct zh_segment *seg = &tl->segments[c->seg - tl->segments];
	struct zh_piece *last = seg->n_pieces ? &tl->pieces[tl->n_pieces - 1] : NULL;

	if (from >= to)
		return;
	piece.from_ns = from;
	piece.to_ns = to;
	piece.cpu = seg->cpu;
	if (last && same_piece(last, &piece)) {
		last->to_ns = to;
		return;
	}
	last = zh_timeline_piece(tl);
	if (!last) {
		c->failed = true;
		return;
	}
	*last = piece;
	seg->n_pieces++;
}

/* The stretch [from, to) in the current state, with stalls and NMIs cut out of it. */
static void emit(struct cutter *c, uint64_t from, uint64_t to)
{
	struct zh_piece piece = {0};
	size_t i;

	from = ZH_MAX(from, c->seg->from_ns);
	to = ZH_MIN(to, c->seg->to_ns);
	if (from >= to)
		return;
	classify(c, &piece);
	for (i = 0; i < c->n_overlays && from < to; i++) {
		const struct zh_stretch *over = &c->overlays[i];
		struct zh_piece cut = {.activity = over->activity, .flags = ZH_PIECE_MEASURED};
		uint64_t begin = ZH_MAX(over->from_ns, from), end = ZH_MIN(over->to_ns, to);

		if (begin >= end)
			continue;
		add_piece(c, piece, from, begin);
		add_piece(c, cut, begin, end);
		from = end;
	}
	add_piece(c, piece, from, to);
}

static void add_overlay(struct cutter *c, struct zh_stretch stretch)
{
	size_t n = c->n_overlays;

	if (n && stretch.from_ns < c->overlays[n - 1].to_ns)
		stretch.from_ns = c->overlays[n - 1].to_ns;
	if (n < OVERLAYS_MAX && stretch.from_ns < stretch.to_ns)
		c->overlays[c->n_overlays++] = stretch;
}

/* Merges the sample's stalls with the NMIs of this segment's CPU, by time. */
static void find_overlays(struct cutter *c)
{
	size_t i, stall = 0;

	c->n_overlays = 0;
	for (i = 0; i < c->events.n; i++) {
		const struct zh_event *e = &c->events.e[i];

		if (e->type != ZH_EVENT_NMI || e->cpu != c->seg->cpu || e->arg > e->ns)
			continue;
		while (stall < c->n_stalls && c->stalls[stall].from_ns <= e->ns - e->arg)
			add_overlay(c, c->stalls[stall++]);
		add_overlay(c, (struct zh_stretch){.from_ns = e->ns - e->arg,
				       .to_ns = e->ns,
				       .activity = ZH_ACTIVITY_NMI});
	}
	while (stall < c->n_stalls)
		add_overlay(c, c->stalls[stall++]);
}

/* A responder that is not ours: it is the task that sends the reply. */
static bool is_unknown_peer(const struct zh_segment *seg)
{
	return seg->stage == ZH_STAGE_PEER && seg->pid == 0;
}

/*
 * In whose context the packet is worked on: for the backlog the task that queued it there (on a
 * loopback it runs the softirq itself as soon as it may), else the task that was current when the
 * stage's last stamp fired.
 */
static void find_doer(struct cutter *c)
{
	uint64_t at = c->seg->stage == ZH_STAGE_BACKLOG ? c->seg->from_ns : c->seg->to_ns;
	struct zh_cpu_state state;
	size_t i;

	c->has_doer = false;
	if (zh_stage_kind(c->seg->stage) != ZH_STAGE_WORK && !is_unknown_peer(c->seg))
		return;
	if (c->seg->stage == ZH_STAGE_BACKLOG && c->seg > c->tl->segments &&
		c->seg[-1].cpu != c->seg->cpu)
		return; /* queued from another CPU: nobody here works on it yet */
	zh_cpu_state_init(&state, c->events, c->seg->cpu);
	for (i = 0; i < c->events.n && c->events.e[i].ns < at; i++)
		if (c->events.e[i].cpu == c->seg->cpu)
			zh_cpu_state_apply(&state, &c->events.e[i]);
	c->has_doer = state.task_known;
	c->doer = state.pid;
}

/* What is known of the thread at the segment's start, better than from events. */
static void set_thread_status(struct cutter *c)
{
	unsigned int from = c->seg->from_point;

	if (c->seg->stage == ZH_STAGE_SEND || c->seg->stage == ZH_STAGE_RESUME ||
		(c->seg->stage == ZH_STAGE_PEER && from == ZH_POINT_RECV) ||
		(c->seg->stage == ZH_STAGE_ROUND_TRIP && from == ZH_POINT_SEND))
		c->thread.status = ZH_THREAD_RUNNING;
	else if (c->seg->stage == ZH_STAGE_IDLE_EXIT || c->seg->stage == ZH_STAGE_RUN_QUEUE)
		c->thread.status = c->thread.status == ZH_THREAD_THROTTLED ? ZH_THREAD_THROTTLED
									   : ZH_THREAD_WAITING;
}

static void mark_budget(struct cutter *c, const struct zh_event *e)
{
	const struct zh_segment *seg = &c->tl->segments[c->seg - c->tl->segments];

	if (e->type == ZH_EVENT_NAPI_POLL && c->cpu.budget_used && seg->n_pieces &&
		e->ns >= seg->from_ns)
		c->tl->pieces[c->tl->n_pieces - 1].flags |= ZH_PIECE_BUDGET;
}

static void add_proof(struct cutter *c, uint64_t ns, uint32_t pid, uint16_t cpu)
{
	size_t i = c->n_proofs;

	if (!ns || !pid)
		return;
	for (; i > 0 && c->proofs[i - 1].ns > ns; i--)
		c->proofs[i] = c->proofs[i - 1];
	c->proofs[i] = (struct proof){.ns = ns, .pid = pid, .cpu = cpu};
	c->n_proofs++;
}

static void find_proofs(struct cutter *c, const struct zh_sample *s, const struct zh_phase *phase)
{
	if (!phase)
		return;
	add_proof(c, s->send_ns, phase->prober_pid, s->send_cpu);
	add_proof(c, s->sent_ns, phase->prober_pid, s->send_cpu);
	add_proof(c, s->peer_send_ns, phase->responder_pid, s->peer_cpu);
	add_proof(c, s->peer_sent_ns, phase->responder_pid, s->peer_cpu);
}

/* Puts the proofs up to `ns` into the states; `done` is how far pieces have been emitted. */
static void apply_proofs(struct cutter *c, size_t *next, uint64_t ns, uint64_t *done)
{
	for (; *next < c->n_proofs && c->proofs[*next].ns <= ns; (*next)++) {
		const struct proof *proof = &c->proofs[*next];

		if (done && proof->ns > c->seg->from_ns) {
			emit(c, *done, proof->ns);
			*done = ZH_MAX(*done, proof->ns);
		}
		if (proof->cpu == c->seg->cpu)
			zh_cpu_state_prove(&c->cpu, c->events, proof->pid);
		if (proof->pid == c->thread.pid)
			c->thread.status = ZH_THREAD_RUNNING;
	}
}

static void cut_segment(struct cutter *c)
{
	uint64_t done = c->seg->from_ns;
	size_t i, next = 0;

	find_doer(c);
	if (is_unknown_peer(c->seg) && c->has_doer)
		c->tl->segments[c->seg - c->tl->segments].pid = c->doer;
	find_overlays(c);
	zh_cpu_state_init(&c->cpu, c->events, c->seg->cpu);
	zh_thread_state_init(&c->thread, c->events, c->seg->pid);
	if (c->seg->pid)
		zh_thread_look_back(&c->thread, c->record, c->sample, c->seg->from_ns);
	for (i = 0; i < c->events.n && c->events.e[i].ns <= c->seg->from_ns; i++) {
		apply_proofs(c, &next, c->events.e[i].ns, NULL);
		if (c->events.e[i].cpu == c->seg->cpu)
			zh_cpu_state_apply(&c->cpu, &c->events.e[i]);
		zh_thread_state_apply(&c->thread, &c->events.e[i]);
	}
	apply_proofs(c, &next, c->seg->from_ns, NULL);
	set_thread_status(c);
	for (; i < c->events.n && c->events.e[i].ns < c->seg->to_ns; i++) {
		const struct zh_event *e = &c->events.e[i];

		apply_proofs(c, &next, e->ns, &done);
		emit(c, done, e->ns);
		done = ZH_MAX(done, e->ns);
		if (e->cpu == c->seg->cpu)
			zh_cpu_state_apply(&c->cpu, e);
		zh_thread_state_apply(&c->thread, e);
		if (e->cpu == c->seg->cpu)
			mark_budget(c, e);
	}
	apply_proofs(c, &next, c->seg->to_ns, &done);
	emit(c, done, c->seg->to_ns);
}

/* Without events a segment is one piece, of what its stage usually is. */
static void guess_segment(struct cutter *c)
{
	struct zh_piece piece = {.activity = ZH_ACTIVITY_OWN, .pid = c->seg->pid};

	if (c->seg->stage == ZH_STAGE_IDLE_EXIT)
		piece.activity = ZH_ACTIVITY_IDLE;
	if (c->seg->stage == ZH_STAGE_RUN_QUEUE || c->seg->stage == ZH_STAGE_LATENESS) {
		piece.activity = ZH_ACTIVITY_UNKNOWN;
		/* sched_switch says at least who had the CPU last */
		piece.pid = c->seg->to_point == ZH_POINT_RUN ? c->seg->arg : 0;
	}
	add_piece(c, piece, c->seg->from_ns, c->seg->to_ns);
}

bool zh_timeline_cut(
	const struct zh_record *record, const struct zh_ticks *ticks, struct zh_timeline *tl)
{
	const struct zh_sample *sample = &record->samples[tl->sample];
	struct cutter c = {.tl = tl,
		.record = record,
		.sample = sample,
		.events = zh_events_of(record, sample)};
	size_t i;

	find_proofs(&c, sample, zh_timeline_phase(record, sample));

	tl->n_pieces = 0;
	tl->measured = c.events.n != 0;
	c.n_stalls = zh_stalls_find(record, ticks, tl, c.stalls, ZH_ARRAY_SIZE(c.stalls));
	for (i = 0; i < tl->n_segments && !c.failed; i++) {
		tl->segments[i].first_piece = (uint32_t)tl->n_pieces;
		tl->segments[i].n_pieces = 0;
		c.seg = &tl->segments[i];
		if (c.events.n)
			cut_segment(&c);
		else
			guess_segment(&c);
	}
	return !c.failed;
}
