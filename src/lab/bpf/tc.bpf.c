/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lab's ill-behaved tc programs. They stand for what monitoring agents and policy engines leave
 * on a device: one is slow, one loses packets.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define UNSPEC (-1) /* TC_ACT_UNSPEC: go on as if the program were not there */
#define SHOT 2	    /* TC_ACT_SHOT */
#define MAX_TURNS (1 << 23)

const volatile __u64 burn_ns = 0;
const volatile __u32 drop_one_in = 0;

static long turn(__u32 index, void *end_ns)
{
	return bpf_ktime_get_ns() >= *(__u64 *)end_ns;
}

SEC("tc")
int zh_lab_slow(struct __sk_buff *skb)
{
	__u64 end_ns = bpf_ktime_get_ns() + burn_ns;

	if (burn_ns)
		bpf_loop(MAX_TURNS, turn, &end_ns, 0);
	return UNSPEC;
}

SEC("tc")
int zh_lab_lossy(struct __sk_buff *skb)
{
	if (drop_one_in && bpf_get_prandom_u32() % drop_one_in == 0)
		return SHOT;
	return UNSPEC;
}

char lab_license[] SEC("license") = "Dual BSD/GPL";
