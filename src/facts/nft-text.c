/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule in a few words, for a person: not nft's own syntax to the letter. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "facts/nft-ruleset.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "?";
}

static void add_left(struct zh_buf *buf, const json_t *left)
{
	const json_t *part;

	if ((part = json_object_get(left, "meta")))
		zh_buf_adds(buf, text_of(part, "key"));
	else if ((part = json_object_get(left, "payload")))
		zh_buf_addf(buf, "%s %s", text_of(part, "protocol"), text_of(part, "field"));
	else if ((part = json_object_get(left, "ct")))
		zh_buf_addf(buf, "ct %s", text_of(part, "key"));
	else
		zh_buf_adds(buf, "...");
}

static void add_right(struct zh_buf *buf, const json_t *right)
{
	const json_t *item, *list = json_is_array(right) ? right : json_object_get(right, "set");
	const json_t *prefix = json_object_get(right, "prefix");
	size_t i;

	if (json_is_string(right))
		zh_buf_adds(buf, json_string_value(right));
	else if (json_is_integer(right))
		zh_buf_addf(buf, "%lld", (long long)json_integer_value(right));
	else if (prefix)
		zh_buf_addf(buf, "%s/%lld", text_of(prefix, "addr"),
			(long long)json_integer_value(json_object_get(prefix, "len")));
	else if (json_is_array(list) && json_array_size(list) <= 4)
		json_array_foreach(list, i, item)
		{
			if (i)
				zh_buf_addc(buf, ',');
			if (!json_is_array(item))
				add_right(buf, item);
		}
	else
		zh_buf_adds(buf, "{...}");
}

static void add_expr(struct zh_buf *buf, const char *kind, const json_t *value)
{
	if (!strcmp(kind, "match")) {
		add_left(buf, json_object_get(value, "left"));
		zh_buf_addf(buf, " %s", !strcmp(text_of(value, "op"), "!=") ? "!= " : "");
		add_right(buf, json_object_get(value, "right"));
	} else if (!strcmp(kind, "jump") || !strcmp(kind, "goto")) {
		zh_buf_addf(buf, "%s %s", kind, text_of(value, "target"));
	} else {
		zh_buf_adds(buf, kind);
	}
}

char *zh_nft_text(char *buf, size_t size, const struct zh_nft_rule *rule)
{
	zh_autobuf text = {0};
	const json_t *expr, *value;
	const char *kind;
	size_t i;

	json_array_foreach(rule->expr, i, expr) json_object_foreach((json_t *)expr, kind, value)
	{
		if (text.len)
			zh_buf_addc(&text, ' ');
		add_expr(&text, kind, value);
	}
	snprintf(buf, size, "%s", text.len ? text.text : "");
	return buf;
}
