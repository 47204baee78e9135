/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define WARNING_PKTS 10

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t v4 = zh_check_delta(ex, "watch.peer.snmp.Udp.RcvbufErrors");
	uint64_t v6 = zh_check_delta(ex, "watch.peer.snmp6.Udp6RcvbufErrors");
	uint64_t lost = v4 + v6;
	struct zh_finding *finding;

	if (!lost)
		return;
	finding = zh_finding_add(ex, &check->rule,
		lost >= WARNING_PKTS ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"Sockets in %.60s behind %.20s were full for %llu datagrams in %.1f s",
		zh_check_text(ex, "watch.peer.place"), zh_check_text(ex, "watch.dev"),
		(unsigned long long)lost, zh_check_window_s(ex));
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_finding_evidence(finding, "there: Udp RcvbufErrors +%llu, Udp6 +%llu",
		(unsigned long long)v4, (unsigned long long)v6);
	zh_finding_evidence(finding, "the network delivered them: no device and no CPU lost these");
}

const struct zh_check zh_check_receiver_overflow = {
	.rule =
		{
			.id = "receiver-overflow",
			.code = "C22",
			.title = "The receiver behind the device reads too slowly",
			.summary = "Datagrams reached a socket behind the device's other end, and "
				   "its buffer was full.",
			.why = "A UDP socket holds what its buffer holds. A receiver that is slow, "
			       "or does not get the CPU, loses the rest without an error at the "
			       "sender.",
			.evidence = "Udp RcvbufErrors of the namespace at the other end; the "
				    "device's own counters stay still.",
			.verify = "RcvbufErrors stand still under the same load.",
			.cure = "Read faster (more threads, recvmmsg), give the receiver CPU time, "
				"or raise SO_RCVBUF with net.core.rmem_max.",
			.cost = "A larger buffer holds older data: more delay, more memory.",
			.remedies = ZH_LIST("rmem-max", "rmem-default"),
			.needs = ZH_LIST("watch.peer.snmp.*.*", "watch.peer.snmp6.*",
				"watch.peer.place", "watch.dev"),
		},
	.run = run,
};
