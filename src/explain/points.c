/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/points.h"

#include "base/util.h"

static void add_point(struct zh_points *ps, unsigned int point, unsigned int leg, uint64_t ns,
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
	if (ps->n == ZH_POINTS_MAX) {
		ps->incomplete = true;
		return;
	}
	ps->p[ps->n++] = (struct zh_one_point){.ns = ZH_MIN(ZH_MAX(ns, from), to),
		.arg = arg,
		.cpu = cpu,
		.point = (uint8_t)point,
		.leg = (uint8_t)leg};
}

static void add_user_points(struct zh_points *ps, const struct zh_sample *s)
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
	struct zh_points *ps, const struct zh_record *r, const struct zh_sample *s)
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

static bool comes_before(const struct zh_one_point *a, const struct zh_one_point *b)
{
	unsigned int rank_a = a->point == ZH_POINT_KRX ? ZH_POINT_NETIF_RX : a->point;
	unsigned int rank_b = b->point == ZH_POINT_KRX ? ZH_POINT_NETIF_RX : b->point;

	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->leg != b->leg)
		return a->leg < b->leg;
	return rank_a < rank_b;
}

static void sort_points(struct zh_points *ps)
{
	size_t i, k;

	for (i = 1; i < ps->n; i++) {
		struct zh_one_point p = ps->p[i];

		for (k = i; k > 0 && comes_before(&p, &ps->p[k - 1]); k--)
			ps->p[k] = ps->p[k - 1];
		ps->p[k] = p;
	}
}

/* Neighbours that can only be in the wrong order because their CPUs or contexts disagree. */
static bool is_inverted(const struct zh_one_point *first, const struct zh_one_point *second)
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
static bool is_repeated(const struct zh_points *ps, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (ps->p[k].point == ps->p[i].point && ps->p[k].leg == ps->p[i].leg &&
			ps->p[k].arg == ps->p[i].arg)
			return true;
	return false;
}

static void mend_order(struct zh_points *ps)
{
	size_t i, pass;

	for (pass = 0; pass < 3; pass++) {
		for (i = 1; i < ps->n; i++) {
			struct zh_one_point *a = &ps->p[i - 1], *b = &ps->p[i], swap;

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
static void tell_reply(struct zh_points *ps, const struct zh_sample *s)
{
	size_t i, k, received = SIZE_MAX;

	if (s->peer_send_ns || ps->phase->transport == ZH_TRANSPORT_ICMP)
		return;
	for (i = 0; i < ps->n; i++) {
		const struct zh_one_point *p = &ps->p[i];

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

void zh_points_find(
	struct zh_points *ps, const struct zh_record *record, const struct zh_sample *sample)
{
	add_user_points(ps, sample);
	add_kernel_points(ps, record, sample);
	sort_points(ps);
	mend_order(ps);
	tell_reply(ps, sample);
}
