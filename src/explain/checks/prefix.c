/* SPDX-License-Identifier: BSD-2-Clause */
/* IP prefixes as text, the way routes and rules print them. */
#include "explain/checks/support.h"

#include <arpa/inet.h>
#include <stdio.h>

struct prefix {
	int family; /* 0: "default", of either family */
	unsigned int bits;
	unsigned char address[16];
};

static bool parse(const char *text, struct prefix *ret)
{
	struct prefix p = {};
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	unsigned int max;

	*ret = p;
	if (strcmp(text, "default") == 0 || strcmp(text, "all") == 0)
		return true;
	if (len == 0 || len >= sizeof(address))
		return false;
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(AF_INET, address, p.address) == 1)
		p.family = AF_INET;
	else if (inet_pton(AF_INET6, address, p.address) == 1)
		p.family = AF_INET6;
	else
		return false;
	max = p.family == AF_INET ? 32 : 128;
	p.bits = max;
	if (slash && (sscanf(slash + 1, "%u", &p.bits) != 1 || p.bits > max))
		return false;
	*ret = p;
	return true;
}

static bool share_bits(const struct prefix *a, const struct prefix *b, unsigned int bits)
{
	unsigned int bytes = bits / 8, rest = bits % 8;
	unsigned char mask = (unsigned char)(0xff00u >> rest);

	if (memcmp(a->address, b->address, bytes) != 0)
		return false;
	return rest == 0 || ((a->address[bytes] ^ b->address[bytes]) & mask) == 0;
}

bool zh_check_prefixes_overlap(const char *left, const char *right)
{
	struct prefix a, b;

	if (!parse(left, &a) || !parse(right, &b))
		return false;
	if (a.family == 0 || b.family == 0)
		return true;
	return a.family == b.family && share_bits(&a, &b, ZH_MIN(a.bits, b.bits));
}

bool zh_check_prefix_has(const char *prefix, const char *address)
{
	struct prefix outer, inner;

	if (!parse(prefix, &outer) || !parse(address, &inner))
		return false;
	if (outer.family == 0)
		return true;
	return outer.family == inner.family && outer.bits <= inner.bits &&
	       share_bits(&outer, &inner, outer.bits);
}
