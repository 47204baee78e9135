/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/lists.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define RATE_MAX 1000000

int cmd_item_size(const void *arg, const char *text, uint64_t *ret, struct zh_err *err)
{
	uint64_t size;
	int r = zh_parse_size(text, &size, err);

	(void)arg;
	if (r < 0)
		return r;
	if (!size)
		return zh_err_set(err, -EINVAL, "a size of 0 carries nothing: use 1 or more");
	*ret = size;
	return 0;
}

int cmd_item_choice(const void *arg, const char *text, uint64_t *ret, struct zh_err *err)
{
	const char *const *names = arg;
	char allowed[200] = "";
	size_t len = 0, i;

	for (i = 0; names[i]; i++) {
		if (!strcmp(names[i], text)) {
			*ret = i;
			return 0;
		}
		if (len < sizeof(allowed))
			len += (size_t)snprintf(allowed + len, sizeof(allowed) - len, "%s%s",
				i ? ", " : "", names[i]);
	}
	return zh_err_set(err, -EINVAL, "'%.100s' is not one of: %s", text, allowed);
}

int cmd_item_rate(const void *arg, const char *text, uint64_t *ret, struct zh_err *err)
{
	uint64_t rate;

	(void)arg;
	if (zh_parse_u64(text, &rate, NULL) < 0 || rate < 1 || rate > RATE_MAX)
		return zh_err_set(err, -EINVAL, "'%.100s' is not a rate from 1 to %d a second",
			text, RATE_MAX);
	*ret = rate;
	return 0;
}

int cmd_item_rate_or_max(const void *arg, const char *text, uint64_t *ret, struct zh_err *err)
{
	if (strcmp(text, "max"))
		return cmd_item_rate(arg, text, ret, err);
	*ret = 0;
	return 0;
}

static bool has(const struct cmd_list *list, uint64_t value)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->values[i] == value)
			return true;
	return false;
}

static int read_item(const char *item, cmd_item_reader *read, const void *arg,
	struct cmd_list *list, struct zh_err *err)
{
	uint64_t value;
	int r = read(arg, item, &value, err);

	if (r < 0)
		return r;
	if (has(list, value))
		return zh_err_set(err, -EINVAL, "'%.100s' is there twice", item);
	if (list->n == CMD_LIST_MAX)
		return zh_err_set(err, -EINVAL, "at most %d values", CMD_LIST_MAX);
	list->values[list->n++] = value;
	return 0;
}

int cmd_list_read(const char *option, const char *text, cmd_item_reader *read, const void *arg,
	struct cmd_list *ret, struct zh_err *err)
{
	struct cmd_list list = {};
	char item[128];
	size_t len;
	int r = 0;

	for (; r >= 0; text += len + 1) {
		len = strcspn(text, ",");
		snprintf(item, sizeof(item), "%.*s", (int)len, text);
		if (len >= sizeof(item))
			r = zh_err_set(err, -EINVAL, "'%.60s...' is too long", item);
		else if (!len)
			r = zh_err_set(err, -EINVAL, "a value is missing (write A,B,C)");
		else
			r = read_item(item, read, arg, &list, err);
		if (!text[len])
			break;
	}
	if (r < 0)
		return zh_err_wrap(err, "--%s", option);
	*ret = list;
	return 0;
}
