/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/rtt.h"

#include <string.h>

#include "base/util.h"
#include "stats/summary.h"

/* Values of one figure, collected before it is summed up. */
struct values {
	uint64_t *ns;
	size_t n;
	uint64_t lost;
};

void zh_rtt_sum_up(uint64_t *values_ns, size_t n, uint64_t lost, struct zh_rtt *ret)
{
	struct zh_moments m = zh_stats_moments(values_ns, n);

	*ret = (struct zh_rtt){.count = n, .lost = lost};
	if (!n)
		return;
	zh_stats_sort(values_ns, n);
	ret->min_ns = values_ns[0];
	ret->max_ns = values_ns[n - 1];
	ret->mean_ns = (uint64_t)m.mean;
	ret->stddev_ns = (uint64_t)m.stddev;
	ret->p50_ns = zh_stats_quantile(values_ns, n, 0.50);
	ret->p90_ns = zh_stats_quantile(values_ns, n, 0.90);
	ret->p99_ns = zh_stats_quantile(values_ns, n, 0.99);
	ret->p999_ns = zh_stats_quantile(values_ns, n, 0.999);
}

static void add(struct values *v, const struct zh_sample *s)
{
	if (s->flags & ZH_SAMPLE_WARMUP)
		return;
	if (zh_sample_answered(s) && s->recv_ns >= s->send_ns)
		v->ns[v->n++] = zh_sample_rtt(s);
	else
		v->lost++;
}

/*
 * The RTT as plain `ping` would show it: until the kernel received the reply. Kernel stamps are
 * taken on the wall clock and converted, so a step of that clock can make one absurd; such a stamp
 * lies outside the sample's own interval and is left out.
 */
static void add_kernel(struct values *v, const struct zh_sample *s)
{
	if (zh_sample_answered(s) && s->krx_ns >= s->send_ns && s->krx_ns <= s->recv_ns)
		v->ns[v->n++] = s->krx_ns - s->send_ns;
}

static size_t phase_end(const struct zh_record *r, const struct zh_phase *phase)
{
	return ZH_MIN((size_t)phase->first + phase->n, r->n_samples);
}

static void mark_main_phases(struct zh_explain *ex)
{
	const struct zh_record *r = ex->record;
	const char *target = NULL;
	size_t i;

	for (i = 0; i < r->n_phases; i++) {
		if (r->phases[i].clean_room)
			continue;
		if (!target)
			target = r->phases[i].target;
		ex->main_phase[i] = strcmp(r->phases[i].target, target) == 0;
	}
}

void zh_explain_rtts(struct zh_explain *ex)
{
	const struct zh_record *r = ex->record;
	struct values all = {0}, one = {0}, kernel = {0};
	size_t i, k;

	mark_main_phases(ex);
	ex->out->phase_rtt = calloc(ZH_MAX(r->n_phases, (size_t)1), sizeof(struct zh_rtt));
	all.ns = calloc(r->n_samples + 1, sizeof(uint64_t));
	one.ns = calloc(r->n_samples + 1, sizeof(uint64_t));
	kernel.ns = calloc(r->n_samples + 1, sizeof(uint64_t));
	ex->failed = !ex->out->phase_rtt || !all.ns || !one.ns || !kernel.ns;
	for (i = 0; i < r->n_phases && !ex->failed; i++) {
		one.n = one.lost = 0;
		for (k = r->phases[i].first; k < phase_end(r, &r->phases[i]); k++) {
			add(&one, &r->samples[k]);
			if (ex->main_phase[i]) {
				add(&all, &r->samples[k]);
				add_kernel(&kernel, &r->samples[k]);
			}
		}
		zh_rtt_sum_up(one.ns, one.n, one.lost, &ex->out->phase_rtt[i]);
	}
	if (!ex->failed) {
		zh_rtt_sum_up(all.ns, all.n, all.lost, &ex->out->rtt);
		zh_rtt_sum_up(kernel.ns, kernel.n, kernel.lost, &ex->out->kernel_rtt);
	}
	free(all.ns);
	free(one.ns);
	free(kernel.ns);
}
