/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting with packet sockets, one a namespace, bound to all its devices. They see a packet when
 * it is handed to a device (after its queue, and so QUEUE) and when NET_RX takes it up; on lo both.
 * A filter in the kernel keeps what cannot be ours away from the buffer, which is read when the
 * packets have been sent.
 */
#include "trace/trail-identify.bpf.h"
#include "trace/trail-internal.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/util.h"

/* Of a packet; an ICMPv6 error that quotes our header takes 120 bytes, with IPv4 options 160. */
#define SNAP_BYTES 256
#define BUFFER_BYTES (16 << 20)

struct packet_socket {
	int fd;
	uint32_t netns;
};

/* A packet as it was delivered. */
struct delivery {
	uint64_t ns;
	uint64_t order; /* of delivery: equal times stay in it */
	uint32_t netns, ifindex, len;
	uint8_t point;
	uint8_t bytes[SNAP_BYTES];
};

struct deliveries {
	struct delivery *list;
	size_t n, max;
};

struct zh_trail_sockets {
	struct zh_trail_control control;
	struct zh_trail_packet packets[ZH_TRAIL_PACKETS];
	struct packet_socket *sockets;
	size_t n;
};

/* Of the filter; see make_filter(). */
enum { F_IPV6 = 6, F_PROTOCOL = 9, F_ICMP = 12, F_WIRE = 18, F_TCP = 24, F_KEEP = 26, F_NOTHING };
#define FILTER_LENGTH (F_NOTHING + 1)

/* A jump to absolute places of the program, from place `at`. */
#define JUMP(at, op, k, yes, no)                                                                   \
	[at] = BPF_JUMP(                                                                           \
		BPF_JMP | (op) | BPF_K, k, (uint8_t)((yes) - (at)-1), (uint8_t)((no) - (at)-1))

static uint32_t word(const struct zh_wire *wire, size_t offset)
{
	return trail_u32((const uint8_t *)wire + offset);
}

/*
 * Classic BPF, from the network header on. X becomes the transport header's place and A the
 * protocol. Kept: ICMP errors, and by transport our header or TCP's SYN and RST.
 */
static void make_filter(const struct zh_trail_config *config, struct sock_filter *ret)
{
	const struct zh_wire wire = {.magic = ZH_WIRE_MAGIC, .run = config->run};
	uint8_t echo = config->transport == ZH_TRANSPORT_ICMP ? F_WIRE : F_NOTHING;
	uint8_t other = config->transport == ZH_TRANSPORT_UDP ? F_WIRE : F_TCP;
	uint32_t protocol = config->transport == ZH_TRANSPORT_UDP ? TRAIL_UDP : TRAIL_TCP;
	const struct sock_filter filter[FILTER_LENGTH] = {
		[0] = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
		[1] = BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
		JUMP(2, BPF_JEQ, 4, 3, F_IPV6),
		[3] = BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		[4] = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
		[5] = BPF_STMT(BPF_JMP | BPF_JA, F_PROTOCOL - 6),
		JUMP(F_IPV6, BPF_JEQ, 6, 7, F_NOTHING),
		[7] = BPF_STMT(BPF_LDX | BPF_IMM, 40),
		[8] = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),
		JUMP(F_PROTOCOL, BPF_JEQ, TRAIL_ICMP, F_ICMP, 10),
		JUMP(10, BPF_JEQ, TRAIL_ICMPV6, F_ICMP, 11),
		JUMP(11, BPF_JEQ, protocol, other, F_NOTHING),
		[F_ICMP] = BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
		JUMP(13, BPF_JEQ, 0, echo, 14),
		JUMP(14, BPF_JEQ, 8, echo, 15),
		JUMP(15, BPF_JGT, 129, F_NOTHING, 16),
		JUMP(16, BPF_JGE, 128, echo, 17),
		JUMP(17, BPF_JGT, 12, F_NOTHING, F_KEEP),
		[F_WIRE] = BPF_STMT(BPF_LD | BPF_W | BPF_IND, 8),
		JUMP(19, BPF_JEQ, word(&wire, 0), 20, F_NOTHING),
		[20] = BPF_STMT(BPF_LD | BPF_W | BPF_IND, 12),
		JUMP(21, BPF_JEQ, word(&wire, 4), 22, F_NOTHING),
		[22] = BPF_STMT(BPF_LD | BPF_W | BPF_IND, 16),
		JUMP(23, BPF_JEQ, word(&wire, 8), F_KEEP, F_NOTHING),
		[F_TCP] = BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
		JUMP(25, BPF_JSET, TRAIL_SYN | TRAIL_RST, F_KEEP, F_NOTHING),
		[F_KEEP] = BPF_STMT(BPF_RET | BPF_K, SNAP_BYTES),
		[F_NOTHING] = BPF_STMT(BPF_RET | BPF_K, 0),
	};

	memcpy(ret, filter, sizeof(filter));
}

/* Beyond the administrator's limit where that is permitted. */
static void enlarge(int fd)
{
	int bytes = BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

/* Made deaf (protocol 0) and bound at the end, so that nothing comes in before the filter. */
static int open_socket(const struct zh_trail_config *config)
{
	struct sock_filter filter[FILTER_LENGTH];
	struct sock_fprog program = {.len = FILTER_LENGTH, .filter = filter};
	struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	zh_autoclose int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1;

	if (fd < 0)
		return -errno;
	make_filter(config, filter);
	enlarge(fd);
	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ||
		setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) ||
		bind(fd, (void *)&all, sizeof(all)))
		return -errno;
	return zh_take_fd(&fd);
}

