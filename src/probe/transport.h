/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transports: what differs between ICMP, UDP, TCP and Unix sockets. One descriptor a file in
 * transports/, capability flags for everything that the engine has to know.
 *
 * The engine itself calls send and recv on the connected socket, so that the stamps stand right
 * beside the system call and every transport is measured in the same way. A transport prepares the
 * bytes before (frame) and finds the probe's header in what came back (parse).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"
#include "probe/probe.h"

struct zh_responder;

enum zh_transport_flag {
	ZH_TRANSPORT_RESPONDER = 1 << 0,   /* own responder when the target names no port or path */
	ZH_TRANSPORT_STREAM = 1 << 1,      /* bytes without message borders; accepts connections */
	ZH_TRANSPORT_INET = 1 << 2,        /* the target is a host */
	ZH_TRANSPORT_PORTS = 1 << 3,       /* ... with a port */
	ZH_TRANSPORT_PATH = 1 << 4,        /* the target is a path in the file system */
	ZH_TRANSPORT_NEEDS_RIGHT = 1 << 5, /* a privilege or a system setting allows its sockets */
};

struct zh_address {
	union {
		struct sockaddr sa;
		struct sockaddr_storage storage;
	};
	socklen_t len;
};

/* The prober's side of a connection; also what the transport keeps about it. */
struct zh_channel {
	const struct zh_transport *transport;
	const struct zh_probe_config *config; /* the probe's own copy */
	struct zh_address local, remote;
	int fd;
	uint8_t *tx; /* the message, as the send call takes it */
	size_t tx_len;
	uint8_t *rx;
	size_t rx_size, rx_len; /* rx_len: bytes of an incomplete message (streams) */
	size_t foreign_bytes;   /* of a stream, since the last message of ours */
	bool connected;         /* false: each send names the remote (there was no route) */
	bool closed;            /* the peer ended the connection, or it broke */
	bool connecting;        /* the first packet of the connection got no answer yet */
	int connect_error;      /* of a stream without a route: every send fails with it */
	const char *kind;       /* of ICMP sockets: "raw" or "dgram" */
	uint16_t icmp_id;       /* network order */
	uint32_t constant_sum;  /* of the part of an ICMP message that never changes */
};

struct zh_transport {
	enum zh_transport_id id;
	const char *name;   /* "unix-dgram" */
	const char *prefix; /* of a target: "unix-dgram" */
	const char *summary;
	unsigned int flags;
	uint32_t max_bytes;  /* largest payload */
	size_t header_bytes; /* what stands before the payload in a message */
	int socket_type;     /* SOCK_DGRAM ... */

	/* Creates the prober's socket, not connected yet. Returns an fd or a negative errno. Runs
	 * in the prober's namespace, with channel->remote set. */
	int (*socket)(struct zh_channel *channel, struct zh_err *err);
	/* After connecting: fills in what the message needs (identifiers, constant checksums). May
	 * be NULL. */
	int (*ready)(struct zh_channel *channel, struct zh_err *err);
	/* Makes channel->tx the request number `seq`. Called before the send stamp. */
	void (*frame)(struct zh_channel *channel, uint32_t seq);
	/* Finds the probe's header in a received message and copies it; false when the message is
	 * no reply to us. */
	bool (*parse)(const struct zh_channel *channel, const uint8_t *message, size_t len,
		struct zh_wire *ret);
	/* Answers on the responder's thread until it is stopped; NULL: the kernel answers. */
	void (*respond)(struct zh_responder *responder);
};

extern const struct zh_transport *const zh_transport_registry[];

/* NULL when there is none. */
const struct zh_transport *zh_transport_by_id(enum zh_transport_id id);

/* What most transports use: an ordinary socket of the remote's family and the transport's type; a
 * message that is the payload and nothing else. */
int zh_channel_socket(struct zh_channel *channel, struct zh_err *err);
void zh_channel_frame(struct zh_channel *channel, uint32_t seq);
bool zh_channel_parse(
	const struct zh_channel *channel, const uint8_t *message, size_t len, struct zh_wire *ret);

/* True when `message` starts with a header of this run; *ret is a copy (alignment is not given). */
bool zh_wire_read(const uint8_t *message, size_t len, uint32_t run, struct zh_wire *ret);
/* Writes a whole payload: header and a fixed pattern behind it. size >= sizeof(struct zh_wire). */
void zh_wire_write(uint8_t *message, uint32_t size, uint32_t run, uint32_t seq);

/* Opens, connects and prepares the prober's side in the calling thread's namespace. */
int zh_channel_open(struct zh_channel *channel, struct zh_err *err);
/* Whether a connection that was not answered at first is there by now. 0; ETIMEDOUT: not yet; or
 * the positive errno that it ended with, which every later send gets too. */
int zh_channel_connected(struct zh_channel *channel);
void zh_channel_done(struct zh_channel *channel);
