/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/process.h"
#include "sys/root.h"

#define PATH_BYTES 80

static void state_path(char path[static PATH_BYTES], const char *file)
{
	snprintf(path, PATH_BYTES, LAB_STATE_DIR "/%s", file);
}

int lab_state_own(struct lab_state *state, struct zh_err *err)
{
	int r;

	state->owner = getpid();
	r = zh_process_start_ticks(state->owner, &state->start_ticks);
	return r < 0 ? zh_err_sys(err, r, "cannot tell when this process started") : 0;
}

/* Written without a name first: nobody sees half of it, and a kill leaves nothing. */
int lab_state_write(const struct lab_state *state, struct zh_err *err)
{
	char path[PATH_BYTES], link[64], text[160];
	zh_autoclose int fd = -1;
	int len;

	state_path(path, state->file);
	len = snprintf(text, sizeof(text), "%d %" PRIu64 " %s\n", (int)state->owner,
		state->start_ticks, state->text);
	if (mkdir(LAB_STATE_DIR, 0755) < 0 && errno != EEXIST)
		return zh_err_sys(err, -errno, "cannot make " LAB_STATE_DIR);
	fd = open(LAB_STATE_DIR, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, (size_t)len) != len)
		return zh_err_sys(err, errno ? -errno : -EIO, "cannot write to " LAB_STATE_DIR);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
		return zh_err_sys(err, -errno, "cannot make %s", path);
	return 0;
}

int lab_state_read(const char *file, struct lab_state *ret)
{
	struct lab_state state = {};
	char path[PATH_BYTES], text[160];
	zh_autoclose int fd = -1;
	int owner, at = 0;
	ssize_t len;

	state_path(path, file);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, "%d %" SCNu64 " %n", &owner, &state.start_ticks, &at) != 2 || owner <= 0 ||
		!at)
		return -EBADMSG;
	state.owner = owner;
	snprintf(state.file, sizeof(state.file), "%s", file);
	snprintf(state.text, sizeof(state.text), "%.63s", text + at);
	*ret = state;
	return 0;
}

void lab_state_remove(const struct lab_state *state)
{
	struct lab_state now;
	char path[PATH_BYTES];

	state_path(path, state->file);
	if (lab_state_read(state->file, &now) == 0 && now.owner == state->owner &&
		now.start_ticks == state->start_ticks)
		unlink(path);
	rmdir(LAB_STATE_DIR);
}

bool lab_state_is_alive(const struct lab_state *state)
{
	uint64_t start;

	return zh_process_start_ticks(state->owner, &start) == 0 && start == state->start_ticks;
}

struct listing {
	const char *prefix;
	struct lab_state *states;
	size_t n, max;
};

static int add_state(void *arg, const char *name)
{
	struct listing *listing = arg;

	if (listing->n < listing->max && !strncmp(name, listing->prefix, strlen(listing->prefix)) &&
		lab_state_read(name, &listing->states[listing->n]) == 0)
		listing->n++;
	return 0;
}

size_t lab_state_list(const char *prefix, struct lab_state *ret, size_t max)
{
	struct listing listing = {prefix, ret, 0, max};

	zh_sys_list(add_state, &listing, LAB_STATE_DIR);
	return listing.n;
}
