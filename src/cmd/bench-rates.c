/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench --rates: the same path probed at several rates with a timeline of every probe, so that it
 * can be said why the figures differ.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cmd/bench.h"
#include "cmd/describe.h"
#include "cmd/measure.h"
#include "explain/rates.h"
#include "session/placement.h"

#define TARGETS_MAX 8
#define PHASES_MAX 512
/* Each setting is measured in so many stretches, all settings in turn, since machines drift. */
#define STRETCHES 2
#define STRETCH_MS 1500
#define SAMPLES_MIN 20
#define SAMPLES_MAX 1500

/* What the probes of ping and doctor know. */
static const struct target {
	const char *transport, *target;
	bool has_peer;
} targets[] = {
	{"icmp", "icmp:127.0.0.1", false},
	{"udp", "udp:127.0.0.1", true},
	{"tcp", "tcp:127.0.0.1", true},
	{"unix-stream", "unix:", true},
	{"unix-dgram", "unix-dgram:", true},
};

struct sweep {
	const struct target *targets[TARGETS_MAX];
	size_t n_targets;
	struct cmd_list rates, placements;
	struct zh_session_phase phases[PHASES_MAX];
	size_t n_phases;
};

static int add_target(struct sweep *sweep, const char *word, struct zh_err *err)
{
	const struct zh_bench_transport *transport = zh_bench_transport_find(word);
	size_t i, k;

	for (i = 0; i < ZH_ARRAY_SIZE(targets); i++) {
		if (strcmp(targets[i].transport, transport ? transport->name : word))
			continue;
		for (k = 0; k < sweep->n_targets; k++)
			if (sweep->targets[k] == &targets[i])
				return zh_err_set(err, -EINVAL, "'%.40s' is there twice", word);
		sweep->targets[sweep->n_targets++] = &targets[i];
		return 0;
	}
	return zh_err_set(err, -EINVAL,
		"--rates: '%.40s' has no timeline: use icmp, udp, tcp, unix-stream or unix-dgram",
		word);
}

static int refuse_others(const struct bench_options *o, struct zh_err *err)
{
	if (o->modes || o->sizes || o->bufs || o->matrix || o->rate || o->bytes || o->for_ns ||
		o->budget_ns || o->busy_poll_ns || o->spin || o->zerocopy || o->over ||
		o->peer_netns || o->address || o->tools || o->hgrm)
		return zh_err_set(err, -EINVAL,
			"--rates goes with transports, --placement, --cpus, --netns and -o only");
	return 0;
}

static int read_words(const struct bench_options *options, int n_words, char **words,
	struct sweep *ret, struct zh_err *err)
{
	int r = refuse_others(options, err), i;

	for (i = 0; r >= 0 && i < n_words; i++)
		r = i < TARGETS_MAX ? add_target(ret, words[i], err)
				    : zh_err_set(err, -EINVAL, "too many transports");
	if (r >= 0 && !n_words) {
		add_target(ret, "udp", NULL);
		add_target(ret, "icmp", NULL);
	}
	if (r >= 0)
		r = cmd_list_read(
			"rates", options->rates, cmd_item_rate_or_max, NULL, &ret->rates, err);
	ret->placements = (struct cmd_list){
		{ZH_PLACE_SAME_CPU, ZH_PLACE_CROSS_CPU}, cmd_bench_can_cross() ? 2 : 1};
	return r < 0 ? r : cmd_bench_placements(options, &ret->placements, err);
}

static const char *label_of(enum zh_bench_placement placement)
{
	static const char *const labels[ZH_PLACE_MAX] = {
		[ZH_PLACE_SAME_CPU] = ZH_RATE_LABEL "same-cpu",
		[ZH_PLACE_CROSS_CPU] = ZH_RATE_LABEL "cross-cpu",
		[ZH_PLACE_FREE] = ZH_RATE_LABEL "free",
	};

	return labels[placement];
}

