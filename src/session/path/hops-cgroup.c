/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF programs on the sockets of a cgroup: the sender's, which is ours, or a receiver's. */
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"
#include "session/path/hops.h"
#include "sys/bpf-list.h"
#include "sys/root.h"

/* Programs that see the packet itself, and those that may rewrite what the socket asked for. */
static bool is_of_interest(const struct zh_bpf_attach *attach, const struct walk *w, bool inbound)
{
	bool is_six = w->flow.family == AF_INET6, tcp = w->flow.protocol == IPPROTO_TCP;

	switch (attach->type) {
	case BPF_CGROUP_INET_INGRESS:
		return inbound;
	case BPF_CGROUP_INET_EGRESS:
		return !inbound;
	case BPF_CGROUP_INET4_CONNECT:
		return !inbound && !is_six;
	case BPF_CGROUP_INET6_CONNECT:
		return !inbound && is_six;
	case BPF_CGROUP_UDP4_SENDMSG:
		return !inbound && !is_six && !tcp;
	case BPF_CGROUP_UDP6_SENDMSG:
		return !inbound && is_six && !tcp;
	default:
		return false;
	}
}

/* The cgroup of a process below the mount of version 2. 0 or a negative errno. */
static int cgroup_of(long pid, char *ret, size_t size)
{
	const char *mount = zh_sys_exists("/sys/fs/cgroup/cgroup.controllers")
				    ? "/sys/fs/cgroup"
				    : "/sys/fs/cgroup/unified";
	char text[4096], *own;
	int r = zh_sys_read(text, sizeof(text), "/proc/%ld/cgroup", pid);

	if (r < 0)
		return r;
	own = strstr(text, "0::/");
	if (!own)
		return -ENOENT;
	own[strcspn(own, "\n")] = '\0';
	snprintf(ret, size, "%s%s", mount, own + 3);
	return 0;
}

static uint64_t count(const struct walk *w, const struct zh_bpf_attach *attach, const char *path)
{
	uint64_t n = 0;
	int r;

	if (!path) {
		zh_fact_get(&w->p->record->before, &n, "bpf.cgroup.%s.progs", attach->name);
		return n;
	}
	r = zh_bpf_cgroup_count(path, attach->type);
	return r > 0 ? (uint64_t)r : 0;
}

static void show(struct walk *w, bool inbound, const char *path)
{
	const struct zh_bpf_attach *attach;
	zh_autobuf text = {};

	for (attach = zh_bpf_cgroup_attaches; attach->name; attach++) {
		uint64_t n = is_of_interest(attach, w, inbound) ? count(w, attach, path) : 0;

		if (n)
			zh_buf_addf(&text, "%s%" PRIu64 " at %s", text.len ? ", " : "", n,
				attach->name);
	}
	hop_add(w, PATH_CGROUP_BPF, NULL, "%s",
		text.len ? text.text
			 : (inbound ? "no program on the receiver's cgroup"
				    : "no program on the sender's cgroup"));
}

void hops_cgroup(struct walk *w, bool inbound, long pid)
{
	const char *why = zh_fact_find(&w->p->record->before, "bpf.cgroup")
				  ? zh_fact_find(&w->p->record->before, "bpf.cgroup")->text
				  : NULL;
	char path[4400];
	int r = pid ? cgroup_of(pid, path, sizeof(path)) : 0;

	/* A process outside of version 2 cannot have any. */
	if (r == -ENOENT || (!pid && why && strstr(why, "in no cgroup")))
		return;
	show(w, inbound, pid ? path : NULL);
	if (r < 0)
		hop_unseen(w, "cgroup of process %ld: %s", pid, strerror(-r));
	else if (why && (!pid || strstr(why, "ermi")))
		hop_unseen(w, "%s", why);
}
