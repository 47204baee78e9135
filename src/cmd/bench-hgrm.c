/* SPDX-License-Identifier: BSD-2-Clause */
/* bench --hgrm: the histogram of each cell as a file for HdrHistogram's plotter. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/bench.h"
#include "stats/hgrm.h"

#define PATH_MAX_BYTES 4096
#define NS_PER_US 1000.0

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int cmd_bench_hgrm_check(const char *prefix, struct zh_err *err)
{
	char copy[PATH_MAX_BYTES];
	const char *directory = prefix;

	if (!*prefix || strlen(prefix) >= sizeof(copy) - 100) {
		zh_err_set(err, -EINVAL, "--hgrm: the name is %s", *prefix ? "too long" : "empty");
		return ZH_EXIT_USAGE;
	}
	snprintf(copy, sizeof(copy), "%s", prefix);
	if (!is_directory(prefix))
		directory = dirname(copy);
	if (access(directory, W_OK | X_OK) == 0)
		return 0;
	zh_err_sys(err, -errno, "--hgrm: cannot write into %.200s", directory);
	return ZH_EXIT_USAGE;
}

/* "tcp-pingpong-1-cross-cpu", with what else tells cells apart. */
static void file_name(const char *prefix, const struct zh_bench_cell *cell, char *ret, size_t size)
{
	char buf[24] = "", rate[32] = "";

	if (cell->buf_bytes)
		snprintf(buf, sizeof(buf), "-buf%u", cell->buf_bytes);
	if (cell->gap_ns)
		snprintf(rate, sizeof(rate), "-%lluhz",
			(unsigned long long)(ZH_NSEC_PER_SEC / cell->gap_ns));
	snprintf(ret, size, "%s%s%s-%s-%u-%s%s%s.hgrm", prefix, is_directory(prefix) ? "/" : "-",
		cell->transport, zh_bench_mode_name(cell->mode), cell->size_bytes,
		zh_bench_placement_name(cell->placement), buf, rate);
}

static int write_file(const char *path, const struct zh_histogram *histogram, struct zh_err *err)
{
	zh_autobuf text = {0};
	FILE *file;
	int r = 0;

	zh_histogram_write_hgrm(histogram, NS_PER_US, &text);
	if (text.failed)
		return zh_err_set(err, -ENOMEM, "out of memory");
	file = fopen(path, "we");
	if (!file)
		return zh_err_sys(err, -errno, "--hgrm: cannot write %s", path);
	if (fwrite(text.text, 1, text.len, file) != text.len)
		r = -errno;
	if (fclose(file) != 0 && r == 0)
		r = -errno;
	if (r < 0) {
		unlink(path); /* half a histogram is none */
		zh_err_sys(err, r, "--hgrm: cannot write %s", path);
	}
	return r;
}

int cmd_bench_hgrm_write(
	const char *prefix, const struct zh_bench_analysis *analysis, struct zh_err *err)
{
	char path[PATH_MAX_BYTES + 200];
	size_t i;

	for (i = 0; i < analysis->n_cells; i++) {
		const struct zh_bench_figures *cell = &analysis->cells[i];

		if (!cell->histogram || !cell->histogram->n)
			continue;
		file_name(prefix, cell->cell, path, sizeof(path));
		if (write_file(path, cell->histogram, err) < 0)
			return ZH_EXIT_UNABLE;
	}
	return 0;
}
