/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <errno.h>

#define SMALL_QLEN 64

/* Sends on Unix datagram sockets that found the peer's queue full. */
static uint64_t count_refused(const struct zh_record *record)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < record->n_samples; i++) {
		const struct zh_sample *s = &record->samples[i];

		n += s->phase < record->n_phases &&
		     record->phases[s->phase].transport == ZH_TRANSPORT_UNIX_DGRAM &&
		     (s->flags & ZH_SAMPLE_SEND_FAILED) &&
		     (s->send_errno == EAGAIN || s->send_errno == ENOBUFS);
	}
	return n;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t qlen = zh_check_number(ex, SMALL_QLEN, "sysctl.net/unix/max_dgram_qlen");
	uint64_t refused = count_refused(ex->record);
	struct zh_finding *finding;

	if (refused == 0 && (qlen >= SMALL_QLEN || !zh_check_probed(ex, ZH_TRANSPORT_UNIX_DGRAM)))
		return;
	finding = zh_finding_add(ex, &check->rule, refused ? ZH_SEVERITY_WARNING : ZH_SEVERITY_INFO,
		ZH_CONFIDENCE_HIGH,
		"A Unix datagram socket queues %llu messages; %llu sends were refused",
		(unsigned long long)qlen, (unsigned long long)refused);
	zh_finding_evidence(finding, "net.unix.max_dgram_qlen %llu", (unsigned long long)qlen);
	if (refused)
		zh_finding_evidence(finding, "%llu sends returned EAGAIN or ENOBUFS",
			(unsigned long long)refused);
}

const struct zh_check zh_check_unix_dgram_qlen = {
	.rule =
		{
			.id = "unix-dgram-qlen",
			.code = "C23",
			.title = "Unix datagram queue is short",
			.summary = "A Unix datagram socket takes max_dgram_qlen messages; then "
				   "senders block or fail.",
			.why = "The default is 10 messages, whatever their size. A logger that is "
			       "late by a few milliseconds blocks all its clients, or they lose "
			       "messages with EAGAIN when their socket does not block.",
			.evidence =
				"Sends of the probe that returned EAGAIN or ENOBUFS; the sysctl "
				"of the namespace. No kernel counter shows it.",
			.verify = "Sends no longer fail or block under the same load.",
			.cure = "Raise net.unix.max_dgram_qlen before the receiver's socket is "
				"created, and restart the receiver.",
			.cost = "Kernel memory for queued messages (bounded by SO_SNDBUF of each "
				"sender).",
			.remedies = ZH_LIST("unix-max-dgram-qlen"),
			.needs = ZH_LIST("sysctl.net/unix/max_dgram_qlen"),
		},
	.run = run,
};
