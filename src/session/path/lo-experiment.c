/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/lo-experiment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"

#define SEND_BYTES (1u << 20)
#define BUFFER_BYTES (8 << 20)
#define WAIT_MS 200
#define HEADERS_MAX 100 /* of IP and TCP: what is longer carries payload */

/* Both ends of a conversation with oneself; the second is connected or bound. */
struct pair {
	int fd, peer;
};

static void pair_close(struct pair *pair)
{
	zh_closep(&pair->fd);
	zh_closep(&pair->peer);
}

static int bind_to(int type, const char *address, struct sockaddr_in *ret)
{
	socklen_t len = sizeof(*ret);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), r;

	*ret = (struct sockaddr_in){.sin_family = AF_INET};
	inet_pton(AF_INET, address, &ret->sin_addr);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)ret, sizeof(*ret)) < 0 ||
		getsockname(fd, (struct sockaddr *)ret, &len) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

int lo_exchange(const char *address)
{
	struct sockaddr_in to;
	struct pollfd poll_fd;
	zh_autoclose int fd = bind_to(SOCK_DGRAM, address, &to);
	zh_autoclose int from = fd < 0 ? -1 : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	if (from < 0)
		return -errno;
	if (sendto(from, "z", 1, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return 0;
	poll_fd = (struct pollfd){.fd = fd, .events = POLLIN};
	return poll(&poll_fd, 1, WAIT_MS) > 0;
}

static int open_tcp(struct pair *ret)
{
	const int bytes = BUFFER_BYTES, one = 1;
	struct sockaddr_in to;
	zh_autoclose int listener = bind_to(SOCK_STREAM, "127.0.0.1", &to);

	*ret = (struct pair){-1, -1};
	if (listener < 0)
		return listener;
	/* Room for everything, so that one thread can send it all and then read it. */
	setsockopt(listener, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (listen(listener, 1) < 0)
		return -errno;
	ret->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ret->fd < 0)
		return -errno;
	setsockopt(ret->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	setsockopt(ret->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(ret->fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return -errno;
	ret->peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return ret->peer < 0 ? -errno : 0;
}

/* Sees every packet of the namespace once, on its way out. */
static int open_watch(void)
{
	const int bytes = BUFFER_BYTES, one = 1;
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL));

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one));
	return fd;
}

static uint64_t count_payload_packets(int watch)
{
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	char byte;
	uint64_t n = 0;
	ssize_t size;

	while ((size = recvfrom(watch, &byte, 1, MSG_TRUNC | MSG_DONTWAIT, (struct sockaddr *)&from,
			&len)) >= 0) {
		n += from.sll_pkttype == PACKET_OUTGOING && size > HEADERS_MAX;
		len = sizeof(from);
	}
	return n;
}

static int send_and_read(const struct pair *pair, uint64_t *ret_sent)
{
	zh_autofree char *buf = calloc(1, SEND_BYTES);
	struct pollfd poll_fd = {.fd = pair->peer, .events = POLLIN};
	ssize_t sent, n;
	size_t got = 0;

	if (!buf)
		return -ENOMEM;
	sent = send(pair->fd, buf, SEND_BYTES, 0);
	if (sent < 0)
		return -errno;
	while (got < (size_t)sent) {
		if (poll(&poll_fd, 1, WAIT_MS) <= 0)
			return -ETIMEDOUT;
		n = read(pair->peer, buf, SEND_BYTES);
		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		got += (size_t)n;
	}
	*ret_sent = (uint64_t)sent;
	return 0;
}

/* Reads or sets something of lo by ioctl, in the calling thread's namespace. */
static int lo_ioctl(unsigned long request, struct ifreq *ifreq)
{
	zh_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(ifreq->ifr_name, "lo", sizeof("lo"));
	return fd < 0 || ioctl(fd, request, ifreq) < 0 ? -errno : 0;
}

static int set_feature(uint32_t command, bool on)
{
	struct ethtool_value value = {.cmd = command, .data = on};
	struct ifreq ifreq = {.ifr_data = (void *)&value};

	return lo_ioctl(SIOCETHTOOL, &ifreq);
}

static int count_once(bool offloads, uint64_t *ret_packets, uint64_t *ret_sent)
{
	struct pair pair = {-1, -1};
	zh_autoclose int watch = -1;
	int r = set_feature(ETHTOOL_STSO, offloads);

	if (r == 0)
		r = set_feature(ETHTOOL_SGSO, offloads);
	if (r == 0)
		r = watch = open_watch();
	if (r >= 0)
		r = open_tcp(&pair);
	if (r == 0)
		r = send_and_read(&pair, ret_sent);
	if (r == 0)
		*ret_packets = count_payload_packets(watch);
	pair_close(&pair);
	return r;
}

static int count_inside(void *arg)
{
	struct lo_experiment *experiment = arg;
	struct ifreq ifreq = {.ifr_mtu = (int)experiment->mtu};
	int r = lo_ioctl(experiment->mtu ? SIOCSIFMTU : SIOCGIFMTU, &ifreq);

	experiment->mtu = (uint32_t)ifreq.ifr_mtu;
	if (r == 0)
		r = count_once(true, &experiment->packets_on, &experiment->sent_bytes);
	if (r == 0)
		r = count_once(false, &experiment->packets_off, &experiment->sent_bytes);
	return r;
}

/* Runs f in a fresh namespace with lo up. */
static int in_fresh_namespace(int (*f)(void *arg), void *arg, const char *what, struct zh_err *err)
{
	zh_autoclose int netns = zh_netns_new(err);
	struct zh_err inner = {};
	int r;

	if (netns < 0)
		return netns;
	r = zh_netns_lo_up(netns, err);
	if (r < 0)
		return r;
	r = zh_netns_call(netns, f, arg, &inner);
	return r < 0 ? zh_err_sys(err, r, "%s", what) : r;
}

int lo_count_segments(struct lo_experiment *experiment, struct zh_err *err)
{
	return in_fresh_namespace(
		count_inside, experiment, "cannot count segments on a fresh lo", err);
}

/* Of the datagram's first sighting, on its way out. */
static int read_status(int watch, uint32_t *ret_status)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	char byte;
	struct sockaddr_ll from;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	struct tpacket_auxdata aux;
	struct cmsghdr *c;

	while (recvmsg(watch, &msg, MSG_DONTWAIT) >= 0) {
		c = from.sll_pkttype == PACKET_OUTGOING ? CMSG_FIRSTHDR(&msg) : NULL;
		if (c && c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
			memcpy(&aux, CMSG_DATA(c), sizeof(aux));
			*ret_status = aux.tp_status;
			return 0;
		}
		msg.msg_controllen = sizeof(control);
		msg.msg_namelen = sizeof(from);
	}
	return -ENOMSG;
}

