/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t value = zh_check_number(ex, 0, "sysctl.net/ipv4/tcp_low_latency");
	struct zh_finding *finding;

	if (value == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"net.ipv4.tcp_low_latency is %llu and has no effect since Linux 4.14",
		(unsigned long long)value);
	zh_finding_evidence(finding, "kernel %s", zh_check_text(ex, "kernel.release"));
}

const struct zh_check zh_check_tcp_low_latency_placebo = {
	.rule =
		{
			.id = "tcp-low-latency-placebo",
			.code = "C21",
			.title = "tcp_low_latency does nothing",
			.summary =
				"net.ipv4.tcp_low_latency is set; the kernel only keeps the name.",
			.why = "The sysctl switched TCP's prequeue off. The prequeue was removed in "
			       "4.14, and the value is not read any more.",
			.evidence = "The sysctl is not 0.",
			.verify = "No RTT changes with it: `zerohop trial tcp-low-latency=1`.",
			.cure = "Remove it from sysctl.d.",
			.cost = "None.",
			.remedies = ZH_LIST("tcp-low-latency"),
			.needs = ZH_LIST("sysctl.net/ipv4/tcp_low_latency", "kernel.release"),
		},
	.run = run,
};
