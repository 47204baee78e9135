/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/inet.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

int zh_bench_inet_resolve(
	const struct zh_bench_link *link, struct zh_bench_address *ret, struct zh_err *err)
{
	const char *text = link->config->address ? link->config->address : "127.0.0.1";
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;

	if (getaddrinfo(text, NULL, &hints, &found))
		return zh_err_set(err, -EINVAL, "%s is not a numeric address", text);
	memset(ret, 0, sizeof(*ret));
	memcpy(&ret->storage, found->ai_addr, found->ai_addrlen);
	ret->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

int zh_bench_inet_bind(const struct zh_bench_link *link, int fd, struct zh_bench_address *address,
	struct zh_err *err)
{
	int code;

	if (bind(fd, &address->sa, address->len) < 0) {
		code = zh_err_sys(err, -errno, "cannot answer on %s",
			link->config->address ? link->config->address : "127.0.0.1");
		if (code == -EADDRNOTAVAIL)
			zh_err_hint(err, "the address is not in the peer's network namespace, or "
					 "its device is down");
		return code;
	}
	address->len = sizeof(address->storage);
	if (getsockname(fd, &address->sa, &address->len) < 0)
		return zh_err_sys(err, -errno, "cannot read a socket's address");
	return 0;
}
