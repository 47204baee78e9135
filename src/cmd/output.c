/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/command.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "facts/pods.h"
#include "sys/netns.h"

#define PAGE_WIDTH 99
#define PAGE_WIDTH_MIN 60

static unsigned int page_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col >= PAGE_WIDTH)
		return PAGE_WIDTH;
	return size.ws_col < PAGE_WIDTH_MIN ? PAGE_WIDTH_MIN : size.ws_col;
}

static bool is_utf8(void)
{
	return setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* A terminal that understands escape codes. */
static bool is_able_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

static bool wants_color(const struct zh_common *common)
{
	const char *no_color = getenv("NO_COLOR");

	return !common->no_color && !(no_color && no_color[0]) && is_able_terminal(STDOUT_FILENO);
}

int cmd_print(const struct zh_common *common, const struct zh_doc *doc, struct zh_err *err)
{
	const struct zh_text_style style = {
		.width = page_width(), .color = wants_color(common), .ascii = !is_utf8()};
	int r;

	r = common->json ? zh_render_json(doc, stdout, err)
			 : zh_render_text(doc, &style, stdout, err);
	if (r == 0 && fflush(stdout) != 0)
		r = zh_err_sys(err, -errno, "cannot write the output");
	/* "| head -1": the reader has what it wanted. */
	if (r == -EPIPE)
		return ZH_EXIT_OK;
	return r < 0 ? ZH_EXIT_UNABLE : ZH_EXIT_OK;
}

/* The process that stood for the pod may have ended meanwhile: then that is the error. */
static int netns_of_pod(const char *name, struct zh_err *err)
{
	const struct zh_pod *pod;
	struct zh_pods pods;
	int r = zh_pods_read(&pods, err);

	if (r < 0)
		return r;
	pod = zh_pods_find(&pods, name, err);
	/* What may not be looked at is not missing. */
	r = pod ? zh_pod_netns_open(pod, err) : pods.why_not[0] ? -EPERM : -EINVAL;
	zh_pods_done(&pods);
	return r;
}

int cmd_enter_netns(const struct zh_common *common, struct zh_err *err)
{
	int fd, r;

	if (!!common->netns + !!common->pid + !!common->pod > 1) {
		zh_err_set(err, -EINVAL, "--netns, --pid and --pod name places: give one of them");
		return ZH_EXIT_USAGE;
	}
	if (!common->netns && !common->pid && !common->pod)
		return 0;
	if (common->pod)
		fd = netns_of_pod(common->pod, err);
	else
		fd = common->netns ? zh_netns_by_name(common->netns, err)
				   : zh_netns_of_pid((pid_t)common->pid, err);
	if (fd < 0 && fd != -EPERM && fd != -EACCES)
		return ZH_EXIT_USAGE;
	r = fd < 0 ? fd : zh_netns_enter(fd, err);
	/* Where that is not possible, facts from /sys are listed as not measured. */
	if (r == 0)
		zh_netns_show_devices(NULL);
	if (fd >= 0)
		close(fd);
	if (r == -EPERM || r == -EACCES)
		zh_err_hint(err, geteuid() ? "run as root"
					   : "needs CAP_SYS_ADMIN, and CAP_SYS_PTRACE for --pid");
	return r < 0 ? ZH_EXIT_UNABLE : 0;
}

static bool progress_shown;

void cmd_progress(const char *fmt, ...)
{
	va_list ap;

	if (!is_able_terminal(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
	progress_shown = true;
}

void cmd_progress_done(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}
