/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trail's inside, shared by its own files: trail.c (life and reading), trail-bpf.c and
 * trail-sockets.c (the two ways to count).
 */
#pragma once

#include "trace/trail-shared.h"

struct zh_symbols;
struct zh_trail_bpf;
struct zh_trail_sockets;

struct zh_trail {
	struct zh_trail_config config; /* netns_fds is valid only while opening */
	enum zh_trail_method method;
	struct zh_trail_control *control; /* NULL: nothing is counted */
	struct zh_trail_packet *packets;  /* ZH_TRAIL_PACKETS */
	struct zh_trail_bpf *bpf;         /* the owner of both, or NULL */
	struct zh_trail_sockets *sockets; /* the owner of both, or NULL */
	struct zh_symbols *symbols;       /* NULL: unknown, or not asked for yet */
	bool asked_symbols;
	char reason[48]; /* of zh_trail_drop_reason() */
};

/*
 * Calls f(trail, arg) in each namespace that counts, on a thread inside it, or directly where that
 * is the caller's own. What fails is noted as `what`, and the next namespace is tried. Returns how
 * many calls returned 0.
 */
size_t zh_trail_each_netns(struct zh_trail *trail, struct zh_record *record, const char *what,
	int (*f)(struct zh_trail *trail, uint32_t netns, void *arg, struct zh_err *err), void *arg);

/* Sets control, packets and the owner. 0, or a negative errno with the reason. */
int zh_trail_bpf_open(struct zh_trail *trail, struct zh_record *record, struct zh_err *err);
struct zh_trail_bpf *zh_trail_bpf_close(struct zh_trail_bpf *bpf);
/* Times the kernel did not run our programs because one ran already. */
uint64_t zh_trail_bpf_missed(const struct zh_trail_bpf *bpf);
const char *zh_trail_bpf_reason(
	const struct zh_trail_bpf *bpf, uint32_t reason, char *buf, size_t size);

int zh_trail_sockets_open(struct zh_trail *trail, struct zh_record *record, struct zh_err *err);
struct zh_trail_sockets *zh_trail_sockets_close(struct zh_trail_sockets *sockets);
/* Takes in what the sockets have seen until now. */
void zh_trail_sockets_drain(struct zh_trail *trail);
