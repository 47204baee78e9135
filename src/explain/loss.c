/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/attribution.h"
#include "explain/causes.h"
#include "explain/loss-counters.h"

/* Names are those of enum skb_drop_reason; a trailing '*' stands for any end. First fit. */
static const struct {
	const char *name;
	const struct zh_cause *cause;
} reasons[] = {
	{"CPU_BACKLOG", &zh_cause_backlog_overflow},
	{"SOCKET_RCVBUFF", &zh_cause_socket_buffer_full},
	{"SOCKET_BACKLOG", &zh_cause_socket_buffer_full},
	{"PROTO_MEM", &zh_cause_socket_buffer_full},
	{"TCP_LISTEN_OVERFLOW", &zh_cause_accept_overflow},
	{"NETFILTER_DROP", &zh_cause_firewall_drop},
	{"XFRM_POLICY", &zh_cause_firewall_drop},
	{"SECURITY_HOOK", &zh_cause_firewall_drop},
	{"TC_INGRESS", &zh_cause_bpf_drop},
	{"TC_EGRESS", &zh_cause_bpf_drop},
	{"XDP", &zh_cause_bpf_drop},
	{"BPF_CGROUP_EGRESS", &zh_cause_bpf_drop},
	{"SOCKET_FILTER", &zh_cause_bpf_drop},
	{"QDISC_*", &zh_cause_qdisc_drop},
	{"FQ_*", &zh_cause_qdisc_drop},
	{"FULL_RING", &zh_cause_device_drop},
	{"DEV_*", &zh_cause_device_drop},
	{"TAP_*", &zh_cause_device_drop},
	{"VXLAN_*", &zh_cause_device_drop},
	{"NOMEM", &zh_cause_device_drop},
	{"BRIDGE_*", &zh_cause_device_drop},
	{"IP_*", &zh_cause_route_drop},
	{"NEIGH_*", &zh_cause_route_drop},
	{"LOCAL_MAC", &zh_cause_route_drop},
	{"PKT_TOO_BIG", &zh_cause_route_drop},
	{"UNIX_*", &zh_cause_unix_queue_full},
};

static const struct {
	int error;
	const struct zh_cause *cause;
} errors[] = {
	{EPERM, &zh_cause_firewall_drop}, /* what an output hook's drop returns to send */
	{ENETUNREACH, &zh_cause_route_drop},
	{EHOSTUNREACH, &zh_cause_route_drop},
	{ENETDOWN, &zh_cause_route_drop},
	{EINVAL, &zh_cause_route_drop}, /* a blackhole route */
	{EACCES, &zh_cause_route_drop}, /* a prohibit route */
	{EADDRNOTAVAIL, &zh_cause_route_drop},
	{EMSGSIZE, &zh_cause_route_drop},
	{ENOBUFS, &zh_cause_qdisc_drop},
	{EAGAIN, &zh_cause_unix_queue_full},
};

static bool matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '*')
		return strncmp(pattern, name, n - 1) == 0;
	return strcmp(pattern, name) == 0;
}

const char *zh_loss_reason_name(const struct zh_record *record, uint32_t reason)
{
	static const char prefix[] = "drop_reason.";
	size_t i;

	for (i = 0; i < record->n_counters; i++)
		if (record->counters[i].value == reason &&
			!strncmp(record->counters[i].name, prefix, sizeof(prefix) - 1))
			return record->counters[i].name + sizeof(prefix) - 1;
	return NULL;
}

static const struct zh_cause *cause_of_error(int error, const struct zh_phase *phase)
{
	size_t i;

	if (error == EAGAIN && phase->transport != ZH_TRANSPORT_UNIX_STREAM &&
		phase->transport != ZH_TRANSPORT_UNIX_DGRAM)
		return &zh_cause_socket_buffer_full;
	for (i = 0; i < ZH_ARRAY_SIZE(errors); i++)
		if (errors[i].error == error)
			return errors[i].cause;
	return &zh_cause_unspecified_drop;
}

/* Connection tracking drops through netfilter, too; its own counters tell the difference. */
static bool conntrack_dropped(const struct zh_explain *ex)
{
	static const char *const names[] = {"drop", "early_drop", "insert_failed"};
	uint64_t delta;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(names); i++)
		if (zh_explain_delta(ex, &delta, "conntrack.stat.%s", names[i]) && delta)
			return true;
	return false;
}

static void by_reason(const struct zh_explain *ex, const struct zh_phase *phase, uint32_t reason,
	struct zh_loss *loss)
{
	const char *name = zh_loss_reason_name(ex->record, reason);
	size_t i;

