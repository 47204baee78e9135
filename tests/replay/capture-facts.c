/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints two snapshots of this machine, ten seconds apart, as the text that test-facts-text.h
 * reads: how a machine's file in this directory is made. Names and addresses of the machine are
 * in it: look it through before giving it away.
 */
#include <stdio.h>
#include <unistd.h>

#include "facts/facts.h"

static void print_fact(const struct zh_fact_set *before, const struct zh_fact *fact)
{
	uint64_t first = fact->number;

	if (fact->type == ZH_FACT_STRING)
		printf("%s =%s\n", fact->key, fact->text);
	else if (fact->type == ZH_FACT_UNAVAILABLE)
		printf("%s !%s\n", fact->key, fact->text);
	else if (zh_fact_get(before, &first, "%s", fact->key) && first != fact->number)
		printf("%s %llu %llu\n", fact->key, (unsigned long long)first,
			(unsigned long long)fact->number);
	else
		printf("%s %llu\n", fact->key, (unsigned long long)fact->number);
}

int main(void)
{
	struct zh_fact_set before = {0}, after = {0};
	struct zh_err err = {0};
	size_t i;

	if (zh_facts_collect(&before, &err) < 0 || sleep(10) != 0 ||
		zh_facts_collect(&after, &err) < 0) {
		fprintf(stderr, "capture-facts: %s\n", err.text);
		return 1;
	}
	for (i = 0; i < after.n; i++)
		print_fact(&before, &after.facts[i]);
	zh_fact_set_done(&before);
	zh_fact_set_done(&after);
	return 0;
}
