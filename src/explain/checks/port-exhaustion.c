/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <errno.h>

#define NARROW_PORTS 1024
#define NORMAL_PORTS 28232 /* the kernel's 32768-60999 */

/* Only TCP takes a port for each connection. The same error comes from an address that is not
 * there (::1 without IPv6), so it counts only where many ports are in use. */
static uint64_t count_refused(const struct zh_record *record)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < record->n_samples; i++) {
		const struct zh_sample *s = &record->samples[i];

		n += (s->flags & ZH_SAMPLE_SEND_FAILED) && s->send_errno == EADDRNOTAVAIL &&
		     s->phase < record->n_phases &&
		     record->phases[s->phase].transport == ZH_TRANSPORT_TCP;
	}
	return n;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t min = zh_check_number(ex, 0, "sysctl.net/ipv4/ip_local_port_range.min");
	uint64_t max = zh_check_number(ex, 0, "sysctl.net/ipv4/ip_local_port_range.max");
	uint64_t ports = max >= min && max ? max - min + 1 : NORMAL_PORTS;
	uint64_t waiting = zh_check_number(ex, 0, "sockstat.TCP.tw");
	uint64_t used = waiting + zh_check_number(ex, 0, "sockstat.TCP.inuse");
	uint64_t overflow = zh_check_delta(ex, "netstat.TcpExt.TCPTimeWaitOverflow");
	uint64_t refused = used * 2 >= ports ? count_refused(ex->record) : 0;
	struct zh_finding *finding;

	if (refused == 0 && overflow == 0 && ports >= NARROW_PORTS && used * 10 < ports * 8)
		return;
	finding = zh_finding_add(ex, &check->rule, refused ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		refused ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_LOW,
		"%llu TCP sockets (%llu in TIME_WAIT) share %llu local ports; %llu sends found "
		"none free",
		(unsigned long long)used, (unsigned long long)waiting, (unsigned long long)ports,
		(unsigned long long)refused);
	zh_finding_evidence(finding, "ip_local_port_range %llu-%llu, tcp_tw_reuse %llu",
		(unsigned long long)min, (unsigned long long)max,
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/ipv4/tcp_tw_reuse"));
	zh_finding_evidence(finding, "sockstat TCP: inuse %llu, tw %llu",
		(unsigned long long)(used - waiting), (unsigned long long)waiting);
	if (overflow)
		zh_finding_evidence(
			finding, "TcpExt TCPTimeWaitOverflow +%llu", (unsigned long long)overflow);
	if (refused)
		zh_finding_evidence(finding, "%llu probes failed with EADDRNOTAVAIL",
			(unsigned long long)refused);
}

const struct zh_check zh_check_port_exhaustion = {
	.rule =
		{
			.id = "port-exhaustion",
			.code = "C24",
			.title = "Local ports run out",
			.summary = "Connections to one address and port use up the ephemeral port "
				   "range.",
			.why = "A connection is told apart by its four numbers; toward one local "
			       "service only the source port varies. Closed connections keep theirs "
			       "in TIME_WAIT for 60 s, so about 470 new connections a second fill "
			       "the default range. connect() then searches long or fails with "
			       "EADDRNOTAVAIL.",
			.evidence =
				"Probes that failed with EADDRNOTAVAIL; sockets in use and in "
				"TIME_WAIT against ip_local_port_range. The limit is per "
				"destination, the counts are not: without a failed connect this "
				"is a hint.",
			.verify = "No EADDRNOTAVAIL; `ss -s` shows timewait well below the range.",
			.cure = "Keep connections alive, widen ip_local_port_range, use several "
				"destination addresses (127.0.0.2, ...), or a Unix socket.",
			.cost = "A wider range can collide with listeners: reserve their ports.",
			.remedies = ZH_LIST("ip-local-port-range", "tcp-tw-reuse"),
			.needs = ZH_LIST("sysctl.net/ipv4/ip_local_port_range.min",
				"sysctl.net/ipv4/ip_local_port_range.max",
				"sysctl.net/ipv4/tcp_tw_reuse", "sockstat.TCP.tw",
				"sockstat.TCP.inuse", "netstat.TcpExt.*"),
		},
	.run = run,
};
