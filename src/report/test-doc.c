/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/doc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

/* No builder may need a check: everything accepts the NULL that a failed one gave. */
static void null_nodes_are_accepted(void **state)
{
	const struct zh_finding_view view = {.id = "x"};
	const struct zh_step_view step = {.kind = "x"};
	const struct zh_column column = {"a", "a"};
	const struct zh_cell cell = zh_count(1);
	uint64_t numbers[2] = {1, 2};

	(void)state;
	assert_null(zh_doc_root(NULL));
	assert_null(zh_doc_free(NULL));
	zh_node_headline(NULL, "k", "t");
	zh_node_value(NULL, "k", "t", cell);
	zh_node_text(NULL, "t");
	zh_node_line(NULL, "t");
	zh_node_item(NULL, "t");
	zh_node_histogram(NULL, "k", "t", numbers, numbers, 1);
	zh_node_strip(NULL, "t", numbers, NULL, 1);
	zh_node_finding(NULL, &view);
	zh_node_step(NULL, &step);
	assert_null(zh_node_object(NULL, "k", "t"));
	assert_null(zh_node_list(NULL, "k", "t"));
	assert_null(zh_node_table(NULL, "k", "t", &column, 1));
	assert_null(zh_node_row(NULL, &cell));
	assert_null(zh_node_findings(NULL, "k", "t"));
	assert_null(zh_node_way(NULL, "k", "t"));
}

/* A histogram larger than the address space is an allocation that fails. */
static void failed_allocation_fails_the_rendering(void **state)
{
	const struct zh_text_style style = {};
	struct zh_doc *doc = zh_doc_new("ping");
	uint64_t numbers[2] = {1, 2};
	struct zh_err err;

	(void)state;
	zh_node_histogram(zh_doc_root(doc), "h", "h", numbers, numbers, SIZE_MAX / 4);
	assert_int_equal(zh_render_text(doc, &style, stdout, &err), -ENOMEM);
	assert_int_equal(zh_render_json(doc, stdout, &err), -ENOMEM);
	assert_string_equal(err.text, "cannot write the document: Cannot allocate memory");
	assert_int_equal(zh_render_json(NULL, stdout, &err), -ENOMEM);
	zh_doc_free(doc);
}

static void differences_have_a_sign_and_are_whole(void **state)
{
	struct zh_doc *doc = zh_doc_new("doctor");
	struct zh_text_style style = {.width = 80};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	zh_node_value(zh_doc_root(doc), "less_ns", "less", zh_ns_signed(-6670.4));
	zh_node_value(zh_doc_root(doc), "more_ns", "more", zh_ns_signed(12.5));
	assert_int_equal(zh_render_json(doc, out, NULL), 0);
	assert_int_equal(zh_render_text(doc, &style, out, NULL), 0);
	fclose(out);
	assert_non_null(strstr(text, "\"less_ns\": -6670,"));
	assert_non_null(strstr(text, "\"more_ns\": 13"));
	assert_non_null(strstr(text, "-6.67 us"));
	assert_non_null(strstr(text, "+13 ns"));
	free(text);
	zh_doc_free(doc);
}

static void full_disk_is_an_error(void **state)
{
	const struct zh_text_style style = {};
	struct zh_doc *doc = zh_doc_new("ping");
	struct zh_err err;
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	zh_node_line(zh_doc_root(doc), "hello");
	assert_int_equal(zh_render_text(doc, &style, full, &err), -ENOSPC);
	assert_string_equal(err.text, "cannot write the output: No space left on device");
	fclose(full);
	full = fopen("/dev/full", "w");
	assert_int_equal(zh_render_json(doc, full, &err), -ENOSPC);
	fclose(full);
	zh_doc_free(doc);
}

static void an_empty_document_is_an_empty_page(void **state)
{
	const struct zh_text_style style = {};
	struct zh_doc *doc = zh_doc_new("ping");
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(zh_render_text(doc, &style, f, NULL), 0);
	fclose(f);
	assert_string_equal(text, "");
	free(text);
	zh_doc_free(doc);
}

/* What the producer passes in may change or go away afterwards. */
static void strings_are_copied(void **state)
{
	const struct zh_text_style style = {};
	struct zh_doc *doc = zh_doc_new("ping");
	struct zh_node *root = zh_doc_root(doc);
	char key[] = "key", title[] = "title", value[] = "value", *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	zh_node_value(root, key, title, zh_string(value));
	memset(key, 'x', 3);
	memset(title, 'x', 5);
	memset(value, 'x', 5);
	assert_int_equal(zh_render_text(doc, &style, f, NULL), 0);
	assert_int_equal(zh_render_json(doc, f, NULL), 0);
	fclose(f);
	assert_non_null(strstr(text, "title  value"));
	assert_non_null(strstr(text, "\"key\": \"value\""));
	assert_null(strstr(text, "xx"));
	free(text);
	zh_doc_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_nodes_are_accepted),
		cmocka_unit_test(failed_allocation_fails_the_rendering),
		cmocka_unit_test(differences_have_a_sign_and_are_whole),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(an_empty_document_is_an_empty_page),
		cmocka_unit_test(strings_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
