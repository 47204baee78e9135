/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What does a closed local port answer? A healthy loopback refuses at once (RST); silence means
 * that something drops or diverts local traffic. One connection attempt a family.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/internal.h"

#define ANSWER_TIMEOUT_MS 300

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t loopback(int family, union address *ret)
{
	*ret = (union address){};
	if (family == AF_INET) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(ret->v4);
	}
	ret->v6.sin6_family = AF_INET6;
	ret->v6.sin6_addr = in6addr_loopback;
	return sizeof(ret->v6);
}

/* A port that was free a moment ago: bound once, then closed. 0 or a negative errno. */
static int free_port(int family, union address *ret, socklen_t *ret_len)
{
	zh_autoclose int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret_len = loopback(family, ret);
	if (fd < 0 || bind(fd, &ret->any, *ret_len) < 0 || getsockname(fd, &ret->any, ret_len) < 0)
		return -errno;
	return 0;
}

/* The errno that the attempt ended with; ETIMEDOUT for silence, 0 when somebody listened. */
static int knock(int family, const union address *to, socklen_t len)
{
	zh_autoclose int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
	int answer = 0;
	socklen_t size = sizeof(answer);

	if (fd < 0)
		return errno;
	if (connect(fd, &to->any, len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&poll_fd, 1, ANSWER_TIMEOUT_MS) <= 0)
		return ETIMEDOUT;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &answer, &size);
	return answer;
}

static const char *result_name(int answer)
{
	switch (answer) {
	case 0:
		return "accepted";
	case ECONNREFUSED:
		return "refused";
	case ETIMEDOUT:
		return "timeout";
	default:
		return strerrorname_np(answer);
	}
}

static void try_family(int family, int number, struct zh_fact_set *facts)
{
	union address to;
	socklen_t len;
	uint64_t start_ns;
	int r = free_port(family, &to, &len), answer;

	if (r < 0) {
		zh_fact_unavailable(facts, strerror(-r), "closed_port.%d", number);
		return;
	}
	start_ns = zh_now_ns();
	answer = knock(family, &to, len);
	zh_fact_number(facts, zh_now_ns() - start_ns, "closed_port.%d.took_ns", number);
	zh_fact_string(facts, result_name(answer), "closed_port.%d.result", number);
}

void session_try_closed_ports(struct zh_fact_set *facts)
{
	try_family(AF_INET, 4, facts);
	try_family(AF_INET6, 6, facts);
	zh_fact_set_sort(facts);
}
