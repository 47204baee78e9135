/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines as files: all checks together must say exactly what each file expects.
 *
 * A file NAME.facts is the text of test-facts-text.h; its lines "# expect SEVERITY ID" are the
 * findings, each id once with its highest severity. A file without any must stay silent.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "explain/checks/test-facts-text.h"
#include "run-checks.h"

static char *read_file(const char *path)
{
	zh_autobuf text = {0};
	char chunk[4096];
	FILE *file = fopen(path, "re");
	size_t n;

	assert_non_null(file);
	while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		zh_buf_add(&text, chunk, n);
	fclose(file);
	return zh_buf_take(&text);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts lines and joins them: an order that does not depend on the registry. */
static char *join_sorted(char **lines, size_t n)
{
	zh_autobuf text = {0};
	size_t i;

	qsort(lines, n, sizeof(char *), compare_lines);
	for (i = 0; i < n; i++) {
		zh_buf_addf(&text, "%s\n", lines[i]);
		free(lines[i]);
	}
	if (n == 0)
		zh_buf_adds(&text, "");
	return zh_buf_take(&text);
}

static char *expected(const char *text)
{
	static const char mark[] = "# expect ";
	char *lines[256];
	size_t n = 0;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, mark, strlen(mark)) == 0 && n < ZH_ARRAY_SIZE(lines))
			lines[n++] =
				strndup(text + strlen(mark), strcspn(text, "\n") - strlen(mark));
	}
	return join_sorted(lines, n);
}

static bool is_highest(const struct zh_explain *ex, size_t i)
{
	size_t k;

	for (k = 0; k < ex->n_found; k++)
		if (ex->found[k]->rule == ex->found[i]->rule &&
			(ex->found[k]->severity > ex->found[i]->severity ||
				(k < i && ex->found[k]->severity == ex->found[i]->severity)))
			return false;
	return true;
}

static char *found(const struct zh_explain *ex)
{
	static const char *const names[] = {"info", "low", "warning", "critical"};
	char *lines[256];
	size_t n = 0, i;

	for (i = 0; i < ex->n_found && n < ZH_ARRAY_SIZE(lines); i++) {
		zh_autobuf line = {0};

		if (!is_highest(ex, i))
			continue;
		zh_buf_addf(&line, "%s %s", names[ex->found[i]->severity], ex->found[i]->rule->id);
		lines[n++] = zh_buf_take(&line);
	}
	return join_sorted(lines, n);
}

static void replay(const char *path)
{
	struct zh_run_checks run = {0};
	char *text = read_file(path), *want = expected(text), *got;
	size_t i;

	zh_test_facts_parse(text, &run.record.before, &run.record.after);
	zh_run_checks(&run);
	got = found(&run.ex);
	if (strcmp(want, got) != 0) {
		for (i = 0; i < run.ex.n_found; i++)
			print_message(
				"# %s: %s\n", run.ex.found[i]->rule->id, run.ex.found[i]->summary);
		fail_msg("%s: expected\n%s\nfound\n%s", path, want, got);
	}
	zh_run_checks_done(&run);
	free(text);
	free(want);
	free(got);
}

static void files_are_explained_as_expected(void **state)
{
	const char *dir = getenv("ZH_REPLAY");
	struct dirent *entry;
	char path[1024];
	unsigned int n = 0;
	DIR *stream;

	(void)state;
	assert_non_null(dir);
	stream = opendir(dir);
	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".facts") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		replay(path);
		n++;
	}
	closedir(stream);
	assert_true(n >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_explained_as_expected)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
