/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t open = zh_check_number(ex, 0, "sysctl.fs/file-nr.open");
	uint64_t max = zh_check_number(ex, 0, "sysctl.fs/file-nr.max");
	double used = max ? (double)open / (double)max : 0;
	struct zh_finding *finding;

	if (used < 0.8)
		return;
	finding = zh_finding_add(ex, &check->rule,
		used >= 0.95 ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"%llu of %llu files of the system are open (%.0f %%)", (unsigned long long)open,
		(unsigned long long)max, 100 * used);
	zh_finding_evidence(finding, "/proc/sys/fs/file-nr: %llu of %llu", (unsigned long long)open,
		(unsigned long long)max);
}

const struct zh_check zh_check_file_limit = {
	.rule =
		{
			.id = "file-limit",
			.code = "C22",
			.title = "Open files near the system's limit",
			.summary = "The system-wide number of open files is close to fs.file-max.",
			.why = "At the limit accept(), socket() and open() fail with ENFILE; new "
			       "connections stay in the accept queue, and a level-triggered event "
			       "loop spins on them at full CPU.",
			.evidence = "/proc/sys/fs/file-nr. A process's own limit (EMFILE, "
				    "RLIMIT_NOFILE) is met much earlier and is not visible here: "
				    "compare /proc/PID/fd with /proc/PID/limits.",
			.verify = "file-nr is well below file-max.",
			.cure = "Find the process that leaks descriptors; raise fs.file-max.",
			.cost = "Memory for each open file.",
			.remedies = ZH_LIST("file-max"),
			.needs = ZH_LIST("sysctl.fs/file-nr.open", "sysctl.fs/file-nr.max"),
		},
	.run = run,
};
