/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"
#include "explain/path-facts.h"

#define KEY "path.way.%zu."

/* Packets that met no listener. */
static uint64_t count_unheard(const struct zh_record *r, size_t way)
{
	size_t n = zh_path_n_lost(r, way), i;
	uint64_t unheard = 0;

	for (i = 0; i < n; i++)
		if (zh_path_lost_is_refusal(r, way, i))
			unheard += zh_path_number(r, KEY "proof.lost.%zu.packets", way, i);
	return unheard;
}

static void judge_refused(const struct zh_check *check, struct zh_explain *ex, size_t way,
	uint64_t refused, uint64_t unheard)
{
	struct zh_finding *finding;
	char name[300];

	zh_path_way_name(ex->record, way, name, sizeof(name));
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"Nobody listens at %.120s: %llu attempt%s refused at once", name,
		(unsigned long long)refused, refused == 1 ? " was" : "s were");
	zh_finding_evidence(finding, "the way itself works: the refusal came back");
	if (unheard)
		zh_finding_evidence(finding,
			"%llu more met no listener and were not told: the kernel limits how many ICMP "
			"errors it sends (net.ipv4.icmp_ratelimit)",
			(unsigned long long)unheard);
}

static void judge_silent(
	const struct zh_check *check, struct zh_explain *ex, size_t way, uint64_t silent)
{
	const char *transport = zh_path_text(ex->record, "path.transport");
	bool is_datagram = transport && strcmp(transport, "udp") == 0;
	struct zh_finding *finding;
	char name[300];

	zh_path_way_name(ex->record, way, name, sizeof(name));
	/* Whoever has a UDP port need not answer what it does not understand. */
	finding = zh_finding_add(ex, &check->rule,
		is_datagram ? ZH_SEVERITY_LOW : ZH_SEVERITY_WARNING,
		is_datagram ? ZH_CONFIDENCE_LOW : ZH_CONFIDENCE_HIGH,
		"%.100s: %llu packets got neither an answer nor a refusal", name,
		(unsigned long long)silent);
	if (is_datagram)
		zh_finding_evidence(finding,
			"a UDP service need not answer a probe; a closed port would have refused it");
	else
		zh_finding_evidence(finding,
			"they were not seen to be dropped either: what ends the way is not known");
}

/* A Unix socket that nobody accepts from. */
static void judge_unix(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const char *path = zh_path_text(ex->record, KEY "unix.path", way);
	struct zh_finding *finding;

	if (!zh_path_has(ex->record, KEY "unix.listening", way) ||
		zh_path_number(ex->record, KEY "unix.listening", way))
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"0 processes listen at unix:%.120s", path);
	zh_finding_evidence(finding, "a connection is refused at once");
}

static void judge(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const struct zh_record *r = ex->record;
	uint64_t sent = zh_path_number(r, KEY "proof.sent", way);
	uint64_t answered = zh_path_number(r, KEY "proof.answered", way);
	uint64_t refused = zh_path_number(r, KEY "proof.refused", way);
	uint64_t silent, unheard;

	if (zh_path_text(r, KEY "unix.path", way)) {
		judge_unix(check, ex, way);
		if (refused)
			return;
	}
	/* What was dropped is path-dropped's to tell. */
	if (!sent || zh_path_lost(r, way))
		return;
	silent = sent > answered + refused ? sent - answered - refused : 0;
	unheard = refused ? ZH_MIN(silent, count_unheard(r, way)) : 0;
	if (refused)
		judge_refused(check, ex, way, refused, unheard);
	if (silent > unheard)
		judge_silent(check, ex, way, silent - unheard);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	size_t n = zh_path_n_ways(ex->record), way;

	for (way = 0; way < n; way++)
		judge(check, ex, way);
}

const struct zh_check zh_check_path_unanswered = {
	.rule =
		{
			.id = "path-unanswered",
			.code = "C3",
			.title = "Nobody answers at the end of the way",
			.summary = "Packets reach the end of the way and are refused, or get "
				   "neither an answer nor a refusal.",
			.why = "A refusal (RST, ICMP port unreachable) is what a healthy machine "
			       "says for a port without a listener: the client fails in "
			       "microseconds. Silence makes it wait for its timeout, and means that "
			       "something keeps the answer back.",
			.evidence = "What came back for each packet of the proof, and that none of "
				    "them was seen to be dropped.",
			.verify = "`zerohop path TARGET` counts as many answers as packets.",
			.cure = "Start the service, or let it listen on this address and port.",
			.cost = "None.",
			.needs = ZH_LIST("path.transport", "path.way.*.proof.sent",
				"path.way.*.proof.answered", "path.way.*.proof.refused",
				"path.way.*.proof.lost.*.reason", "path.way.*.unix.listening"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
			.told_by = ZH_LIST("path-asymmetric"),
		},
	.run = run,
};
