/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/named.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "lab/guard.h"
#include "lab/state.h"
#include "lab/topologies/build.h"
#include "lab/tune.h"
#include "sys/detach.h"
#include "sys/netns.h"
#include "sys/process.h"

#define PREFIX "lab."
#define NAMES_DIR "/run/netns"
#define DOWN_NS (5 * ZH_NSEC_PER_SEC)
#define STEP_NS (5 * ZH_NSEC_PER_MSEC)

static const char *const sides[LAB_SIDES] = {"client", "server", "host"};

struct keeper {
	const struct zh_named_config *config;
	struct zh_named_lab lab;
	struct lab_state state;
	struct zh_lab_ns ns;
	struct lab_guard guard;
	int ready_fd;
};

static int check_name(const char *name, struct zh_err *err)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");

	if (len == 0 || name[len] || len > ZH_LAB_NAME_MAX)
		return zh_err_set(err, -EINVAL,
			"'%.40s' is no name for a lab: 1 to %d of a-z and 0-9, since its devices "
			"are called NAME-client-host and may have 15 characters",
			name, ZH_LAB_NAME_MAX);
	return 0;
}

static void name_path(char path[static PATH_MAX], const char *lab, int side)
{
	snprintf(path, PATH_MAX, NAMES_DIR "/%s-%s", lab, sides[side]);
}

/* Only links into what that keeper holds. */
static void remove_names(const struct lab_state *state)
{
	char path[PATH_MAX], target[64], own[32];
	const char *lab = state->file + strlen(PREFIX);
	ssize_t len;
	int side;

	snprintf(own, sizeof(own), "/proc/%d/fd/", (int)state->owner);
	for (side = 0; side < LAB_SIDES; side++) {
		name_path(path, lab, side);
		len = readlink(path, target, sizeof(target) - 1);
		target[ZH_MAX(len, (ssize_t)0)] = '\0';
		if (!strncmp(target, own, strlen(own)))
			unlink(path);
	}
	rmdir(NAMES_DIR); /* when it was ours, nothing is in it */
}

static void undo(const void *arg)
{
	const struct lab_state *state = arg;

	remove_names(state);
	lab_state_remove(state);
}

static int add_names(const struct keeper *keeper, struct zh_err *err)
{
	const int fds[LAB_SIDES] = {
		keeper->ns.netns_fd, keeper->ns.peer_netns_fd, keeper->ns.host_netns_fd};
	char path[PATH_MAX], target[64];
	int side;

	if (mkdir(NAMES_DIR, 0755) < 0 && errno != EEXIST)
		return zh_err_sys(err, -errno, "cannot make " NAMES_DIR);
	for (side = 0; side < LAB_SIDES; side++) {
		if (fds[side] < 0)
			continue;
		name_path(path, keeper->lab.name, side);
		snprintf(target, sizeof(target), "/proc/%d/fd/%d", (int)getpid(), fds[side]);
		if (symlink(target, path) < 0)
			return zh_err_sys(err, -errno, "cannot name a namespace %s", path);
	}
	return 0;
}

static int make_slow(const struct keeper *keeper, struct zh_err *err)
{
	const struct zh_named_config *config = keeper->config;
	int fd = keeper->ns.host_netns_fd;
	int r = lab_add_rules(fd, config->rules, err);

	if (r == 0 && zh_cpuset_count(&config->steer))
		r = lab_steer(config->topology->plan, config->name, fd, &config->steer, err);
	return r;
}

static int set_up(struct keeper *keeper, struct zh_err *err)
{
	struct lab_state *state = &keeper->state;
	int r;

	snprintf(state->file, sizeof(state->file), PREFIX "%s", keeper->lab.name);
	snprintf(state->text, sizeof(state->text), "%s", keeper->lab.topology->id);
	r = lab_state_own(state, err);
	if (r == 0)
		r = lab_build(keeper->lab.topology->plan, keeper->lab.name, &keeper->ns, err);
	if (r == 0)
		r = make_slow(keeper, err);
	if (r == 0)
		r = lab_guard_start(undo, state, &keeper->guard, err);
	if (r == 0)
		r = lab_state_write(state, err);
	if (r == -EEXIST)
		zh_err_set(err, r, "a lab '%s' is up already", keeper->lab.name);
	return r < 0 ? r : add_names(keeper, err);
}

