/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/bpf-stats.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/util.h"
#include "sys/root.h"

#define PROG_TYPE_NETFILTER 32 /* since 6.4 */
#define EFFECTIVE_MAX 64       /* control-group programs looked at a direction */

struct watched {
	int fd;
	struct zh_bpf_stat start;
};

struct zh_bpf_stats {
	int enable_fd; /* keeps the statistics on */
	size_t n;
	struct watched programs[ZH_BPF_STATS_MAX];
};

/* The control-group programs that packets of this process pass. */
struct effective {
	bool known; /* false: cannot be asked, then all are taken */
	uint32_t ids[2 * EFFECTIVE_MAX];
	size_t n;
};

static int open_own_cgroup(void)
{
	char text[4096], path[PATH_MAX], *line, *end;
	int i;

	if (zh_sys_read(text, sizeof(text), "/proc/self/cgroup") < 0)
		return -1;
	line = !strncmp(text, "0::", 3) ? text : strstr(text, "\n0::");
	if (!line)
		return -1;
	line = strchr(line, '/');
	if (!line)
		return -1;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	for (i = 0; i < 2; i++) {
		int fd;

		if (!zh_sys_exists("/sys/fs/cgroup%s/cgroup.procs", i ? "/unified" : ""))
			continue;
		snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s%s", zh_sys_root(),
			i ? "/unified" : "", line);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

static void ask_effective(struct effective *ret)
{
	static const enum bpf_attach_type types[] = {
		BPF_CGROUP_INET_INGRESS, BPF_CGROUP_INET_EGRESS};
	zh_autoclose int fd = open_own_cgroup();
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; fd >= 0 && i < ZH_ARRAY_SIZE(types); i++) {
		uint32_t n = EFFECTIVE_MAX;

		if (bpf_prog_query(
			    fd, types[i], BPF_F_QUERY_EFFECTIVE, NULL, &ret->ids[ret->n], &n))
			return;
		ret->n += n;
	}
	ret->known = fd >= 0;
}

static bool is_on_the_path(const struct bpf_prog_info *info, const struct effective *effective)
{
	size_t i;

	switch (info->type) {
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
	case BPF_PROG_TYPE_XDP:
	case BPF_PROG_TYPE_LWT_IN:
	case BPF_PROG_TYPE_LWT_OUT:
	case BPF_PROG_TYPE_LWT_XMIT:
	case BPF_PROG_TYPE_LWT_SEG6LOCAL:
	case PROG_TYPE_NETFILTER:
		return true;
	case BPF_PROG_TYPE_CGROUP_SKB:
		for (i = 0; i < effective->n; i++) {
			if (effective->ids[i] == info->id)
				return true;
		}
		return !effective->known;
	default:
		return false;
	}
}

/* Walks over all programs of the machine. */
static int find_programs(struct zh_bpf_stats *stats, struct zh_err *err)
{
	struct effective effective;
	uint32_t id = 0;
	int more = 0;

	ask_effective(&effective);
	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd == -ENOENT)
			continue;
		if (fd < 0)
			return zh_err_sys(err, fd, "cannot look at BPF programs");
		if (bpf_obj_get_info_by_fd(fd, &info, &size) ||
			!is_on_the_path(&info, &effective)) {
			close(fd);
			continue;
		}
		if (stats->n == ZH_BPF_STATS_MAX) {
			close(fd);
			more = 1;
			break;
		}
		stats->programs[stats->n++] = (struct watched){.fd = fd, .start.id = id};
	}
	/* At the end the kernel says ENOENT; without the privilege EPERM, at once. */
	if (errno == EPERM && !stats->n)
		return zh_err_sys(err, -EPERM, "cannot look at BPF programs");
	return more;
}

static int read_program(int fd, struct zh_bpf_stat *ret)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);
	int r = bpf_obj_get_info_by_fd(fd, &info, &size);

	if (r)
		return r;
	ret->id = info.id;
	snprintf(ret->name, sizeof(ret->name), "%s", info.name);
	ret->run_time_ns = info.run_time_ns;
	ret->run_count = info.run_cnt;
	return 0;
}

int zh_bpf_stats_open(struct zh_bpf_stats **ret, struct zh_err *err)
{
	struct zh_bpf_stats *stats = calloc(1, sizeof(*stats));
	size_t i;
	int r;

	*ret = NULL;
	if (!stats)
		return zh_err_sys(err, -ENOMEM, "cannot watch BPF programs");
	stats->enable_fd = -1;
	r = find_programs(stats, err);
	if (r < 0 || !stats->n) {
		zh_bpf_stats_close(stats);
		return r;
	}
	stats->enable_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats->enable_fd < 0) {
		r = zh_err_sys(err, stats->enable_fd, "cannot turn on BPF run-time statistics");
		zh_bpf_stats_close(stats);
		return r;
	}
	for (i = 0; i < stats->n; i++)
		read_program(stats->programs[i].fd, &stats->programs[i].start);
	*ret = stats;
	return r;
}

struct zh_bpf_stats *zh_bpf_stats_close(struct zh_bpf_stats *stats)
{
	size_t i;

	if (!stats)
		return NULL;
	for (i = 0; i < stats->n; i++)
		close(stats->programs[i].fd);
	if (stats->enable_fd >= 0)
		close(stats->enable_fd);
	free(stats);
	return NULL;
}

uint64_t zh_bpf_stats_read(const struct zh_bpf_stats *stats)
{
	struct zh_bpf_stat stat;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; stats && i < stats->n; i++) {
		if (!zh_bpf_stats_get(stats, i, &stat))
			sum += stat.run_time_ns;
	}
	return sum;
}

size_t zh_bpf_stats_count(const struct zh_bpf_stats *stats)
{
	return stats ? stats->n : 0;
}

int zh_bpf_stats_get(const struct zh_bpf_stats *stats, size_t i, struct zh_bpf_stat *ret)
{
	const struct watched *watched = &stats->programs[i];
	int r = read_program(watched->fd, ret);

	if (r)
		return r;
	ret->run_time_ns -= watched->start.run_time_ns;
	ret->run_count -= watched->start.run_count;
	return 0;
}
