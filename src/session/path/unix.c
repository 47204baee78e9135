/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Unix socket: no device and no route; is it there, of which type, and who listens. A socket in
 * the file system is found by its inode, since it may have been bound under another path, and in
 * every network namespace, since only abstract names belong to one.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/util.h"
#include "session/path/hops.h"
#include "session/path/listener.h"
#include "sys/netlink-attr.h"
#include "sys/netns.h"

#define KEY "path.way.%zu.unix."
#define STATE_LISTEN 10

struct search {
	const char *name; /* of an abstract socket behind the '@', or NULL */
	uint32_t inode;   /* of a file */
	bool is_found, is_listening;
	uint8_t type;
	uint32_t socket, queued, max_queued;
	size_t netns;
};

static bool is_wanted(const struct search *search, const struct nlattr **attrs)
{
	const struct nlattr *name = attrs[UNIX_DIAG_NAME];
	const char *text = zh_attr_data(name);
	struct unix_diag_vfs vfs;

	if (search->name) {
		size_t len = strlen(search->name);

		return zh_attr_len(name) == len + 1 && !text[0] &&
		       !memcmp(text + 1, search->name, len);
	}
	return attrs[UNIX_DIAG_VFS] &&
	       zh_attr_copy(attrs[UNIX_DIAG_VFS], &vfs, sizeof(vfs)) == sizeof(vfs) &&
	       vfs.udiag_vfs_ino == search->inode;
}

/* A listening socket is what counts; those that it accepted have its name too. */
static int on_socket(void *arg, const struct nlmsghdr *reply)
{
	struct search *search = arg;
	const struct unix_diag_msg *msg = zh_message_header(reply, sizeof(*msg));
	const struct nlattr *attrs[UNIX_DIAG_MAX + 1];
	struct unix_diag_rqlen queue = {};
	bool is_listening;

	if (!msg)
		return 0;
	zh_attrs_of(attrs, UNIX_DIAG_MAX, reply, sizeof(*msg));
	if (!is_wanted(search, attrs))
		return 0;
	is_listening = msg->udiag_type == SOCK_DGRAM || msg->udiag_state == STATE_LISTEN;
	if (search->is_found && (search->is_listening || !is_listening))
		return 0;
	zh_attr_copy(attrs[UNIX_DIAG_RQLEN], &queue, sizeof(queue));
	search->is_found = true;
	search->is_listening = is_listening;
	search->type = msg->udiag_type;
	search->socket = msg->udiag_ino;
	search->queued = queue.udiag_rqueue;
	search->max_queued = queue.udiag_wqueue;
	return 0;
}

/* In the namespace that the thread is in. */
static int search_here(struct search *search, struct zh_err *err)
{
	struct unix_diag_req request = {.sdiag_family = AF_UNIX,
		.udiag_states = UINT32_MAX,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_RQLEN};
	zh_autonetlink *nl = NULL;
	int r = zh_netlink_open(&nl, NETLINK_SOCK_DIAG, err);

	if (r < 0)
		return r;
	r = zh_netlink_dump(
		nl, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), on_socket, search, err);
	return r < 0 ? r : 0;
}

/* Only a file can be reached from another network namespace. */
static void search_elsewhere(struct path *p, struct search *search)
{
	const struct path_map *map = path_map_take(p);
	size_t i;

	for (i = 1; !search->name && !search->is_listening && i < map->n_netns; i++) {
		zh_autoclose int fd = zh_netns_by_name(map->netns[i].source, NULL);

		if (fd < 0 || zh_netns_enter(fd, NULL) < 0)
			continue;
		search_here(search, NULL);
		search->netns = search->is_listening ? i : 0;
		zh_netns_enter(p->places[p->current].netns_fd, NULL);
	}
}

