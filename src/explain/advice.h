/* SPDX-License-Identifier: BSD-2-Clause */
/* Remedies that are no knobs of ours: what somebody else owns, or has to write. */
#pragma once

struct zh_advice {
	const char *id;   /* "tcp-nodelay", as in a rule's remedies */
	const char *text; /* what to do */
};

/* NULL: there is none with that id. */
const struct zh_advice *zh_advice_find(const char *id);
