/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define DEFAULT_SLACK_NS 50000
#define COARSE_NS ZH_NSEC_PER_MSEC

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t slack_ns = zh_check_number(ex, 0, "clock.timer_slack_ns");
	uint64_t resolution_ns = zh_check_number(ex, 0, "clock.timer_resolution_ns");
	struct zh_finding *finding;

	if (slack_ns <= DEFAULT_SLACK_NS && resolution_ns < COARSE_NS)
		return;
	finding = zh_finding_add(ex, &check->rule,
		resolution_ns >= COARSE_NS || slack_ns >= COARSE_NS ? ZH_SEVERITY_LOW
								    : ZH_SEVERITY_INFO,
		ZH_CONFIDENCE_HIGH, "Timers are coarse: slack %.0f us, resolution %.3f us",
		(double)slack_ns / 1e3, (double)resolution_ns / 1e3);
	zh_finding_evidence(finding,
		"PR_GET_TIMERSLACK of this process %llu ns (default %d, inherited from the parent)",
		(unsigned long long)slack_ns, DEFAULT_SLACK_NS);
	if (resolution_ns >= COARSE_NS)
		zh_finding_evidence(finding,
			"clock_getres() %llu ns: high-resolution timers are off, all sleeps end at "
			"a tick",
			(unsigned long long)resolution_ns);
}

const struct zh_check zh_check_timer_coarse = {
	.rule =
		{
			.id = "timer-coarse",
			.code = "C21",
			.title = "Timers are coarse",
			.summary = "The timer slack is above 50 us, or high-resolution timers are "
				   "off.",
			.why = "A sleep, poll or epoll timeout of an ordinary task may end late by "
			       "its slack; services managed with a large slack (inherited by "
			       "children) wake late. Without high-resolution timers every timeout "
			       "is rounded up to the tick, 1-10 ms.",
			.evidence = "PR_GET_TIMERSLACK of this process and clock_getres(). Other "
				    "processes can have a slack of their own: "
				    "/proc/PID/timerslack_ns.",
			.verify = "Timer overshoot of the probe (its lateness) falls.",
			.cure = "Set the slack of the service (TimerSlackNSec= of systemd); boot "
				"without highres=off or nohz=off.",
			.cost = "More wake-ups.",
			.remedies = ZH_LIST("timer-slack"),
			.needs = ZH_LIST("clock.timer_slack_ns", "clock.timer_resolution_ns"),
		},
	.run = run,
};
