/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/gzip.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define TEXT_SIZE 200000 /* more than the first buffer holds */

static size_t pack(char *packed, size_t size, const char *text, size_t len)
{
	z_stream stream = {.next_in = (Bytef *)text,
		.avail_in = (uInt)len,
		.next_out = (Bytef *)packed,
		.avail_out = (uInt)size};

	assert_int_equal(
		deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return size - stream.avail_out;
}

static void round_trip(void **state)
{
	static char text[TEXT_SIZE], packed[TEXT_SIZE];
	char *back = NULL;
	size_t i, len;

	(void)state;
	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * i % 23);
	len = pack(packed, sizeof(packed), text, sizeof(text));
	assert_int_equal(zh_sys_gunzip(&back, packed, len, 1 << 20), TEXT_SIZE);
	assert_memory_equal(back, text, sizeof(text));
	assert_int_equal(back[TEXT_SIZE], 0);
	free(back);
	back = NULL;
	assert_int_equal(zh_sys_gunzip(&back, packed, len, 100000), -EFBIG);
	assert_int_equal(zh_sys_gunzip(&back, packed, len / 2, 1 << 20), -EBADMSG);
	assert_int_equal(zh_sys_gunzip(&back, "plain text", 10, 1 << 20), -EBADMSG);
	assert_int_equal(zh_sys_gunzip(&back, "", 0, 1 << 20), -EBADMSG);
	assert_null(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip)};

	return cmocka_run_group_tests_name("sys-gzip", tests, NULL, NULL);
}
