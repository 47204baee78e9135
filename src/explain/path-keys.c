/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a path run as data: rules may need these, and the session writes no others. */
#include "explain/path-facts.h"

#include <string.h>

#define WAY "path.way.*."
#define DECISION WAY "decision."
#define HOP WAY "hop.*."
#define PROOF WAY "proof."

const char *const zh_path_keys[] = {
	"path.target",
	"path.transport",
	"path.name.asked",
	"path.name.took_ns",
	"path.name.error",
	"path.name.*.ip",
	"path.place.*.name",
	"path.place.*.inode",
	WAY "address",
	WAY "family",
	WAY "protocol",
	WAY "from_port",
	WAY "to_port",
	WAY "from",
	WAY "mark",
	WAY "uid",
	WAY "iif",
	WAY "unix.path",
	WAY "unix.type",
	WAY "unix.listening",
	WAY "unix.pid",
	WAY "unix.process",
	WAY "unix.queued",
	WAY "unix.max_queued",
	DECISION "dev",
	DECISION "type",
	DECISION "table",
	DECISION "src",
	DECISION "gateway",
	DECISION "mtu",
	DECISION "error",
	DECISION "rule.pref",
	DECISION "rule.text",
	DECISION "plain.dev",
	DECISION "plain.type",
	DECISION "plain.table",
	DECISION "plain.error",
	DECISION "before.*.pref",
	DECISION "before.*.text",
	DECISION "before.*.why",
	WAY "nat.*.place",
	WAY "nat.*.hook",
	WAY "nat.*.side",
	WAY "nat.*.was",
	WAY "nat.*.becomes",
	WAY "reply.place",
	WAY "reply.dev",
	WAY "reply.gateway",
	WAY "reply.error",
	HOP "kind",
	HOP "place",
	HOP "dev",
	HOP "ifindex",
	HOP "hook",
	HOP "hook_number",
	HOP "title",
	HOP "note.*",
	HOP "unseen",
	HOP "ends",
	PROOF "method",
	PROOF "sent",
	PROOF "answered",
	PROOF "refused",
	PROOF "took_ns",
	PROOF "not_sent",
	PROOF "dev.*.*.requests",
	PROOF "dev.*.*.replies",
	PROOF "hook.*.*.requests_in",
	PROOF "hook.*.*.requests_out",
	PROOF "hook.*.*.replies_in",
	PROOF "hook.*.*.replies_out",
	PROOF "hop.*.requests",
	PROOF "hop.*.replies",
	PROOF "stray.*.place",
	PROOF "stray.*.dev",
	PROOF "stray.*.packets",
	PROOF "lost.*.packets",
	PROOF "lost.*.rejected",
	PROOF "lost.*.hook",
	PROOF "lost.*.leg",
	PROOF "lost.*.place",
	PROOF "lost.*.dev",
	PROOF "lost.*.hop",
	PROOF "lost.*.reason",
	PROOF "lost.*.function",
	"path.lo.flags",
	"path.lo.mtu",
	"path.lo.mtu6",
	"path.lo.ip4",
	"path.lo.ip6",
	"path.lo.covers.*.address",
	"path.lo.covers.*.dev",
	"path.lo.covers.*.type",
	"path.lo.covers.*.answered",
	"path.lo.offload.*",
	"path.lo.segments.on",
	"path.lo.segments.off",
	"path.lo.segments.sent_bytes",
	"path.lo.segments.mtu",
	"path.lo.segments_small.on",
	"path.lo.segments_small.off",
	"path.lo.segments_small.sent_bytes",
	"path.lo.segments_small.mtu",
	"path.lo.checksum",
	"path.lo.closed_port.*.result",
	"path.lo.closed_port.*.took_ns",
	NULL,
};

static bool parts_meet(const char *a, size_t n, const char *b, size_t m)
{
	return (n == 1 && *a == '*') || (m == 1 && *b == '*') || (n == m && !memcmp(a, b, n));
}

bool zh_path_patterns_meet(const char *a, const char *b)
{
	for (;;) {
		size_t n = strcspn(a, "."), m = strcspn(b, ".");

		if (!parts_meet(a, n, b, m) || a[n] != b[m])
			return false;
		if (!a[n])
			return true;
		a += n + 1;
		b += m + 1;
	}
}

bool zh_path_is_key(const char *key)
{
	size_t i;

	for (i = 0; zh_path_keys[i]; i++)
		if (zh_path_patterns_meet(key, zh_path_keys[i]))
			return true;
	return false;
}
