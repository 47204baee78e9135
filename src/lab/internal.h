/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What faults are made of: child processes inside the lab's namespaces.
 */
#pragma once

#include "lab/lab.h"

/* A fast, seeded source of numbers (splitmix64): the same seed gives the same run anywhere. */
uint64_t lab_random(uint64_t *state);
/* Uniform in [min, max]; the bias of the remainder is below 2^-32 for ranges below 2^32. */
uint64_t lab_draw(uint64_t *state, uint64_t min, uint64_t max);

/* What a child knows; lives in the child only. */
struct lab_child {
	int ready_fd;         /* for lab_child_ready() */
	uint64_t random;      /* state for lab_random() */
	uint64_t deadline_ns; /* it ends by itself then */
};

struct lab_child_config {
	const char *name; /* of the process, at most 15 characters */
	int cpu;          /* pinned to; -1: not */
	int netns_fd;     /* -1: where the caller is */
	/* Sets itself up, calls lab_child_ready() once, and works until deadline_ns or killed. */
	int (*body)(struct lab_child *child, const void *arg);
	const void *arg;
};

/* Starts a child of the run and waits until it is ready; *ret_value (may be NULL) is what it told.
 * It is ended by zh_lab_stop(). */
int lab_child_start(struct zh_lab_run *run, const struct lab_child_config *config,
	uint32_t *ret_value, struct zh_err *err);
/* In the child: tells the parent that it is set up (0 and a value) or why not (negative errno). */
void lab_child_ready(struct lab_child *child, int status, uint32_t value);

/* Keeps a CPU busy in bursts with pauses, both varied by a quarter so that nothing beats. */
struct lab_hog {
	int cpu;
	uint64_t on_ns, off_ns; /* on 0: only sleeps (controls); off 0: never pauses */
	bool real_time;         /* SCHED_FIFO */
	int nice;               /* of an ordinary one */
	pid_t stop_pid;         /* instead of spinning: stops this child for on_ns (SIGSTOP) */
};
int lab_hog_start(struct zh_lab_run *run, const struct lab_hog *hog, struct zh_err *err);

/* Receive work of the host's devices to that CPU, as a device with a single queue brings it;
 * -ENOTSUP when sender and receive work cannot be on CPUs of their own. Undone by lab_steer_undo(),
 * a fault's remove(). */
int lab_steer_to(struct zh_lab_run *run, int cpu, struct zh_err *err);
/* The same to all CPUs that we may use. */
int lab_steer_all(struct zh_lab_run *run, struct zh_err *err);
void lab_steer_undo(struct zh_lab_run *run);

/* A UDP echo server in a process of its own. */
struct lab_echo {
	int netns_fd, cpu;
	uint32_t rcvbuf_bytes; /* 0: the default */
	uint64_t delay_ns;     /* after each answer */
};
int lab_echo_start(struct zh_lab_run *run, const struct lab_echo *echo, uint16_t *ret_port,
	struct zh_err *err);

/* Sends bursts of UDP datagrams, and reads what they become. */
struct lab_flood {
	int netns_fd, cpu;
	const char *to; /* an IPv4 address; NULL: 127.0.0.1 */
	/* Of a server, whose answers are read. 0: to a socket of its own in sink_netns_fd (-1: the
	 * same namespace), which reads them; never more than one burst is under way. */
	uint16_t port;
	int sink_netns_fd;
	uint32_t burst;    /* sends in a row */
	uint32_t segments; /* datagrams a send, cut apart by the receiving side (UDP_SEGMENT); 0: 1
			    */
	uint32_t size_bytes;
	uint64_t pause_ns; /* between bursts, varied by a quarter; 0: none */
	bool idle_class;   /* SCHED_IDLE: never in the way of who else uses its CPU */
};
int lab_flood_start(struct zh_lab_run *run, const struct lab_flood *flood, struct zh_err *err);

/* Loads nft text, which makes the table LAB_NFT_TABLE of family inet, in the prober's namespace;
 * and removes that table, as a fault's remove(). */
#define LAB_NFT_TABLE "zerohop_lab"
int lab_nft(struct zh_lab_run *run, const char *text, size_t len, struct zh_err *err);
void lab_nft_undo(struct zh_lab_run *run);

/* The same in the host's namespace, for a table of any family. */
int lab_host_nft(struct zh_lab_run *run, const char *text, size_t len, struct zh_err *err);
void lab_host_nft_undo(struct zh_lab_run *run, const char *family);

/* Attaches one of the lab's own tc programs at the ingress of a device of the prober's namespace.
 * Freed, and the clsact qdisc removed, by lab_tc_detach(), which accepts NULL. */
struct lab_tc_config {
	const char *device;
	bool slow;            /* the slow program, else the lossy one */
	uint64_t burn_ns;     /* slow: each packet is held this long; 0: not */
	uint32_t drop_one_in; /* lossy: at random; 0: none */
};
struct lab_tc;
int lab_tc_attach(struct zh_lab_run *run, const struct lab_tc_config *config, struct lab_tc **ret,
	struct zh_err *err);
struct lab_tc *lab_tc_detach(struct lab_tc *tc);
