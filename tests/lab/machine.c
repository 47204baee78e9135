/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "sys/net-config.h"
#include "sys/root.h"

unsigned int machine_lab_programs(void)
{
	unsigned int found = 0;
	uint32_t id = 0;

	while (bpf_prog_get_next_id(id, &id) == 0) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);
		zh_autoclose int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0)
			found += !strncmp(info.name, "zh_lab_", 7);
	}
	return found;
}

struct count {
	const char *prefix;
	unsigned int found;
};

static int count_entry(void *arg, const char *name)
{
	struct count *count = arg;

	count->found += !strncmp(name, count->prefix, strlen(count->prefix));
	return 0;
}

unsigned int machine_lab_groups(pid_t pid)
{
	char prefix[32];
	struct count count = {prefix, 0};

	snprintf(prefix, sizeof(prefix), "zerohop.%d.", (int)pid);
	zh_sys_list(count_entry, &count, "/sys/fs/cgroup/cpu");
	zh_sys_list(count_entry, &count, "/sys/fs/cgroup/cpu,cpuacct");
	zh_sys_list(count_entry, &count, "/sys/fs/cgroup");
	return count.found;
}

unsigned int machine_children(void)
{
	char text[4096];
	unsigned int n = 0;
	int len = zh_sys_read(text, sizeof(text), "/proc/self/task/%d/children", (int)getpid());

	for (int i = 0; i < len; i++)
		n += text[i] == ' ';
	return n;
}

unsigned int machine_named_namespaces(void)
{
	struct count count = {"", 0};

	zh_sys_list(count_entry, &count, "/run/netns");
	return count.found;
}

unsigned int machine_settle(unsigned int (*f)(void), unsigned int want)
{
	unsigned int got = f();

	for (int i = 0; i < 500 && got != want; i++) {
		usleep(10000);
		got = f();
	}
	return got;
}

/* Runs in the namespace. MAC addresses and what IPv6 derives from them are drawn at random. */
static int describe(void *arg)
{
	static const char script[] =
		"{ ip -o link; ip -o addr; ip rule; ip -6 rule; ip route show table all;"
		" ip -6 route show table all; tc qdisc;"
		" for d in lo zh0; do tc filter show dev $d ingress; done; nft list ruleset;"
		" unshare -m sh -c 'mount -t sysfs sysfs /sys;"
		" cat /sys/class/net/*/queues/rx-0/rps_cpus'; } 2>/dev/null |"
		" sed -E '/fe80|ff00|ff02|anycast/d; s/([0-9a-f]{2}:){5}[0-9a-f]{2}/MAC/g'";
	struct zh_buf *buf = arg;
	char line[1024];
	FILE *f = popen(script, "r");

	while (f && fgets(line, sizeof(line), f))
		zh_buf_adds(buf, line);
	return f ? pclose(f) : -1;
}

char *machine_describe_netns(int netns_fd)
{
	zh_autobuf buf = {0};

	zh_netns_call(netns_fd, describe, &buf, NULL);
	return zh_buf_take(&buf);
}
