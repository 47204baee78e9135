/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer of `zerohop path` from a record: pure, from the facts below. Keys that are absent mean
 * that nobody looked; "unavailable" facts carry the reason. W counts the target's addresses, H the
 * hops, P the network namespaces ("places"; 0 is where the packet starts), N others; all from 0.
 *
 * path.target                 as the user wrote it
 * path.transport              "icmp", "udp", "tcp", "unix", "unix-dgram"
 * path.name.asked .took_ns .error .N.ip      what getaddrinfo made of a name, in its order
 * path.place.P.name .inode                   "here", "netns blue", "pid 123 (redis)"
 * path.way.W.address .family .protocol .from_port .to_port .from .mark .uid .iif
 * path.way.W.unix.path .type .listening .pid .process .queued .max_queued    instead, for Unix
 * sockets
 *
 * The decision:
 * path.way.W.decision.dev .type .table .src .gateway .mtu
 * path.way.W.decision.error                  why the kernel would not send it ("Network is ...")
 * path.way.W.decision.rule.pref .text        the rule that decided
 * path.way.W.decision.plain.dev .type .table .error   the answer to the question without protocol,
 *                                            ports, mark and user (as `ip route get` asks)
 * path.way.W.decision.before.N.pref .text .why        rules that stand before it, and why they did
 *                                            not decide ("other protocol", "table 100: no route")
 *
 * path.way.W.reply.place .dev .gateway .error  the answer's decision, asked where the way ends
 *
 * The hops, in the packet's order (request there; replies come back through the same kinds):
 * path.way.W.hop.H.kind       "socket", "cgroup-bpf", "netfilter", "routing", "qdisc", "tc", "xdp",
 *                             "device", "wire" (veth to its peer), "bridge", "macvlan", "steering",
 *                             "leaves" (by real hardware: the end of what is local), "end"
 * path.way.W.hop.H.place      P
 * path.way.W.hop.H.dev .ifindex              where there is one
 * path.way.W.hop.H.hook .hook_number         "output", 3: of netfilter
 * path.way.W.hop.H.title                     one line: "output hook: 2 chains, 7 rules, conntrack"
 * path.way.W.hop.H.note.N                    further lines
 * path.way.W.hop.H.unseen                    why it could not be looked at
 * path.way.W.hop.H.ends                      why the way ends here (dropped, no route, no listener)
 *
 * The proof:
 * path.way.W.proof.method     "bpf", "packet sockets", "device counters"
 * path.way.W.proof.sent .answered .refused .took_ns
 * path.way.W.proof.not_sent                  why nothing was sent
 * path.way.W.proof.dev.P.DEV.requests .replies    packets of ours on that device (each once)
 * path.way.W.proof.hook.P.HOOK.requests_in .requests_out .replies_in .replies_out
 * path.way.W.proof.hop.H.requests .replies   seen at that hop of the list above
 * path.way.W.proof.stray.N.place .dev .packets    seen on a device that is not in the list of hops
 * path.way.W.proof.lost.N.packets .leg .place .dev .hop .reason .function    where packets were
 * last seen, grouped; reason and function of the drop if known
 *
 * Loopback (path.lo.*), when a way uses lo:
 * path.lo.flags .mtu .mtu6 .ip4 .ip6
 * path.lo.covers.N.address .dev .type .answered   127.0.0.1, 127.0.0.2, 127.1.2.3, an alias
 * path.lo.offload.NAME                       "on", "off", "on (fixed)"
 * path.lo.segments.on .off .sent_bytes .mtu  packets on lo for one large TCP send with TSO and GSO
 *                                            on and off, in a fresh namespace
 * path.lo.segments_small.*    the same over a small MTU, as a card has
 * path.lo.checksum                           one line: what is skipped
 * path.lo.closed_port.V.result .took_ns      V 4 or 6: "refused", "timeout"
 */
#pragma once

#include "base/err.h"
#include "explain/explain.h"
#include "record/record.h"
#include "report/doc.h"

/* True when the record is of a path run. */
bool zh_path_is(const struct zh_record *record);

/* Adds headline, decision, hops, proof, loopback and (from `explanation`) findings that concern the
 * way; the text is a vertical picture. */
void zh_path_describe(const struct zh_record *record, const struct zh_explanation *explanation,
	struct zh_node *root);

/* Hops of the first way, for walking through one at a time: how many, and one of them as a document
 * of its own (the caller frees it). */
size_t zh_path_n_hops(const struct zh_record *record);
struct zh_doc *zh_path_describe_hop(const struct zh_record *record, size_t hop);

/* Whether there is a finding that concerns the way, of warning or above. */
bool zh_path_has_findings(const struct zh_record *record, const struct zh_explanation *explanation);
