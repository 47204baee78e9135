/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/internal.h"

#include <sched.h>

#include "base/util.h"
#include "stats/summary.h"

#define BURST_PROBES 256
#define BURST_TIMEOUT_NS (20 * ZH_NSEC_PER_MSEC)
#define BURST_MAX_LOST 2

struct burst {
	uint32_t lost;
};

static void count_lost(void *arg, struct zh_sample *sample, uint64_t slack_ns)
{
	struct burst *burst = arg;

	(void)slack_ns;
	if (!zh_sample_answered(sample))
		burst->lost++;
}

static bool too_many_lost(void *arg)
{
	return ((struct burst *)arg)->lost >= BURST_MAX_LOST;
}

static uint64_t p50_of(const struct zh_record *record)
{
	uint64_t rtt[BURST_PROBES];
	size_t n = 0, i;

	for (i = 0; i < record->n_samples && n < BURST_PROBES; i++)
		if (zh_sample_answered(&record->samples[i]))
			rtt[n++] = zh_sample_rtt(&record->samples[i]);
	if (n < BURST_PROBES / 2)
		return 0;
	return zh_stats_median(rtt, n);
}

uint64_t session_burst_p50(struct session *s)
{
	const struct zh_record_limits limits = {.phases = 1, .samples = BURST_PROBES};
	struct zh_probe_config config = s->config->probe;
	struct zh_record *record = zh_record_new(&limits);
	struct zh_probe *probe = NULL;
	struct burst burst = {};
	uint64_t p50_ns = 0;

	if (!record)
		return 0;
	config.run = s->record ? (uint32_t)s->record->start_ns : 0;
	config.hooks =
		(struct zh_probe_hooks){.arg = &burst, .sample = count_lost, .stop = too_many_lost};
	config.peer_delay_ns = 0;
	if (config.cpu < 0 &&
		config.peer_cpu < 0) /* one placement for all bursts, or they differ */
		config.cpu = config.peer_cpu = sched_getcpu();
	if (zh_probe_open(&config, &probe, NULL) == 0 &&
		zh_probe_phase(probe, "burst", BURST_PROBES, 0, BURST_TIMEOUT_NS, record, NULL) ==
			0)
		p50_ns = p50_of(record);
	zh_probe_close(probe);
	zh_record_free(record);
	return p50_ns;
}
