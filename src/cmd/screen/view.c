/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/view.h"

const struct screen_view *const screen_views[SCREEN_VIEWS] = {
	&screen_view_cpus, &screen_view_devices, &screen_view_flows, &screen_view_drops};

size_t screen_rows(const struct screen_view *view, const struct zh_top_reading *reading)
{
	size_t n;

	view->row(reading, 0, &n);
	return n;
}

const void *screen_row(
	const struct screen_view *view, const struct zh_top_reading *reading, size_t i)
{
	size_t n;

	return view->row(reading, i, &n);
}
