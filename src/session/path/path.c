/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "facts/facts.h"
#include "session/describe-run.h"
#include "session/internal.h"
#include "session/path/internal.h"
#include "sys/root.h"

static bool is_stopped(const struct path *p)
{
	return p->config->stop && p->config->stop(p->config->arg);
}

static void take_facts(struct path *p, struct zh_fact_set *set)
{
	struct zh_err err = {};

	if (zh_facts_collect(set, &err) < 0)
		zh_record_not_measured(p->record, "facts", "%s", err.text);
}

static void follow(struct path *p, size_t way)
{
	if (p->ways[way].flow.family == AF_UNIX) {
		path_unix(p, way);
	} else {
		path_decide(p, way);
		path_walk(p, way);
		if (path_scout(p, way))
			path_walk(p, way);
	}
	if (path_enter(p, 0, NULL) == 0)
		path_prove(p, way);
}

static bool uses_lo(const struct path *p)
{
	size_t way, hop;

	for (way = 0; way < p->n_ways; way++)
		for (hop = 0; hop < p->ways[way].n_hops; hop++)
			if (!strcmp(p->ways[way].hops[hop].dev, "lo"))
				return true;
	return false;
}

static int run(struct path *p, struct zh_err *err)
{
	size_t way;
	int r;

	take_facts(p, &p->record->before);
	session_try_closed_ports(&p->record->before);
	r = path_places_open(p, err);
	if (r == 0)
		r = path_resolve(p, err);
	for (way = 0; r == 0 && way < p->n_ways && !is_stopped(p); way++)
		follow(p, way);
	if (r == 0 && uses_lo(p) && !is_stopped(p))
		path_loopback(p);
	if (r == 0 && p->map.refused[0])
		zh_record_not_measured(p->record, "other network namespaces", "%s", p->map.refused);
	path_enter(p, 0, NULL);
	return r;
}

int zh_session_path(const struct zh_path_config *config, struct zh_record **ret, struct zh_err *err)
{
	struct path *p;
	int r;

	if (zh_sys_is_captured())
		return zh_err_set(err, -EOPNOTSUPP,
			"a captured tree (ZH_SYSROOT) cannot be asked where packets go");
	p = calloc(1, sizeof(*p));
	if (p)
		p->record = zh_record_new(&(struct zh_record_limits){.phases = 1});
	if (!p || !p->record) {
		free(p);
		return zh_err_set(err, -ENOMEM, "out of memory for the record");
	}
	p->config = config;
	p->out = &p->record->after;
	session_describe_run(p->record, "path");
	r = run(p, err);
	take_facts(p, p->out);
	path_prove_counters(p);
	p->record->end_ns = zh_now_ns();
	p->record->interrupted = is_stopped(p);
	path_places_done(p);
	if (r < 0)
		zh_record_free(p->record);
	else
		*ret = p->record;
	free(p);
	return r;
}
