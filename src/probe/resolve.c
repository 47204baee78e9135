/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/target.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/util.h"

static int family_of(uint8_t ip_version)
{
	switch (ip_version) {
	case 4:
		return AF_INET;
	case 6:
		return AF_INET6;
	default:
		return AF_UNSPEC;
	}
}

/* Returns getaddrinfo's code; *ret is set on success. Addresses of other families are passed by. */
static int lookup(const char *host, int family, int flags, struct zh_address *ret)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_DGRAM, .ai_flags = flags};
	struct addrinfo *list, *ai;
	int code = getaddrinfo(host, NULL, &hints, &list);

	if (code)
		return code;
	code = EAI_NONAME;
	for (ai = list; ai; ai = ai->ai_next) {
		if (ai->ai_family != AF_INET && ai->ai_family != AF_INET6)
			continue;
		memset(ret, 0, sizeof(*ret));
		memcpy(&ret->storage, ai->ai_addr, ai->ai_addrlen);
		ret->len = ai->ai_addrlen;
		code = 0;
		break;
	}
	freeaddrinfo(list);
	return code;
}

static void set_port(struct zh_address *address, uint16_t port)
{
	if (address->sa.sa_family == AF_INET6)
		((struct sockaddr_in6 *)(void *)&address->storage)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)(void *)&address->storage)->sin_port = htons(port);
}

int zh_resolve_host(const struct zh_target *target, uint8_t ip_version, struct zh_address *ret,
	struct zh_err *err)
{
	int family = family_of(ip_version), code, saved;
	struct zh_address address, other;

	code = lookup(target->host, family, AI_NUMERICHOST, &address);
	if (code && family != AF_UNSPEC && !lookup(target->host, AF_UNSPEC, AI_NUMERICHOST, &other))
		return zh_err_set(err, -EINVAL, "cannot resolve '%s': not an IPv%u address",
			target->host, ip_version);
	if (code)
		code = lookup(target->host, family, 0, &address);
	saved = errno;
	if (code)
		return zh_err_set(err, -EINVAL, "cannot resolve '%s': %s", target->host,
			code == EAI_SYSTEM ? strerror(saved) : gai_strerror(code));
	set_port(&address, target->port);
	*ret = address;
	return 0;
}

void zh_resolve_path(const char *path, struct zh_address *ret)
{
	struct sockaddr_un *un = (struct sockaddr_un *)(void *)&ret->storage;
	size_t len = strnlen(path, sizeof(un->sun_path) - 1);

	memset(ret, 0, sizeof(*ret));
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, len);
	ret->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (path[0] == '@')
		un->sun_path[0] = '\0';
	else
		ret->len++;
}

uint16_t zh_address_port(const struct zh_address *address)
{
	switch (address->sa.sa_family) {
	case AF_INET:
		return ntohs(
			((const struct sockaddr_in *)(const void *)&address->storage)->sin_port);
	case AF_INET6:
		return ntohs(
			((const struct sockaddr_in6 *)(const void *)&address->storage)->sin6_port);
	default:
		return 0;
	}
}

static void format_unix(
	char *buf, size_t size, const char *prefix, const struct zh_address *address)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)&address->storage;
	int len = (int)address->len - (int)offsetof(struct sockaddr_un, sun_path);

	if (len > 0 && un->sun_path[0] == '\0')
		snprintf(buf, size, "%s:@%.*s", prefix, len - 1, un->sun_path + 1);
	else
		snprintf(buf, size, "%s:%.*s", prefix, len > 0 ? len : 0, un->sun_path);
}

char *zh_target_format(char *buf, size_t size, const struct zh_transport *transport,
	const struct zh_address *address)
{
	char host[NI_MAXHOST] = "?";
	bool v6 = address->sa.sa_family == AF_INET6;

	if (transport->flags & ZH_TRANSPORT_PATH) {
		format_unix(buf, size, transport->prefix, address);
		return buf;
	}
	getnameinfo(&address->sa, address->len, host, sizeof(host), NULL, 0, NI_NUMERICHOST);
	if (transport->flags & ZH_TRANSPORT_PORTS)
		snprintf(buf, size, v6 ? "%s:[%s]:%u" : "%s:%s:%u", transport->prefix, host,
			zh_address_port(address));
	else
		snprintf(buf, size, "%s", host);
	return buf;
}
