/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen of top with readings written by hand: show-screen SCENE INTERVAL_MS. Ends with a line
 * of what it took, or of why it could not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cmd/screen/test-readings.h"
#include "cmd/top-screen.h"

struct scene {
	const char *name;
	unsigned int n; /* readings until now */
	struct zh_top_reading reading;
};

/* "small", "unknown", "large": always the same one. "moving": a large one that changes. "clock":
 * the small one, and time goes on; "old": it is 42 seconds old. "failing": the third one fails. */
static int read_scene(void *context, const struct zh_top_reading **ret, struct zh_err *err)
{
	struct scene *scene = context;

	scene->n++;
	test_reading_done(&scene->reading);
	if (!strcmp(scene->name, "failing") && scene->n == 3)
		return zh_err_set(err, -5, "the third reading fails");
	if (!strcmp(scene->name, "unknown"))
		test_unknown_reading(&scene->reading);
	else if (!strcmp(scene->name, "large") || !strcmp(scene->name, "moving"))
		test_large_reading(&scene->reading, scene->name[0] == 'm' ? scene->n : 0);
	else
		test_small_reading(&scene->reading);
	if (!strcmp(scene->name, "clock"))
		scene->reading.time_ns += scene->n * ZH_NSEC_PER_SEC;
	*ret = &scene->reading;
	return 0;
}

static uint64_t now_ns(void *context)
{
	const struct scene *scene = context;

	return TEST_TIME_NS + (strcmp(scene->name, "old") ? 0 : 42 * ZH_NSEC_PER_SEC);
}

int main(int argc, char **argv)
{
	struct scene scene = {.name = argc > 1 ? argv[1] : "small"};
	struct zh_record *notes = strcmp(scene.name, "unknown") ? NULL : test_notes();
	struct cmd_top_screen_config config = {.source = {&scene, read_scene, now_ns, notes},
		.interval_ns = strtoull(argc > 2 ? argv[2] : "100", NULL, 10) * ZH_NSEC_PER_MSEC};
	struct cmd_top_screen_stats stats = {};
	struct zh_err err = {};
	int r = cmd_top_screen(&config, &stats, &err);

	if (r)
		printf("%s: %s\n", r == CMD_TOP_SCREEN_UNFIT ? "unfit" : "failed", err.text);
	else
		printf("ended: %llu readings, %llu refreshes of %.2f ms, longest %.2f ms\n",
			(unsigned long long)stats.readings, (unsigned long long)stats.refreshes,
			(double)stats.refresh_cpu_ns / 1e6 /
				(double)ZH_MAX(stats.refreshes, (uint64_t)1),
			(double)stats.longest_refresh_cpu_ns / 1e6);
	test_reading_done(&scene.reading);
	zh_record_free(notes);
	return r ? 3 : 0;
}
