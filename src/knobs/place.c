/* SPDX-License-Identifier: BSD-2-Clause */
#include "knobs/place.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/root.h"

static bool is_of_netns(const struct zh_knob *knob)
{
	return knob->target == ZH_KNOB_NETNS || knob->target == ZH_KNOB_DEVICE ||
	       knob->target == ZH_KNOB_QUEUE;
}

/* Sysctls of the machine that only the first namespace shows. */
static bool is_of_first_netns(const struct zh_knob *knob)
{
	return knob->target == ZH_KNOB_HOST && knob->ops == &zh_knob_file &&
	       !strncmp(knob->arg, "/proc/sys/net/", 14);
}

static int find_netns(
	const struct zh_knob *knob, int netns_fd, struct zh_knob_place *place, struct zh_err *err)
{
	int fd, r;

	if (zh_sys_is_captured())
		return 0;
	if (is_of_first_netns(knob)) {
		/* Unprivileged, or with a /proc of its own: what is here is what can be had. */
		place->netns_fd = zh_netns_first(NULL);
		return 0;
	}
	if (!is_of_netns(knob))
		return 0;
	fd = netns_fd < 0 ? zh_netns_current(err) : dup(netns_fd);
	if (fd < 0)
		return netns_fd < 0 ? fd : zh_err_sys(err, -errno, "cannot keep a namespace");
	place->netns_fd = fd;
	r = zh_netns_cookie(fd, &place->cookie);
	if (r == 0)
		r = zh_netns_inode(fd, &place->netns_inode);
	return r < 0 ? zh_err_sys(err, r, "cannot tell which network namespace this is") : 0;
}

struct index_query {
	const char *device;
	uint32_t index;
};

static int ask_index(void *arg)
{
	struct index_query *query = arg;

	query->index = if_nametoindex(query->device);
	return query->index ? 0 : -ENODEV;
}

static int find_device(const char *name, struct zh_knob_place *place, struct zh_err *err)
{
	struct index_query query = {.device = name};

	if (!*name || strlen(name) >= sizeof(place->device) || strchr(name, '/'))
		return zh_err_set(err, -EINVAL, "'%.40s' is no name of a device", name);
	if (!zh_sys_is_captured() && zh_netns_ask(place->netns_fd, ask_index, &query) < 0)
		return zh_err_set(err, -ENODEV, "there is no device %s", name);
	snprintf(place->device, sizeof(place->device), "%s", name);
	place->ifindex = query.index;
	return 0;
}

static int find_queue(const char *instance, struct zh_knob_place *place, struct zh_err *err)
{
	const char *slash = strchr(instance, '/'), *number = slash ? slash + 1 : "0";
	char device[32];
	uint64_t queue;

	snprintf(device, sizeof(device), "%.*s",
		(int)ZH_MIN(
			slash ? (size_t)(slash - instance) : strlen(instance), sizeof(device) - 1),
		instance);
	if (!strncmp(number, "rx-", 3) || !strncmp(number, "tx-", 3))
		number += 3;
	if (zh_parse_u64(number, &queue, NULL) < 0 || queue > 65535)
		return zh_err_set(
			err, -EINVAL, "'%.40s' is no queue: use DEV/0, DEV/1, ...", instance);
	place->queue = (uint32_t)queue;
	return find_device(device, place, err);
}

static int need_number(const struct zh_knob *knob, const char *instance, uint64_t max,
	uint64_t *ret, struct zh_err *err)
{
	if (!instance)
		return zh_err_set(err, -EINVAL, "%s is set for each %s: say which, %s@NUMBER=VALUE",
			knob->id, zh_knob_target_name(knob->target), knob->id);
	if (zh_parse_u64(instance, ret, NULL) < 0 || *ret > max)
		return zh_err_set(err, -EINVAL, "'%.40s' is no number of a %s", instance,
			zh_knob_target_name(knob->target));
	return 0;
}

/* The interrupt's last words in /proc/interrupts. -ENOENT: there is none of that number. */
static int read_action(uint32_t irq, char *buf, size_t size)
{
	zh_autofree char *text = NULL;
	char want[16], *line, *save = NULL, *space;

	if (zh_sys_slurp(&text, "/proc/interrupts") < 0)
		return -ENOENT;
	snprintf(want, sizeof(want), "%u:", irq);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line + strspn(line, " "), want, strlen(want)) != 0)
			continue;
		space = strstr(line, "  ");
		for (char *next = space; next; next = strstr(next + 1, "  "))
			space = next;
		snprintf(buf, size, "%.60s", space ? space + strspn(space, " ") : "");
		return 0;
	}
	return -ENOENT;
}

static int find_task(pid_t pid, struct zh_knob_place *place, struct zh_err *err)
{
	if (zh_process_start_ticks(pid, &place->start_ticks) < 0)
		return zh_err_set(err, -ESRCH, "there is no task %d", (int)pid);
	place->pid = pid;
	return 0;
}

