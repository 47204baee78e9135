/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a benchmark's two ends are: CPUs and network namespaces. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/bench.h"
#include "session/placement.h"
#include "sys/netns.h"

bool cmd_bench_can_cross(void)
{
	int16_t cpu, peer_cpu;

	return session_place_cpus(ZH_PLACE_CROSS_CPU, &cpu, &peer_cpu, NULL) == 0;
}

int cmd_bench_placements(
	const struct bench_options *options, struct cmd_list *ret, struct zh_err *err)
{
	const char *names[ZH_PLACE_MAX + 1] = {};
	unsigned int i;

	for (i = 0; i < ZH_PLACE_MAX; i++)
		names[i] = zh_bench_placement_name(i);
	if (!options->placements)
		return 0;
	return cmd_list_read("placement", options->placements, cmd_item_choice, names, ret, err);
}

static const struct zh_topology *find_topology(const char *id, struct zh_err *err)
{
	char names[200] = "";
	size_t i, n = 0;

	for (i = 0; zh_topology_registry[i]; i++) {
		if (!strcmp(zh_topology_registry[i]->id, id))
			return zh_topology_registry[i];
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				zh_topology_registry[i]->id);
	}
	zh_err_set(err, -EINVAL, "--over: there is no topology '%.40s': use one of %s", id, names);
	return NULL;
}

static int build(const char *id, struct bench_places *ret, struct zh_err *err)
{
	const struct zh_topology *topology = find_topology(id, err);
	int r;

	if (!topology)
		return ZH_EXIT_USAGE;
	r = topology->up(&ret->ns, err);
	if (r < 0) {
		if (geteuid())
			zh_err_hint(err, "run as root (it makes network namespaces)");
		return ZH_EXIT_UNABLE;
	}
	ret->topology = topology;
	ret->address = topology->address;
	/* -1 would be where we are. */
	if (ret->ns.peer_netns_fd < 0)
		ret->ns.peer_netns_fd = dup(ret->ns.netns_fd);
	return 0;
}

static int check_address(const char *address, struct zh_err *err)
{
	unsigned char binary[16];

	if (inet_pton(AF_INET, address, binary) == 1 || inet_pton(AF_INET6, address, binary) == 1)
		return 0;
	zh_err_set(err, -EINVAL, "--address: '%.60s' is not a numeric address", address);
	return ZH_EXIT_USAGE;
}

int cmd_bench_places_open(
	const struct bench_options *options, struct bench_places *ret, struct zh_err *err)
{
	int status = options->address ? check_address(options->address, err) : 0;

	*ret = (struct bench_places){
		.ns = {.netns_fd = -1, .peer_netns_fd = -1}, .address = options->address};
	if (status)
		return status;
	if (options->over && (options->peer_netns || options->address || options->common.netns ||
				     options->common.pid)) {
		zh_err_set(err, -EINVAL,
			"--over builds namespaces of its own: leave --netns, --pid, --peer-netns "
			"and --address out");
		return ZH_EXIT_USAGE;
	}
	if (options->over)
		return build(options->over, ret, err);
	if (!options->peer_netns)
		return 0;
	if (!options->address) {
		zh_err_set(err, -EINVAL, "--peer-netns needs --address: where the peer answers");
		return ZH_EXIT_USAGE;
	}
	ret->ns.peer_netns_fd = zh_netns_by_name(options->peer_netns, err);
	if (ret->ns.peer_netns_fd >= 0)
		return 0;
	zh_err_wrap(err, "--peer-netns");
	return err->code == -EPERM || err->code == -EACCES ? ZH_EXIT_UNABLE : ZH_EXIT_USAGE;
}

void cmd_bench_places_close(struct bench_places *places)
{
	if (places->topology)
		places->topology->down(&places->ns);
	zh_closep(&places->ns.peer_netns_fd);
	places->ns.peer_netns_fd = -1;
}
