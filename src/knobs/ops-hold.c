/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/cpu_dma_latency counts as long as a process holds it open. A process in the background does;
 * it is noted in the state directory, and ending it takes the setting back: so does its death.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/util.h"
#include "knobs/knob.h"
#include "sys/detach.h"
#include "sys/process.h"
#include "sys/setting.h"

#define NOTE "cpu-dma-latency.holder"
#define END_NS (2 * ZH_NSEC_PER_SEC)

struct hold {
	char note[PATH_MAX];
	long long us;
};

static void note_path(const struct zh_knob_place *place, char *path, size_t size)
{
	snprintf(path, size, "%s/" NOTE, place->state_dir);
}

/* Noted before anything is held: what is held can always be found. */
static int write_note(const char *path)
{
	zh_autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	uint64_t start = 0;

	if (fd < 0 || zh_process_start_ticks(getpid(), &start) < 0)
		return -EIO;
	return dprintf(fd, "%d %" PRIu64 "\n", (int)getpid(), start) > 0 && fsync(fd) == 0 ? 0
											   : -EIO;
}

static int hold_main(void *arg, int ready_fd)
{
	const struct hold *hold = arg;

	prctl(PR_SET_NAME, "zh-hold");
	if (write_note(hold->note) < 0 || zh_dma_latency_hold(hold->us) < 0 ||
		write(ready_fd, "", 1) != 1)
		return 1;
	close(ready_fd);
	for (;;)
		pause();
}

/* Ends the one that is noted, if it is still that one. */
static void end_holder(const char *note)
{
	zh_autoclose int fd = open(note, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[64];
	uint64_t noted, start;
	int pid;
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (len <= 0)
		return;
	text[len] = '\0';
	if (sscanf(text, "%d %" SCNu64, &pid, &noted) == 2 && pid > 1 &&
		zh_process_start_ticks(pid, &start) == 0 && start == noted) {
		kill(pid, SIGKILL);
		for (int i = 0; i < 200 && zh_process_start_ticks(pid, &start) == 0; i++)
			usleep(END_NS / 200 / 1000);
	}
	unlink(note);
}

static int get(
	const struct zh_knob *knob, const struct zh_knob_place *place, char *buf, size_t size)
{
	long long us;
	int r = zh_dma_latency_get(&us);

	(void)knob;
	(void)place;
	if (r == 0)
		snprintf(buf, size, "%lld", us);
	return r;
}

/* Without ours it may be right already: then nobody needs to hold anything. */
static int set(const struct zh_knob *knob, const struct zh_knob_place *place, const char *canonical)
{
	struct hold hold = {.us = strtoll(canonical, NULL, 10)};
	long long now;
	pid_t pid;
	int r;

	(void)knob;
	if (!place->state_dir)
		return -EINVAL;
	note_path(place, hold.note, sizeof(hold.note));
	end_holder(hold.note);
	r = zh_dma_latency_get(&now);
	if (r < 0 || now == hold.us)
		return r;
	return zh_detach(hold_main, &hold, -1, &pid, NULL);
}

static void shell(const struct zh_knob *knob, const struct zh_knob_place *place, const char *value,
	struct zh_buf *ret)
{
	(void)knob;
	if (value)
		zh_buf_addf(ret, "kill -9 \"$(cut -d\" \" -f1 %s/" NOTE ")\"", place->state_dir);
	else
		zh_buf_adds(ret, "od -An -td4 /dev/cpu_dma_latency | tr -d \" \"");
}

const struct zh_knob_ops zh_knob_dma_latency = {.get = get, .set = set, .shell = shell};
