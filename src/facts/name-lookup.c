/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/name-lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/util.h"
#include "facts/read.h"
#include "sys/run.h"

#define OUTPUT_MAX 8192

struct question {
	const char *name;
	int family;
};

/* In the child: "<ns> <error or ->\n", then "<address> <scope>" a line. */
static void resolve(int fd, void *arg)
{
	const struct question *question = arg;
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = question->family};
	struct addrinfo *list = NULL, *item;
	uint64_t start = zh_now_ns();
	int r = getaddrinfo(question->name, NULL, &hints, &list);
	char ip[INET6_ADDRSTRLEN];

	dprintf(fd, "%llu %s\n", (unsigned long long)(zh_now_ns() - start),
		r ? gai_strerror(r) : "-");
	for (item = list; item; item = item->ai_next) {
		const struct sockaddr_in6 *v6 = (const void *)item->ai_addr;
		const void *address =
			item->ai_family == AF_INET
				? (const void *)&((struct sockaddr_in *)item->ai_addr)->sin_addr
				: &v6->sin6_addr;

		if (inet_ntop(item->ai_family, address, ip, sizeof(ip)))
			dprintf(fd, "%s %u\n", ip,
				item->ai_family == AF_INET6 ? v6->sin6_scope_id : 0);
	}
}

static void take_address(struct zh_name_lookup *ret, char *line)
{
	const char *ip = zh_facts_word(&line, " "), *scope = zh_facts_word(&line, " ");
	uint64_t number = 0;
	int family;

	if (!ip || ret->n == ZH_NAME_ADDRESSES_MAX)
		return;
	family = strchr(ip, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(family, ip, &ret->list[ret->n].ip) != 1)
		return;
	zh_facts_parse(scope, 10, &number);
	ret->list[ret->n].family = family;
	ret->list[ret->n++].scope = (uint32_t)number;
}

void zh_name_lookup(
	struct zh_name_lookup *ret, const char *name, uint8_t ip_version, uint64_t timeout_ns)
{
	struct question question = {.name = name,
		.family = ip_version == 4   ? AF_INET
			  : ip_version == 6 ? AF_INET6
					    : AF_UNSPEC};
	zh_autofree char *text = NULL;
	char *cursor, *line, limit[32];
	uint64_t start = zh_now_ns();
	struct zh_err err;

	*ret = (struct zh_name_lookup){};
	if (zh_sys_run_child(resolve, &question, timeout_ns, OUTPUT_MAX, &text, &err) < 0) {
		ret->took_ns = zh_now_ns() - start;
		if (err.code == -ETIMEDOUT)
			snprintf(ret->error, sizeof(ret->error), "no answer within %s",
				zh_format_ns(limit, sizeof(limit), timeout_ns));
		else
			snprintf(ret->error, sizeof(ret->error), "%.150s", err.text);
		return;
	}
	cursor = text;
	line = zh_facts_line(&cursor);
	if (!line || !zh_facts_parse(zh_facts_word(&line, " "), 10, &ret->took_ns))
		return;
	ret->is_answered = true;
	if (line && strcmp(line, "-") != 0)
		snprintf(ret->error, sizeof(ret->error), "%.150s", line);
	while ((line = zh_facts_line(&cursor)))
		take_address(ret, line);
}
