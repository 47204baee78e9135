/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which cause a piece of excess belongs to: a table from stage and activity, first fit. A row may
 * have a test for what the two do not tell. A row claims the whole excess of the piece, unless its
 * claim is bounded: foreign BPF programs by their measured run time, a silent host by what lies
 * above the run's own median (a cost that every sample has is not a stall).
 */
#include "explain/attribution.h"

#include <string.h>

#include "base/util.h"
#include "explain/causes.h"

#define S(stage) (1u << ZH_STAGE_##stage)
#define A(activity) (1u << ZH_ACTIVITY_##activity)
#define ANY 0xffffffffu
#define WORK_STAGES (S(SEND) | S(QDISC) | S(DEVICE) | S(BACKLOG) | S(FORWARD) | S(PROTOCOL))

/* Longer than any single delay of a healthy receive path, shorter than the 40 ms of a delayed ACK:
 * from here on a sleep of a TCP receiver between two parts of a message is TCP's own waiting. */
#define TCP_HOLD_NS (20 * ZH_NSEC_PER_MSEC)

/* The next write of a program that sends a message in parts follows within tens of us; no timer of
 * TCP is that short. */
#define HELD_MIN_NS ZH_NSEC_PER_MSEC

/* A dark stretch shorter than this is noise of one's own code. */
#define DARK_MIN_NS 30000ull

struct claim {
	const struct zh_explain *ex;
	const struct zh_sample *sample;
	const struct zh_phase *phase;
	const struct zh_timeline *tl;
	const struct zh_segment *seg;
	const struct zh_piece *piece;
	uint64_t bpf_left_ns;
	uint64_t limit_ns; /* set by a test that bounds its claim */
};

static bool is_net_softirq(struct claim *c)
{
	return c->piece->arg == ZH_SOFTIRQ_NET_RX || c->piece->arg == ZH_SOFTIRQ_NET_TX;
}

static bool is_bpf(struct claim *c)
{
	c->limit_ns = ZH_MIN(c->bpf_left_ns, c->piece->excess_ns);
	c->bpf_left_ns -= c->limit_ns;
	return c->limit_ns > 0;
}

/* Rules walked on the way in or out, from which on their cost can reach tens of us. */
#define MANY_RULES 500

/* No bracket was attached, yet the hooks of this stage walk many rules. */
static bool has_rules(struct claim *c)
{
	static const char *const hooks[2][2] = {{"output", "postrouting"}, {"prerouting", "input"}};
	const char *const *hook = hooks[c->seg->stage == ZH_STAGE_PROTOCOL];
	uint64_t rules = 0, n;
	size_t i;

	for (i = 0; i < c->tl->n_segments; i++)
		if (c->tl->segments[i].stage == ZH_STAGE_NETFILTER)
			return false;
	for (i = 0; i < 2; i++)
		if (zh_explain_number(c->ex, &n, "nft.hook.%s.rules", hook[i]))
			rules += n;
	return rules >= MANY_RULES;
}

/* The packet was put into the backlog of another CPU than the one that queued it, and that CPU was
 * not busy with packets (or nobody knows with what). */
static bool is_hop(struct claim *c)
{
	const struct zh_segment *before = c->seg > c->tl->segments ? c->seg - 1 : NULL;

	if (c->piece->activity == ZH_ACTIVITY_OWN && (c->piece->flags & ZH_PIECE_MEASURED))
		return false;
	return before && before->cpu != ZH_CPU_NONE && before->cpu != c->seg->cpu;
}

static bool used_budget(struct claim *c)
{
	size_t i;

	for (i = c->seg->first_piece; i < c->seg->first_piece + c->seg->n_pieces; i++)
		if (c->tl->pieces[i].flags & ZH_PIECE_BUDGET)
			return true;
	return false;
}

static bool in_rx(struct claim *c)
{
	return (c->piece->flags & ZH_PIECE_IN_RX) || !(c->piece->flags & ZH_PIECE_MEASURED);
}

/* The softirq that took the packet up ran in ksoftirqd: the last task of the stage. */
static bool by_ksoftirqd(struct claim *c)
{
	struct zh_events events = zh_events_of(c->ex->record, c->sample);
	size_t i;

	for (i = 0; i < events.n; i++) {
		const struct zh_event *e = &events.e[i];

		if (e->ns > c->seg->from_ns && e->ns <= c->seg->to_ns && e->cpu == c->seg->cpu &&
			(e->type == ZH_EVENT_SWITCH || e->type == ZH_EVENT_WAKING) &&
			strncmp(e->comm, "ksoftirqd/", 10) == 0)
			return true;
	}
	return false;
}

