/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static void columns_are_code_points(void **state)
{
	(void)state;
	assert_int_equal(zh_utf8_columns("µs", 3), 2);
	assert_int_equal(zh_utf8_columns("▁█", 6), 2);
	assert_int_equal(zh_utf8_columns("", 0), 0);
	assert_int_equal(zh_utf8_fit("µµµ", 6, 2), 4);
	assert_int_equal(zh_utf8_fit("µµµ", 6, 9), 6);
	assert_int_equal(zh_utf8_fit("µµµ", 6, 0), 0);
	assert_int_equal(zh_utf8_fit("abc", 3, 2), 2);
}

static void unsafe_bytes_are_replaced(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{"plain µ … 😀", "plain µ … 😀"}, {"a\tb\nc", "a b\nc"},
		{"\033[2Jevil\x7f", "?[2Jevil?"},
		{"\xc2\x9b"
		 "31m",
			"?31m"},                                  /* C1: CSI in one character */
		{"\xff\xfe", "\ufffd\ufffd"},                     /* never valid */
		{"\xc0\xaf", "\ufffd\ufffd"},                     /* overlong '/' */
		{"\xe2\x82", "\ufffd\ufffd"},                     /* cut short */
		{"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},           /* a surrogate */
		{"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"}, /* above U+10FFFF */
		{"\x80x", "\ufffdx"},                             /* a continuation alone */
	};
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		zh_autofree char *clean = zh_utf8_clean(cases[i].text);

		assert_string_equal(clean, cases[i].clean);
	}
	assert_null(zh_utf8_clean(NULL));
}

static void ascii_keeps_the_columns(void **state)
{
	char text[] = "5 µs – 7 µs … ▁▄█ × ü\n";
	size_t columns = zh_utf8_columns(text, strlen(text));

	(void)state;
	zh_utf8_to_ascii(text);
	assert_string_equal(text, "5 us - 7 us ~ .:# x ?\n");
	assert_int_equal(strlen(text), columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_code_points),
		cmocka_unit_test(unsafe_bytes_are_replaced),
		cmocka_unit_test(ascii_keeps_the_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