static int look_inside(void *arg)
{
	enum lo_checksum *ret = arg;
	zh_autoclose int watch = open_watch();
	uint32_t status = 0;
	int r = watch < 0 ? watch : lo_exchange("127.0.0.1");

	if (r == 0)
		return -ETIMEDOUT;
	if (r > 0)
		r = read_status(watch, &status);
	if (r == 0)
		*ret = status & TP_STATUS_CSUMNOTREADY ? LO_CHECKSUM_SKIPPED : LO_CHECKSUM_MADE;
	return r;
}

int lo_look_at_checksum(enum lo_checksum *ret, struct zh_err *err)
{
	return in_fresh_namespace(look_inside, ret, "cannot watch a datagram on a fresh lo", err);
}

static int alias_inside(void *arg)
{
	const char *address = arg;
	struct zh_netcfg *cfg = NULL;
	int r = zh_netcfg_open(-1, &cfg, NULL);

	if (r == 0)
		r = zh_netcfg_address_add(cfg, "lo", address, NULL);
	zh_netcfg_close(cfg);
	return r < 0 ? r : lo_exchange(address);
}

int lo_try_alias(const char *address, struct zh_err *err)
{
	return in_fresh_namespace(
		alias_inside, (void *)address, "cannot add an address to a fresh lo", err);
}
