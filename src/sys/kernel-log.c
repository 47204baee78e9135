/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/kernel-log.h"

#include <errno.h>
#include <sys/klog.h>

#include "base/util.h"

#define READ_ALL 3     /* SYSLOG_ACTION_READ_ALL: does not consume */
#define SIZE_BUFFER 10 /* SYSLOG_ACTION_SIZE_BUFFER */
#define LOG_MAX (1 << 20)

int64_t zh_sys_klog(char **ret)
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
