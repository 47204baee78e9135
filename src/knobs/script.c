/* SPDX-License-Identifier: BSD-2-Clause */
/* undo-ID.sh: the way back without this program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "knobs/internal.h"

static const char head[] =
	"#!/bin/sh\n"
	"# Puts back settings of the kernel that zerohop changed: each one only while it still is\n"
	"# what zerohop set. Only for the boot that it was written in.\n"
	"left=0\n"
	"in_netns() { # INODE COMMAND: in that namespace, with its devices in /sys\n"
	"\tfor ns in /proc/self/ns/net /run/netns/* /proc/[0-9]*/ns/net; do\n"
	"\t\t[ \"$(stat -L -c %i \"$ns\" 2>/dev/null)\" = \"$1\" ] || continue\n"
	"\t\tnsenter --net=\"$ns\" unshare -m sh -c \"mount -t sysfs sysfs /sys && $2\"\n"
	"\t\treturn\n"
	"\tdone\n"
	"\techo \"the namespace is gone\" >&2\n"
	"\treturn 1\n"
	"}\n"
	"restore() { # NAME NETNS READ OURS PRIOR WRITE\n"
	"\tif [ \"$2\" = 0 ]; then run() { sh -c \"$2\"; }; else run() { in_netns \"$@\"; }; fi\n"
	"\tnow=$(run \"$2\" \"$3\") || { echo \"$1: cannot be read\"; left=1; return; }\n"
	"\tif [ \"$now\" = \"$5\" ]; then echo \"$1: is $5 already\"\n"
	"\telif [ \"$now\" = \"$4\" ]; then\n"
	"\t\trun \"$2\" \"$6\" && echo \"$1: $4 -> $5\" || { echo \"$1: failed\"; left=1; }\n"
	"\telse echo \"$1: somebody set it to $now (we: $4, before: $5); left alone\"; left=1; fi\n"
	"}\n";

/* In single quotes of the shell. */
static void add_quoted(struct zh_buf *script, const char *text)
{
	zh_buf_adds(script, " '");
	for (; *text; text++) {
		if (*text == '\'')
			zh_buf_adds(script, "'\\''");
		else
			zh_buf_addc(script, *text);
	}
	zh_buf_addc(script, '\'');
}

static void add_change(struct zh_buf *script, const struct zh_change *change)
{
	char name[96], full[160], value[ZH_KNOB_VALUE];
	zh_autobuf get = {}, set = {};

	if (!change->knob->ops->shell)
		return;
	zh_knob_place_name(change->knob, &change->place, name, sizeof(name));
	snprintf(full, sizeof(full), "%s%s%s", change->knob->id, *name ? " of " : "", name);
	zh_knob_encode(change->knob, change->prior, value);
	change->knob->ops->shell(change->knob, &change->place, NULL, &get);
	change->knob->ops->shell(change->knob, &change->place, value, &set);
	zh_buf_adds(script, "restore");
	add_quoted(script, full);
	zh_buf_addf(script, " %llu", (unsigned long long)change->place.netns_inode);
	add_quoted(script, get.text ? get.text : "");
	/* Before it was read back, what the kernel will say is what we will write. */
	zh_knob_encode(change->knob, change->expected, value);
	add_quoted(script, change->phase == ZH_PHASE_DONE ? change->observed_raw : value);
	add_quoted(script, change->prior_raw);
	add_quoted(script, set.text ? set.text : "");
	zh_buf_addc(script, '\n');
}

static void script_path(struct zh_journal *journal, int64_t tx, const char *end, char *path)
{
	snprintf(path, PATH_MAX, "%s/undo-%lld.sh%s", journal->dir, (long long)tx, end);
}

/* Complete under its name, or not there. */
static int save(struct zh_journal *journal, int64_t tx, const struct zh_buf *script)
{
	char path[PATH_MAX], temp[PATH_MAX];
	zh_autoclose int fd = -1, dir_fd = -1;

	script_path(journal, tx, "", path);
	script_path(journal, tx, ".new", temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0700);
	dir_fd = open(journal->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	errno = EIO;
	if (fd < 0 || dir_fd < 0 || write(fd, script->text, script->len) != (ssize_t)script->len ||
		fsync(fd) < 0 || rename(temp, path) < 0 || fsync(dir_fd) < 0) {
		int r = -errno;

		unlink(temp);
		return r;
	}
	return 0;
}

int knobs_script_write(
	struct zh_journal *journal, int64_t tx, const struct zh_plan *plan, struct zh_err *err)
{
	zh_autobuf script = {};
	int r;

	zh_buf_adds(&script, head);
	/* After another start the values are not ours, though they may look like it. */
	zh_buf_addf(&script,
		"[ \"$(cat /proc/sys/kernel/random/boot_id)\" = %s ] || {\n"
		"\techo \"the machine was started again since: there is nothing to undo\" >&2\n"
		"\texit 1\n}\n",
		journal->boot_id);
	for (size_t i = plan->n; i-- > 0;)
		if (plan->changes[i].action == ZH_CHANGE_WRITE &&
			(plan->changes[i].phase == ZH_PHASE_INTENT ||
				plan->changes[i].phase == ZH_PHASE_DONE))
			add_change(&script, &plan->changes[i]);
	zh_buf_adds(&script, "exit $left\n");
	r = script.failed ? -ENOMEM : save(journal, tx, &script);
	return r < 0 ? zh_err_sys(err, r, "cannot write undo-%lld.sh in %s", (long long)tx,
			       journal->dir)
		     : 0;
}

void knobs_script_remove(struct zh_journal *journal, int64_t tx)
{
	char path[PATH_MAX];

	script_path(journal, tx, "", path);
	unlink(path);
}