static int listen_here(struct zh_trail *trail, uint32_t netns, void *arg, struct zh_err *err)
{
	struct zh_trail_sockets *sockets = arg;
	int fd = open_socket(&trail->config);

	if (fd < 0)
		return zh_err_sys(err, fd, "no packet socket in network namespace %u", netns);
	sockets->sockets[sockets->n++] = (struct packet_socket){.fd = fd, .netns = netns};
	return 0;
}

int zh_trail_sockets_open(struct zh_trail *trail, struct zh_record *record, struct zh_err *err)
{
	struct zh_trail_sockets *sockets = calloc(1, sizeof(*sockets));
	size_t n = ZH_MAX(trail->config.n_netns, (size_t)1);

	if (sockets)
		sockets->sockets = calloc(n, sizeof(*sockets->sockets));
	if (!sockets || !sockets->sockets) {
		zh_trail_sockets_close(sockets);
		return zh_err_sys(err, -ENOMEM, "cannot count packets");
	}
	if (!zh_trail_each_netns(trail, record, "packets on devices", listen_here, sockets)) {
		zh_trail_sockets_close(sockets);
		return zh_err_set(err, -EPERM, "no packet socket could be opened");
	}
	trail->sockets = sockets;
	trail->control = &sockets->control;
	trail->packets = sockets->packets;
	return 0;
}

/* Packet sockets stamp with the wall clock; `offset` takes that to CLOCK_MONOTONIC. */
static uint64_t time_of(struct msghdr *msg, int64_t offset)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct timespec ts;

	for (; c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		return (uint64_t)((int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec + offset);
	}
	return 0;
}

/* False when there is nothing more. */
static bool receive(const struct packet_socket *s, int64_t offset, struct delivery *ret)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
	} control;
	struct sockaddr_ll from = {};
	struct iovec iov = {.iov_base = ret->bytes, .iov_len = sizeof(ret->bytes)};
	struct msghdr msg = {.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	ssize_t n;

	do
		n = recvmsg(s->fd, &msg, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return false;
	ret->ns = time_of(&msg, offset);
	ret->netns = s->netns;
	ret->ifindex = (uint32_t)from.sll_ifindex;
	ret->len = (uint32_t)n;
	ret->point = from.sll_pkttype == PACKET_OUTGOING ? ZH_TRAIL_QUEUE : ZH_TRAIL_RX;
	return true;
}

/* Room for one more, or NULL. */
static struct delivery *next(struct deliveries *all)
{
	size_t max = all->max ? all->max * 2 : 256;
	struct delivery *bigger;

	if (all->n == all->max) {
		bigger = realloc(all->list, max * sizeof(*bigger));
		if (!bigger)
			return NULL;
		all->list = bigger;
		all->max = max;
	}
	return &all->list[all->n];
}

static void collect(struct zh_trail *trail, struct deliveries *all)
{
	uint64_t now = zh_now_ns();
	struct tpacket_stats stats;
	struct delivery *delivery;
	struct timespec real;
	socklen_t size;
	int64_t offset;
	size_t i;

	clock_gettime(CLOCK_REALTIME, &real);
	offset = (int64_t)now - ((int64_t)real.tv_sec * 1000000000 + real.tv_nsec);
	for (i = 0; i < trail->sockets->n; i++) {
		while ((delivery = next(all)) &&
			receive(&trail->sockets->sockets[i], offset, delivery)) {
			delivery->order = all->n;
			all->n++;
		}
		size = sizeof(stats);
		if (!getsockopt(trail->sockets->sockets[i].fd, SOL_PACKET, PACKET_STATISTICS,
			    &stats, &size))
			trail->control->lost += stats.tp_drops;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct delivery *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void put(
	struct zh_trail *trail, const struct delivery *delivery, const struct trail_seen *seen)
{
	struct zh_trail_packet *packet = &trail->packets[seen->seq & (ZH_TRAIL_PACKETS - 1)];

	if (seen->seq >= ZH_TRAIL_PACKETS || packet->n >= ZH_TRAIL_STEPS) {
		trail->control->lost++;
		return;
	}
	packet->steps[packet->n++] = (struct zh_trail_step){.ns = delivery->ns,
		.netns = delivery->netns,
		.ifindex = delivery->ifindex,
		.cpu = UINT16_MAX,
		.icmp = seen->icmp,
		.point = delivery->point,
		.leg = seen->leg,
		.family = seen->family};
}

/* In the order of time over all namespaces: an attempt is learned from its first SYN. */
void zh_trail_sockets_drain(struct zh_trail *trail)
{
	struct deliveries all = {};
	struct trail_seen seen;
	size_t i;

	collect(trail, &all);
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), by_time);
	for (i = 0; i < all.n; i++) {
		struct trail_bytes bytes = {
			.at = all.list[i].bytes, .len = ZH_MIN(all.list[i].len, SNAP_BYTES)};

		if (trail_identify(trail->control, &bytes, &seen))
			put(trail, &all.list[i], &seen);
	}
	free(all.list);
}

struct zh_trail_sockets *zh_trail_sockets_close(struct zh_trail_sockets *sockets)
{
	size_t i;

	if (!sockets)
		return NULL;
	for (i = 0; i < sockets->n; i++)
		close(sockets->sockets[i].fd);
	free(sockets->sockets);
	free(sockets);
	return NULL;
}
