/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Severity: the one place that decides whether a cause deserves a warning.
 *
 * A warning must mean that somebody should act. On a shared virtual machine every run meets a few
 * waits of some milliseconds for ordinary daemons, host ticks of 35 to 40 us and idle exits, and
 * none of these is a fault. So a cause needs a minimum of samples (one-offs never warn), a minimum
 * share of all samples, and a minimum effect on an affected one. How much depends on how
 * surprising the cause is on a healthy machine:
 *
 *          samples  share   that lost at least
 * fault       3       1 %       50 us    a shaper, a rule set, a real-time hog, a quota
 * peer        5       3 %      500 us    a responder that does not answer at once
 * shared      6       4 %      500 us    other tasks, interrupts, softirq load
 * idle        5       5 %        2 ms    idle exit, sending of wake-up interrupts
 * host        never above low
 *
 * A sample that was only sent late counts a third: no round trip was slower for it. What is due to
 * others (shared) and makes less than 5 % of all excess never warns: long waits
 * collect a little of everything. Critical: a warning that is not shared, and 5 % of the samples
 * lost at least 10 ms. Below a warning: low when any
 * sample lost a millisecond or when a tenth of all excess is due to it (the latter not for idle
 * causes, which are most of the excess on any quiet machine); else info.
 */
#include "explain/claims.h"

#include "base/util.h"

static const struct {
	uint64_t samples, effect_ns;
	double share;
} limits[ZH_POLICY_MAX] = {
	[ZH_POLICY_FAULT] = {3, 50000, 0.01},
	[ZH_POLICY_PEER] = {5, 500000, 0.03},
	[ZH_POLICY_SHARED] = {6, 500000, 0.04},
	[ZH_POLICY_IDLE] = {5, 2000000, 0.05},
	[ZH_POLICY_HOST] = {0, 0, 0},
};

#define CRITICAL_SHARE 0.05
#define LOW_SHARE 0.1
#define LATE_DISCOUNT (2.0 / 3)
#define SHARED_EXCESS_SHARE 0.05

uint64_t zh_policy_effect_ns(enum zh_policy policy)
{
	return limits[policy].effect_ns;
}

static enum zh_severity below_warning(const struct zh_claims *claims, enum zh_policy policy)
{
	if (claims->big_samples)
		return ZH_SEVERITY_LOW;
	if (policy != ZH_POLICY_IDLE && claims->share >= LOW_SHARE)
		return ZH_SEVERITY_LOW;
	return ZH_SEVERITY_INFO;
}

enum zh_severity zh_policy_severity(
	const struct zh_explain *ex, const struct zh_claims *claims, enum zh_policy policy)
{
	double total = (double)ZH_MAX(ex->attribution->n_samples, (uint64_t)1);
	double hits =
		(double)claims->hits[policy] - LATE_DISCOUNT * (double)claims->late_hits[policy];

	if (policy == ZH_POLICY_HOST || claims->hits[policy] < limits[policy].samples ||
		hits / total < limits[policy].share)
		return below_warning(claims, policy);
	if (policy == ZH_POLICY_SHARED)
		return claims->share < SHARED_EXCESS_SHARE ? below_warning(claims, policy)
							   : ZH_SEVERITY_WARNING;
	if ((double)claims->critical_samples / total >= CRITICAL_SHARE)
		return ZH_SEVERITY_CRITICAL;
	return ZH_SEVERITY_WARNING;
}
