/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/collect.h"

#include "base/util.h"

/* By time; of two at the same time the earlier written one stays first. */
static void sort(struct zh_stamp *stamps, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct zh_stamp stamp = stamps[i];

		for (j = i; j > 0 && stamps[j - 1].ns > stamp.ns; j--)
			stamps[j] = stamps[j - 1];
		stamps[j] = stamp;
	}
}

/*
 * A stamp that does not belong here: one that is being written, one that the slot's former owner
 * left, or a wake-up of the prober for its next send, which happens after the reply was received.
 */
static bool is_stale(const struct zh_stamp *stamp, const struct zh_sample *sample)
{
	if (stamp->ns == 0 || stamp->ns < sample->send_ns || stamp->point >= ZH_POINT_MAX)
		return true;
	return stamp->leg == 1 && sample->recv_ns && stamp->ns > sample->recv_ns &&
	       (stamp->point == ZH_POINT_WAKING || stamp->point == ZH_POINT_WAKEUP ||
		       stamp->point == ZH_POINT_RUN);
}

/*
 * After every echo reply the kernel looks for an ICMP datagram socket too, finds none and frees the
 * packet "without socket", although the raw socket has got its copy. Not a drop.
 */
static size_t forget_benign_frees(struct zh_stamp *stamps, size_t n, uint32_t no_socket)
{
	bool delivered = false;
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		delivered |= stamps[i].point == ZH_POINT_SOCK && stamps[i].leg == 1;
	for (i = 0; i < n; i++) {
		const struct zh_stamp *stamp = &stamps[i];

		if (delivered && stamp->point == ZH_POINT_DROP && stamp->leg == 1 &&
			(stamp->arg == no_socket || no_socket == ZH_NONE))
			continue;
		stamps[kept++] = *stamp;
	}
	return kept;
}

void zh_collect(const struct zh_trace_slot *slots, enum zh_transport_id transport,
	uint32_t no_socket, struct zh_record *record, struct zh_sample *sample)
{
	const struct zh_trace_slot *slot = &slots[sample->seq & (ZH_TRACE_SLOTS - 1)];
	uint64_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
	struct zh_stamp *to = &record->stamps[record->n_stamps];
	size_t room = record->max_stamps - record->n_stamps, n = 0, taken, i;

	sample->stamps = (uint32_t)record->n_stamps;
	sample->n_stamps = 0;
	if (owner >> 32 != (uint64_t)sample->seq + 1)
		return;
	taken = ZH_MIN((uint32_t)owner, ZH_TRACE_STAMPS);
	if ((uint32_t)owner > taken || taken > room)
		sample->flags |= ZH_SAMPLE_INCOMPLETE;
	for (i = 0; i < taken && n < room; i++) {
		to[n] = slot->stamps[i];
		to[n].ns = __atomic_load_n(&slot->stamps[i].ns, __ATOMIC_ACQUIRE);
		n += !is_stale(&to[n], sample);
	}
	if (transport == ZH_TRANSPORT_ICMP)
		n = forget_benign_frees(to, n, no_socket);
	sort(to, n);
	sample->n_stamps = (uint32_t)n;
	record->n_stamps += n;
}
