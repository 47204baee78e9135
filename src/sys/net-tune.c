/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/net-tune.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/root.h"
#include "sys/setting.h"

static int set_file(int netns_fd, const char *device, const char *file, const char *text,
	const char *what, struct zh_err *err)
{
	char path[128];
	int r;

	if (netns_fd < 0) /* the thread must be one of its own */
		return zh_err_set(err, -EINVAL, "no namespace given");
	snprintf(path, sizeof(path), "/sys/class/net/%.15s/%s", device, file);
	r = zh_setting_write(netns_fd, path, text);
	return r < 0 ? zh_err_sys(err, r, "cannot set %s of %s", what, device) : 0;
}

/* A mask has 32 bits a comma-separated word, the highest first. */
static void format_mask(char *buf, size_t size, const struct zh_cpuset *cpus)
{
	size_t word = ZH_CPU_MAX / 32, len = 0;
	uint32_t bits;

	while (word-- > 0) {
		bits = (uint32_t)(cpus->bits[word / 2] >> (word % 2 * 32));
		if (len)
			len += (size_t)snprintf(buf + len, size - len, ",%08" PRIx32, bits);
		else if (bits || !word)
			len += (size_t)snprintf(buf + len, size - len, "%" PRIx32, bits);
	}
}

int zh_nettune_rps(
	int netns_fd, const char *device, const struct zh_cpuset *cpus, struct zh_err *err)
{
	char mask[16 + ZH_CPU_MAX / 32 * 9];

	format_mask(mask, sizeof(mask), cpus);
	return set_file(netns_fd, device, "queues/rx-0/rps_cpus", mask, "packet steering", err);
}

int zh_nettune_rps_cpu(int netns_fd, const char *device, int cpu, struct zh_err *err)
{
	struct zh_cpuset cpus = {};

	if (cpu >= 0)
		zh_cpuset_add(&cpus, (unsigned int)cpu);
	return zh_nettune_rps(netns_fd, device, &cpus, err);
}

int zh_nettune_threaded(int netns_fd, const char *device, bool on, struct zh_err *err)
{
	return set_file(netns_fd, device, "threaded", on ? "1" : "0", "threaded NAPI", err);
}

struct offload {
	const char *device;
	uint32_t command; /* ETHTOOL_S... */
	bool on;
};

static int set_offload(void *arg)
{
	const struct offload *offload = arg;
	struct ethtool_value value = {.cmd = offload->command, .data = offload->on};
	struct ifreq request = {.ifr_data = (void *)&value};
	zh_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%.15s", offload->device);
	return ioctl(fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
}

static int switch_offload(
	int netns_fd, struct offload *offload, const char *what, struct zh_err *err)
{
	int r;

	if (netns_fd < 0)
		return zh_err_set(err, -EINVAL, "no namespace given");
	r = zh_netns_call(netns_fd, set_offload, offload, err);
	return r < 0 ? zh_err_sys(err, r, "cannot switch %s offload of %s", what, offload->device)
		     : 0;
}

int zh_nettune_gro(int netns_fd, const char *device, bool on, struct zh_err *err)
{
	struct offload offload = {device, ETHTOOL_SGRO, on};

	return switch_offload(netns_fd, &offload, "receive", err);
}

int zh_nettune_tso(int netns_fd, const char *device, bool on, struct zh_err *err)
{
	struct offload offload = {device, ETHTOOL_STSO, on};

	return switch_offload(netns_fd, &offload, "segmentation", err);
}

static const char *const global_names[ZH_NETTUNE_GLOBALS] = {"netdev_max_backlog", "netdev_budget"};

struct global {
	const char *name;
	uint64_t value;
};

const char *zh_nettune_global_name(enum zh_nettune_global which)
{
	static const char *const names[ZH_NETTUNE_GLOBALS] = {
		"net.core.netdev_max_backlog", "net.core.netdev_budget"};

	return names[which];
}

static int read_global(void *arg)
{
	struct global *global = arg;

	return zh_sys_read_u64(&global->value, "/proc/sys/net/core/%s", global->name);
}

static int write_global(void *arg)
{
	const struct global *global = arg;
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", global->value);
	return zh_sys_write(text, "/proc/sys/net/core/%s", global->name);
}

/* Here, or else where the machine's first process is. */
static int in_first(int (*f)(void *arg), struct global *global, struct zh_err *err)
{
	zh_autoclose int fd = -1;
	int r = f(global);

	if (r != -ENOENT)
		return r;
	fd = zh_netns_first(NULL);
	return fd < 0 ? r : zh_netns_call(fd, f, global, err);
}

int zh_nettune_global(enum zh_nettune_global which, uint64_t *ret, struct zh_err *err)
{
	struct global global = {.name = global_names[which]};
	int r = in_first(read_global, &global, err);

	if (r < 0)
		return zh_err_sys(err, r, "cannot read %s", zh_nettune_global_name(which));
	*ret = global.value;
	return 0;
}

int zh_nettune_global_set(enum zh_nettune_global which, uint64_t value, struct zh_err *err)
{
	struct global global = {global_names[which], value};
	int r = in_first(write_global, &global, err);

	return r < 0 ? zh_err_sys(err, r, "cannot set %s to %" PRIu64,
			       zh_nettune_global_name(which), value)
		     : 0;
}
