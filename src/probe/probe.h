/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes: request and reply over a local transport, paced by an absolute clock.
 *
 * A run has a target (resolved once, sockets open, own responder started when the target names no
 * port or path) and phases. The time of each send is fixed beforehand: a late send is recorded as
 * late (intended_ns, send_ns), never shifted, so a stall cannot hide. Between the first and the
 * last probe of a phase nothing allocates, locks or prints.
 *
 * The probe does not know tracing: the session connects both through struct zh_probe_hooks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"
#include "record/wire.h"

/* A parsed target: "127.0.0.1", "icmp:HOST", "udp:HOST[:PORT]", "tcp:HOST[:PORT]", "unix:[PATH]",
 * "unix-dgram:[PATH]". IPv6 with a port is written "udp:[::1]:53"; a path that starts with '@' is a
 * name in the abstract namespace. */
struct zh_target {
	enum zh_transport_id transport;
	char host[256]; /* as written; "" for Unix sockets */
	uint16_t port;  /* 0: own responder */
	char path[108]; /* "": own responder on a private socket */
};

int zh_target_parse(const char *text, struct zh_target *ret, struct zh_err *err);
const char *zh_transport_name(enum zh_transport_id id);

enum zh_probe_role { ZH_ROLE_PROBER, ZH_ROLE_RESPONDER };

struct zh_probe_hooks {
	void *arg;
	/* A socket of ours exists (before it carries probes). Of a listening one only what it
	 * accepts, on the responder's thread. */
	void (*socket)(void *arg, int fd, enum zh_probe_role role);
	/* A thread of ours runs; called on that thread: the responder's when it starts, the
	 * prober's at the start of each phase. */
	void (*thread)(void *arg, uint32_t tid, enum zh_probe_role role);
	/* On the prober, after each sample ended (answered or given up), with at least `slack_ns`
	 * until the next send (0: late already; 1 s when none waits for its time: after the last
	 * one, or without a gap). In a closed loop it may come one probe later, when the
	 * responder's last stamp is there. Must not block, allocate or print. */
	void (*sample)(void *arg, struct zh_sample *sample, uint64_t slack_ns);
	/* Asked between probes: true ends the phase early (Ctrl-C). */
	bool (*stop)(void *arg);
};

struct zh_probe_config {
	struct zh_target target;
	uint32_t run;                /* for struct zh_wire */
	uint32_t size_bytes;         /* payload, at least sizeof(struct zh_wire) */
	int cpu, peer_cpu;           /* -1: not pinned */
	int netns_fd, peer_netns_fd; /* -1: the calling thread's namespace */
	uint8_t ip_version;          /* 4, 6, or 0: whichever the name gives first */
	bool kernel_stamps;          /* SO_TIMESTAMPING on the prober's socket */
	bool nodelay;                /* TCP_NODELAY on both ends */
	bool split_writes;           /* lab only: two small writes a message (provokes Nagle) */
	bool lock_memory;
	/* lab only: the responder's bad habits; 0 = none */
	uint64_t peer_delay_ns; /* it sleeps this long before each answer */
	uint32_t peer_rcvbuf_bytes;
	int peer_cgroup_fd; /* reserved, -1 */
	struct zh_probe_hooks hooks;
};

struct zh_probe;

/*
 * Resolves, opens sockets, starts the responder and waits until it is ready. On success the caller
 * owns *ret. Errors: -EINVAL (name cannot be resolved), -EPERM, -EACCES, -ENETUNREACH ...; the
 * sentence names the step. Connecting to a closed TCP port is an error here, a silent one is not.
 */
int zh_probe_open(const struct zh_probe_config *config, struct zh_probe **ret, struct zh_err *err);
struct zh_probe *zh_probe_close(struct zh_probe *probe);

/* "127.0.0.1", "udp:127.0.0.1:40123", ... as resolved. */
const char *zh_probe_target(const struct zh_probe *probe);
/* The responder's pid (thread id) or 0; local and remote ports (host order) or 0. */
uint32_t zh_probe_responder_tid(const struct zh_probe *probe);
void zh_probe_ports(const struct zh_probe *probe, uint16_t *ret_local, uint16_t *ret_remote);
/* Which ICMP socket was given: "raw" or "dgram"; NULL for other transports. */
const char *zh_probe_icmp_kind(const struct zh_probe *probe);

/*
 * Runs one phase of `count` probes, `gap_ns` between intended sends (0: next send right after the
 * reply), waiting at most `timeout_ns` for each reply. Several probes may be in flight when a reply
 * takes longer than the gap; when 1024 are, the oldest is given up. Fills record->phases and
 * record->samples (which must have room) and the target, transport, pids of the phase. `label`
 * names the phase. 0, or negative with err: a lost reply is not an error.
 *
 * LOST: no reply within timeout_ns; with LATE one came afterwards. A failed send is LOST and
 * SEND_FAILED, with its errno. LOST with an errno alone: the peer refused (ECONNREFUSED), or the
 * connection ended while the reply was awaited. A reply that was undecided when the phase was
 * stopped is not in the record. krx_ns is taken for config.kernel_stamps; ktx_ns is not: transmit
 * stamps come through the error queue, whose arrival wakes the thread that waits for the reply.
 */
int zh_probe_phase(struct zh_probe *probe, const char *label, uint32_t count, uint64_t gap_ns,
	uint64_t timeout_ns, struct zh_record *record, struct zh_err *err);
