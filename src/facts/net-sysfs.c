/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/net-sysfs.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "facts/read.h"
#include "sys/root.h"

#define OTHER "/sys shows another network namespace"

struct compare {
	unsigned int n;
	bool same;
};

/* A device must have the same number on both sides. */
static int compare_device(void *arg, const char *name)
{
	struct compare *compare = arg;
	uint64_t index;

	/* bonding_masters is a file there. */
	if (zh_sys_read_u64(&index, "/sys/class/net/%s/ifindex", name) < 0)
		return 0;
	compare->n++;
	compare->same = compare->same && if_nametoindex(name) == index;
	return 0;
}

/* Bytes received on lo so far, in the calling thread's namespace. */
static bool lo_bytes(uint64_t *ret)
{
	char text[65536], *line;
	unsigned long long bytes;

	if (zh_sys_read(text, sizeof(text), "%s/dev", zh_facts_net()) < 0)
		return false;
	line = strstr(text, " lo:");
	if (!line || sscanf(line, " lo: %llu", &bytes) != 1)
		return false;
	*ret = bytes;
	return true;
}

const char *zh_net_sysfs_problem(void)
{
	struct compare compare = {.same = true};
	struct if_nameindex *own, *device;
	uint64_t before, between, after;
	unsigned int n = 0;

	if (zh_sys_is_captured())
		return zh_sys_exists("/sys/class/net") ? NULL : "no /sys/class/net";
	if (zh_sys_list(compare_device, &compare, "/sys/class/net") < 0)
		return "/sys/class/net cannot be read";
	own = if_nameindex();
	for (device = own; device && device->if_index; device++)
		n++;
	if_freenameindex(own);
	if (!compare.same || compare.n != n)
		return OTHER;
	/* lo is number 1 everywhere; its counter tells namespaces with nothing else apart. */
	if (!lo_bytes(&before) ||
		zh_sys_read_u64(&between, "/sys/class/net/lo/statistics/rx_bytes") < 0 ||
		!lo_bytes(&after))
		return NULL;
	return before <= between && between <= after ? NULL : OTHER;
}
