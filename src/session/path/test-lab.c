/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/test-lab.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "explain/path-facts.h"
#include "sys/netns.h"

struct zh_err lab_err;

void must(int r)
{
	if (r < 0)
		fail_msg("%s", lab_err.text);
}

void lab_open(struct lab *lab, size_t n)
{
	size_t i;

	*lab = (struct lab){};
	for (i = 0; i < n; i++) {
		lab->ns[i] = zh_netns_new(&lab_err);
		if (lab->ns[i] == -EPERM)
			skip();
		must(lab->ns[i]);
		lab->n++;
		must(zh_netcfg_open(lab->ns[i], &lab->cfg[i], &lab_err));
		must(zh_netcfg_link_up(lab->cfg[i], "lo", true, &lab_err));
		snprintf(lab->via[i], sizeof(lab->via[i]), "/proc/self/fd/%d", lab->ns[i]);
	}
}

void lab_close(struct lab *lab)
{
	size_t i;

	for (i = 0; i < lab->n; i++) {
		zh_netcfg_close(lab->cfg[i]);
		close(lab->ns[i]);
	}
}

void lab_address(struct lab *lab, size_t side, const char *dev, const char *ip)
{
	if (ip)
		must(zh_netcfg_address_add(lab->cfg[side], dev, ip, &lab_err));
	must(zh_netcfg_link_up(lab->cfg[side], dev, true, &lab_err));
}

/* A veth pair between two sides, up, with addresses (or NULL). */
void lab_cable(struct lab *lab, size_t a, const char *dev_a, const char *ip_a, size_t b,
	const char *dev_b, const char *ip_b)
{
	must(zh_netcfg_veth_add(lab->cfg[a], dev_a, dev_b, lab->ns[b], &lab_err));
	lab_address(lab, a, dev_a, ip_a);
	lab_address(lab, b, dev_b, ip_b);
}

void lab_route(struct lab *lab, size_t side, const char *to, const char *via, const char *dev)
{
	struct zh_netcfg_route r = {.to = to, .via = via, .device = dev};

	must(zh_netcfg_route_add(lab->cfg[side], &r, &lab_err));
}

void lab_set(struct lab *lab, size_t side, const char *name, const char *value)
{
	must(zh_netcfg_sysctl_set(lab->ns[side], name, value, &lab_err));
}

int lab_run_inside(void *arg)
{
	struct run *run = arg;

	run->config.via = run->via;
	run->result = zh_session_path(&run->config, &run->record, &lab_err);
	return 0;
}

/* Follows the way in side `from`; all other sides are named. */
int lab_follow(struct lab *lab, size_t from, struct run *run, const char *target)
{
	size_t i;

	must(zh_target_parse(target, &run->config.target, &lab_err));
	for (i = 0; i < lab->n; i++)
		if (i != from)
			run->via[run->config.n_via++] = lab->via[i];
	must(zh_netns_call(lab->ns[from], lab_run_inside, run, &lab_err));
	return run->result;
}

struct zh_record *lab_path_from(struct lab *lab, size_t from, const char *target)
{
	struct run run = {};

	must(lab_follow(lab, from, &run, target));
	return run.record;
}

struct zh_record *lab_path(struct lab *lab, const char *target)
{
	return lab_path_from(lab, 0, target);
}

void lab_is(const struct zh_record *record, const char *key, const char *expected)
{
	const char *text = zh_path_text(record, "path.way.0.%s", key);

	if (!text)
		fail_msg("%s is missing", key);
	assert_string_equal(text, expected);
}

void lab_has(const struct zh_record *record, const char *key, const char *part)
{
	const char *text = zh_path_text(record, "path.way.0.%s", key);

	if (!text || !strstr(text, part))
		fail_msg("%s is '%s', without '%s'", key, text ? text : "missing", part);
}

/* "0 socket, 0 routing, 0 device va, ...": place, kind, device or hook. What depends on the machine
 * (cgroups, receive steering) is left out. */
static char *hops_of(const struct zh_record *record)
{
	size_t n = zh_path_n_hops_of(record, 0), i;
	struct zh_buf text = {};

	for (i = 0; i < n; i++) {
		const char *kind = zh_path_text(record, "path.way.0.hop.%zu.kind", i);
		const char *dev = zh_path_text(record, "path.way.0.hop.%zu.dev", i);
		const char *hook = zh_path_text(record, "path.way.0.hop.%zu.hook", i);

		if (!strcmp(kind, "cgroup-bpf") || !strcmp(kind, "steering"))
			continue;
		zh_buf_addf(&text, "%s%llu %s%s%s", text.len ? ", " : "",
			(unsigned long long)zh_path_number(record, "path.way.0.hop.%zu.place", i),
			hook ? hook : kind, dev ? " " : "", dev ? dev : "");
	}
	return zh_buf_take(&text);
}

void lab_check(struct zh_record *record, const char *expected)
{
	zh_autofree char *hops = hops_of(record);
	size_t i;

	assert_string_equal(hops, expected);
	for (i = 0; i < record->after.n; i++)
		if (!strncmp(record->after.facts[i].key, "path.way.", 9) &&
			record->after.facts[i].type != ZH_FACT_UNAVAILABLE &&
			!zh_path_is_key(record->after.facts[i].key))
			fail_msg("%s is in no list", record->after.facts[i].key);
}

/* Why the way ends at its last hop; NULL: it does not. */
const char *lab_end_of(const struct zh_record *record)
{
	return zh_path_text(record, "path.way.0.hop.%zu.ends", zh_path_n_hops_of(record, 0) - 1);
}

void lab_ends(const struct zh_record *record, const char *part)
{
	const char *text = lab_end_of(record);

	if (!text || !strstr(text, part))
		fail_msg("the way ends with '%s', without '%s'", text ? text : "nothing", part);
}

void lab_last_has(const struct zh_record *record, const char *part)
{
	const char *title =
		zh_path_text(record, "path.way.0.hop.%zu.title", zh_path_n_hops_of(record, 0) - 1);

	if (!title || !strstr(title, part))
		fail_msg("the last hop is '%s', without '%s'", title ? title : "missing", part);
}
