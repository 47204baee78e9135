/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/util.h"
#include "sys/netlink-attr.h"

/* The kernel fills dumps in pieces of at most 32 KiB; a single reply is smaller. */
#define REPLY_MAX (64u << 10)
#define SILENCE_MAX_S 2

struct zh_netlink {
	struct nl_sock *sock;
	char *reply;
};

struct zh_netlink *zh_netlink_close(struct zh_netlink *nl)
{
	if (nl) {
		nl_socket_free(nl->sock);
		free(nl->reply);
		free(nl);
	}
	return NULL;
}

void zh_netlink_closep(struct zh_netlink **nl)
{
	zh_netlink_close(*nl);
}

int zh_netlink_open(struct zh_netlink **ret, int protocol, struct zh_err *err)
{
	zh_autonetlink *nl = calloc(1, sizeof(*nl));
	struct timeval silence = {.tv_sec = SILENCE_MAX_S};
	int one = 1, fd, r;

	if (!nl || !(nl->reply = malloc(REPLY_MAX)) || !(nl->sock = nl_socket_alloc()))
		return zh_err_set(err, -ENOMEM, "out of memory");
	r = nl_connect(nl->sock, protocol);
	if (r < 0) {
		/* libnl keeps errno of the failed call; its own codes have no errno. */
		r = errno ? -errno : -EIO;
		return zh_err_sys(err, r, "cannot open a netlink socket");
	}
	fd = nl_socket_get_fd(nl->sock);
	/* Both are niceties: kernels before 4.12 and 4.20 lack them. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence));
	*ret = zh_take(nl);
	return 0;
}

struct nl_msg *zh_netlink_message(int type, int flags, const void *header, size_t header_len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (msg && header_len && nlmsg_append(msg, (void *)header, header_len, NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Puts the kernel's refusal into err: its own sentence where it sent one. Also a dump's end carries
 * an error, as its first word. */
static int refusal(const struct nlmsghdr *reply, struct zh_err *err)
{
	const struct nlmsgerr *e = NLMSG_DATA(reply);
	const struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1];
	size_t len = NLMSG_PAYLOAD(reply, 0), skip = sizeof(*e);
	char text[256];
	int code;

	if (len < sizeof(code))
		return zh_err_set(err, -EBADMSG, "the kernel's answer is cut short");
	memcpy(&code, e, sizeof(code));
	if (code >= 0)
		return 0;
	if (reply->nlmsg_type == NLMSG_DONE)
		skip = sizeof(code);
	else if (len >= sizeof(*e) && !(reply->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (reply->nlmsg_flags & NLM_F_ACK_TLVS && skip < len) {
		zh_attrs_parse(attrs, NLMSGERR_ATTR_MAX, (const char *)e + skip, len - skip);
		if (attrs[NLMSGERR_ATTR_MSG])
			return zh_err_set(err, code, "%s (%s)", strerror(-code),
				zh_attr_string(attrs[NLMSGERR_ATTR_MSG], text, sizeof(text)));
	}
	return zh_err_set(err, code, "%s", strerror(-code));
}

struct question {
	int (*f)(void *arg, const struct nlmsghdr *reply);
	void *arg;
	unsigned int seq;
	bool late;    /* the acknowledgement comes before the reply */
	bool changed; /* the dump changed while it was read */
	bool stopped; /* f wants no more */
};

/* Hands out the messages of one datagram. 1: more to come, 0: finished, negative: refused. */
static int take(struct question *q, const char *data, size_t len, struct zh_err *err)
{
	const struct nlmsghdr *reply;

	for (reply = (const void *)data; NLMSG_OK(reply, len); reply = NLMSG_NEXT(reply, len)) {
		if (reply->nlmsg_seq != q->seq)
			continue;
		if (reply->nlmsg_flags & NLM_F_DUMP_INTR)
			q->changed = true;
		if (reply->nlmsg_type == NLMSG_ERROR || reply->nlmsg_type == NLMSG_DONE) {
			int r = refusal(reply, err);

			if (r < 0 || !q->late)
				return r;
		} else if (reply->nlmsg_type >= NLMSG_MIN_TYPE) {
			q->stopped = q->f(q->arg, reply);
			if (q->stopped || q->late)
				return 0;
		}
	}
	return 1;
}

static int ask(struct zh_netlink *nl, struct nl_msg *msg, struct question *q, struct zh_err *err)
{
	ssize_t len;
	int r;

	if (!msg)
		return zh_err_set(err, -ENOMEM, "out of memory");
	errno = 0;
	r = nl_send_auto(nl->sock, msg);
	q->seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	if (r < 0) {
		r = errno ? -errno : -EIO;
		return zh_err_sys(err, r, "cannot send a netlink message");
	}
	do {
		len = recv(nl_socket_get_fd(nl->sock), nl->reply, REPLY_MAX, 0);
		if (len < 0 && errno == EINTR) {
			r = 1;
			continue;
		}
		if (len < 0 && errno == EAGAIN)
			return zh_err_set(err, -ETIMEDOUT, "no answer from the kernel");
		if (len < 0)
			return zh_err_sys(err, -errno, "cannot receive from netlink");
		r = take(q, nl->reply, (size_t)len, err);
	} while (r > 0);
	if (r < 0)
		return r;
	return q->stopped ? 2 : q->changed;
}

int zh_netlink_ask(struct zh_netlink *nl, struct nl_msg *msg,
	int (*f)(void *arg, const struct nlmsghdr *reply), void *arg, struct zh_err *err)
{
	return ask(nl, msg, &(struct question){.f = f, .arg = arg}, err);
}

int zh_netlink_ask_late(struct zh_netlink *nl, struct nl_msg *msg,
	int (*f)(void *arg, const struct nlmsghdr *reply), void *arg, struct zh_err *err)
{
	return ask(nl, msg, &(struct question){.f = f, .arg = arg, .late = true}, err);
}

int zh_netlink_dump(struct zh_netlink *nl, int type, const void *header, size_t header_len,
	int (*f)(void *arg, const struct nlmsghdr *reply), void *arg, struct zh_err *err)
{
	return zh_netlink_ask(
		nl, zh_netlink_message(type, NLM_F_DUMP, header, header_len), f, arg, err);
}

static int family_reply(void *arg, const struct nlmsghdr *reply)
{
	const struct nlattr *attrs[CTRL_ATTR_MAX + 1];

	zh_attrs_of(attrs, CTRL_ATTR_MAX, reply, GENL_HDRLEN);
	*(int *)arg = (int)zh_attr_u16(attrs[CTRL_ATTR_FAMILY_ID], 0);
	return 0;
}

int zh_netlink_family(struct zh_netlink *nl, const char *name, struct zh_err *err)
{
	struct genlmsghdr header = {.cmd = CTRL_CMD_GETFAMILY, .version = 1};
	struct nl_msg *msg = zh_netlink_message(GENL_ID_CTRL, 0, &header, sizeof(header));
	int id = 0, r;

	if (msg)
		nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name);
	r = zh_netlink_ask(nl, msg, family_reply, &id, err);
	if (r < 0)
		return zh_err_wrap(err, "generic netlink family %s", name);
	return id > 0 ? id : zh_err_set(err, -ENOENT, "no generic netlink family %s", name);
}

char *zh_netlink_ifname(char *buf, unsigned int ifindex)
{
	if (!if_indextoname(ifindex, buf))
		buf[0] = '\0';
	return buf;
}
