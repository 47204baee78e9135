/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/measure.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"

#define FILES_WANTED 1024 /* tracing holds about two for each hook */
#define FILES_MIN 32

const char *const cmd_trace_tiers[] = {"none", "recorder", "packets", "full", NULL};

void cmd_record_freep(struct zh_record **record)
{
	zh_record_free(*record);
}

void cmd_explanation_freep(struct zh_explanation **explanation)
{
	zh_explanation_free(*explanation);
}

void cmd_doc_freep(struct zh_doc **doc)
{
	zh_doc_free(*doc);
}

/* The only CPU of a set, -1 for an empty one; 0 or -EINVAL. */
static int one_cpu(const struct zh_cpuset *set, const char *option, int *ret, struct zh_err *err)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int cpu;

	*ret = -1;
	if (zh_cpuset_count(set) > 1)
		return zh_err_set(err, -EINVAL, "--%s takes one CPU", option);
	for (cpu = 0; cpu < ZH_CPU_MAX; cpu++)
		if (zh_cpuset_has(set, cpu))
			*ret = (int)cpu;
	if (*ret >= n_cpus)
		return zh_err_set(err, -EINVAL, "--%s: there is no CPU %d (0 to %ld are there)",
			option, *ret, n_cpus - 1);
	return 0;
}

int cmd_session_config(const struct cmd_probe_options *options, int n_words, char **words,
	struct zh_session_config *ret, struct zh_err *err)
{
	struct zh_probe_config *probe = &ret->probe;

	if (n_words > 1) {
		zh_err_set(err, -EINVAL, "one target at a time, but '%.100s' follows '%.100s'",
			words[1], words[0]);
		return ZH_EXIT_USAGE;
	}
	if (options->v4 && options->v6) {
		zh_err_set(err, -EINVAL, "-4 and -6 exclude each other");
		return ZH_EXIT_USAGE;
	}
	if (zh_target_parse(n_words ? words[0] : "127.0.0.1", &probe->target, err) < 0 ||
		one_cpu(&options->cpu, "cpu", &probe->cpu, err) < 0 ||
		one_cpu(&options->peer_cpu, "peer-cpu", &probe->peer_cpu, err) < 0)
		return ZH_EXIT_USAGE;
	/* Whoever writes "icmp:" means it. */
	ret->udp_fallback = !n_words || strncmp(words[0], "icmp:", 5) != 0;
	probe->ip_version = options->v4 ? 4 : options->v6 ? 6 : 0;
	probe->size_bytes = (uint32_t)options->size_bytes;
	probe->netns_fd = probe->peer_netns_fd = probe->peer_cgroup_fd = -1;
	probe->kernel_stamps = true;
	probe->nodelay = true;
	probe->lock_memory = true;
	ret->timeout_ns = options->timeout_ns;
	ret->tier = (enum zh_trace_tier)options->trace;
	ret->facts = true;
	ret->overhead = true;
	ret->stop = cmd_interrupted;
	return 0;
}

/* The name, address or path was wrong: usage. Anything else: could not measure. */
static int session_status(const struct zh_session_config *config, int r)
{
	bool no_socket = config->probe.target.path[0] &&
			 (r == -ENOENT || r == -ENOTDIR || r == -EPROTOTYPE || r == -ELOOP);

	return r == -EINVAL || no_socket ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
}

static void show_progress(void *arg, const struct zh_record *record)
{
	static uint64_t last_ns;
	uint64_t now_ns = zh_now_ns();
	const struct zh_session_config *config = arg;
	size_t total = 0, i;

	if (now_ns - last_ns < 200 * ZH_NSEC_PER_MSEC)
		return;
	last_ns = now_ns;
	for (i = 0; i < config->n_phases; i++)
		total += config->phases[i].count;
	cmd_progress("measuring: %zu of %zu probes (Ctrl-C ends early with results)",
		record->n_samples, total);
}

/* A record file that cannot be written is known before the measurement, not after it. */
static int check_output(const char *path, struct zh_err *err)
{
	int r;

	if (!strcmp(path, "-")) {
		zh_err_set(err, -EINVAL,
			"--output: a record is a database, not a stream: give a file name");
		return ZH_EXIT_USAGE;
	}
	if (!*path) {
		zh_err_set(err, -EINVAL, "--output: the file name is empty");
		return ZH_EXIT_USAGE;
	}
	r = zh_record_try_save(path, err);
	if (r < 0)
		zh_err_wrap(err, "--output");
	switch (r) {
	case 0:
		return 0;
	case -ENOSPC:
	case -EDQUOT:
	case -EIO:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return ZH_EXIT_UNABLE;
	default:
		return ZH_EXIT_USAGE;
	}
}

/*
 * With too few file descriptors half of the facts would be missing, and checks would take "cannot
 * look" for "is not there". 0 or -EMFILE.
 */
static int check_descriptors(struct zh_err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_cur < FILES_WANTED && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = ZH_MIN(limit.rlim_max, (rlim_t)FILES_WANTED);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= FILES_MIN)
		return 0;
	zh_err_set(err, -EMFILE,
		"open files are limited to %llu (ulimit -n), at least %d are needed",
		(unsigned long long)limit.rlim_cur, FILES_MIN);
	return -EMFILE;
}

int cmd_prepare(const struct zh_common *common, struct zh_err *err)
{
	int r = common->output ? check_output(common->output, err) : 0;

	if (!r && check_descriptors(err) < 0)
		r = ZH_EXIT_UNABLE;
	if (!r)
		r = cmd_enter_netns(common, err);
	if (!r)
		cmd_catch_signals();
	return r;
}

int cmd_measure(const struct zh_common *common, const struct zh_session_config *config,
	struct zh_record **ret_record, struct zh_explanation **ret_explanation,
	struct zh_err *ret_save_err, struct zh_err *err)
{
	struct zh_session_config session = *config;
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	int r = cmd_prepare(common, err);

	if (r)
		return r;
	session.arg = &session;
	session.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
	r = zh_session_run(&session, &record, err);
	cmd_progress_done();
	if (r < 0)
		return session_status(config, r);
	if (common->output)
		zh_record_save(record, common->output, ret_save_err);
	r = zh_explain(record, ret_explanation, err);
	if (r < 0)
		return ZH_EXIT_UNABLE;
	*ret_record = zh_take(record);
	return 0;
}
