/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of trails: namespaces joined by veth pairs, and counting of what was seen. */
#pragma once

#include "trace/testing.h"
#include "trace/trail.h"

#define TESTING_PACKETS 13

/*
 * Up to three namespaces in a row: 0 - 1 - 2; the middle one forwards. Addresses are 10.99.1.1
 * (0), 10.99.1.2 and 10.99.2.1 (1), 10.99.2.2 (2), and fd99:1::1 and so on.
 */
struct testing_net {
	int ns[3];
	uint32_t inodes[3];
	uint32_t left[3], right[3]; /* device towards the previous and the next one; 0: none */
	int n;
};

struct testing_trail {
	struct testing_net net;
	struct zh_record *record;
	struct zh_trail *trail;
};

/* Asserts. */
void testing_net_open(struct testing_net *net, int n);
void testing_net_close(struct testing_net *net);
/* Rules for nft, in namespace `at`. False when nft or what the rules need is missing here. */
bool testing_nft(const struct testing_net *net, int at, const char *rules);

/* Opens a trail in `n` namespaces; asserts that the method works. */
void testing_trail_open(struct testing_trail *t, int n, enum zh_transport_id transport,
	uint16_t remote_port, bool no_bpf);
void testing_trail_close(struct testing_trail *t);

/* What to count. */
struct testing_want {
	enum zh_trail_point point;
	int leg, netns;     /* netns: index into the net */
	uint32_t hook;      /* of points HOOK_IN and HOOK_OUT */
	uint32_t ifindex;   /* 0: any */
	const char *reason; /* of DROP; NULL: any */
};
unsigned int testing_trail_count(
	struct testing_trail *t, uint32_t seq, const struct testing_want *want);
/* How many steps the packet has, of any kind. */
unsigned int testing_trail_steps(struct testing_trail *t, uint32_t seq);
/* Fails with all steps of the packet in the message. */
void testing_trail_fail(struct testing_trail *t, uint32_t seq, const char *what);

/* Fails unless there are `n` such steps. */
#define testing_expect(t, seq, n, ...)                                                             \
	do {                                                                                       \
		const struct testing_want want_ = {__VA_ARGS__};                                   \
                                                                                                   \
		if (testing_trail_count(t, seq, &want_) != (n))                                    \
			testing_trail_fail(t, seq, "not " #n " of " #__VA_ARGS__);                 \
	} while (0)
