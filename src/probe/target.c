/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "probe/transport.h"

#define FORMS "ADDRESS, icmp:HOST, udp:HOST[:PORT], tcp:HOST[:PORT], unix:[PATH], unix-dgram:[PATH]"

const struct zh_transport *zh_transport_by_id(enum zh_transport_id id)
{
	const struct zh_transport *const *t;

	for (t = zh_transport_registry; *t; t++)
		if ((*t)->id == id)
			return *t;
	return NULL;
}

const char *zh_transport_name(enum zh_transport_id id)
{
	const struct zh_transport *t = zh_transport_by_id(id);

	return t ? t->name : "?";
}

bool zh_is_ipv6_literal(const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN + 1];
	const char *scope = memchr(text, '%', len);
	struct in6_addr addr;

	if (scope)
		len = (size_t)(scope - text);
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return inet_pton(AF_INET6, copy, &addr) == 1;
}

static const struct zh_transport *by_prefix(const char *text, size_t len)
{
	const struct zh_transport *const *t;

	for (t = zh_transport_registry; *t; t++)
		if (strlen((*t)->prefix) == len && !memcmp((*t)->prefix, text, len))
			return *t;
	return NULL;
}

static int parse_port(
	const char *whole, const char *text, struct zh_target *target, struct zh_err *err)
{
	uint64_t port;

	if (zh_parse_u64(text, &port, NULL) < 0 || port < 1 || port > UINT16_MAX)
		return zh_err_set(err, -EINVAL, "bad port '%.16s' in target '%.100s': 1 to 65535",
			text, whole);
	target->port = (uint16_t)port;
	return 0;
}

static int set_host(const char *whole, const char *host, size_t len, struct zh_target *target,
	struct zh_err *err)
{
	size_t i;

	if (!len)
		return zh_err_set(err, -EINVAL, "target '%.100s' names no host", whole);
	if (len >= sizeof(target->host))
		return zh_err_set(err, -EINVAL, "host name in target '%.40s...' is longer than %zu",
			whole, sizeof(target->host) - 1);
	for (i = 0; i < len; i++)
		if (host[i] <= ' ' || host[i] == 0x7f || strchr("[]/", host[i]))
			return zh_err_set(err, -EINVAL,
				"bad character in host name of target '%.100s'", whole);
	memcpy(target->host, host, len);
	target->host[len] = '\0';
	return 0;
}

/* "[V6]" or "[V6]:PORT". Sets *ret_rest behind the bracket. */
static int parse_bracket(const char *whole, const char *text, struct zh_target *target,
	const char **ret_rest, struct zh_err *err)
{
	const char *end = strchr(text, ']');

	if (!end)
		return zh_err_set(err, -EINVAL, "missing ']' in target '%.100s'", whole);
	if (!zh_is_ipv6_literal(text + 1, (size_t)(end - text - 1)))
		return zh_err_set(
			err, -EINVAL, "no IPv6 address between brackets in target '%.100s'", whole);
	if (end[1] && end[1] != ':')
		return zh_err_set(
			err, -EINVAL, "unexpected '%.20s' in target '%.100s'", end + 1, whole);
	*ret_rest = end + 1;
	return set_host(whole, text + 1, (size_t)(end - text - 1), target, err);
}

/* HOST, HOST:PORT, V6 or [V6]:PORT. An IPv6 address without brackets has no port. */
static int parse_host(const char *whole, const char *text, const struct zh_transport *transport,
	struct zh_target *target, struct zh_err *err)
{
	const char *rest = "";
	int r;

	if (text[0] == '[') {
		r = parse_bracket(whole, text, target, &rest, err);
	} else {
		rest = zh_is_ipv6_literal(text, strlen(text)) ? NULL : strchr(text, ':');
		if (!rest)
			rest = text + strlen(text);
		r = set_host(whole, text, (size_t)(rest - text), target, err);
	}
	if (r < 0 || !*rest)
		return r;
	if (!(transport->flags & ZH_TRANSPORT_PORTS))
		return zh_err_set(
			err, -EINVAL, "%s has no ports: target '%.100s'", transport->name, whole);
	return parse_port(whole, rest + 1, target, err);
}

static int parse_path(
	const char *whole, const char *path, struct zh_target *target, struct zh_err *err)
{
	size_t len = strlen(path);

	if (len >= sizeof(target->path))
		return zh_err_set(err, -EINVAL,
			"path of target '%.40s...' is %zu bytes long, a socket's has at most %zu",
			whole, len, sizeof(target->path) - 1);
	if (!strcmp(path, "@"))
		return zh_err_set(
			err, -EINVAL, "target '%.100s' names no socket behind '@'", whole);
	memcpy(target->path, path, len + 1);
	return 0;
}

int zh_target_parse(const char *text, struct zh_target *ret, struct zh_err *err)
{
	const struct zh_transport *transport = NULL;
	struct zh_target target = {0};
	const char *colon = strchr(text, ':'), *rest = text;
	int r;

	if (!*text)
		return zh_err_set(err, -EINVAL, "empty target: " FORMS);
	if (colon && text[0] != '[' && !zh_is_ipv6_literal(text, strlen(text))) {
		transport = by_prefix(text, (size_t)(colon - text));
		if (!transport)
			return zh_err_set(
				err, -EINVAL, "unknown transport in target '%.100s': " FORMS, text);
		rest = colon + 1;
	} else {
		transport = zh_transport_by_id(ZH_TRANSPORT_ICMP);
	}
	target.transport = transport->id;
	if (transport->flags & ZH_TRANSPORT_PATH)
		r = parse_path(text, rest, &target, err);
	else
		r = parse_host(text, rest, transport, &target, err);
	if (r < 0)
		return r;
	*ret = target;
	return 0;
}
