/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "session/internal.h"

static int try_open(const struct zh_probe_config *config, struct zh_err *err)
{
	struct zh_probe *probe = NULL;
	int r = zh_probe_open(config, &probe, err);

	zh_probe_close(probe);
	return r;
}

void session_choose_transport(struct zh_session_config *config, struct zh_record *record)
{
	struct zh_probe_config udp = config->probe;
	struct zh_err err = {};
	int r;

	if (!config->udp_fallback || config->probe.target.transport != ZH_TRANSPORT_ICMP)
		return;
	r = try_open(&config->probe, &err);
	if (r != -EPERM && r != -EACCES)
		return;
	udp.target.transport = ZH_TRANSPORT_UDP;
	if (try_open(&udp, NULL) < 0)
		return;
	config->probe = udp;
	zh_record_not_measured(record, "icmp", "%s; probed by UDP instead", err.text);
}
