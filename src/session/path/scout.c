/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One packet of the flow ahead of the proof, so that connection tracking knows what NAT makes of
 * it. Only where NAT stands on the way, and where the proof may send as well.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/path/internal.h"
#include "session/path/send.h"

/* Nothing depends on its answer. */
#define TIMEOUT_NS (50 * ZH_NSEC_PER_MSEC)

bool path_scout(struct path *p, size_t index)
{
	struct path_way *way = &p->ways[index];
	zh_autofree struct path_send *send = NULL;
	char buf[128];

	if (!way->meets_nat || path_why_not_sent(p, way, buf, sizeof(buf)) ||
		path_enter(p, 0, NULL) < 0)
		return false;
	send = calloc(1, sizeof(*send));
	if (!send)
		return false;
	*send = (struct path_send){.flow = &way->flow,
		.run = (uint32_t)zh_now_ns() | 1,
		.count = 1,
		.timeout_ns = ZH_MIN(p->config->timeout_ns, TIMEOUT_NS),
		.end_netns_fd = -1,
		.spare_port = way->flow.to_port ? 0 : PATH_SPARE_PORT,
		.stop = p->config->stop,
		.arg = p->config->arg};
	path_send_all(send, NULL);
	way->scout_id = send->n_sent ? send->id : 0;
	/* Further datagrams belong to the same connection, and take the same way. */
	if (way->flow.protocol == IPPROTO_UDP && way->flow.to_port)
		way->flow.from_port = way->scout_id;
	return way->scout_id != 0;
}
