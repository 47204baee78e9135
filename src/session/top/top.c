/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/top/top.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/top/internal.h"
#include "sys/root.h"

#define SCAN_NS (10 * ZH_NSEC_PER_SEC)     /* namespaces and pods are looked for this often */
#define SCAN_SOON_NS (2 * ZH_NSEC_PER_SEC) /* and this often while something unknown is seen */

static void open_live(struct zh_top *top)
{
	const struct zh_live_config config = {.softirq = true,
		.drops = true,
		.flows = !top->config.no_flows,
		.flow_sample =
			top->config.flow_sample ? top->config.flow_sample : ZH_LIVE_FLOW_SAMPLE};
	static const char what[] = "softirq time, drops by reason, flows";
	struct zh_err err = {};

	if (zh_sys_is_captured())
		zh_record_not_measured(top->notes, what, "read from a captured tree");
	else if (top->config.no_bpf)
		zh_record_not_measured(top->notes, what, "switched off (--no-bpf)");
	else if (zh_live_open(&config, top->notes, &top->live, &err) < 0)
		zh_record_not_measured(
			top->notes, what, "%s%s%s", err.text, err.hint[0] ? ": " : "", err.hint);
}

static int scan(struct zh_top *top, struct zh_err *err)
{
	int r = top_map_take(&top->map, err);

	top->wants_scan = false;
	if (r == 0 && top->map.path && top->map.path->map.refused[0])
		zh_record_not_measured(
			top->notes, "devices of all namespaces", "%s", top->map.path->map.refused);
	return r;
}

int zh_top_open(const struct zh_top_config *config, struct zh_record *notes, struct zh_top **ret,
	struct zh_err *err)
{
	struct zh_top *top = calloc(1, sizeof(*top));
	const struct zh_top_reading *first;
	int r;

	if (!top)
		return zh_err_set(err, -ENOMEM, "out of memory");
	top->config = *config;
	top->notes = notes;
	r = top_cpus_open(top, err);
	if (r == 0)
		r = scan(top, err);
	if (r == 0) {
		open_live(top);
		r = zh_top_read(top, &first, err);
	}
	if (r < 0) {
		zh_top_close(top);
		return r;
	}
	*ret = top;
	return 0;
}

static void set_cost(struct zh_top *top, uint64_t interval_ns)
{
	uint64_t cpu = zh_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t bpf = top->live ? zh_live_cost_ns(top->live) : 0;
	struct zh_top_reading *reading = &top->reading;

	reading->own_cpu_share =
		interval_ns ? (double)(cpu - top->own_cpu_ns) / (double)interval_ns : -1;
	/* 0: the programs are still being timed. */
	reading->own_bpf_share = !top->live ? 0
				 : interval_ns && top->own_bpf_ns && bpf >= top->own_bpf_ns
					 ? (double)(bpf - top->own_bpf_ns) / (double)interval_ns
					 : -1;
	top->own_cpu_ns = cpu;
	top->own_bpf_ns = bpf;
	reading->lost = top->live ? zh_live_lost(top->live) : 0;
}

int zh_top_read(struct zh_top *top, const struct zh_top_reading **ret, struct zh_err *err)
{
	uint64_t now, interval_ns, age_ns = zh_now_ns() - top->map.taken_ns;
	struct top_links then = top->links;
	int r = 0;

	top->links = (struct top_links){};
	top->searches = 0;
	if (age_ns > SCAN_NS || (top->wants_scan && age_ns > SCAN_SOON_NS))
		r = scan(top, err);
	top_window_take(top);
	now = zh_now_ns();
	interval_ns = top->read_ns ? now - top->read_ns : 0;
	top->read_ns = now;
	top->reading.time_ns = zh_clock_ns(CLOCK_REALTIME);
	top->reading.interval_ns = interval_ns;
	if (r == 0)
		r = top_cpus_read(top, interval_ns, err);
	if (r == 0)
		r = top_links_read(&top->map, &top->links, err);
	if (r == 0)
		top_settings_refresh(top, &top->links);
	if (r == 0)
		r = top_drops_read(top, interval_ns, err);
	if (r == 0)
		r = top_flows_read(top, interval_ns, err);
	if (r == 0)
		r = top_devices_read(top, &then, err);
	top_links_done(&then);
	if (r < 0)
		return r;
	set_cost(top, interval_ns);
	top_window_choose(top);
	*ret = &top->reading;
	return 0;
}

struct zh_top *zh_top_close(struct zh_top *top)
{
	if (!top)
		return NULL;
	zh_live_close(top->live);
	top_map_done(&top->map);
	top_links_done(&top->links);
	top_interrupts_done(&top->interrupts);
	free(top->settings.list);
	free(top->idle.time);
	free(top->cpus);
	free(top->ksoftirqd);
	free(top->live_cpus);
	free(top->live_now);
	free(top->drops);
	free(top->flows);
	free(top->reading.cpus);
	free(top->reading.devices);
	free(top->reading.flows);
	free(top->reading.drops);
	free(top);
	return NULL;
}
