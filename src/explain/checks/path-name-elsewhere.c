/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"
#include "explain/path-facts.h"

#define SLOW_NS (20 * ZH_NSEC_PER_MSEC)
#define VERY_SLOW_NS (150 * ZH_NSEC_PER_MSEC)
#define OTHER_SLOW_NS (150 * ZH_NSEC_PER_MSEC) /* of names that may well be asked of DNS */

/* localhost, and what RFC 6761 puts below it. */
static bool is_localhost(const char *name)
{
	size_t len = strlen(name);

	return strcmp(name, "localhost") == 0 || strcmp(name, "localhost.localdomain") == 0 ||
	       strcmp(name, "ip6-localhost") == 0 ||
	       (len > 10 && strcmp(name + len - 10, ".localhost") == 0);
}

static struct zh_finding *judge_addresses(
	const struct zh_check *check, struct zh_explain *ex, const char *name)
{
	const char *ip;
	size_t i;

	for (i = 0; (ip = zh_path_text(ex->record, "path.name.%zu.ip", i)); i++)
		if (!zh_path_is_loopback(ip))
			return zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL,
				ZH_CONFIDENCE_HIGH,
				"%.60s resolves to %.60s, which is not a loopback address", name,
				ip);
	return NULL;
}

/* From an answer for both families, whatever the target was asked for. */
static struct zh_finding *judge_families(
	const struct zh_check *check, struct zh_explain *ex, const char *name)
{
	uint64_t ip4, ip6;
	int missing;

	if (strcmp(name, "localhost") != 0 || !zh_explain_number(ex, &ip4, "names.localhost.ip4") ||
		!zh_explain_number(ex, &ip6, "names.localhost.ip6") || (!ip4 && !ip6) ||
		(ip4 && ip6))
		return NULL;
	missing = ip4 ? 6 : 4;
	/* A family that lo does not have is not missed. */
	if (zh_check_number(ex, 0, "loopback.has_ip%d", missing) == 0)
		return NULL;
	return zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"localhost resolves to 0 IPv%d addresses although lo has one", missing);
}

static struct zh_finding *judge_time(
	const struct zh_check *check, struct zh_explain *ex, const char *name)
{
	uint64_t took_ns = zh_path_number(ex->record, "path.name.took_ns");
	bool own = is_localhost(name);

	if (took_ns < (own ? SLOW_NS : OTHER_SLOW_NS))
		return NULL;
	return zh_finding_add(ex, &check->rule,
		own && took_ns >= VERY_SLOW_NS ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_MEDIUM, "Resolving %.80s takes %.1f ms", name, (double)took_ns / 1e6);
}

static void add_evidence(const struct zh_explain *ex, const char *name, struct zh_finding *finding)
{
	const char *ip, *nsswitch = zh_explain_text(ex, "names.nsswitch");
	size_t i;

	for (i = 0; finding && i < 4; i++) {
		ip = zh_path_text(ex->record, "path.name.%zu.ip", i);
		if (ip)
			zh_finding_evidence(
				finding, "getaddrinfo(%s), answer %zu: %s", name, i + 1, ip);
	}
	if (nsswitch)
		zh_finding_evidence(finding, "nsswitch.conf hosts: %s", nsswitch);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *name = zh_path_text(ex->record, "path.name.asked");
	struct zh_finding *finding = NULL;

	if (!name)
		return;
	if (is_localhost(name))
		finding = judge_addresses(check, ex, name);
	if (!finding)
		finding = judge_time(check, ex, name);
	if (!finding)
		finding = judge_families(check, ex, name);
	add_evidence(ex, name, finding);
}

const struct zh_check zh_check_path_name_elsewhere = {
	.rule =
		{
			.id = "path-name-elsewhere",
			.code = "C4",
			.title = "The name leads elsewhere",
			.summary = "localhost resolves to an address that is not loopback, or to "
				   "one family only; or the name takes long to resolve.",
			.why = "Programs connect to localhost in the belief that nobody outside can "
			       "listen. A line in /etc/hosts or a DNS search domain can send them to "
			       "another machine; with one family only, a service that listens on the "
			       "other one is not found; and a slow answer delays every connection.",
			.evidence = "The addresses that getaddrinfo gave, in its order, and the "
				    "time it took. A single slow answer can be a busy CPU.",
			.verify =
				"`getent ahosts localhost` answers at once with 127.0.0.1 and ::1.",
			.cure = "Put `127.0.0.1 localhost` and `::1 localhost` into /etc/hosts and "
				"`files` first into the hosts line of nsswitch.conf.",
			.cost = "None.",
			.needs = ZH_LIST("path.name.asked", "path.name.took_ns", "path.name.*.ip",
				"names.*.ip4", "names.*.ip6", "names.nsswitch", "loopback.has_ip4",
				"loopback.has_ip6"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
		},
	.run = run,
};
