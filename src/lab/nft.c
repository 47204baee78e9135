/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"

#include <stdio.h>

#include "sys/process.h"

static int load(int netns_fd, const char *text, size_t len, struct zh_err *err)
{
	static const char *const argv[] = {"nft", "-f", "-", NULL};

	return zh_process_run(argv, netns_fd, text, len, err);
}

int lab_nft(struct zh_lab_run *run, const char *text, size_t len, struct zh_err *err)
{
	return load(run->ns.netns_fd, text, len, err);
}

static void delete_table(int netns_fd, const char *family)
{
	char text[64];

	load(netns_fd, text,
		(size_t)snprintf(text, sizeof(text), "delete table %s " LAB_NFT_TABLE "\n", family),
		NULL);
}

void lab_nft_undo(struct zh_lab_run *run)
{
	delete_table(run->ns.netns_fd, "inet");
}

int lab_host_nft(struct zh_lab_run *run, const char *text, size_t len, struct zh_err *err)
{
	return load(run->ns.host_netns_fd, text, len, err);
}

void lab_host_nft_undo(struct zh_lab_run *run, const char *family)
{
	delete_table(run->ns.host_netns_fd, family);
}
