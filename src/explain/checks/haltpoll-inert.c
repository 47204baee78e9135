/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *driver = zh_check_text(ex, "cpuidle.driver");
	const char *force = zh_check_text(ex, "module.cpuidle_haltpoll.force");
	uint64_t poll_ns = zh_check_number(ex, UINT64_MAX, "module.haltpoll.guest_halt_poll_ns");
	bool loaded = strcmp(driver, "haltpoll") == 0;
	struct zh_finding *finding;

	if (!(loaded && poll_ns == 0) && !(strcmp(driver, "none") == 0 && *force == 'Y'))
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		loaded ? "The haltpoll driver is active but polls for %llu ns before HLT"
		       : "Guest halt polling is asked for but its driver is not active (%llu "
			 "drivers)",
		0ull);
	zh_finding_evidence(finding, "cpuidle driver %s, cpuidle_haltpoll.force %s", driver,
		*force ? force : "not set");
	if (poll_ns != UINT64_MAX)
		zh_finding_evidence(
			finding, "haltpoll.guest_halt_poll_ns %llu", (unsigned long long)poll_ns);
}

const struct zh_check zh_check_haltpoll_inert = {
	.rule =
		{
			.id = "haltpoll-inert",
			.code = "C21",
			.title = "Halt polling without effect",
			.summary = "The haltpoll idle driver is asked for but not active, or polls "
				   "for 0 ns.",
			.why = "The haltpoll governor lets a guest spin before HLT so that a wake-up "
			       "needs no VM exit. It does so only when its driver is the active one "
			       "and guest_halt_poll_ns is not 0; otherwise the setting is a placebo.",
			.evidence =
				"/sys/devices/system/cpu/cpuidle/current_driver, the parameters "
				"of cpuidle_haltpoll and haltpoll.",
			.verify = "current_driver is haltpoll and state 0 (poll) gains usage.",
			.cure = "Load cpuidle_haltpoll on a KVM guest that allows it and set "
				"guest_halt_poll_ns (200000), or drop the setting.",
			.cost = "Polling burns the host's CPU time and turns host polling off.",
			.remedies = ZH_LIST("haltpoll"),
			.needs = ZH_LIST("cpuidle.driver", "module.*.*"),
		},
	.run = run,
};
