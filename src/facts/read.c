/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "sys/root.h"

const char *zh_facts_net(void)
{
	return zh_sys_is_captured() ? "/proc/net" : "/proc/thread-self/net";
}

char *zh_facts_name(char *buf, size_t size, const char *name)
{
	size_t i;

	for (i = 0; i + 1 < size && name[i]; i++) {
		char c = name[i];

		if (c == '.')
			c = '/';
		else if (!isalnum((unsigned char)c) && !strchr("_:@/-", c))
			c = '_';
		buf[i] = c;
	}
	if (i == 0 && size > 1)
		buf[i++] = '_';
	buf[i] = '\0';
	return buf;
}

char *zh_facts_line(char **cursor)
{
	char *line = *cursor, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	*cursor = end;
	return line;
}

char *zh_facts_word(char **cursor, const char *separators)
{
	char *word = *cursor;

	if (!word)
		return NULL;
	word += strspn(word, separators);
	if (!*word)
		return NULL;
	*cursor = word + strcspn(word, separators);
	if (**cursor)
		*(*cursor)++ = '\0';
	return word;
}

bool zh_facts_parse(const char *text, int base, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	if (!text || !isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}

void zh_facts_missing(struct zh_fact_set *set, int r, const char *source, const char *key, ...)
{
	char why[256], name[256];
	va_list ap;

	snprintf(why, sizeof(why), "%s: %s", source, strerror(-r));
	va_start(ap, key);
	vsnprintf(name, sizeof(name), key, ap);
	va_end(ap);
	zh_fact_unavailable(set, why, "%s", name);
}

void zh_facts_truncated(
	struct zh_fact_set *set, const char *group, size_t shown, size_t all, const char *what)
{
	char text[96];

	snprintf(text, sizeof(text), "%zu of %zu %s listed", shown, all, what);
	zh_fact_string(set, text, "truncated.%s", group);
}

char *zh_facts_mask(char *buf, size_t size, const char *mask)
{
	struct zh_cpuset cpus = {0};
	size_t len = strlen(mask);
	unsigned int cpu = 0, bit;

	buf[0] = '\0';
	while (len-- > 0) {
		char c = (char)tolower((unsigned char)mask[len]);
		int digit = isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10;

		if (c == ',' || isspace((unsigned char)c))
			continue;
		if (!isxdigit((unsigned char)c))
			return buf;
		for (bit = 0; bit < 4; bit++)
			if (digit >> bit & 1)
				zh_cpuset_add(&cpus, cpu + bit);
		cpu += 4;
	}
	return zh_format_cpulist(buf, size, &cpus);
}

static void add_numbers(struct zh_fact_set *set, const char *names, char *text, const char *prefix,
	const char *point)
{
	char copy[128], *names_at = copy, *text_at = text, *name;
	uint64_t value;

	snprintf(copy, sizeof(copy), "%s", names);
	while ((name = zh_facts_word(&names_at, " "))) {
		if (zh_facts_parse(zh_facts_word(&text_at, " \t"), 10, &value))
			zh_fact_number(set, value, "%s%s%s", prefix, point, name);
	}
}

static void add_text(struct zh_fact_set *set, const struct zh_facts_file *file, char *text,
	const char *prefix, const char *point)
{
	char list[4096], *open, *close;
	uint64_t value;
	size_t len = strcspn(text, "\n");

	while (len && text[len - 1] == ' ')
		len--;
	text[len] = '\0';
	switch (file->form) {
	case ZH_FORM_NUMBER:
		if (zh_facts_parse(text, 0, &value))
			zh_fact_number(set, value * (file->scale ? file->scale : 1), "%s%s%s",
				prefix, point, file->key);
		break;
	case ZH_FORM_MASK:
		zh_fact_string(set, zh_facts_mask(list, sizeof(list), text), "%s%s%s", prefix,
			point, file->key);
		break;
	case ZH_FORM_CHOICE:
		open = strchr(text, '[');
		close = open ? strchr(open, ']') : NULL;
		if (close) {
			*close = '\0';
			text = open + 1;
		}
		/* fall through */
	case ZH_FORM_STRING:
		zh_fact_string(set, text, "%s%s%s", prefix, point, file->key);
		break;
	case ZH_FORM_NUMBERS:
		add_numbers(set, file->key, text, prefix, point);
		break;
	}
}

void zh_facts_files(struct zh_fact_set *set, const struct zh_facts_file *table, const char *dir,
	const char *prefix)
{
	const char *point = prefix[0] ? "." : "";
	char text[4096], path[512];
	int r;

	for (; table->file; table++) {
		r = zh_sys_read(text, sizeof(text), "%s/%s", dir, table->file);
		if (r >= 0) {
			add_text(set, table, text, prefix, point);
		} else if (table->wanted) {
			snprintf(path, sizeof(path), "%s/%s", dir, table->file);
			zh_facts_missing(set, r, path, "%s%s%s", prefix, point, table->key);
		}
	}
}

struct each_cpu {
	struct zh_fact_set *set;
	void (*f)(struct zh_fact_set *set, void *arg, unsigned int cpu);
	void *arg;
};

static int each_cpu_entry(void *arg, const char *name)
{
	struct each_cpu *each = arg;
	uint64_t cpu;

	if (!strncmp(name, "cpu", 3) && zh_facts_parse(name + 3, 10, &cpu) && cpu < ZH_CPU_MAX)
		each->f(each->set, each->arg, (unsigned int)cpu);
	return 0;
}

void zh_facts_each_cpu(struct zh_fact_set *set,
	void (*f)(struct zh_fact_set *set, void *arg, unsigned int cpu), void *arg)
{
	struct each_cpu each = {set, f, arg};

	zh_sys_list(each_cpu_entry, &each, "/sys/devices/system/cpu");
}
