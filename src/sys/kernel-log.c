/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/kernel-log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>

#include "base/buf.h"
#include "base/util.h"

#define READ_ALL 3      /* SYSLOG_ACTION_READ_ALL: does not consume */
#define SIZE_BUFFER 10  /* SYSLOG_ACTION_SIZE_BUFFER */
#define RECORD_MAX 8192 /* the kernel refuses to cut a record: EINVAL when it does not fit */
#define LOG_MAX (4 << 20)

/* A record is "<priority>,<number>,<us>,<flags>;<message>\n" with details on further lines. */
static void add_record(struct zh_buf *buf, char *record, uint64_t *next)
{
	char *message = strchr(record, ';');
	unsigned long long number;

	if (!message || sscanf(record, "%*u,%llu,", &number) != 1)
		return;
	*next = number + 1;
	message++;
	zh_buf_add(buf, message, strcspn(message, "\n"));
	zh_buf_addc(buf, '\n');
}

static int64_t read_records(int fd, struct zh_buf *buf, uint64_t *next)
{
	char record[RECORD_MAX + 1];
	ssize_t n;

	while (buf->len < LOG_MAX) {
		n = read(fd, record, RECORD_MAX);
		if (n < 0 && errno == EAGAIN)
			break;
		/* EPIPE: records were overwritten meanwhile; reading goes on with the oldest. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		record[n] = '\0';
		add_record(buf, record, next);
	}
	return 0;
}

static int64_t read_text(char **ret)
{
	int size = klogctl(SIZE_BUFFER, NULL, 0), n;
	zh_autofree char *text = NULL;

	if (size < 0)
		return -errno;
	size = ZH_MIN(size, LOG_MAX);
	text = malloc((size_t)size + 1);
	if (!text)
		return -ENOMEM;
	n = klogctl(READ_ALL, text, size);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	*ret = zh_take(text);
	return n;
}

int64_t zh_sys_kernel_log(char **ret, uint64_t *ret_next)
{
	zh_autoclose int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	zh_autobuf buf = {0};
	uint64_t next = 0;
	int64_t r, len;

	if (fd < 0) {
		*ret_next = 0;
		return read_text(ret);
	}
	r = read_records(fd, &buf, &next);
	if (r < 0)
		return r;
	len = (int64_t)buf.len;
	*ret = zh_buf_take(&buf);
	*ret_next = next;
	return *ret ? len : -ENOMEM;
}
