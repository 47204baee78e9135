/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop doctor: facts, gap sweep, clean-room comparison, causes and checks: one verdict.
 */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "cmd/describe.h"
#include "cmd/measure.h"
#include "cmd/trial.h"
#include "lab/lab.h"

struct doctor_config {
	struct zh_common common;
	struct cmd_probe_options probe;
	bool thorough, quick, prove;
	const char *device;
};

static const struct zh_option options[] = {
	{"thorough", 0, ZH_OPTION_FLAG, offsetof(struct doctor_config, thorough), NULL,
		"add 200 probes 200 ms apart (40 s more)"},
	{"quick", 0, ZH_OPTION_FLAG, offsetof(struct doctor_config, quick), NULL,
		"a tenth of the probes (a first look; rare faults stay unseen)"},
	{"prove", 0, ZH_OPTION_FLAG, offsetof(struct doctor_config, prove), NULL,
		"try what decides the first finding: CPUs awake, pinned ... (20 s more)"},
	{"dev", 0, ZH_OPTION_STRING, offsetof(struct doctor_config, device), "DEVICE",
		"who works for this device's packets, and where they are dropped (5 s)"},
	CMD_PROBE_OPTIONS(struct doctor_config, probe),
	CMD_TRACE_OPTION(struct doctor_config, probe),
	ZH_MEASURE_OPTIONS,
	ZH_COMMON_OPTIONS,
	{},
};

static const struct doctor_config defaults = {.probe = CMD_PROBE_DEFAULTS};

/*
 * Real and clean-room stretches alternate, so that a drifting machine does not favour one. The gaps
 * separate causes: idle exit grows with the gap, contention does not. The "app" stretches go
 * through a second thread, which ICMP to oneself never wakes.
 */
static const struct zh_session_phase plan[] = {
	{.label = "gap-1ms", .count = 1500, .gap_ns = ZH_NSEC_PER_MSEC},
	{.label = "clean-1ms", .count = 500, .gap_ns = ZH_NSEC_PER_MSEC, .clean_room = true},
	{.label = "gap-20ms", .count = 150, .gap_ns = 20 * ZH_NSEC_PER_MSEC},
	{.label = "clean-20ms", .count = 75, .gap_ns = 20 * ZH_NSEC_PER_MSEC, .clean_room = true},
	{.label = "app-1ms", .count = 500, .gap_ns = ZH_NSEC_PER_MSEC, .target = "udp:127.0.0.1"},
	{.label = "gap-200ms", .count = 50, .gap_ns = 200 * ZH_NSEC_PER_MSEC},
	{.label = "app-20ms",
		.count = 100,
		.gap_ns = 20 * ZH_NSEC_PER_MSEC,
		.target = "udp:127.0.0.1"},
	{.label = "gap-20ms", .count = 100, .gap_ns = 20 * ZH_NSEC_PER_MSEC},
	{.label = "clean-20ms", .count = 75, .gap_ns = 20 * ZH_NSEC_PER_MSEC, .clean_room = true},
	{.label = "thorough-200ms", .count = 200, .gap_ns = 200 * ZH_NSEC_PER_MSEC},
};

#define N_PLAN ZH_ARRAY_SIZE(plan)

/* With a device under watch, probes are company for the counters. */
static const struct zh_session_phase device_plan[] = {
	{.label = "gap-10ms", .count = 500, .gap_ns = 10 * ZH_NSEC_PER_MSEC},
};

/* The stretches of this run; returns how many. */
static size_t choose_phases(const struct doctor_config *config, struct zh_session_phase *phases)
{
	const struct zh_session_phase *from = config->device ? device_plan : plan;
	size_t n = config->device     ? ZH_ARRAY_SIZE(device_plan)
		   : config->thorough ? N_PLAN
				      : N_PLAN - 1,
	       i;

	memcpy(phases, from, n * sizeof(plan[0]));
	for (i = 0; config->quick && i < n; i++)
		phases[i].count = (phases[i].count + 9) / 10;
	return n;
}