/* Share of a task's CPU time in softirq from which on it counts as network load, not computing. */
#define FLOOD_SHARE 0.3
/* Packets/s on one CPU, beyond our own, that count as load where softirqs are not recorded. */
#define FLOOD_PPS 20000.0

static bool counters_show_flood(const struct zh_explain *ex, uint16_t cpu)
{
	double own = 4.0 * (double)ex->record->n_samples, packets;
	uint64_t processed;

	if (!zh_explain_delta(ex, &processed, "softnet.cpu.%u.processed_pkts", cpu))
		return false;
	packets = (double)processed - own;
	return packets / zh_explain_seconds(ex) >= FLOOD_PPS;
}

/* The task in the way spends much of its time in the network softirq it causes itself. */
static bool is_flood(struct claim *c)
{
	uint64_t softirq = 0, task = 0;
	size_t i;

	if (!c->ex->attribution->softirqs_recorded)
		return c->piece->cpu != ZH_CPU_NONE && counters_show_flood(c->ex, c->piece->cpu);
	for (i = 0; i < c->tl->n_pieces; i++) {
		const struct zh_piece *p = &c->tl->pieces[i];

		if (p->pid != c->piece->pid)
			continue;
		if (p->activity == ZH_ACTIVITY_TASK)
			task += p->to_ns - p->from_ns;
		else if (p->activity == ZH_ACTIVITY_SOFTIRQ &&
			 (p->arg == ZH_SOFTIRQ_NET_RX || p->arg == ZH_SOFTIRQ_NET_TX))
			softirq += p->to_ns - p->from_ns;
	}
	return (double)softirq >= FLOOD_SHARE * (double)(softirq + task);
}

/* Another thread of this program, or another run of it at the same time: the record cannot tell. */
static bool is_tool(struct claim *c)
{
	return strncmp(c->piece->comm, "zerohop", 7) == 0 &&
	       c->piece->pid != c->phase->prober_pid && c->piece->pid != c->phase->responder_pid;
}

static bool is_tcp(struct claim *c)
{
	return c->phase->transport == ZH_TRANSPORT_TCP;
}

static bool is_tcp_hold(struct claim *c)
{
	return is_tcp(c) && c->piece->to_ns - c->piece->from_ns >= TCP_HOLD_NS;
}

/* Neighbours in the record that may be under way at the same time. */
#define NEIGHBOURS 8

/* Our own thread was in the softirq while another probe of ours was under way: sent late, several
 * are, and then they stand in each other's way. */
static bool is_own_probe(struct claim *c)
{
	const struct zh_record *r = c->ex->record;
	size_t self = c->tl->sample, i, from = self > NEIGHBOURS ? self - NEIGHBOURS : 0;

	if (!is_net_softirq(c) ||
		(c->piece->pid != c->phase->prober_pid && c->piece->pid != c->phase->responder_pid))
		return false;
	for (i = from; i < r->n_samples && i <= self + NEIGHBOURS; i++) {
		const struct zh_sample *s = &r->samples[i];

		if (i != self && s->send_ns <= c->piece->to_ns && s->recv_ns >= c->piece->from_ns)
			return true;
	}
	return false;
}

static bool is_held(struct claim *c)
{
	return c->piece->to_ns - c->piece->from_ns >= HELD_MIN_NS;
}

/* The receiver of this leg is the responder. */
static bool at_responder(struct claim *c)
{
	return c->seg->leg == 0 || c->seg->stage == ZH_STAGE_PEER;
}

/* The waker's target was another CPU. */
static bool is_remote_wake(struct claim *c)
{
	return c->seg->arg != c->seg->cpu;
}

/* Straight-line work that took longer than the run's median without any event on its CPU. */
static bool is_dark(struct claim *c)
{
	uint32_t kind = c->ex->attribution->kind[c->sample->phase];
	uint64_t median =
		c->ex->attribution->median_ns[zh_baseline_index(kind, c->seg->stage, c->seg->leg)];
	uint64_t length = c->piece->to_ns - c->piece->from_ns;

	if (!(c->piece->flags & ZH_PIECE_MEASURED) || length < median + DARK_MIN_NS)
		return false;
	c->limit_ns = length - median;
	return true;
}

