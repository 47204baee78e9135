/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "base/buf.h"
#include "lab/internal.h"

/*
 * A drop that stands before "lo accept". That of the control is for a port that nobody probes, so
 * the rules look alike.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	zh_autobuf text = {0};

	zh_buf_adds(&text, "table inet " LAB_NFT_TABLE " {\nchain input {\n"
			   "type filter hook input priority 0; policy accept;\n");
	if (run->control)
		zh_buf_adds(&text, "udp dport 9 counter drop\n");
	else if (run->param[0])
		zh_buf_adds(&text, "meta l4proto icmp counter drop\n");
	else
		zh_buf_addf(&text, "meta l4proto icmp numgen random mod 100 < %u counter drop\n",
			(unsigned int)run->param[1]);
	zh_buf_adds(&text, "iif lo accept\n}\n}\n");
	if (text.failed)
		return zh_err_set(err, -ENOMEM, "out of memory");
	return lab_nft(run, text.text, text.len, err);
}

/* The same rule, told by its place before lo's accept. */
static const char *const accepts[] = {"firewall-on-lo", NULL};

const struct zh_fault zh_fault_firewall_drop = {
	.id = "firewall-drop",
	.summary = "a firewall rule drops the probe before lo is accepted",
	.expects = "firewall-drop",
	.accepts = accepts,
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 5 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 100 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"all", 0, 1}, {"percent", 5, 60}},
	.inject = inject,
	.remove = lab_nft_undo,
};
