/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "base/buf.h"
#include "lab/internal.h"

/* One rule after the other that never matches (198.18.0.0/15 is for benchmarks). The control has
 * the same table and chain with ten of them. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	zh_autobuf text = {0};
	uint64_t n = run->control ? 10 : run->param[0];

	zh_buf_adds(&text, "table inet " LAB_NFT_TABLE " {\nchain input {\n"
			   "type filter hook input priority 0; policy accept;\n");
	for (uint64_t i = 0; i < n; i++)
		zh_buf_addf(&text, "ip saddr 198.18.%u.%u counter drop\n",
			(unsigned int)(i >> 8 & 0xff), (unsigned int)(i & 0xff));
	zh_buf_adds(&text, "}\n}\n");
	if (text.failed)
		return zh_err_set(err, -ENOMEM, "out of memory");
	return lab_nft(run, text.text, text.len, err);
}

/* The same rules, told by their number. */
static const char *const accepts[] = {"rule-volume", NULL};

const struct zh_fault zh_fault_nft_rules = {
	.id = "nft-rules",
	.summary = "thousands of linear firewall rules stand before the socket",
	.expects = "netfilter-rules",
	.accepts = accepts,
	.topology = &zh_topology_lo,
	.target = "127.0.0.1",
	.gap_ns = 4 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 300,
	.params = {{"rules", 8000, 30000}},
	.inject = inject,
	.remove = lab_nft_undo,
};