static const struct {
	uint32_t stages, activities;
	bool (*test)(struct claim *claim);
	const struct zh_cause *cause;
	bool bounded;
} rows[] = {
	{ANY, A(HOST), NULL, &zh_cause_host_stall, false},
	{ANY, A(THROTTLED), NULL, &zh_cause_cfs_throttle, false},
	{ANY, A(RECLAIM), NULL, &zh_cause_memory_reclaim, false},
	{S(HELD), ANY, is_held, &zh_cause_tcp_delayed_ack, false},
	{S(QDISC), ANY, NULL, &zh_cause_qdisc_delay, false},
	{ANY, A(SOFTIRQ), is_own_probe, &zh_cause_tool_overhead, false},
	{ANY, A(SOFTIRQ), is_net_softirq, &zh_cause_softirq_load, false},
	{ANY, A(NMI) | A(IRQ) | A(SOFTIRQ), NULL, &zh_cause_interference, false},
	{WORK_STAGES, A(OWN), is_bpf, &zh_cause_bpf_program, true},
	{S(NETFILTER), A(OWN), NULL, &zh_cause_netfilter_rules, false},
	{S(SEND) | S(PROTOCOL), A(OWN), has_rules, &zh_cause_netfilter_rules, false},
	{S(BACKLOG), A(OWN) | A(TASK), used_budget, &zh_cause_softirq_squeeze, false},
	{S(BACKLOG), A(IDLE) | A(OWN) | A(UNKNOWN), is_hop, &zh_cause_rps_hop, false},
	{S(BACKLOG), A(OWN), in_rx, &zh_cause_queue_ahead, false},
	{S(BACKLOG), A(TASK) | A(OWN), by_ksoftirqd, &zh_cause_softirq_deferred, false},
	{S(BACKLOG), A(TASK) | A(OWN), NULL, &zh_cause_softirq_blocked, false},
	{S(WAKE_IPI), A(OWN) | A(UNKNOWN), is_remote_wake, &zh_cause_ipi_send, false},
	{S(LATENESS), A(IDLE) | A(OWN) | A(UNKNOWN) | A(SLEEP), NULL, &zh_cause_timer_lateness,
		false},
	{ANY, A(IDLE), NULL, &zh_cause_idle_exit, false},
	{ANY, A(TASK), is_tool, &zh_cause_tool_overhead, false},
	{ANY, A(TASK), is_flood, &zh_cause_softirq_load, false},
	{ANY, A(TASK), NULL, &zh_cause_run_queue_wait, false},
	{S(RUN_QUEUE), A(UNKNOWN) | A(OWN), NULL, &zh_cause_run_queue_wait, false},
	{ANY, A(SLEEP), is_tcp_hold, &zh_cause_tcp_delayed_ack, false},
	{S(PICK_UP) | S(RESUME) | S(PEER), A(SLEEP), at_responder, &zh_cause_late_responder, false},
	{S(PEER), A(OWN) | A(UNKNOWN), NULL, &zh_cause_late_responder, false},
	{S(RESUME) | S(PICK_UP) | S(REQUEST) | S(REPLY) | S(DELIVER) | S(ROUND_TRIP),
		A(OWN) | A(UNKNOWN), is_tcp_hold, &zh_cause_tcp_delayed_ack, false},
	{ANY, A(OWN), is_dark, &zh_cause_host_stall, true},
};

static void claim_piece(struct claim *c, struct zh_piece *piece)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++) {
		if (!(rows[i].stages & 1u << c->seg->stage) ||
			!(rows[i].activities & 1u << piece->activity))
			continue;
		c->limit_ns = 0;
		if (rows[i].test && !rows[i].test(c))
			continue;
		piece->cause = rows[i].cause;
		piece->claimed_ns = piece->excess_ns;
		if (rows[i].bounded)
			piece->claimed_ns = ZH_MIN(piece->excess_ns, c->limit_ns);
		return;
	}
}

void zh_claim_pieces(const struct zh_explain *ex, struct zh_timeline *tl)
{
	const struct zh_sample *s = &ex->record->samples[tl->sample];
	struct claim c = {.ex = ex,
		.sample = s,
		.phase = zh_timeline_phase(ex->record, s),
		.tl = tl,
		/* More than the whole round trip is time of programs elsewhere. */
		.bpf_left_ns = s->bpf_ns <= zh_sample_rtt(s) ? s->bpf_ns : 0};
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		c.seg = &tl->segments[i];
		for (k = c.seg->first_piece; k < c.seg->first_piece + c.seg->n_pieces; k++) {
			c.piece = &tl->pieces[k];
			if (tl->pieces[k].excess_ns)
				claim_piece(&c, &tl->pieces[k]);
		}
	}
}
