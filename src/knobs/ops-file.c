/* SPDX-License-Identifier: BSD-2-Clause */
/* Knobs that are a file of /proc or /sys. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"
#include "sys/setting.h"

#define PATH_BYTES 256

static void add_part(
	struct zh_buf *path, const char *name, size_t len, const struct zh_knob_place *place)
{
	const struct {
		const char *name;
		uint32_t number;
	} numbers[] = {{"queue", place->queue}, {"cpu", place->cpu}, {"irq", place->irq},
		{"pid", (uint32_t)place->pid}};

	if (len == 3 && !strncmp(name, "dev", len))
		zh_buf_adds(path, place->device);
	for (size_t i = 0; i < ZH_ARRAY_SIZE(numbers); i++)
		if (strlen(numbers[i].name) == len && !strncmp(name, numbers[i].name, len))
			zh_buf_addf(path, "%u", numbers[i].number);
}

static void add_path(
	const struct zh_knob *knob, const struct zh_knob_place *place, struct zh_buf *path)
{
	const char *p = knob->arg;

	while (*p) {
		size_t plain = strcspn(p, "{"), len;

		zh_buf_add(path, p, plain);
		p += plain;
		if (!*p)
			return;
		len = strcspn(p, "}");
		add_part(path, p + 1, len - 1, place);
		p += len + 1;
	}
}

static int get(
	const struct zh_knob *knob, const struct zh_knob_place *place, char *buf, size_t size)
{
	zh_autobuf path = {};

	add_path(knob, place, &path);
	return path.failed ? -ENOMEM : zh_setting_read(place->netns_fd, path.text, buf, size);
}

static int set(const struct zh_knob *knob, const struct zh_knob_place *place, const char *canonical)
{
	char text[ZH_KNOB_VALUE];
	zh_autobuf path = {};

	add_path(knob, place, &path);
	zh_knob_encode(knob, canonical, text);
	return path.failed ? -ENOMEM : zh_setting_write(place->netns_fd, path.text, text);
}

static void shell(const struct zh_knob *knob, const struct zh_knob_place *place, const char *value,
	struct zh_buf *ret)
{
	if (value) {
		zh_buf_addf(ret, "printf %%s \"%s\" > ", value);
		add_path(knob, place, ret);
	} else {
		zh_buf_adds(ret, "cat ");
		add_path(knob, place, ret);
	}
}

const struct zh_knob_ops zh_knob_file = {.get = get, .set = set, .shell = shell};
