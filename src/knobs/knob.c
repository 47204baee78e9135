/* SPDX-License-Identifier: BSD-2-Clause */
#include "knobs/knob.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "knobs/place.h"

static bool is_name(const char *name, const char *text)
{
	for (; *name && *text; name++, text++)
		if ((*name == '_' ? '-' : *name) != (*text == '_' ? '-' : *text))
			return false;
	return !*name && !*text;
}

const struct zh_knob *zh_knob_at(size_t i)
{
	for (size_t f = 0; zh_knob_family_registry[f]; f++) {
		if (i < zh_knob_family_registry[f]->n)
			return &zh_knob_family_registry[f]->knobs[i];
		i -= zh_knob_family_registry[f]->n;
	}
	return NULL;
}

const struct zh_knob *zh_knob_find(const char *id)
{
	const struct zh_knob *knob;

	for (size_t i = 0; (knob = zh_knob_at(i)); i++)
		if (is_name(knob->id, id) || (knob->alias && is_name(knob->alias, id)))
			return knob;
	return NULL;
}

const char *zh_knob_target_name(enum zh_knob_target target)
{
	static const char *const names[] = {
		"host", "namespace", "device", "queue", "CPU", "interrupt", "task"};

	return names[target];
}

const char *zh_knob_persist_name(enum zh_knob_persist persist)
{
	static const char *const names[] = {
		"not", "sysctl.d", "tmpfiles.d", "udev rule", "service that holds it"};

	return names[persist];
}

int zh_knob_get(const struct zh_knob *knob, const struct zh_knob_place *place,
	char ret[static ZH_KNOB_VALUE], struct zh_err *err)
{
	char raw[ZH_KNOB_VALUE], name[80];
	int r = knob->ops->get(knob, place, raw, sizeof(raw));

	zh_knob_place_name(knob, place, name, sizeof(name));
	if (r < 0)
		return zh_err_sys(
			err, r, "cannot read %s%s%s", knob->id, *name ? " of " : "", name);
	if (zh_knob_decode(knob, raw, ret) < 0)
		return zh_err_set(err, -EBADMSG, "%s has a value that is not understood: '%.60s'",
			knob->id, raw);
	return 0;
}

void zh_knob_expect_power_of_two(
	const struct zh_knob_place *place, const char *canonical, char *ret, size_t size)
{
	unsigned long long want = strtoull(canonical, NULL, 10), have = want ? 1 : 0;

	(void)place;
	while (have < want)
		have *= 2;
	snprintf(ret, size, "%llu", have);
}
