/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/libbpf-log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

static _Thread_local struct zh_libbpf_log said;

/* Keeps the first line that means something. The hint to raise "ulimit -l" is wrong for us: libbpf
 * shows it for every EPERM. Verifier logs are left out. */
static int listen_to_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	char text[512], *line = text, *end;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), format, args);
	if (!strncmp(text, "libbpf: ", 8))
		line += 8;
	if (strstr(line, "ulimit") || strstr(line, "BEGIN PROG LOAD LOG"))
		return 0;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	if (!said.program[0] && strstr(line, "program load failed"))
		sscanf(line, "prog '%63[^']'", said.program);
	if (!said.line[0])
		snprintf(said.line, sizeof(said.line), "%.199s", line);
	return 0;
}

libbpf_print_fn_t zh_libbpf_listen(void)
{
	zh_libbpf_forget();
	return libbpf_set_print(listen_to_libbpf);
}

void zh_libbpf_forget(void)
{
	memset(&said, 0, sizeof(said));
}

const struct zh_libbpf_log *zh_libbpf_said(void)
{
	return &said;
}

int zh_libbpf_check_permission(struct zh_err *err)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "zh_check", 4, 4, 1, NULL);

	if (fd < 0) {
		zh_err_sys(err, fd, "BPF is not available");
		if (fd == -EPERM || fd == -EACCES)
			zh_err_hint(err, "run as root, or grant CAP_BPF, CAP_PERFMON and "
					 "CAP_NET_ADMIN");
		return fd;
	}
	close(fd);
	return 0;
}
