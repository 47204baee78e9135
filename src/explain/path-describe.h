/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the answer of a path run; path.c puts them together. `shown` false: JSON only.
 */
#pragma once

#include "base/buf.h"
#include "explain/path.h"

/* Packets of ours that a device saw. */
struct zh_path_device {
	uint64_t place;
	char dev[64];
	uint64_t requests, replies;
};
#define ZH_PATH_DEVICES_MAX 256
/* Devices of a way, those of place 0 first, the busy ones before the idle ones. How many. */
size_t zh_path_devices(
	const struct zh_record *record, size_t way, struct zh_path_device *ret, size_t max);

/* "a packet to 127.0.0.1 goes by lo and stays there: 12 sent, lo 12, eth0 0". */
void zh_path_headline(const struct zh_record *record, size_t way, struct zh_buf *ret);
/* "; ::1: Network is unreachable", for each other address where something is wrong. */
void zh_path_add_other_ways(const struct zh_record *record, struct zh_buf *ret);
/* "lo 12, eth0 0"; the packets that devices saw. Of those that saw none a few of place 0 are named;
 * `brief`: devices of place 0 only. */
void zh_path_add_devices(
	const struct zh_record *record, size_t way, bool brief, struct zh_buf *ret);
/* "3 packets last seen at the input hook in netns blue: dropped, NETFILTER_DROP in nf_hook_slow" */
void zh_path_lost_text(const struct zh_record *record, size_t way, size_t n, struct zh_buf *ret);

void zh_path_describe_decision(
	const struct zh_record *record, size_t way, bool shown, struct zh_node *parent);
void zh_path_describe_hops(
	const struct zh_record *record, size_t way, const char *title, struct zh_node *parent);
void zh_path_add_hop(
	const struct zh_record *record, size_t way, size_t hop, struct zh_node *way_node);
void zh_path_describe_proof(
	const struct zh_record *record, size_t way, bool shown, struct zh_node *parent);
void zh_path_describe_unix(const struct zh_record *record, size_t way, struct zh_node *parent);
void zh_path_describe_name(const struct zh_record *record, struct zh_node *parent);
void zh_path_describe_loopback(const struct zh_record *record, struct zh_node *parent);
void zh_path_describe_not_measured(const struct zh_record *record, struct zh_node *parent);

/* Whether a finding of a path run is shown; whether it counts for the exit status. */
bool zh_path_shows(const struct zh_record *record, const struct zh_explanation *explanation,
	const struct zh_finding *finding);
bool zh_path_judges(const struct zh_record *record, const struct zh_explanation *explanation,
	const struct zh_finding *finding);
