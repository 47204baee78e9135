/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "lab/internal.h"
#include "sys/net-config.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "tc.skel.h"
#pragma GCC diagnostic pop

struct lab_tc {
	struct tc_bpf *skel;
	int netns_fd; /* of the run; not owned */
	int ifindex;
	int prog_fd;
	bool has_qdisc; /* clsact was made by us */
};

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/* Both run inside the namespace: libbpf's netlink socket belongs to whoever calls. */
static int attach(void *arg)
{
	struct lab_tc *tc = arg;
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = tc->ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = tc->prog_fd, .handle = 1, .priority = 1);
	int r = bpf_tc_hook_create(&hook);

	if (r < 0)
		return r;
	tc->has_qdisc = true;
	return bpf_tc_attach(&hook, &opts);
}

static int detach(void *arg)
{
	struct lab_tc *tc = arg;
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = tc->ifindex,
		.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	return bpf_tc_hook_destroy(&hook);
}

static int load(struct lab_tc *tc, const struct lab_tc_config *config, struct zh_err *err)
{
	libbpf_print_fn_t before = libbpf_set_print(quiet);
	int r = -ENOMEM;

	tc->skel = tc_bpf__open();
	if (tc->skel) {
		tc->skel->rodata->burn_ns = config->burn_ns;
		tc->skel->rodata->drop_one_in = config->drop_one_in;
		r = tc_bpf__load(tc->skel);
	}
	libbpf_set_print(before);
	if (r < 0)
		return zh_err_sys(err, r, "cannot load the lab's tc program");
	tc->prog_fd = bpf_program__fd(
		config->slow ? tc->skel->progs.zh_lab_slow : tc->skel->progs.zh_lab_lossy);
	return 0;
}

static int find_device(struct lab_tc *tc, const char *device, struct zh_err *err)
{
	struct zh_netcfg *cfg = NULL;
	int r = zh_netcfg_open(tc->netns_fd, &cfg, err);

	if (r == 0)
		r = tc->ifindex = zh_netcfg_ifindex(cfg, device, err);
	zh_netcfg_close(cfg);
	return r < 0 ? r : 0;
}

int lab_tc_attach(struct zh_lab_run *run, const struct lab_tc_config *config, struct lab_tc **ret,
	struct zh_err *err)
{
	struct lab_tc *tc = calloc(1, sizeof(*tc));
	int r;

	if (!tc)
		return zh_err_set(err, -ENOMEM, "out of memory");
	tc->netns_fd = run->ns.netns_fd;
	r = find_device(tc, config->device, err);
	if (r == 0)
		r = load(tc, config, err);
	if (r == 0) {
		r = zh_netns_call(tc->netns_fd, attach, tc, err);
		if (r < 0)
			zh_err_sys(err, r, "cannot attach a tc program to %s", config->device);
	}
	if (r < 0) {
		lab_tc_detach(tc);
		return r;
	}
	*ret = tc;
	return 0;
}

struct lab_tc *lab_tc_detach(struct lab_tc *tc)
{
	if (!tc)
		return NULL;
	if (tc->has_qdisc)
		zh_netns_call(tc->netns_fd, detach, tc, NULL);
	tc_bpf__destroy(tc->skel);
	free(tc);
	return NULL;
}
