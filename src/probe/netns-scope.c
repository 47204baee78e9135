/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/netns-scope.h"

#include <unistd.h>

#include "sys/netns.h"

int zh_netns_scope_enter(struct zh_netns_scope *scope, int fd, struct zh_err *err)
{
	int r;

	scope->back_fd = -1;
	if (fd < 0)
		return 0;
	r = zh_netns_current(err);
	if (r < 0)
		return r;
	scope->back_fd = r;
	r = zh_netns_enter(fd, err);
	if (r < 0) {
		close(scope->back_fd);
		scope->back_fd = -1;
	}
	return r;
}

int zh_netns_scope_leave(struct zh_netns_scope *scope, struct zh_err *err)
{
	int r;

	if (scope->back_fd < 0)
		return 0;
	r = zh_netns_enter(scope->back_fd, err);
	close(scope->back_fd);
	scope->back_fd = -1;
	return r;
}
