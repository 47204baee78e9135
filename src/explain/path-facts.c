/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/path-facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/checks/route-facts.h"

const struct zh_fact_set *zh_path_facts(const struct zh_record *record)
{
	return zh_fact_find(&record->after, "path.target") ? &record->after : &record->before;
}

static const struct zh_fact *find(const struct zh_record *record, const char *key, va_list args)
{
	char text[ZH_PATH_KEY_MAX];

	vsnprintf(text, sizeof(text), key, args);
	return zh_fact_find(zh_path_facts(record), text);
}

const struct zh_fact *zh_path_fact(const struct zh_record *record, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list args;

	va_start(args, key);
	fact = find(record, key, args);
	va_end(args);
	return fact;
}

const char *zh_path_text(const struct zh_record *record, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list args;

	va_start(args, key);
	fact = find(record, key, args);
	va_end(args);
	return fact && fact->type == ZH_FACT_STRING ? fact->text : NULL;
}

uint64_t zh_path_number(const struct zh_record *record, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list args;

	va_start(args, key);
	fact = find(record, key, args);
	va_end(args);
	return fact && fact->type == ZH_FACT_NUMBER ? fact->number : 0;
}

bool zh_path_has(const struct zh_record *record, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list args;

	va_start(args, key);
	fact = find(record, key, args);
	va_end(args);
	return fact && fact->type != ZH_FACT_UNAVAILABLE;
}

struct zh_cell zh_path_cell(const struct zh_record *record, const char *key, ...)
{
	const struct zh_fact *fact;
	va_list args;

	va_start(args, key);
	fact = find(record, key, args);
	va_end(args);
	if (!fact)
		return zh_null();
	switch (fact->type) {
	case ZH_FACT_NUMBER:
		return zh_count(fact->number);
	case ZH_FACT_STRING:
		return zh_string(fact->text);
	default:
		return zh_unavailable(fact->text);
	}
}

/* The entries of a list are numbered without gaps. */
#define COUNT(record, ...)                                                                         \
	({                                                                                         \
		size_t n_ = 0;                                                                     \
		while (zh_path_fact(record, __VA_ARGS__, n_))                                      \
			n_++;                                                                      \
		n_;                                                                                \
	})

size_t zh_path_n_ways(const struct zh_record *record)
{
	size_t n = 0;

	while (zh_path_fact(record, "path.way.%zu.address", n) ||
		zh_path_fact(record, "path.way.%zu.unix.path", n))
		n++;
	return n;
}

size_t zh_path_n_hops_of(const struct zh_record *record, size_t way)
{
	return COUNT(record, "path.way.%zu.hop.%zu.kind", way);
}

size_t zh_path_n_before(const struct zh_record *record, size_t way)
{
	return COUNT(record, "path.way.%zu.decision.before.%zu.text", way);
}

size_t zh_path_n_lost(const struct zh_record *record, size_t way)
{
	return COUNT(record, "path.way.%zu.proof.lost.%zu.packets", way);
}

size_t zh_path_n_strays(const struct zh_record *record, size_t way)
{
	return COUNT(record, "path.way.%zu.proof.stray.%zu.packets", way);
}

size_t zh_path_n_translations(const struct zh_record *record, size_t way)
{
	return COUNT(record, "path.way.%zu.nat.%zu.becomes", way);
}

const char *zh_path_translated(const struct zh_record *record, size_t way)
{
	size_t n = zh_path_n_translations(record, way);
	const char *side;

	while (n--) {
		side = zh_path_text(record, "path.way.%zu.nat.%zu.side", way, n);
		if (side && !strcmp(side, "target"))
			return zh_path_text(record, "path.way.%zu.nat.%zu.becomes", way, n);
	}
	return NULL;
}

bool zh_path_lost_is_refusal(const struct zh_record *record, size_t way, size_t n)
{
	const char *reason = zh_path_text(record, "path.way.%zu.proof.lost.%zu.reason", way, n);

	return reason && strcmp(reason, "NO_SOCKET") == 0;
}

uint64_t zh_path_lost(const struct zh_record *record, size_t way)
{
	size_t n = zh_path_n_lost(record, way), i;
	uint64_t lost = 0;

	for (i = 0; i < n; i++)
		if (!zh_path_lost_is_refusal(record, way, i))
			lost += zh_path_number(
				record, "path.way.%zu.proof.lost.%zu.packets", way, i);
	return lost;
}

const char *zh_path_place(const struct zh_record *record, uint64_t place, char *buf, size_t size)
{
	const char *name = zh_path_text(record, "path.place.%llu.name", (unsigned long long)place);

	if (name)
		snprintf(buf, size, "%s", name);
	else if (place)
		snprintf(buf, size, "place %llu", (unsigned long long)place);
	else
		snprintf(buf, size, "here");
	return buf;
}

const char *zh_path_stray_place(
	const struct zh_record *record, size_t way, size_t n, char *buf, size_t size)
{
	const char *text = zh_path_text(record, "path.way.%zu.proof.stray.%zu.place", way, n);

	if (!text)
		return zh_path_place(record,
			zh_path_number(record, "path.way.%zu.proof.stray.%zu.place", way, n), buf,
			size);
	snprintf(buf, size, "%s", text);
	return buf;
}

const char *zh_path_way_name(const struct zh_record *record, size_t way, char *buf, size_t size)
{
	const char *address = zh_path_text(record, "path.way.%zu.address", way);
	const char *path = zh_path_text(record, "path.way.%zu.unix.path", way);
	const char *protocol = zh_path_text(record, "path.transport");
	unsigned long long port = zh_path_number(record, "path.way.%zu.to_port", way);
	bool is_six = address && strchr(address, ':');

	if (path)
		snprintf(buf, size, "unix:%s", path);
	else if (address && port && protocol)
		snprintf(buf, size, "%s:%s%s%s:%llu", protocol, is_six ? "[" : "", address,
			is_six ? "]" : "", port);
	else
		snprintf(buf, size, "%s", address ? address : "?");
	return buf;
}

