/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/nft-match.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* "iif", "iifname", "oif" or "oifname" when the match is about a device, else NULL. */
static const char *device_key(const json_t *match)
{
	const char *key = text_of(json_object_get(json_object_get(match, "left"), "meta"), "key");

	return !strncmp(key, "iif", 3) || !strncmp(key, "oif", 3) ? key : NULL;
}

/* An interface name may end in a wildcard. */
static bool name_is_lo(const json_t *value)
{
	const char *name = json_string_value(value);

	if (!name)
		return false;
	return !strcmp(name, "lo") || !strcmp(name, "l*") || !strcmp(name, "lo*") ||
	       !strcmp(name, "*");
}

/* 1 the value covers lo, 0 it does not, -1 cannot be told (a named set). */
static int value_has_lo(const json_t *value)
{
	const json_t *list = json_object_get(value, "set"), *item;
	size_t i;

	if (json_is_string(value))
		return json_string_value(value)[0] == '@' ? -1 : name_is_lo(value);
	if (!json_is_array(list))
		return -1;
	json_array_foreach(list, i, item) if (name_is_lo(item)) return 1;
	return 0;
}

static bool is_negated(const json_t *match)
{
	return !strcmp(text_of(match, "op"), "!=");
}

bool zh_nft_match_is_lo(const json_t *match)
{
	return device_key(match) && !is_negated(match) &&
	       value_has_lo(json_object_get(match, "right")) == 1;
}

/* Loopback's addresses; an unspecified one (with a prefix) covers them. */
static bool address_may_be_lo(const char *address)
{
	return !strncmp(address, "127.", 4) || !strcmp(address, "::1") ||
	       !strncmp(address, "0.", 2) || !strcmp(address, "::");
}

/* The first byte of an IPv4 address, 0 for anything else. */
static long first_byte(const char *address)
{
	return strchr(address, '.') ? strtol(address, NULL, 10) : 0;
}

/* True when the match wants an address that loopback does not have. The machine's own addresses
 * are also reached by lo, so only networks that can hold none of them would do; multicast and
 * broadcast can be told by their looks. */
static bool excludes_by_address(const json_t *match)
{
	const json_t *payload = json_object_get(json_object_get(match, "left"), "payload");
	const char *field = text_of(payload, "field");
	const json_t *right = json_object_get(match, "right");
	const json_t *prefix = json_object_get(right, "prefix");
	const char *address = prefix ? text_of(prefix, "addr") : json_string_value(right);

	if (strcmp(field, "daddr") && strcmp(field, "saddr"))
		return false;
	if (!address || !address[0] || address[0] == '@')
		return false;
	if (is_negated(match))
		return address_may_be_lo(address) && prefix && !strcmp(address, "127.0.0.0");
	/* 224.0.0.0/3 (multicast and above), ff00::/8, and link-local networks. */
	return first_byte(address) >= 224 || !strncmp(address, "ff", 2) ||
	       !strncmp(address, "169.254.", 8) || !strncmp(address, "fe80:", 5);
}

bool zh_nft_match_excludes_lo(const json_t *match)
{
	int has;

	if (!device_key(match))
		return excludes_by_address(match);
	has = value_has_lo(json_object_get(match, "right"));
	return is_negated(match) ? has == 1 : has == 0;
}

/* nft prints one state as a string, several as an array or a set. */
static bool lists_state(const json_t *value, const char *state)
{
	const json_t *list = json_is_array(value) ? value : json_object_get(value, "set"), *item;
	size_t i;

	if (json_is_string(value))
		return !strcmp(json_string_value(value), state);
	json_array_foreach(list, i, item) if (json_is_string(item) &&
					      !strcmp(json_string_value(item), state)) return true;
	return false;
}

bool zh_nft_match_state(const json_t *match, const char *state)
{
	const json_t *ct = json_object_get(json_object_get(match, "left"), "ct");

	return !strcmp(text_of(ct, "key"), "state") && !is_negated(match) &&
	       lists_state(json_object_get(match, "right"), state);
}
