/* SPDX-License-Identifier: BSD-2-Clause */
/* Knobs that are no file: offload features, a task's CPUs. */
#include <stdio.h>

#include "base/units.h"
#include "knobs/knob.h"
#include "sys/sched.h"
#include "sys/setting.h"

static int get_feature(
	const struct zh_knob *knob, const struct zh_knob_place *place, char *buf, size_t size)
{
	bool on;
	int r = zh_feature_get(place->netns_fd, place->device, knob->arg, &on);

	if (r == 0)
		snprintf(buf, size, "%d", on);
	return r;
}

static int set_feature(
	const struct zh_knob *knob, const struct zh_knob_place *place, const char *canonical)
{
	return zh_feature_set(place->netns_fd, place->device, knob->arg, *canonical == '1');
}

static void shell_feature(const struct zh_knob *knob, const struct zh_knob_place *place,
	const char *value, struct zh_buf *ret)
{
	if (value)
		zh_buf_addf(ret, "ethtool -K %s %s %s", place->device, knob->arg,
			*value == '1' ? "on" : "off");
	else
		zh_buf_addf(ret, "ethtool -k %s | sed -n \"s/^ *%s: on.*/1/p; s/^ *%s: off.*/0/p\"",
			place->device, knob->arg, knob->arg);
}

const struct zh_knob_ops zh_knob_feature = {
	.get = get_feature, .set = set_feature, .shell = shell_feature};

static int get_affinity(
	const struct zh_knob *knob, const struct zh_knob_place *place, char *buf, size_t size)
{
	struct zh_cpuset cpus;
	int r = zh_affinity_get(place->pid, &cpus);

	(void)knob;
	if (r == 0)
		zh_format_cpulist(buf, size, &cpus);
	return r;
}

static int set_affinity(
	const struct zh_knob *knob, const struct zh_knob_place *place, const char *canonical)
{
	struct zh_cpuset cpus = {};
	int r = zh_parse_cpulist(canonical, &cpus, NULL);

	(void)knob;
	return r < 0 ? r : zh_affinity_set(place->pid, &cpus);
}

static void shell_affinity(const struct zh_knob *knob, const struct zh_knob_place *place,
	const char *value, struct zh_buf *ret)
{
	(void)knob;
	if (value)
		zh_buf_addf(ret, "taskset -cp %s %d > /dev/null", value, (int)place->pid);
	else
		zh_buf_addf(ret, "taskset -cp %d | sed \"s/.*: //\"", (int)place->pid);
}

const struct zh_knob_ops zh_knob_affinity = {
	.get = get_affinity, .set = set_affinity, .shell = shell_affinity};