bool zh_path_is_loopback(const char *address)
{
	return address && (strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0);
}

static bool is(const char *text, const char *expected)
{
	return text && strcmp(text, expected) == 0;
}

bool zh_path_is_local(const struct zh_record *record, size_t way)
{
	const struct zh_explain ex = {.record = record};
	const char *address = zh_path_text(record, "path.way.%zu.address", way);

	return zh_path_is_loopback(address) || (address && zh_route_is_own(&ex, address)) ||
	       is(zh_path_text(record, "path.way.%zu.decision.type", way), "local") ||
	       is(zh_path_text(record, "path.way.%zu.decision.plain.type", way), "local");
}

bool zh_path_uses_lo(const struct zh_record *record, size_t way)
{
	return zh_path_is_local(record, way) ||
	       is(zh_path_text(record, "path.way.%zu.decision.dev", way), "lo");
}

bool zh_path_is_refused_by_rule(const struct zh_record *record, size_t way)
{
	const struct zh_explain ex = {.record = record};

	return zh_path_text(record, "path.way.%zu.decision.error", way) &&
	       zh_path_text(record, "path.way.%zu.decision.rule.text", way) &&
	       zh_path_is_local(record, way) && zh_check_number(&ex, 1, "link.lo.flags.up") != 0;
}

bool zh_path_is_diverted(const struct zh_record *record, size_t way)
{
	static const char *const parts[] = {"type", "dev"};
	const char *error = zh_path_text(record, "path.way.%zu.decision.error", way);
	const char *plain_error = zh_path_text(record, "path.way.%zu.decision.plain.error", way);
	size_t i;

	if (!plain_error && !zh_path_text(record, "path.way.%zu.decision.plain.type", way))
		return false;
	if (error || plain_error)
		return !error != !plain_error;
	for (i = 0; i < ZH_ARRAY_SIZE(parts); i++) {
		const char *flow = zh_path_text(record, "path.way.%zu.decision.%s", way, parts[i]);
		const char *plain =
			zh_path_text(record, "path.way.%zu.decision.plain.%s", way, parts[i]);

		if (flow && plain && strcmp(flow, plain) != 0)
			return true;
	}
	return false;
}

/* The first device of the way, where NAT changed the target before it. */
static const char *behind_nat(const struct zh_record *record, size_t way)
{
	const char *hook = zh_path_text(record, "path.way.%zu.nat.0.hook", way), *kind;
	size_t n = zh_path_n_hops_of(record, way), i;

	for (i = 0; hook && !strcmp(hook, "output") && i < n; i++) {
		kind = zh_path_text(record, "path.way.%zu.hop.%zu.kind", way, i);
		if (kind && !strcmp(kind, "device"))
			return zh_path_text(record, "path.way.%zu.hop.%zu.dev", way, i);
	}
	return NULL;
}

const char *zh_path_is_taken_away(const struct zh_record *record, size_t way)
{
	const char *nat = behind_nat(record, way);
	const char *dev = zh_path_text(record, "path.way.%zu.decision.dev", way);
	size_t n = zh_path_n_strays(record, way), i;
	const struct zh_fact *place, *decided;
	char name[64];

	if (dev && nat && strcmp(dev, nat) != 0)
		return nat;
	if (!dev || !zh_path_number(record, "path.way.%zu.proof.sent", way))
		return NULL;
	snprintf(name, sizeof(name), "%s", dev);
	for (i = 0; name[i]; i++)
		if (name[i] == '.')
			name[i] = '/';
	decided = zh_path_fact(record, "path.way.%zu.proof.dev.0.%s.requests", way, name);
	if (!decided || decided->type != ZH_FACT_NUMBER || decided->number)
		return NULL;
	for (i = 0; i < n; i++) {
		place = zh_path_fact(record, "path.way.%zu.proof.stray.%zu.place", way, i);
		if (place && place->type == ZH_FACT_NUMBER && !place->number)
			return zh_path_text(record, "path.way.%zu.proof.stray.%zu.dev", way, i);
	}
	return NULL;
}

const char *zh_path_answer(
	const struct zh_record *record, size_t way, const char *base, char *buf, size_t size)
{
	const char *error = zh_path_text(record, "path.way.%zu.%s.error", way, base);
	const char *type = zh_path_text(record, "path.way.%zu.%s.type", way, base);
	const char *dev = zh_path_text(record, "path.way.%zu.%s.dev", way, base);
	const char *gateway = zh_path_text(record, "path.way.%zu.%s.gateway", way, base);

	buf[0] = '\0';
	if (error)
		snprintf(buf, size, "refused: %s", error);
	else if (type || dev)
		snprintf(buf, size, "%s%s%s%s%s", type ? type : "?", dev ? " by " : "",
			dev ? dev : "", gateway ? ", gateway " : "", gateway ? gateway : "");
	return buf;
}

const char *zh_path_rule(const struct zh_record *record, size_t way, char *buf, size_t size)
{
	const char *text = zh_path_text(record, "path.way.%zu.decision.rule.text", way);
	const struct zh_fact *pref = zh_path_fact(record, "path.way.%zu.decision.rule.pref", way);

	buf[0] = '\0';
	if (text && pref && pref->type == ZH_FACT_NUMBER)
		snprintf(buf, size, "rule %llu: %s", (unsigned long long)pref->number, text);
	else if (text)
		snprintf(buf, size, "rule: %s", text);
	return buf;
}
