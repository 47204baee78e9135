/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t zh_utf8_columns(const char *text, size_t bytes)
{
	size_t columns = 0, i;

	for (i = 0; i < bytes; i++)
		columns += !is_continuation(text[i]);
	return columns;
}

size_t zh_utf8_fit(const char *text, size_t bytes, size_t columns)
{
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (is_continuation(text[i]))
			continue;
		if (columns-- == 0)
			break;
	}
	return i;
}

/* Length of the code point at `p`, which it stores in *ret; 0 when it is not valid UTF-8. */
static size_t decode(const char *p, uint32_t *ret)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)*p;
	size_t len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2, i;
	uint32_t point = len == 1 ? c : c & (0x7fu >> len);

	if (c >= 0xf8 || (c >= 0x80 && c < 0xc0))
		return 0;
	for (i = 1; i < len; i++) {
		if (!is_continuation(p[i]))
			return 0;
		point = point << 6 | ((unsigned char)p[i] & 0x3f);
	}
	if (point < smallest[len] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0;
	*ret = point;
	return len;
}

char *zh_utf8_clean(const char *text)
{
	char *copy, *to;
	uint32_t point;
	size_t len;

	if (!text)
		return NULL;
	to = copy = reallocarray(NULL, strlen(text) + 1, sizeof(replacement) - 1);
	if (!copy)
		return NULL;
	while (*text) {
		len = decode(text, &point);
		if (len == 0) {
			memcpy(to, replacement, sizeof(replacement) - 1);
			to += sizeof(replacement) - 1;
			text++;
			continue;
		}
		if (point == '\t')
			*to++ = ' ';
		else if ((point < ' ' && point != '\n') || (point >= 0x7f && point < 0xa0))
			*to++ = '?';
		else
			to = (char *)memcpy(to, text, len) + len;
		text += len;
	}
	*to = '\0';
	return copy;
}

/* The characters that our own pages and sentences use, and what stands for them. */
static const struct {
	const char *point;
	char ascii;
} close_ones[] = {
	{"…", '~'},
	{"–", '-'},
	{"—", '-'},
	{"−", '-'},
	{"·", '-'},
	{"•", '*'},
	{"×", 'x'},
	{"µ", 'u'},
	{"μ", 'u'},
	{"→", '>'},
	{"←", '<'},
	{"≤", '<'},
	{"≥", '>'},
	{"±", '~'},
	{"≈", '~'},
	{"▲", '!'},
	{"✖", 'X'},
	{"○", 'o'},
	{"●", 'O'},
	{"│", '|'},
	{"┤", '|'},
	{"┌", '+'},
	{"├", '+'},
	{"└", '+'},
	{"’", '\''},
	{"‘", '\''},
	{"“", '"'},
	{"”", '"'},
	{"▁", '.'},
	{"▂", '.'},
	{"▃", ':'},
	{"▄", ':'},
	{"▅", ':'},
	{"▆", '#'},
	{"▇", '#'},
	{"█", '#'},
	{"▓", '+'},
	{"▒", ':'},
	{"░", '.'},
	{"▏", '.'},
	{"▎", '.'},
	{"▍", '.'},
	{"▌", '.'},
	{"▋", '#'},
	{"▊", '#'},
	{"▉", '#'},
	{"\u00a0", ' '},
};

static char close_one(const char *point, size_t len)
{
	size_t i;

	if (len == 1)
		return *point;
	for (i = 0; i < ZH_ARRAY_SIZE(close_ones); i++)
		if (!strncmp(close_ones[i].point, point, len))
			return close_ones[i].ascii;
	return '?';
}

void zh_utf8_to_ascii(char *text)
{
	char *to = text;
	uint32_t point;
	size_t len;

	while (*text) {
		len = decode(text, &point);
		*to++ = len ? close_one(text, len) : '?';
		text += len ? len : 1;
	}
	*to = '\0';
}