static bool wants_watch(const struct doctor_config *config)
{
	const struct zh_common *common = &config->common;

	return config->device || common->netns || common->pid || common->pod;
}

static struct zh_doc *describe(const struct zh_record *record,
	const struct zh_explanation *explanation, const struct cmd_trial *proof)
{
	struct zh_doc *doc = zh_doc_new("doctor");
	struct zh_node *root = zh_doc_root(doc);

	cmd_headline(root, record, explanation);
	cmd_describe_run(root, record);
	cmd_describe_device(root, record);
	zh_explanation_describe(explanation, record, root);
	cmd_describe_sweep(root, record, explanation);
	if (proof)
		cmd_describe_trial(proof, zh_node_object(root, "experiment", "Experiment"), true);
	cmd_describe_overhead(root, record);
	cmd_describe_host(root, record);
	return doc;
}

static int verdict_status(const char *verdict)
{
	if (!strcmp(verdict, "healthy"))
		return ZH_EXIT_OK;
	return strcmp(verdict, "findings") ? ZH_EXIT_UNABLE : ZH_EXIT_FINDINGS;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct doctor_config *doctor = config;
	struct zh_session_phase phases[N_PLAN];
	struct zh_session_config session = {.command = "doctor", .phases = phases};
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	zh_cleanup(cmd_explanation_freep) struct zh_explanation *explanation = NULL;
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	struct zh_err save_err = {};
	zh_cleanup(cmd_trial_done) struct cmd_trial proof = {};
	const struct zh_watch_config watch = {.device = doctor->device,
		.pod = doctor->common.pod,
		.pid = (long)doctor->common.pid};
	int status;

	zh_lab_gc();
	session.n_phases = choose_phases(doctor, phases);
	status = cmd_session_config(&doctor->probe, n_words, words, &session, err);
	if (wants_watch(doctor))
		session.watch = &watch;
	/* Hooks on each packet of a flood are in its way, and say nothing of the device. */
	if (doctor->device)
		session.tier = ZH_MIN(session.tier, ZH_TIER_RECORDER);
	if (!status)
		status = cmd_measure(
			&doctor->common, &session, &record, &explanation, &save_err, err);
	if (status)
		return status;
	if (doctor->prove)
		status = cmd_trial_prove(&session, explanation, &proof, err);
	if (status)
		return status;
	doc = describe(record, explanation, doctor->prove ? &proof : NULL);
	status = cmd_print(&doctor->common, doc, err);
	if (status)
		return status;
	if (save_err.code) {
		*err = save_err;
		return ZH_EXIT_UNABLE;
	}
	return verdict_status(zh_explanation_verdict(explanation, record));
}

const struct zh_command zh_command_doctor = {
	.name = "doctor",
	.summary = "is my local path healthy; if not: what, why, how sure, and which cure?",
	.usage = "[OPTIONS] [TARGET]",
	.examples =
		"  sudo zerohop doctor                    # the whole examination, half a minute\n"
		"  sudo zerohop doctor -o run.zhr         # and keep the record\n"
		"  sudo zerohop doctor --pid 4711         # in the namespace of a process\n"
		"  sudo zerohop doctor --dev cali1234     # why does this veth lose packets?\n"
		"  sudo zerohop doctor --pod shop/cart-7f # the same for a pod's own device\n"
		"  sudo zerohop doctor -j | jq .verdict   # for scripts\n",
	.notes =
		"Sends some thousands of small probes on the local path only and changes nothing. "
		"Without root it\nmeasures less and says what it could not see.\n"
		"Exit status: 0 healthy, 1 findings, 2 usage, 3 inconclusive or could not measure.\n",
	.options = options,
	.config_size = sizeof(struct doctor_config),
	.defaults = &defaults,
	.run = run,
};