/* Until it is told to end, or its guard is gone: nobody would clean up then. */
static void stay(const struct keeper *keeper)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	do
		sigwait(&set, &number);
	while (number == SIGCHLD && zh_process_wait(keeper->guard.pid, 0, NULL) == -ETIMEDOUT);
}

static int keeper_main(void *arg)
{
	struct keeper *keeper = arg;
	struct zh_err err = {};
	sigset_t all;
	int r;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, "zh-keeper");
	zh_detach_files(keeper->ready_fd, -1);
	r = set_up(keeper, &err);
	err.code = r;
	if (write(keeper->ready_fd, &err, sizeof(err)) != sizeof(err))
		r = -EPIPE;
	close(keeper->ready_fd);
	if (r == 0)
		stay(keeper);
	if (lab_guard_end(&keeper->guard) < 0)
		undo(&keeper->state);
	return r < 0;
}

static int wait_ready(int fd, struct zh_err *err)
{
	struct zh_err told = {};
	ssize_t n;

	do
		n = read(fd, &told, sizeof(told));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(told))
		return zh_err_set(err, -ECHILD, "the lab's keeper ended at once");
	if (told.code < 0 && err)
		*err = told;
	return told.code;
}

static int check_config(const struct zh_named_config *config, struct zh_err *err)
{
	int r = check_name(config->name, err);

	if (r == 0 && !config->topology->plan->has_host &&
		(config->rules || zh_cpuset_count(&config->steer)))
		return zh_err_set(err, -EINVAL, "%s has no host whose devices could be steered",
			config->topology->id);
	return r;
}

int zh_named_up(const struct zh_named_config *config, struct zh_named_lab *ret, struct zh_err *err)
{
	struct keeper keeper = {
		.config = config, .lab.topology = config->topology, .ns = {-1, -1, -1}};
	zh_autoclose int read_fd = -1, write_fd = -1;
	int fds[2], r = check_config(config, err);
	pid_t pid;

	if (r < 0)
		return r;
	snprintf(keeper.lab.name, sizeof(keeper.lab.name), "%.3s", config->name);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	read_fd = fds[0];
	keeper.ready_fd = write_fd = fds[1];
	r = zh_process_fork(keeper_main, &keeper, &pid, err);
	if (r < 0)
		return r;
	close(zh_take_fd(&write_fd));
	r = wait_ready(read_fd, err);
	if (r < 0) {
		zh_process_wait(pid, DOWN_NS, NULL);
		return r;
	}
	*ret = keeper.lab;
	ret->keeper = pid;
	return 0;
}

/* The name of a state file is that of its lab. */
static bool take_lab(const struct lab_state *state, struct zh_named_lab *ret)
{
	*ret = (struct zh_named_lab){
		.topology = zh_topology_find(state->text), .keeper = state->owner};
	snprintf(ret->name, sizeof(ret->name), "%.3s", state->file + strlen(PREFIX));
	return ret->topology && lab_state_is_alive(state);
}

static int find_state(const char *name, struct lab_state *ret, struct zh_err *err)
{
	char file[32];
	int r = check_name(name, err);

	if (r < 0)
		return r;
	snprintf(file, sizeof(file), PREFIX "%.3s", name);
	r = lab_state_read(file, ret);
	if (r == 0)
		return 0;
	zh_err_set(err, -ENOENT, "no lab '%s' is up", name);
	zh_err_hint(err, "zerohop lab list shows those that are; zerohop lab up TOPOLOGY --name %s",
		name);
	return -ENOENT;
}

int zh_named_find(const char *name, struct zh_named_lab *ret, struct zh_err *err)
{
	struct lab_state state;
	int r = find_state(name, &state, err);

	if (r == 0 && !take_lab(&state, ret))
		r = zh_err_set(err, -ENOENT, "the keeper of lab '%s' is dead", name);
	return r;
}