static int find_number(const struct zh_knob *knob, const char *instance,
	const struct zh_knob_where *where, struct zh_knob_place *place, struct zh_err *err)
{
	uint64_t number = 0;
	int r;

	if (knob->target == ZH_KNOB_TASK && !instance && where->task > 0)
		return find_task(where->task, place, err);
	r = need_number(knob, instance, INT32_MAX, &number, err);
	if (r < 0)
		return r;
	if (knob->target == ZH_KNOB_TASK)
		return find_task((pid_t)number, place, err);
	if (knob->target == ZH_KNOB_CPU) {
		place->cpu = (uint32_t)number;
		return zh_sys_exists("/sys/devices/system/cpu/cpu%u", place->cpu)
			       ? 0
			       : zh_err_set(err, -ENOENT, "there is no CPU %u", place->cpu);
	}
	place->irq = (uint32_t)number;
	r = read_action(place->irq, place->action, sizeof(place->action));
	return r < 0 ? zh_err_set(err, r, "there is no interrupt %u", place->irq) : 0;
}

int zh_knob_place_find(const struct zh_knob *knob, const char *instance,
	const struct zh_knob_where *where, struct zh_knob_place *ret, struct zh_err *err)
{
	struct zh_knob_place place = {.netns_fd = -1, .state_dir = where->state_dir};
	const char *device = instance ? instance : where->device;
	int r = 0;

	if (instance && (knob->target == ZH_KNOB_HOST || knob->target == ZH_KNOB_NETNS))
		return zh_err_set(err, -EINVAL, "%s is one value of the %s: nothing like '@%.40s'",
			knob->id, zh_knob_target_name(knob->target), instance);
	if ((knob->target == ZH_KNOB_DEVICE || knob->target == ZH_KNOB_QUEUE) && !device)
		return zh_err_set(err, -EINVAL,
			"%s is set for each %s: say which (--dev, or %s@DEV%s=VALUE)", knob->id,
			zh_knob_target_name(knob->target), knob->id,
			knob->target == ZH_KNOB_QUEUE ? "/QUEUE" : "");
	r = find_netns(knob, where->netns_fd, &place, err);
	if (r == 0 && knob->target == ZH_KNOB_DEVICE)
		r = find_device(device, &place, err);
	else if (r == 0 && knob->target == ZH_KNOB_QUEUE)
		r = find_queue(device, &place, err);
	else if (r == 0 && knob->target > ZH_KNOB_QUEUE)
		r = find_number(knob, instance, where, &place, err);
	if (r < 0)
		zh_knob_place_done(&place);
	else
		*ret = place;
	return r;
}

static int name_of_index(void *arg)
{
	struct zh_knob_place *place = arg;
	char name[IF_NAMESIZE];

	if (!if_indextoname(place->ifindex, name))
		return -ENOENT;
	snprintf(place->device, sizeof(place->device), "%s", name);
	return 0;
}

int zh_knob_place_again(const struct zh_knob *knob, struct zh_knob_place *place)
{
	char action[sizeof(place->action)];
	uint64_t start;

	place->netns_fd = -1;
	if (is_of_first_netns(knob))
		place->netns_fd = zh_netns_first(NULL);
	if (is_of_netns(knob)) {
		place->netns_fd = zh_netns_find(place->cookie, place->netns_inode);
		if (place->netns_fd < 0)
			return -ENOENT;
	}
	switch (knob->target) {
	case ZH_KNOB_DEVICE: /* it may have got another name */
	case ZH_KNOB_QUEUE:
		return zh_netns_ask(place->netns_fd, name_of_index, place);
	case ZH_KNOB_IRQ:
		return read_action(place->irq, action, sizeof(action)) < 0 ||
				       strcmp(action, place->action)
			       ? -ENOENT
			       : 0;
	case ZH_KNOB_TASK:
		return zh_process_start_ticks(place->pid, &start) < 0 || start != place->start_ticks
			       ? -ENOENT
			       : 0;
	default:
		return 0;
	}
}

void zh_knob_place_done(struct zh_knob_place *place)
{
	zh_closep(&place->netns_fd);
	place->netns_fd = -1;
}

char *zh_knob_place_name(
	const struct zh_knob *knob, const struct zh_knob_place *place, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (knob->target) {
	case ZH_KNOB_HOST:
	case ZH_KNOB_NETNS:
		break;
	case ZH_KNOB_DEVICE:
		snprintf(buf, size, "%s", place->device);
		break;
	case ZH_KNOB_QUEUE:
		snprintf(buf, size, "%s/%u", place->device, place->queue);
		break;
	case ZH_KNOB_CPU:
		snprintf(buf, size, "CPU %u", place->cpu);
		break;
	case ZH_KNOB_IRQ:
		snprintf(buf, size, "interrupt %u (%s)", place->irq, place->action);
		break;
	case ZH_KNOB_TASK:
		snprintf(buf, size, "task %d", (int)place->pid);
	}
	return buf;
}
