/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/* Packet log lines have level warning (4): they reach the console when its level is above. */
#define LOG_LEVEL 4
#define BUSY_LINES_PER_S 5

static uint64_t log_rule_hits(const struct zh_explain *ex, uint64_t *ret_rules)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	uint64_t sum = 0, hits;
	size_t pos = 0;

	*ret_rules = 0;
	while ((fact = zh_fact_next(facts, "nft.notable.*.what", &pos))) {
		const char *id = fact->key + strlen("nft.notable.");

		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "log") != 0)
			continue;
		++*ret_rules;
		if (zh_explain_delta(ex, &hits, "nft.notable.%.*s.pkts", (int)strcspn(id, "."), id))
			sum += hits;
	}
	return sum;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t level = zh_check_number(ex, 0, "sysctl.kernel/printk.console");
	uint64_t martians = zh_check_number(ex, 0, "devconf.4.all.log_martians");
	uint64_t logged, rules, lines = zh_check_delta(ex, "kmsg.*.count");
	double seconds = zh_check_window_s(ex);
	bool busy;
	struct zh_finding *finding;

	logged = log_rule_hits(ex, &rules);
	if (zh_check_number(ex, 0, "console.serial") == 0 || level <= LOG_LEVEL)
		return;
	busy = (double)lines >= BUSY_LINES_PER_S * seconds ||
	       (double)logged >= BUSY_LINES_PER_S * seconds;
	if (!busy && rules == 0 && martians == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, busy ? ZH_SEVERITY_WARNING : ZH_SEVERITY_INFO,
		busy ? ZH_CONFIDENCE_MEDIUM : ZH_CONFIDENCE_LOW,
		"The kernel prints to a serial console: %llu notable lines and %llu logged packets in "
		"%.1f s",
		(unsigned long long)lines, (unsigned long long)logged, seconds);
	zh_finding_evidence(finding, "active consoles: %s; console log level %llu",
		zh_check_text(ex, "console.active"), (unsigned long long)level);
	zh_finding_evidence(finding, "%llu LOG rules, log_martians %llu", (unsigned long long)rules,
		(unsigned long long)martians);
	zh_finding_evidence(finding,
		"%llu new lines of the kinds this program knows (martians, tables full, stalls) in "
		"the kernel log; a line of 100 characters takes 8.7 ms at 115200 baud",
		(unsigned long long)lines);
}

const struct zh_check zh_check_serial_console = {
	.rule =
		{
			.id = "serial-console",
			.code = "C15",
			.title = "Kernel messages go to a serial console",
			.summary = "Packet logging or other kernel messages are printed to a slow "
				   "serial console.",
			.why = "A line for a serial console is printed by polling the UART, often "
			       "in the context that logged it and with interrupts off: about 9 ms a "
			       "line at 115200 baud. LOG rules and log_martians print from NET_RX, "
			       "and the CPU handles no packet meanwhile.",
			.evidence =
				"/proc/consoles has a ttyS (or hvc) console, the console level "
				"of kernel.printk lets warnings through, and lines were written "
				"in the window. A serial console alone is normal in a virtual "
				"machine and not reported.",
			.verify = "The rate of log lines falls and the stalls with it.",
			.cure = "Lower the console level (`dmesg -n 4`), use NFLOG instead of LOG, "
				"set log_martians=0, limit the rule's rate.",
			.cost = "Messages no longer appear on the console; they stay in dmesg.",
			.remedies = ZH_LIST("printk-console-level", "log-martians"),
			.needs = ZH_LIST("console.serial", "console.active",
				"sysctl.kernel/printk.console", "devconf.4.*.log_martians",
				"nft.notable.*.what", "nft.notable.*.pkts", "kmsg.*.count"),
		},
	.run = run,
};
