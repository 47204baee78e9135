/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/tcp-modes.h"

#include "base/util.h"
#include "explain/timeline.h"

static bool between_ms(uint64_t ns, uint64_t from, uint64_t to)
{
	return ns >= from * ZH_NSEC_PER_MSEC && ns < to * ZH_NSEC_PER_MSEC;
}

struct zh_tcp_modes zh_tcp_modes_find(const struct zh_explain *ex)
{
	const struct zh_record *r = ex->record;
	struct zh_tcp_modes modes = {0};
	size_t i;

	for (i = 0; i < r->n_samples; i++) {
		const struct zh_sample *s = &r->samples[i];
		const struct zh_phase *phase = zh_timeline_phase(r, s);

		if (!phase || phase->clean_room || phase->transport != ZH_TRANSPORT_TCP ||
			!zh_sample_answered(s))
			continue;
		modes.n++;
		modes.ack40 += between_ms(zh_sample_rtt(s), 38, 60);
		modes.rto200 += between_ms(zh_sample_rtt(s), 200, 260);
	}
	return modes;
}
