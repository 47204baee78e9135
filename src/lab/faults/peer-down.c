/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "sys/net-config.h"

/* The server's end, as the topology calls it. */
static int set_peer(struct zh_lab_run *run, bool up, struct zh_err *err)
{
	struct zh_netcfg *cfg = NULL;
	int r = zh_netcfg_open(run->ns.peer_netns_fd, &cfg, err);

	if (r == 0)
		r = zh_netcfg_link_up(cfg, "eth0", up, err);
	zh_netcfg_close(cfg);
	return r;
}

static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	run->load.rate = run->param[0];
	run->load.flows = (uint32_t)run->param[1];
	return run->control ? 0 : set_peer(run, false, err);
}

/* The routes by the device, and its IPv6 address, went with it. */
static void undo(struct zh_lab_run *run)
{
	static const struct zh_netcfg_route routes[] = {
		{.to = "10.77.0.0/16", .via = "10.77.2.1", .device = "eth0"},
		{.to = "fd00:77::/32", .via = "fd00:77:2::1", .device = "eth0"},
	};
	struct zh_netcfg *cfg = NULL;

	if (run->control || set_peer(run, true, NULL) < 0 ||
		zh_netcfg_open(run->ns.peer_netns_fd, &cfg, NULL) < 0)
		return;
	zh_netcfg_address_add(cfg, "eth0", "fd00:77:2::2/64", NULL);
	for (size_t i = 0; i < ZH_ARRAY_SIZE(routes); i++)
		zh_netcfg_route_add(cfg, &routes[i], NULL);
	zh_netcfg_close(cfg);
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_XDP, .size_bytes = 64},
};

const struct zh_fault zh_fault_peer_down = {
	.id = "peer-down",
	.summary = "the pod's end of the veth is down",
	.expects = "peer-down",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 100,
	.params = {{"pps", 1000, 20000}, {"flows", 1, 64}},
	.inject = inject,
	.remove = undo,
};
