/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sys/root.h"

/* A name is at most this far behind its start: what lies farther is no function of the list. */
#define FUNCTION_MAX (1u << 20)

struct symbol {
	uint64_t address;
	const char *name; /* in text */
};

struct zh_symbols {
	char *text; /* the file, its names cut apart in place */
	struct symbol *list;
	size_t n;
};

static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* "ffffffff81000000 T startup_64\t[module]\n": cuts the line and takes it when it is code. */
static char *take_line(char *line, struct symbol *ret, bool *ret_taken)
{
	char *end = strchrnul(line, '\n'), *next = *end ? end + 1 : end, *name;

	*end = '\0';
	*ret_taken = false;
	ret->address = strtoull(line, &name, 16);
	if (ret->address && name[0] == ' ' && strchr("tTwW", name[1]) && name[1] &&
		name[2] == ' ') {
		ret->name = name + 3;
		name[3 + strcspn(name + 3, "\t ")] = '\0';
		*ret_taken = true;
	}
	return next;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

struct zh_symbols *zh_symbols_read(void)
{
	struct zh_symbols *symbols = calloc(1, sizeof(*symbols));
	char *line;
	bool taken;

	if (!symbols || zh_sys_slurp(&symbols->text, "/proc/kallsyms") <= 0)
		return zh_symbols_free(symbols);
	symbols->list = calloc(count_lines(symbols->text), sizeof(*symbols->list));
	if (!symbols->list)
		return zh_symbols_free(symbols);
	for (line = symbols->text; *line;) {
		line = take_line(line, &symbols->list[symbols->n], &taken);
		symbols->n += taken;
	}
	if (!symbols->n)
		return zh_symbols_free(symbols);
	qsort(symbols->list, symbols->n, sizeof(*symbols->list), by_address);
	return symbols;
}

struct zh_symbols *zh_symbols_free(struct zh_symbols *symbols)
{
	if (symbols) {
		free(symbols->list);
		free(symbols->text);
		free(symbols);
	}
	return NULL;
}

const char *zh_symbols_find(const struct zh_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols ? symbols->n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - symbols->list[low - 1].address > FUNCTION_MAX)
		return NULL;
	return symbols->list[low - 1].name;
}