int path_unix_check(const struct zh_target *target, struct zh_err *err)
{
	struct stat st;

	if (!target->path[0] || target->path[0] == '@')
		return 0;
	if (stat(target->path, &st) < 0)
		return zh_err_sys(err, -errno, "cannot find the socket %.100s", target->path);
	if (!S_ISSOCK(st.st_mode))
		return zh_err_set(err, -EINVAL, "%.100s is not a socket", target->path);
	return 0;
}

static const char *type_name(uint8_t type)
{
	switch (type) {
	case SOCK_STREAM:
		return "stream";
	case SOCK_DGRAM:
		return "dgram";
	default:
		return "seqpacket";
	}
}

static void end_hop(struct walk *w, const struct search *search, long pid, const char *process)
{
	uint8_t wanted = w->p->config->target.transport == ZH_TRANSPORT_UNIX_DGRAM ? SOCK_DGRAM
										   : SOCK_STREAM;

	if (!search->is_listening) {
		hop_add(w, PATH_END, NULL, "nobody listens");
		hop_ends(w, "%s",
			search->name ? "there is no socket of that name"
				     : "the file is there, but no socket is bound to it: "
				       "a connection is refused");
		return;
	}
	if (pid)
		hop_add(w, PATH_END, NULL, "%s (pid %ld)", process, pid);
	else
		hop_add(w, PATH_END, NULL, "socket %u", search->socket);
	if (!pid)
		hop_unseen(w, "which process: its descriptors may not be looked at");
	if (search->netns)
		hop_note(w, "it was made in another network namespace: %s",
			w->p->map.netns[search->netns].name);
	if (search->type != wanted)
		hop_ends(w, "a %s socket cannot be reached by a %s one", type_name(search->type),
			type_name(wanted));
}

static void add_facts(struct path *p, size_t way, const struct search *search)
{
	long pid = 0;
	char process[32] = "";

	zh_fact_number(p->out, search->is_listening, KEY "listening", way);
	if (!search->is_found)
		return;
	zh_fact_string(p->out, type_name(search->type), KEY "type", way);
	pid = path_socket_holder(search->socket, process, sizeof(process));
	if (pid) {
		zh_fact_number(p->out, (uint64_t)pid, KEY "pid", way);
		zh_fact_string(p->out, process, KEY "process", way);
	}
	/* Of a datagram socket the kernel tells bytes, which no limit belongs to. */
	if (search->type == SOCK_DGRAM)
		return;
	zh_fact_number(p->out, search->queued, KEY "queued", way);
	zh_fact_number(p->out, search->max_queued, KEY "max_queued", way);
}

/* No path: both ends will be zerohop's own. */
static void own_responder(struct walk *w)
{
	hop_add(w, PATH_SOCKET, NULL, "a Unix socket of zerohop's own");
	hop_add(w, PATH_END, NULL, "a responder of zerohop's own");
}

void path_unix(struct path *p, size_t way)
{
	const struct zh_target *target = &p->config->target;
	struct search search = {};
	struct walk w = {.p = p, .way = way, .step = WALK_OVER};
	struct zh_err err = {};
	struct stat st;
	char process[32];
	int r;

	zh_fact_string(p->out, target->path, KEY "path", way);
	if (!target->path[0]) {
		own_responder(&w);
		return;
	}
	if (target->path[0] == '@')
		search.name = target->path + 1;
	else if (stat(target->path, &st) == 0)
		search.inode = (uint32_t)st.st_ino;
	r = search_here(&search, &err);
	if (r == 0)
		search_elsewhere(p, &search);
	hop_add(&w, PATH_SOCKET, NULL, "Unix socket to %s", target->path);
	if (r < 0) {
		zh_fact_unavailable(p->out, err.text, KEY "listening", way);
		hop_add(&w, PATH_END, NULL, "who listens");
		hop_unseen(&w, "%s", err.text);
		return;
	}
	add_facts(p, way, &search);
	end_hop(&w, &search, path_socket_holder(search.socket, process, sizeof(process)), process);
}