static int add_phase(struct sweep *sweep, const struct target *target, uint64_t rate,
	enum zh_bench_placement placement, struct zh_err *err)
{
	struct zh_session_phase *phase = &sweep->phases[sweep->n_phases];
	uint64_t count = rate ? rate * STRETCH_MS / 1000 : SAMPLES_MAX;
	int16_t cpu, peer_cpu;
	int r;

	if (sweep->n_phases == PHASES_MAX)
		return zh_err_set(err, -EINVAL, "more than %d stretches: ask for less", PHASES_MAX);
	/* The kernel answers where the sender runs. */
	if (!target->has_peer && placement == ZH_PLACE_CROSS_CPU)
		placement = ZH_PLACE_SAME_CPU;
	r = session_place_cpus(placement, &cpu, &peer_cpu, err);
	if (r < 0)
		return r;
	*phase = (struct zh_session_phase){.label = label_of(placement),
		.target = target->target,
		.count = (uint32_t)ZH_MIN(
			ZH_MAX(count, (uint64_t)SAMPLES_MIN), (uint64_t)SAMPLES_MAX),
		.gap_ns = rate ? ZH_NSEC_PER_SEC / rate : 0,
		.placed = true,
		.cpu = cpu,
		.peer_cpu = peer_cpu};
	sweep->n_phases++;
	return 0;
}

static int add_stretch(struct sweep *sweep, struct zh_err *err)
{
	size_t t, i, k, n;
	int r = 0;

	for (i = 0; i < sweep->rates.n; i++) {
		for (t = 0; t < sweep->n_targets; t++) {
			n = sweep->targets[t]->has_peer ? sweep->placements.n : 1;
			for (k = 0; k < n && r >= 0; k++)
				r = add_phase(sweep, sweep->targets[t], sweep->rates.values[i],
					(enum zh_bench_placement)sweep->placements.values[k], err);
		}
	}
	return r;
}

static int show(const struct bench_options *options, const struct zh_record *record,
	const struct zh_explanation *explanation, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("bench");
	struct zh_node *root = zh_doc_root(doc);

	zh_rates_describe(explanation, record, root);
	cmd_describe_overhead(root, record);
	cmd_describe_host(root, record);
	return cmd_print(&options->common, doc, err);
}

static int measure(
	const struct bench_options *options, const struct sweep *sweep, struct zh_err *err)
{
	static const struct cmd_probe_options usual = CMD_PROBE_DEFAULTS;
	struct zh_session_config session = {
		.command = "bench", .phases = sweep->phases, .n_phases = sweep->n_phases};
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	zh_cleanup(cmd_explanation_freep) struct zh_explanation *explanation = NULL;
	char *words[] = {(char *)(uintptr_t)sweep->phases[0].target, NULL};
	struct zh_err save_err = {};
	int status = cmd_session_config(&usual, 1, words, &session, err);

	session.udp_fallback = false;
	if (!status)
		status = cmd_measure(
			&options->common, &session, &record, &explanation, &save_err, err);
	if (!status)
		status = show(options, record, explanation, err);
	if (status)
		return status;
	if (save_err.code) {
		*err = save_err;
		return ZH_EXIT_UNABLE;
	}
	return ZH_EXIT_OK;
}

int cmd_bench_rates(
	const struct bench_options *options, int n_words, char **words, struct zh_err *err)
{
	zh_autofree struct sweep *sweep = calloc(1, sizeof(*sweep));
	size_t i;

	if (!sweep) {
		zh_err_set(err, -ENOMEM, "out of memory");
		return ZH_EXIT_UNABLE;
	}
	if (read_words(options, n_words, words, sweep, err) < 0)
		return ZH_EXIT_USAGE;
	for (i = 0; i < STRETCHES; i++)
		if (add_stretch(sweep, err) < 0)
			return ZH_EXIT_USAGE;
	return measure(options, sweep, err);
}
