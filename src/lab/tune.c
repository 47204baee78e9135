/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/tune.h"

#include <errno.h>

#include "base/buf.h"
#include "lab/internal.h"
#include "sys/net-tune.h"
#include "sys/process.h"
#include "sys/sched.h"

/* 198.18.0.0/15 is for benchmarks. */
int lab_add_rules(int netns_fd, unsigned int n, struct zh_err *err)
{
	static const char *const argv[] = {"nft", "-f", "-", NULL};
	zh_autobuf text = {0};
	unsigned int i;
	int r;

	if (!n)
		return 0;
	zh_buf_adds(&text, "table inet " LAB_NFT_TABLE " {\nchain forward {\n"
			   "type filter hook forward priority 0; policy accept;\n");
	for (i = 0; i < n; i++)
		zh_buf_addf(&text, "ip saddr 198.18.%u.%u counter drop\n", i >> 8 & 0xff, i & 0xff);
	zh_buf_adds(&text, "}\n}\n");
	if (text.failed)
		return zh_err_set(err, -ENOMEM, "out of memory");
	r = zh_process_run(argv, netns_fd, text.text, text.len, err);
	return r < 0 ? zh_err_wrap(err, "cannot load %u firewall rules", n) : 0;
}

const struct lab_device *lab_next_host_device(const struct lab_device *device)
{
	while (device->name && !(device->side == LAB_HOST && device->kind == LAB_VETH))
		device++;
	return device->name ? device : NULL;
}

int lab_steer(const struct lab_plan *plan, const char *name, int host_netns_fd,
	const struct zh_cpuset *cpus, struct zh_err *err)
{
	const struct lab_device *device = plan->devices;
	char buf[LAB_DEVICE_NAME];
	int r = 0;

	for (; r == 0 && (device = lab_next_host_device(device)); device++)
		r = zh_nettune_rps(host_netns_fd, lab_device_name(device, name, buf), cpus, err);
	return r;
}

static int steer_run(struct zh_lab_run *run, const struct zh_cpuset *cpus, struct zh_err *err)
{
	if (run->cpu == run->peer_cpu)
		return zh_err_set(err, -ENOTSUP,
			"receive work needs a CPU beside the sender's; this process may use one "
			"only");
	return lab_steer(run->fault->topology->plan, NULL, run->ns.host_netns_fd, cpus, err);
}

int lab_steer_to(struct zh_lab_run *run, int cpu, struct zh_err *err)
{
	struct zh_cpuset cpus = {};

	zh_cpuset_add(&cpus, (unsigned int)cpu);
	return steer_run(run, &cpus, err);
}

int lab_steer_all(struct zh_lab_run *run, struct zh_err *err)
{
	struct zh_cpuset cpus;
	int r = zh_sched_get_affinity(&cpus, err);

	return r < 0 ? r : steer_run(run, &cpus, err);
}

void lab_steer_undo(struct zh_lab_run *run)
{
	const struct zh_cpuset none = {};

	lab_steer(run->fault->topology->plan, NULL, run->ns.host_netns_fd, &none, NULL);
}
