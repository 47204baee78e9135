/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define SLOW_NS (20 * ZH_NSEC_PER_MSEC)
#define VERY_SLOW_NS (150 * ZH_NSEC_PER_MSEC)

static void add_sources(const struct zh_explain *ex, struct zh_finding *finding)
{
	zh_finding_evidence(finding,
		"/etc/hosts has %s line with 127.0.0.1 and %s line with ::1 for localhost",
		zh_check_number(ex, 0, "names.hosts.localhost4") ? "a" : "no",
		zh_check_number(ex, 0, "names.hosts.localhost6") ? "a" : "no");
	zh_finding_evidence(
		finding, "nsswitch.conf hosts: %s", zh_check_text(ex, "names.nsswitch"));
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *error = zh_explain_text(ex, "names.localhost.error");
	uint64_t took_ns = zh_check_number(ex, 0, "names.localhost.took_ns");
	bool has_ip4 = zh_check_number(ex, 1, "names.localhost.ip4") != 0;
	struct zh_finding *finding;

	if (error)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"localhost cannot be resolved after %.1f ms: %s", (double)took_ns / 1e6,
			error);
	else if (took_ns >= SLOW_NS)
		finding = zh_finding_add(ex, &check->rule,
			took_ns >= VERY_SLOW_NS ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
			ZH_CONFIDENCE_MEDIUM, "Resolving localhost takes %.1f ms",
			(double)took_ns / 1e6);
	else if (!has_ip4)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
			"localhost resolves to 0 IPv4 addresses (%s)",
			zh_check_text(ex, "names.localhost.addrs"));
	else
		return;
	zh_finding_evidence(finding, "getaddrinfo(localhost, AF_UNSPEC): %s, %.2f ms",
		error ? error : zh_check_text(ex, "names.localhost.addrs"), (double)took_ns / 1e6);
	add_sources(ex, finding);
}

const struct zh_check zh_check_localhost_name = {
	.rule =
		{
			.id = "localhost-name",
			.code = "C4",
			.title = "The name localhost is slow or incomplete",
			.summary = "Resolving `localhost` takes milliseconds, fails, or yields no "
				   "IPv4 address.",
			.why = "Without both families in /etc/hosts, or with dns before files in "
			       "nsswitch.conf, a lookup of localhost becomes a DNS query: "
			       "milliseconds on a good day, 5 s timeouts without a reachable server. "
			       "Every connection by name pays it; connections to 127.0.0.1 do not.",
			.evidence = "Time and result of one getaddrinfo(localhost, AF_UNSPEC), the "
				    "hosts line of nsswitch.conf and the localhost lines of "
				    "/etc/hosts. A single slow answer can be a busy CPU.",
			.verify =
				"`getent ahosts localhost` answers at once with 127.0.0.1 and ::1.",
			.cure = "Put `127.0.0.1 localhost` and `::1 localhost` into /etc/hosts and "
				"`files` first into the hosts line of nsswitch.conf.",
			.cost = "None.",
			.needs = ZH_LIST("names.*.took_ns", "names.*.ip4", "names.*.error",
				"names.*.addrs", "names.hosts.localhost4", "names.hosts.localhost6",
				"names.nsswitch"),
			.way = ZH_WAY_SHOWN | ZH_WAY_NAME_ONLY,
			.told_by = ZH_LIST("path-name-elsewhere"),
		},
	.run = run,
};
