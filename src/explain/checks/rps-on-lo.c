/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *cpus = zh_check_text(ex, "queue.lo.rx.0.rps_cpus");
	uint64_t steered = zh_check_delta(ex, "softnet.cpu.*.received_rps");
	struct zh_finding *finding;

	if (*cpus == '\0')
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
		"RPS is set on lo (CPUs %s): %llu packets were handed to another CPU in %.1f s",
		cpus, (unsigned long long)steered, zh_check_window_s(ex));
	zh_finding_evidence(finding, "queues/rx-0/rps_cpus of lo: %s", cpus);
	zh_finding_evidence(finding, "softnet_stat column 10 (received_rps) +%llu, all devices",
		(unsigned long long)steered);
}

const struct zh_check zh_check_rps_on_lo = {
	.rule =
		{
			.id = "rps-on-lo",
			.code = "C16",
			.title = "RPS on loopback",
			.summary = "Receive packet steering is set on lo.",
			.why = "Without RPS a packet on lo is processed on the sender's CPU, right "
			       "behind the send call. RPS hands it to the CPU its hash names: an IPI, "
			       "often an exit from idle and a VM exit, in each direction. A pair on "
			       "one CPU was measured ten times slower with it.",
			.evidence = "rps_cpus of lo is not empty; softnet_stat column 10 shows how "
				    "many packets were steered. It can help when one sender with "
				    "many flows saturates a CPU.",
			.verify = "The median RTT on lo falls after `echo 0 > rps_cpus`.",
			.cure = "Clear rps_cpus of lo; use it on the veth or NIC that needs it.",
			.cost = "NET_RX of local traffic stays on the sender's CPU.",
			.remedies = ZH_LIST("rps-cpus"),
			.needs = ZH_LIST("queue.*.rx.*.rps_cpus", "softnet.cpu.*.received_rps"),
		},
	.run = run,
};
