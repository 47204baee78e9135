/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "sys/process.h"

int lab_nft(struct zh_lab_run *run, const char *text, size_t len, struct zh_err *err)
{
	static const char *const argv[] = {"nft", "-f", "-", NULL};

	return zh_process_run(argv, run->ns.netns_fd, text, len, err);
}

void lab_nft_undo(struct zh_lab_run *run)
{
	static const char text[] = "delete table inet " LAB_NFT_TABLE "\n";

	lab_nft(run, text, sizeof(text) - 1, NULL);
}
