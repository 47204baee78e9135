/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damage: bytes of a good record are changed, or its end is cut off, at many places. Loading gives
 * an error with a sentence, or a record whose indices all point inside. A sanitizer build sees
 * what else might go wrong.
 */
#include "record/record.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "record/file.h"
#include "record/test-file.h"

static char path[] = "/tmp/zh-test-damage-XXXXXX";
static char *good;
static size_t good_size;

static void put(const char *bytes, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

/* Loads what is in the file; returns true when it was accepted. */
static bool load(void)
{
	struct zh_record *record = NULL;
	struct zh_err err = {};
	int r = zh_record_load(path, &record, &err);

	if (r == 0) {
		assert_null(zh_file_check(record));
		zh_record_free(record);
		return true;
	}
	assert_null(record);
	assert_int_equal(r, err.code);
	assert_int_equal(r, -EINVAL);
	assert_true(strlen(err.text) > 0);
	return false;
}

static void the_good_one_loads(void **state)
{
	(void)state;
	put(good, good_size);
	assert_true(load());
}

static void changed_bytes(void **state)
{
	static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	zh_autofree char *bytes = malloc(good_size);
	size_t i, refused = 0;

	(void)state;
	assert_non_null(bytes);
	for (i = 0; i < good_size; i += i < 400 ? 1 : 37) {
		memcpy(bytes, good, good_size);
		bytes[i] = (char)values[i % sizeof(values)];
		put(bytes, good_size);
		refused += !load();
	}
	assert_true(refused > 10);
}

/* Runs of random bytes, from a fixed seed. */
static void overwritten_stretches(void **state)
{
	zh_autofree char *bytes = malloc(good_size);
	unsigned int seed = 23;
	size_t i, k, at;

	(void)state;
	assert_non_null(bytes);
	for (i = 0; i < 200; i++) {
		memcpy(bytes, good, good_size);
		at = 100 + (size_t)rand_r(&seed) % (good_size - 200);
		for (k = 0; k < 1 + i % 64; k++)
			bytes[at + k] = (char)rand_r(&seed);
		put(bytes, good_size);
		load();
	}
}

static void cut_off(void **state)
{
	size_t size;

	(void)state;
	for (size = good_size - 1; size > 0; size -= ZH_MIN(size, 211u)) {
		put(good, size);
		assert_false(load());
	}
}

static int setup(void **state)
{
	struct zh_record *record = zh_test_record(10, 6);
	int fd = mkstemp(path);
	FILE *f;

	(void)state;
	if (fd < 0 || !record)
		return -1;
	close(fd);
	if (zh_record_save(record, path, NULL) < 0)
		return -1;
	zh_record_free(record);
	f = fopen(path, "r");
	fseek(f, 0, SEEK_END);
	good_size = (size_t)ftell(f);
	rewind(f);
	good = malloc(good_size);
	return good && fread(good, 1, good_size, f) == good_size ? fclose(f) : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(good);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_good_one_loads),
		cmocka_unit_test(changed_bytes),
		cmocka_unit_test(overwritten_stretches),
		cmocka_unit_test(cut_off),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