	loss->evidence = ZH_LOSS_BY_REASON;
	loss->arg = reason;
	loss->cause = &zh_cause_unspecified_drop;
	if (!name) {
		snprintf(loss->detail, sizeof(loss->detail), "number %" PRIu32, reason);
		if (zh_loss_by_counter(ex, phase, loss))
			loss->evidence = ZH_LOSS_BY_COUNTER;
		return;
	}
	snprintf(loss->detail, sizeof(loss->detail), "%s", name);
	for (i = 0; i < ZH_ARRAY_SIZE(reasons); i++) {
		if (!matches(reasons[i].name, name))
			continue;
		loss->cause = reasons[i].cause;
		break;
	}
	if (loss->cause == &zh_cause_firewall_drop && conntrack_dropped(ex))
		loss->cause = &zh_cause_conntrack_drop;
}

struct trail {
	const struct zh_stamp *drop, *last;
	bool at_responder, answered;
};

static struct trail follow(const struct zh_record *r, const struct zh_sample *s)
{
	size_t i, end = ZH_MIN((size_t)s->stamps + s->n_stamps, r->n_stamps);
	struct trail trail = {0};

	for (i = s->stamps; i < end; i++) {
		const struct zh_stamp *stamp = &r->stamps[i];

		if (stamp->point == ZH_POINT_DROP && !trail.drop)
			trail.drop = stamp;
		if (stamp->point == ZH_POINT_DROP || stamp->point == ZH_POINT_SENT)
			continue;
		if (!trail.last || stamp->ns >= trail.last->ns)
			trail.last = stamp;
		trail.at_responder |= stamp->leg == 0 && (stamp->point == ZH_POINT_SOCK ||
								 stamp->point == ZH_POINT_WAKING);
		trail.answered |= stamp->leg == 1;
	}
	trail.answered |= s->peer_send_ns != 0;
	return trail;
}

/* The other end's doing, whether a send or a receive learns of it. */
static bool is_refusal(int error)
{
	return error == EPIPE || error == ECONNRESET || error == ECONNREFUSED || error == EPROTO;
}

static void find_loss(const struct zh_explain *ex, const struct zh_sample *s, struct zh_loss *loss)
{
	const struct zh_phase *phase = &ex->record->phases[s->phase];
	struct trail trail = follow(ex->record, s);

	*loss = (struct zh_loss){.sample = (uint32_t)(s - ex->record->samples)};
	if ((s->flags & ZH_SAMPLE_SEND_FAILED) && !is_refusal(s->send_errno)) {
		loss->evidence = ZH_LOSS_BY_ERROR;
		loss->arg = (uint32_t)s->send_errno;
		loss->cause = cause_of_error(s->send_errno, phase);
		snprintf(loss->detail, sizeof(loss->detail), "%s", strerror(s->send_errno));
		/* Whatever ate the connection's first packet is seen elsewhere. */
		if (s->send_errno == ETIMEDOUT && zh_loss_by_counter(ex, phase, loss))
			loss->evidence = ZH_LOSS_BY_COUNTER;
	} else if (s->send_errno) {
		loss->evidence = ZH_LOSS_BY_REFUSAL;
		loss->arg = (uint32_t)s->send_errno;
		loss->cause = &zh_cause_unspecified_drop;
		snprintf(loss->detail, sizeof(loss->detail), "%s", strerror(s->send_errno));
	} else if (trail.drop) {
		by_reason(ex, phase, trail.drop->arg, loss);
	} else if (zh_loss_by_counter(ex, phase, loss)) {
		loss->evidence = ZH_LOSS_BY_COUNTER;
	} else if (trail.at_responder && !trail.answered) {
		loss->evidence = ZH_LOSS_BY_STAMP;
		loss->arg = trail.last->point;
		loss->cause = &zh_cause_late_responder;
		snprintf(loss->detail, sizeof(loss->detail), "the responder's socket");
	} else {
		loss->evidence = phase->own_responder || phase->transport == ZH_TRANSPORT_ICMP
					 ? ZH_LOSS_BY_NOTHING
					 : ZH_LOSS_BY_SILENCE;
		loss->cause = &zh_cause_unspecified_drop;
		if (trail.last)
			loss->arg = trail.last->point;
	}
}

static bool is_loss(const struct zh_explain *ex, const struct zh_sample *s)
{
	const struct zh_phase *phase = zh_timeline_phase(ex->record, s);

	return phase && !phase->clean_room && !(s->flags & ZH_SAMPLE_WARMUP) &&
	       !zh_sample_answered(s);
}

void zh_losses_find(struct zh_explain *ex, struct zh_losses *ret)
{
	const struct zh_record *r = ex->record;
	size_t i, n = 0;

	for (i = 0; i < r->n_samples; i++)
		n += is_loss(ex, &r->samples[i]);
	ret->list = calloc(n + 1, sizeof(*ret->list));
	if (!ret->list) {
		ex->failed = true;
		return;
	}
	for (i = 0; i < r->n_samples; i++)
		if (is_loss(ex, &r->samples[i]))
			find_loss(ex, &r->samples[i], &ret->list[ret->n++]);
}
