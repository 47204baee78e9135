/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "probe/engine.h"
#include "probe/netns-scope.h"
#include "probe/target.h"
#include "sys/sched.h"

static int check_size(const struct zh_probe_config *config, struct zh_err *err)
{
	const struct zh_transport *transport = zh_transport_by_id(config->target.transport);

	if (!transport)
		return zh_err_set(err, -EINVAL, "unknown transport");
	if (config->size_bytes < sizeof(struct zh_wire) ||
		config->size_bytes > transport->max_bytes)
		return zh_err_set(err, -EINVAL, "%s probes have %zu to %u bytes, not %u",
			transport->name, sizeof(struct zh_wire), transport->max_bytes,
			config->size_bytes);
	return 0;
}

/* A host name is looked up here, in the caller's namespace, where its resolver can be reached. */
static int resolve(struct zh_probe *probe, struct zh_err *err)
{
	const struct zh_target *target = &probe->config.target;

	if (probe->channel.transport->flags & ZH_TRANSPORT_PATH) {
		zh_resolve_path(target->path, &probe->channel.remote);
		return 0;
	}
	return zh_resolve_host(target, probe->config.ip_version, &probe->channel.remote, err);
}

static bool wants_responder(const struct zh_probe *probe)
{
	const struct zh_target *target = &probe->config.target;

	return (probe->channel.transport->flags & ZH_TRANSPORT_RESPONDER) && !target->port &&
	       !target->path[0];
}

static int open_channel(struct zh_probe *probe, struct zh_err *err)
{
	struct zh_netns_scope scope;
	int r, back;

	r = zh_netns_scope_enter(&scope, probe->config.netns_fd, err);
	if (r < 0)
		return r;
	r = zh_channel_open(&probe->channel, err);
	back = zh_netns_scope_leave(&scope, r < 0 ? NULL : err);
	return r < 0 ? r : back;
}

static int open_probe(struct zh_probe *probe, struct zh_err *err)
{
	const struct zh_probe_hooks *hooks = &probe->config.hooks;
	int r = resolve(probe, err);

	if (r >= 0 && wants_responder(probe))
		r = zh_responder_start(&probe->config, probe->channel.transport,
			&probe->channel.remote, &probe->responder, &probe->channel.remote, err);
	if (r >= 0)
		r = open_channel(probe, err);
	if (r < 0)
		return r;
	if (probe->responder && probe->channel.connected && !probe->channel.connecting)
		zh_responder_wait_accepted(probe->responder);
	if (hooks->socket)
		hooks->socket(hooks->arg, probe->channel.fd, ZH_ROLE_PROBER);
	zh_target_format(probe->target, sizeof(probe->target), probe->channel.transport,
		&probe->channel.remote);
	/* The record and the responder's memory exist by now; without the right to lock it the
	 * probe goes on. */
	if (probe->config.lock_memory)
		probe->has_locked_memory = zh_sched_lock_memory() == 0;
	return 0;
}

int zh_probe_open(const struct zh_probe_config *config, struct zh_probe **ret, struct zh_err *err)
{
	struct zh_probe *probe;
	int r = check_size(config, err);

	if (r < 0)
		return r;
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return zh_err_set(err, -ENOMEM, "out of memory");
	probe->config = *config;
	probe->channel.config = &probe->config;
	probe->channel.transport = zh_transport_by_id(config->target.transport);
	probe->channel.fd = -1;
	r = open_probe(probe, err);
	if (r < 0) {
		zh_probe_close(probe);
		return r;
	}
	*ret = probe;
	return 0;
}

struct zh_probe *zh_probe_close(struct zh_probe *probe)
{
	if (!probe)
		return NULL;
	if (probe->has_locked_memory)
		zh_sched_unlock_memory();
	/* First the socket: it wakes a responder that waits for room in our queue. */
	zh_channel_done(&probe->channel);
	zh_responder_stop(probe->responder);
	free(probe);
	return NULL;
}

const char *zh_probe_target(const struct zh_probe *probe)
{
	return probe->target;
}

uint32_t zh_probe_responder_tid(const struct zh_probe *probe)
{
	return zh_responder_tid(probe->responder);
}

void zh_probe_ports(const struct zh_probe *probe, uint16_t *ret_local, uint16_t *ret_remote)
{
	bool has_ports = probe->channel.transport->flags & ZH_TRANSPORT_PORTS;

	*ret_local = has_ports ? zh_address_port(&probe->channel.local) : 0;
	*ret_remote = has_ports ? zh_address_port(&probe->channel.remote) : 0;
}

const char *zh_probe_icmp_kind(const struct zh_probe *probe)
{
	return probe->channel.kind;
}
