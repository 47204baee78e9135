/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs once for each injected frame: writes the headers and lets the frame go up the stack. All 42
 * bytes are written each time, since frames are recycled with whatever the stack made of them.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "probe/load/frame.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct load_frame);
} load_frames SEC(".maps");

SEC("xdp")
int load_inject(struct xdp_md *ctx)
{
	struct load_headers *headers = (void *)(long)ctx->data;
	struct load_frame *frame;
	__u32 key = 0;

	frame = bpf_map_lookup_elem(&load_frames, &key);
	if (!frame || (void *)(headers + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	*headers = frame->headers;
	/* One CPU injects, so this needs no atomics. */
	headers->from_port = bpf_htons(frame->first_port + frame->flow);
	if (++frame->flow >= frame->n_flows)
		frame->flow = 0;
	frame->injected++;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
