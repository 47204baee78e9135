/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof for a Unix socket is the mildest there is: one connection to a stream socket, closed
 * without a byte. A datagram would be a message that its owner has to deal with, so none is sent.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/path/internal.h"

/* A path, or a name behind '@' (abstract). */
static socklen_t set_path(struct sockaddr_un *ret, const char *path)
{
	size_t len = strnlen(path, sizeof(ret->sun_path));

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(ret->sun_path, path, len);
	if (path[0] != '@')
		return sizeof(*ret);
	ret->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

/* A listening socket of our own, with a name that the kernel chooses. */
static int listen_here(struct sockaddr_un *ret, socklen_t *ret_len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	*ret_len = sizeof(*ret);
	if (fd >= 0 && bind(fd, (struct sockaddr *)ret, sizeof(ret->sun_family)) == 0 &&
		listen(fd, 1) == 0 && getsockname(fd, (struct sockaddr *)ret, ret_len) == 0)
		return fd;
	zh_closep(&fd);
	return -1;
}

/* Without a path, to a socket of our own. */
static int connect_once(const char *path)
{
	struct sockaddr_un to;
	socklen_t len = 0;
	zh_autoclose int own = path[0] ? -1 : listen_here(&to, &len);
	zh_autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (path[0])
		len = set_path(&to, path);
	if (fd < 0 || (!path[0] && own < 0))
		return -errno;
	return connect(fd, (struct sockaddr *)&to, len) < 0 ? -errno : 0;
}

void path_prove_unix(struct path *p, size_t way)
{
	const char *why = NULL;
	uint64_t start_ns;
	int r;

	if (!p->config->count)
		why = "none were asked for (--count 0)";
	else if (p->config->target.transport != ZH_TRANSPORT_UNIX_STREAM)
		why = "a datagram would be a message to its owner";
	if (why) {
		zh_fact_string(p->out, why, "path.way.%zu.proof.not_sent", way);
		return;
	}
	start_ns = zh_now_ns();
	r = connect_once(p->config->target.path);
	if (r == -EPROTOTYPE) {
		zh_fact_string(
			p->out, "it is no stream socket", "path.way.%zu.proof.not_sent", way);
		return;
	}
	zh_fact_number(p->out, zh_now_ns() - start_ns, "path.way.%zu.proof.took_ns", way);
	zh_fact_number(p->out, 1, "path.way.%zu.proof.sent", way);
	zh_fact_number(p->out, r == 0, "path.way.%zu.proof.answered", way);
	zh_fact_number(p->out, r == -ECONNREFUSED, "path.way.%zu.proof.refused", way);
	zh_fact_string(p->out, "the call's own answer", "path.way.%zu.proof.method", way);
	if (r < 0 && r != -ECONNREFUSED) {
		zh_fact_number(p->out, 1, "path.way.%zu.proof.lost.0.packets", way);
		zh_fact_string(p->out, r == -EAGAIN ? "the accept queue is full" : strerror(-r),
			"path.way.%zu.proof.lost.0.reason", way);
	}
}
