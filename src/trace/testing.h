/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of this module: a minimal prober and responder, so that tracing is tested without
 * the module that probes.
 */
#pragma once

#include "trace/trace.h"

#include <pthread.h>
#include <sys/socket.h>

#define TESTING_RUN 0x5eed1234u

struct testing_flow {
	enum zh_transport_id transport;
	int family;          /* AF_INET, AF_INET6 */
	const char *address; /* of the responder */
	uint32_t size;       /* payload, bytes */
	bool deaf;           /* no responder: nobody reads the peer's socket */
	int netns_fd, peer_netns_fd;
	int fd, peer_fd;
	struct sockaddr_storage to; /* ICMP, UDP: the responder */
	socklen_t to_len;
	uint16_t local_port, remote_port;
	pthread_t thread;
	bool running;
	struct zh_trace *trace; /* told of sockets and threads */
};

/* A skipping reason when BPF or namespaces are not permitted; NULL when tests can run. */
const char *testing_why_not(void);

/* A namespace with lo up; asserts. */
int testing_netns(void);

struct zh_record *testing_record(void);
/* Opens tracing with `config` completed by the flow's run and size; asserts. */
struct zh_trace *testing_trace(
	const struct testing_flow *flow, struct zh_trace_config config, struct zh_record *record);

/* Opens sockets and starts the responder (not for ICMP); connects all with `trace`. Asserts. */
void testing_flow_open(struct testing_flow *flow, struct zh_trace *trace);
void testing_flow_close(struct testing_flow *flow);
/* Sends sample `seq` only. */
void testing_send(struct testing_flow *flow, uint32_t seq, struct zh_sample *sample);
/* Sends sample `seq` and waits for its reply; fills send_ns and recv_ns (0: none in 1 s). */
void testing_exchange(struct testing_flow *flow, uint32_t seq, struct zh_sample *sample);

/* How many stamps of that point and leg the sample has. */
unsigned int testing_count(const struct zh_record *record, const struct zh_sample *sample,
	enum zh_point point, uint32_t leg);