int zh_named_down(const char *name, struct zh_err *err)
{
	struct lab_state state;
	int r = find_state(name, &state, err);
	uint64_t end_ns = zh_now_ns() + DOWN_NS;

	if (r < 0)
		return r;
	if (lab_state_is_alive(&state))
		zh_process_signal(state.owner, SIGTERM);
	while (lab_state_is_alive(&state) && zh_now_ns() < end_ns) {
		zh_process_wait(state.owner, 0, NULL); /* ours when we made it: tests */
		zh_sleep_until(zh_now_ns() + STEP_NS);
	}
	if (lab_state_is_alive(&state))
		zh_process_signal(state.owner, SIGKILL);
	undo(&state);
	return 0;
}

size_t zh_named_list(struct zh_named_lab *ret, size_t max)
{
	struct lab_state states[ZH_LABS_MAX];
	size_t n = lab_state_list(PREFIX, states, ZH_LABS_MAX), kept = 0, i;

	for (i = 0; i < n && kept < max; i++)
		kept += take_lab(&states[i], &ret[kept]);
	return kept;
}

static int open_side(const struct zh_named_lab *lab, int side, int *ret, struct zh_err *err)
{
	char path[PATH_MAX];
	int fd;

	name_path(path, lab->name, side);
	fd = zh_netns_by_name(path, err);
	if (fd < 0)
		return fd;
	*ret = fd;
	return 0;
}

int zh_named_open(const struct zh_named_lab *lab, struct zh_lab_ns *ret, struct zh_err *err)
{
	const struct lab_plan *plan = lab->topology->plan;
	int r;

	*ret = (struct zh_lab_ns){-1, -1, -1};
	r = open_side(lab, LAB_NEAR, &ret->netns_fd, err);
	if (r == 0 && plan->has_far)
		r = open_side(lab, LAB_FAR, &ret->peer_netns_fd, err);
	if (r == 0 && plan->has_host)
		r = open_side(lab, LAB_HOST, &ret->host_netns_fd, err);
	if (r < 0)
		lab_unbuild(ret);
	return r;
}

unsigned int zh_named_gc(void)
{
	struct lab_state states[ZH_LABS_MAX];
	size_t n = lab_state_list(PREFIX, states, ZH_LABS_MAX), i;
	unsigned int removed = 0;

	for (i = 0; i < n; i++) {
		if (lab_state_is_alive(&states[i]))
			continue;
		undo(&states[i]);
		removed++;
	}
	return removed;
}

static void describe_devices(const struct zh_named_lab *lab, struct zh_node *node)
{
	static const struct zh_column columns[] = {{"netns", "namespace"}, {"device", "device"},
		{"address", "address"}, {"address6", NULL}, {"peer", "other end"}};
	struct zh_node *table =
		zh_node_table(node, "devices", "Devices", columns, ZH_ARRAY_SIZE(columns));
	const struct lab_device *device;
	char netns[32], buf[LAB_DEVICE_NAME], peer[64];

	for (device = lab->topology->plan->devices; device->name; device++) {
		snprintf(netns, sizeof(netns), "%s-%s", lab->name, sides[device->side]);
		if (device->peer)
			snprintf(peer, sizeof(peer), "%s in %s-%s", device->peer, lab->name,
				sides[device->peer_side]);
		zh_node_row(table, (struct zh_cell[]){zh_string(netns),
					   zh_string(lab_device_name(device, lab->name, buf)),
					   zh_string(device->v4), zh_string(device->v6),
					   zh_string(device->peer ? peer : NULL)});
	}
}

void zh_named_describe(const struct zh_named_lab *lab, struct zh_node *node)
{
	const struct lab_plan *plan = lab->topology->plan;
	const bool has[LAB_SIDES] = {true, plan->has_far, plan->has_host};
	struct zh_node *list;
	char netns[32];
	int side;

	zh_node_value(node, "name", "lab", zh_string(lab->name));
	zh_node_value(node, "topology", "topology", zh_string(lab->topology->id));
	zh_node_value(node, "address", "server's address", zh_string(lab->topology->address));
	zh_node_value(node, "keeper_pid", "kept by process", zh_count((uint64_t)lab->keeper));
	list = zh_node_list(node, "namespaces", "Namespaces");
	for (side = 0; side < LAB_SIDES; side++) {
		snprintf(netns, sizeof(netns), "%s-%s", lab->name, sides[side]);
		if (has[side])
			zh_node_item(list, netns);
	}
	describe_devices(lab, node);
}
