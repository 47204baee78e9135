/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static void lines_break_between_words(void **state)
{
	static const struct {
		const char *text;
		size_t columns, len, next;
	} cases[] = {
		{"one two three", 20, 13, 13}, {"one two three", 7, 7, 8},
		{"one two three", 8, 7, 8}, {"one two three", 6, 3, 4}, {"one   two", 5, 3, 6},
		{"abcdefgh", 3, 3, 3}, /* one word wider than the line */
		{"µµµµ", 2, 4, 4}, {"a\nb", 9, 1, 2}, {"\nb", 9, 0, 1}, {"", 9, 0, 0},
		{"abc", 0, 1, 1}, /* always goes on */
	};
	size_t i, next;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		assert_int_equal(
			zh_page_break(cases[i].text, cases[i].columns, &next), cases[i].len);
		assert_int_equal(next, cases[i].next);
	}
}

static void shares_keep_meaningful_digits(void **state)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = {{0, "0 %"}, {1, "100 %"}, {0.71, "71 %"}, {0.0312, "3.1 %"}, {0.999, "99.9 %"},
		{0.9999, ">99.9 %"}, {0.0004, "0.040 %"}, {1e-9, "<0.001 %"}, {1.5, "150 %"},
		{-0.25, "-25 %"}, {0.0995, "10 %"}};
	char buf[48];
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		struct zh_cell cell = zh_share(cases[i].share);

		assert_string_equal(zh_cell_text(&cell, buf, sizeof(buf)), cases[i].text);
	}
}

static char *text_of(struct zh_doc *doc, unsigned int width)
{
	const struct zh_text_style style = {.width = width};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(zh_render_text(doc, &style, f, NULL), 0);
	fclose(f);
	zh_doc_free(doc);
	return text;
}

static void a_column_shows_its_slowest_sample(void **state)
{
	struct zh_doc *doc = zh_doc_new("ping");
	zh_autofree char *text = NULL;
	uint64_t values[3000];
	bool marks[3000] = {};
	size_t i, spikes = 0;

	(void)state;
	for (i = 0; i < 3000; i++)
		values[i] = 5000;
	values[1500] = 900000;
	values[2000] = UINT64_MAX;
	marks[1500] = true;
	zh_node_strip(zh_doc_root(doc), NULL, values, marks, 3000);
	text = text_of(doc, 80);
	/* One full bar as high as the strip, one mark, one loss. */
	for (i = 0; text[i]; i++)
		spikes += !strncmp(text + i, "█", 3);
	assert_int_equal(spikes, 4);
	assert_non_null(strstr(text, "^"));
	assert_non_null(strstr(text, "×"));
	assert_non_null(strstr(text, "   900 us ┤") ?: strstr(text, "  900 us ┤"));
	assert_non_null(strstr(text, "3000 samples in order, each column the slowest of up to 43"));
}

/* Small differences must not fill the strip's height. */
static void noise_stays_low(void **state)
{
	struct zh_doc *doc = zh_doc_new("ping");
	zh_autofree char *text = NULL;
	uint64_t values[50];
	size_t i;

	(void)state;
	for (i = 0; i < 50; i++)
		values[i] = 5000 + i;
	zh_node_strip(zh_doc_root(doc), NULL, values, NULL, 50);
	text = text_of(doc, 80);
	assert_non_null(strstr(text, "▁▁▁▁"));
	assert_null(strstr(text, "▃"));
}

static void many_bins_become_few_rows(void **state)
{
	struct zh_doc *doc = zh_doc_new("ping");
	zh_autofree char *text = NULL;
	uint64_t edges[1001], counts[1000], total = 0;
	size_t i, lines = 0;
	char *line, *rest;

	(void)state;
	for (i = 0; i <= 1000; i++)
		edges[i] = 1000 + 10 * i;
	for (i = 0; i < 1000; i++)
		counts[i] = i % 7;
	edges[1000] = UINT64_MAX;
	zh_node_histogram(zh_doc_root(doc), "h", "RTT", edges, counts, 1000);
	rest = text = text_of(doc, 80);
	assert_non_null(strstr(text, "more"));
	while ((line = strsep(&rest, "\n")) && rest) {
		unsigned long count;
		char *dash = strstr(line, "–");

		if (!dash)
			continue;
		lines++;
		dash += strcspn(dash, "sm");
		dash += strcspn(dash, " ");
		count = strtoul(dash, NULL, 10);
		total += count;
	}
	assert_true(lines > 10 && lines <= 24);
	for (i = 0; i < 1000; i++)
		total -= counts[i];
	assert_int_equal(total, 0);
}

static void narrow_tables_wrap_words_first(void **state)
{
	static const struct zh_column columns[] = {{"a", "name"}, {"b", "p50"}, {"c", "why"}};
	struct zh_doc *doc = zh_doc_new("ping");
	struct zh_node *table = zh_node_table(zh_doc_root(doc), "t", "T", columns, 3);
	zh_autofree char *text = NULL;

	(void)state;
	zh_node_row(table, (struct zh_cell[]){zh_string("first"), zh_ns(1234567),
				   zh_string("words that do not fit into the line")});
	text = text_of(doc, 40);
	assert_string_equal(text, "T\n"
				  "  name       p50  why\n"
				  "  first  1.23 ms  words that do not fit\n"
				  "                  into the line\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_break_between_words),
		cmocka_unit_test(shares_keep_meaningful_digits),
		cmocka_unit_test(a_column_shows_its_slowest_sample),
		cmocka_unit_test(noise_stays_low),
		cmocka_unit_test(many_bins_become_few_rows),
		cmocka_unit_test(narrow_tables_wrap_words_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
