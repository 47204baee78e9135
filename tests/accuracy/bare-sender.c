/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a generator is compared with: a loop of nothing but sendmmsg, and a sink that takes in as
 * the lab's own does: how often a sender must wake its receiver is a good part of what sending
 * costs.
 *
 *   bare-sender send ADDRESS PORT SECONDS   prints how many datagrams a second it sent
 *   bare-sender sink ADDRESS PORT           takes datagrams in until it is killed
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"

#define BATCH 64
#define SIZE 64

static struct mmsghdr messages[BATCH];
static char payload[BATCH][2048];

static void fill(size_t size)
{
	static struct iovec parts[BATCH];

	for (size_t i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){payload[i], size};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
	}
}

static int send_for(int fd, double seconds)
{
	uint64_t start_ns = zh_now_ns(), sent = 0, took_ns;
	uint64_t end_ns = start_ns + (uint64_t)(seconds * (double)ZH_NSEC_PER_SEC);

	fill(SIZE);
	while (zh_now_ns() < end_ns) {
		int n = sendmmsg(fd, messages, BATCH, 0);

		sent += n > 0 ? (uint64_t)n : 0;
	}
	took_ns = zh_now_ns() - start_ns;
	printf("%.0f\n", (double)sent * 1e9 / (double)took_ns);
	return 0;
}

static int take(int fd)
{
	int room = 8 << 20; /* as the lab's own: dropping early would be cheaper for the sender */

	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	fill(sizeof(payload[0]));
	while (recvmmsg(fd, messages, BATCH, MSG_WAITFORONE, NULL) > 0)
		;
	return 1;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	bool is_sink = argc == 4 && !strcmp(argv[1], "sink");
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r;

	if (argc < 4 || fd < 0 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1)
		return 2;
	address.sin_port = htons((uint16_t)strtoul(argv[3], NULL, 10));
	r = is_sink ? bind(fd, (struct sockaddr *)&address, sizeof(address))
		    : connect(fd, (struct sockaddr *)&address, sizeof(address));
	if (r < 0) {
		perror(argv[1]);
		return 1;
	}
	return is_sink ? take(fd) : send_for(fd, argc > 4 ? strtod(argv[4], NULL) : 1);
}
