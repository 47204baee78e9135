/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/netlink-facts.h"

#include <net/if.h>
#include <stdio.h>

#include "facts/read.h"
#include "sys/root.h"

struct zh_netlink *zh_facts_netlink(struct zh_fact_set *set, int protocol, const char *key)
{
	struct zh_netlink *nl;
	struct zh_err err;

	if (zh_sys_is_captured()) {
		zh_fact_unavailable(set, "captured root", "%s", key);
		return NULL;
	}
	if (zh_netlink_open(&nl, protocol, &err) < 0) {
		zh_fact_unavailable(set, err.text, "%s", key);
		return NULL;
	}
	return nl;
}

void zh_facts_refused(
	struct zh_fact_set *set, const struct zh_err *err, const char *what, const char *key)
{
	char why[sizeof(err->text) + 64];

	snprintf(why, sizeof(why), "%s: %s", what, err->text);
	zh_fact_unavailable(set, why, "%s", key);
}

char *zh_facts_device(char *buf, unsigned int ifindex)
{
	char name[IF_NAMESIZE];

	zh_netlink_ifname(name, ifindex);
	if (!name[0])
		snprintf(buf, ZH_FACTS_NAME_MAX, "if%u", ifindex);
	else
		zh_facts_name(buf, ZH_FACTS_NAME_MAX, name);
	return buf;
}
