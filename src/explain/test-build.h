/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records made up for tests: UDP probes between a prober (pid 100, CPU 0) and a responder (pid 200,
 * CPU 1), with every stage's length given, consistent stamps and, on request, the events of a
 * machine where these two threads and perhaps a hog run. Plus ICMP probes that never sleep.
 */
#pragma once

#include "explain/explain.h"
#include "explain/stage.h"
#include "record/record.h"

#define PROBER 100u
#define RESPONDER 200u
#define HOG 77u
#define US 1000ull
#define MS 1000000ull

struct synth {
	uint64_t d[2][ZH_STAGE_MAX];  /* length of each stage, ns; 0: no such stage */
	uint64_t at[2][ZH_STAGE_MAX]; /* set by the builder: when each stage began */
	bool events;                  /* keep events */
	bool hop;                     /* the request is received on the responder's CPU */
	uint32_t hog;                 /* has the responder's CPU while it waits; 0: idle */
	uint32_t hog_flags;           /* enum zh_switch_flag of the switch to it */
	uint64_t late_ns;             /* sent this much later than intended */
	uint16_t flags;
};

struct builder {
	struct zh_record *r;
	uint64_t now_ns;
	uint64_t gap_ns;
};

void build_start(struct builder *b, size_t samples, enum zh_transport_id transport);
/* Another phase of the same target. */
void build_phase(struct builder *b, const char *label, uint64_t gap_ns, bool clean_room);
/* About 70 us: what a quiet machine shows. `i` varies it a little. */
struct synth build_healthy(unsigned int i);
struct zh_sample *build_udp(struct builder *b, struct synth *s);
/* An echo answered inside the send call: stamps of both legs on CPU 0, no wake-up. */
struct zh_sample *build_icmp(struct builder *b, struct synth *s);
struct zh_sample *build_lost(struct builder *b);
void build_stamp(struct builder *b, struct zh_sample *s, enum zh_point point, unsigned int leg,
	uint64_t ns, uint16_t cpu, uint32_t arg);
/* Adds an event to the sample built last and sorts its events. */
void build_event(struct builder *b, struct zh_event event);
/* n healthy samples. */
void build_healthy_run(struct builder *b, size_t n);

/* Explains, or fails the test. */
struct zh_explanation *explain_or_fail(struct builder *b);
/* The finding with that id, or NULL. */
const struct zh_finding *finding_of(const struct zh_explanation *e, const char *id);
/* Also checks that sums hold and shares lie in 0..1. */
void check_sums(const struct zh_record *r, const struct zh_explanation *e);
