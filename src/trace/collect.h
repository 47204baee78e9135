/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the stamps of one probe. Pure: works on any memory of that shape.
 */
#pragma once

#include "trace/shared.h"

/* See zh_trace_collect(). `no_socket` is the number of the drop reason NO_SOCKET, ZH_NONE when the
 * kernel has no reasons. */
void zh_collect(const struct zh_trace_slot *slots, enum zh_transport_id transport,
	uint32_t no_socket, struct zh_record *record, struct zh_sample *sample);
