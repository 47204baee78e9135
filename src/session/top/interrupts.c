/* SPDX-License-Identifier: BSD-2-Clause */
/* Which interrupts each CPU serves most, from /proc/interrupts. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/read.h"
#include "session/top/internal.h"
#include "sys/root.h"

#define ROWS_MAX 1024

void top_interrupts_done(struct top_interrupts *interrupts)
{
	free(interrupts->names);
	free(interrupts->counts);
	*interrupts = (struct top_interrupts){};
}

/* "CPU0 CPU1 CPU4": which CPU a column is. */
static void read_columns(struct top_interrupts *ret, char *line)
{
	uint64_t cpu;
	char *word;

	while (ret->n_cpus < TOP_CPUS && (word = zh_facts_word(&line, " ")))
		if (!strncmp(word, "CPU", 3) && zh_facts_parse(word + 3, 10, &cpu))
			ret->cpus[ret->n_cpus++] = (unsigned int)cpu;
}

/* Of a device's interrupt the last word, its action; of the others what the kernel calls them, by
 * its short name where the words are many ("Local timer interrupts": LOC). */
static void name_row(char *buf, const char *id, const char *rest)
{
	const char *last = strrchr(rest, ' ');

	if (isdigit((unsigned char)id[0]) && last && last[1])
		snprintf(buf, ZH_TOP_NAME, "%s", last + 1);
	else if (isdigit((unsigned char)id[0]))
		snprintf(buf, ZH_TOP_NAME, "irq %s", id);
	else
		snprintf(buf, ZH_TOP_NAME, "%s", id);
}

/* False for a line without counts of CPUs (ERR, MIS). */
static bool read_row(struct top_interrupts *ret, char *line)
{
	uint64_t *counts = ret->counts + ret->n * ret->n_cpus;
	char *id = zh_facts_word(&line, " :"), *end;
	size_t i;

	for (i = 0; id && i < ret->n_cpus; i++) {
		unsigned long long count = strtoull(line, &end, 10);

		if (end == line)
			return false;
		counts[i] = count;
		line = end;
	}
	if (!id)
		return false;
	line += strspn(line, " ");
	name_row(ret->names[ret->n++], id, line);
	return true;
}

static bool read_all(struct top_interrupts *ret)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;

	if (zh_sys_slurp(&text, "/proc/interrupts") < 0)
		return false;
	cursor = text;
	line = zh_facts_line(&cursor);
	if (line)
		read_columns(ret, line);
	ret->names = calloc(ROWS_MAX, sizeof(*ret->names));
	ret->counts = calloc(ROWS_MAX * ZH_MAX(ret->n_cpus, (size_t)1), sizeof(*ret->counts));
	while (ret->names && ret->counts && ret->n < ROWS_MAX && (line = zh_facts_line(&cursor)))
		read_row(ret, line);
	return ret->names && ret->counts;
}

/* A row may move when an interrupt comes or goes. */
static const uint64_t *counts_of(
	const struct top_interrupts *interrupts, size_t row, const char *name)
{
	if (row >= interrupts->n || strcmp(interrupts->names[row], name) != 0)
		for (row = 0; row < interrupts->n; row++)
			if (!strcmp(interrupts->names[row], name))
				break;
	return row < interrupts->n ? interrupts->counts + row * interrupts->n_cpus : NULL;
}

/* Keeps the list in order, most frequent first. */
static void insert(struct zh_top_cpu *cpu, const char *name, double rate)
{
	size_t at = ZH_TOP_INTERRUPTS;

	while (at > 0 && (!cpu->interrupts[at - 1].name[0] || cpu->interrupts[at - 1].rate < rate))
		at--;
	if (at == ZH_TOP_INTERRUPTS)
		return;
	memmove(&cpu->interrupts[at + 1], &cpu->interrupts[at],
		(ZH_TOP_INTERRUPTS - 1 - at) * sizeof(cpu->interrupts[0]));
	memcpy(cpu->interrupts[at].name, name, sizeof(cpu->interrupts[at].name));
	cpu->interrupts[at].rate = rate;
}

void top_interrupts_read(struct zh_top *top, uint64_t interval_ns)
{
	struct top_interrupts now = {}, *then = &top->interrupts;
	bool is_comparable;

	if (!read_all(&now)) {
		top_interrupts_done(&now);
		return;
	}
	/* With another set of CPUs online the columns are others. */
	is_comparable = interval_ns && now.n_cpus == then->n_cpus &&
			!memcmp(now.cpus, then->cpus, sizeof(now.cpus));
	for (size_t row = 0; is_comparable && row < now.n; row++) {
		const uint64_t *before = counts_of(then, row, now.names[row]);

		for (size_t i = 0; before && i < now.n_cpus; i++) {
			uint64_t count = now.counts[row * now.n_cpus + i];
			struct zh_top_cpu *cpu =
				count > before[i] ? top_cpu(&top->reading, now.cpus[i]) : NULL;

			if (cpu)
				insert(cpu, now.names[row],
					top_rate(count, before[i], interval_ns));
		}
	}
	top_interrupts_done(then);
	*then = now;
}
