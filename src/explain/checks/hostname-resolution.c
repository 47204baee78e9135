/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define SLOW_NS (100 * ZH_NSEC_PER_MSEC)

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *error = zh_explain_text(ex, "names.hostname.error");
	uint64_t took_ns = zh_check_number(ex, 0, "names.hostname.took_ns");
	struct zh_finding *finding;

	if (!error && took_ns < SLOW_NS)
		return;
	finding = zh_finding_add(ex, &check->rule,
		took_ns >= SLOW_NS ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO, ZH_CONFIDENCE_MEDIUM,
		error ? "The own host name does not resolve (%.1f ms): %s"
		      : "Resolving the own host name takes %.1f ms%s",
		(double)took_ns / 1e6, error ? error : "");
	zh_finding_evidence(finding, "/etc/hosts has %s line for the host name; nsswitch hosts: %s",
		zh_check_number(ex, 0, "names.hosts.hostname") ? "a" : "no",
		zh_check_text(ex, "names.nsswitch"));
	zh_finding_evidence(finding, "name servers: %s", zh_check_text(ex, "names.nameservers"));
}

const struct zh_check zh_check_hostname_resolution = {
	.rule =
		{
			.id = "hostname-resolution",
			.code = "C4",
			.title = "The own host name resolves slowly or not at all",
			.summary = "getaddrinfo() of this machine's own name fails or takes 100 ms "
				   "and more.",
			.why = "Programs that look their own name up (reverse lookups in servers, "
			       "sudo, mail, Java's InetAddress.getLocalHost) wait for the resolver's "
			       "timeouts in the request path: a local service then answers in "
			       "seconds exactly while the network is away.",
			.evidence =
				"Time and result of one getaddrinfo() of the host name; whether "
				"/etc/hosts has it; the name servers of resolv.conf. Harmless "
				"when nothing on this machine looks it up.",
			.verify = "`getent ahosts $(hostname)` answers at once.",
			.cure = "Add the host name to /etc/hosts, or use nss-myhostname.",
			.cost = "The line must follow when the address changes.",
			.needs = ZH_LIST("names.*.took_ns", "names.*.error", "names.hosts.hostname",
				"names.nsswitch", "names.nameservers"),
		},
	.run = run,
};
