/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"
#include "explain/path-describe.h"
#include "explain/path-facts.h"

/* How a way ended: known to work, known not to, or neither. */
enum outcome { UNKNOWN, WORKS, FAILS };

static enum outcome outcome_of(const struct zh_record *r, size_t way)
{
	if (zh_path_text(r, "path.way.%zu.decision.error", way))
		return FAILS;
	if (!zh_path_number(r, "path.way.%zu.proof.sent", way))
		return UNKNOWN;
	return zh_path_number(r, "path.way.%zu.proof.answered", way) ? WORKS : FAILS;
}

static void describe(const struct zh_record *r, size_t way, char *buf, size_t size)
{
	const char *error = zh_path_text(r, "path.way.%zu.decision.error", way);
	char name[300];

	zh_path_way_name(r, way, name, sizeof(name));
	if (error)
		snprintf(buf, size, "%s: %s", name, error);
	else
		snprintf(buf, size, "%s: %llu sent, %llu answered, %llu refused", name,
			(unsigned long long)zh_path_number(r, "path.way.%zu.proof.sent", way),
			(unsigned long long)zh_path_number(r, "path.way.%zu.proof.answered", way),
			(unsigned long long)zh_path_number(r, "path.way.%zu.proof.refused", way));
}

/* One address of the name works, another does not. */
static void judge_addresses(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_record *r = ex->record;
	size_t n = zh_path_n_ways(r), works = n, fails = n, i;
	struct zh_finding *finding;
	char name[300], text[400];

	for (i = n; i-- > 0;) {
		enum outcome outcome = outcome_of(r, i);

		if (outcome == WORKS)
			works = i;
		else if (outcome == FAILS)
			fails = i;
	}
	if (works == n || fails == n)
		return;
	zh_path_way_name(r, fails, name, sizeof(name));
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
		"Of %zu addresses of the name %.80s does not work, and another one does", n, name);
	for (i = 0; i < n; i++) {
		describe(r, i, text, sizeof(text));
		zh_finding_evidence(finding, "%s", text);
	}
	if (fails < works)
		zh_finding_evidence(
			finding, "the one that fails comes first: clients try it before the other");
}

/* Requests by one device, replies by another. */
static bool judge_devices(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	struct zh_path_device devices[ZH_PATH_DEVICES_MAX], *there = NULL, *back = NULL;
	size_t n = zh_path_devices(ex->record, way, devices, ZH_PATH_DEVICES_MAX), i;
	struct zh_finding *finding;
	char name[300];

	for (i = 0; i < n && devices[i].place == 0; i++) {
		if (devices[i].requests && !devices[i].replies)
			there = &devices[i];
		else if (devices[i].replies && !devices[i].requests)
			back = &devices[i];
	}
	if (!there || !back)
		return false;
	zh_path_way_name(ex->record, way, name, sizeof(name));
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
		"%.80s: %llu requests leave by %s, %llu replies come back by %s", name,
		(unsigned long long)there->requests, there->dev, (unsigned long long)back->replies,
		back->dev);
	zh_finding_evidence(finding, "%s saw no reply and %s no request", there->dev, back->dev);
	return true;
}

/* The device by which requests came into the place where the way ends, or NULL when `dev` is on
 * the way there: a bridge and its port, a VLAN and its device both are. */
static const char *came_by(const struct zh_record *r, size_t way, uint64_t place, const char *dev)
{
	const char *last = NULL, *kind, *on;
	size_t n = zh_path_n_hops_of(r, way), hop;

	for (hop = 0; hop < n; hop++) {
		kind = zh_path_text(r, "path.way.%zu.hop.%zu.kind", way, hop);
		on = zh_path_text(r, "path.way.%zu.hop.%zu.dev", way, hop);
		if (!on || zh_path_number(r, "path.way.%zu.hop.%zu.place", way, hop) != place)
			continue;
		if (strcmp(on, dev) == 0)
			return NULL;
		if (kind && strcmp(kind, "device") == 0)
			last = on;
	}
	return last;
}

/* The routing answer for the reply, asked where the way ends. */
static void judge_reply(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const struct zh_record *r = ex->record;
	const char *error = zh_path_text(r, "path.way.%zu.reply.error", way);
	const char *dev = zh_path_text(r, "path.way.%zu.reply.dev", way);
	uint64_t place = zh_path_number(r, "path.way.%zu.reply.place", way);
	const char *came = dev ? came_by(r, way, place, dev) : NULL;
	char name[300], where[96];

	zh_path_way_name(r, way, name, sizeof(name));
	zh_path_place(r, place, where, sizeof(where));
	if (error)
		zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"0 replies can come back from %.60s (%.40s): %.100s", name, where, error);
	else if (came)
		zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"Requests to %.60s come in by %.20s and replies leave by %.20s (%.40s)",
			name, came, dev, where);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	size_t n = zh_path_n_ways(ex->record), way;

	judge_addresses(check, ex);
	for (way = 0; way < n; way++)
		if (!judge_devices(check, ex, way))
			judge_reply(check, ex, way);
}

const struct zh_check zh_check_path_asymmetric = {
	.rule =
		{
			.id = "path-asymmetric",
			.code = "C11",
			.title = "One way works and the other does not",
			.summary = "One address of the name works while another fails, or replies "
				   "come back by another device than the requests left by.",
			.why = "Clients try the addresses of a name in the order getaddrinfo gives "
			       "them: when the first one fails they pay an error, or a timeout, "
			       "before the second. Replies by another device meet other filters, "
			       "and the reverse-path filter may drop them.",
			.evidence = "Packets sent to every address of the name; per device, how "
				    "many requests and how many replies passed.",
			.verify = "Every address answers, by one device.",
			.cure = "Let the service listen on both families (or take the address out "
				"of /etc/hosts); mend the route back.",
			.cost = "None.",
			.needs = ZH_LIST("path.way.*.address", "path.way.*.decision.error",
				"path.way.*.reply.dev", "path.way.*.reply.error",
				"path.way.*.proof.sent", "path.way.*.proof.answered",
				"path.way.*.proof.refused", "path.way.*.proof.dev.*.*.requests",
				"path.way.*.proof.dev.*.*.replies"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
		},
	.run = run,
};
