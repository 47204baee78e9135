/* SPDX-License-Identifier: BSD-2-Clause */
/* The peer's address; inside the benchmark only. */
#pragma once

#include <sys/socket.h>

#include "bench/internal.h"

struct zh_bench_address {
	union {
		struct sockaddr sa;
		struct sockaddr_storage storage;
	};
	socklen_t len;
};

/* The configured address with port 0. 0 or -EINVAL. */
int zh_bench_inet_resolve(
	const struct zh_bench_link *link, struct zh_bench_address *ret, struct zh_err *err);
/* Binds to it, and fills in the port that the kernel chose. 0 or a negative errno. */
int zh_bench_inet_bind(const struct zh_bench_link *link, int fd, struct zh_bench_address *address,
	struct zh_err *err);
