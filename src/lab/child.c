/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "lab/internal.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/sched.h"

#define READY_TIMEOUT_MS 5000

struct ready {
	int status;
	uint32_t value;
};

struct start {
	const struct lab_child_config *config;
	struct lab_child child;
};

uint64_t lab_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

uint64_t lab_draw(uint64_t *state, uint64_t min, uint64_t max)
{
	uint64_t span = max - min + 1;

	return span ? min + lab_random(state) % span : lab_random(state);
}

void lab_child_ready(struct lab_child *child, int status, uint32_t value)
{
	const struct ready ready = {status, value};

	/* A pipe takes so little at once; when the parent is gone, so are we. */
	if (write(child->ready_fd, &ready, sizeof(ready)) != sizeof(ready))
		_exit(1);
	close(child->ready_fd);
	child->ready_fd = -1;
}

static int run_child(void *arg)
{
	struct start *start = arg;
	const struct lab_child_config *config = start->config;
	int r = 0;

	prctl(PR_SET_NAME, config->name);
	if (config->netns_fd >= 0)
		r = zh_netns_enter(config->netns_fd, NULL);
	if (r == 0 && config->cpu >= 0)
		r = zh_sched_pin(config->cpu, NULL);
	if (r < 0) {
		lab_child_ready(&start->child, r, 0);
		return 1;
	}
	return config->body(&start->child, config->arg) < 0;
}

/* Waits for the child's word; its death before that closes the pipe. */
static int wait_ready(int fd, struct ready *ret)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	int r;

	do
		r = poll(&poll_fd, 1, READY_TIMEOUT_MS);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		return -ETIMEDOUT;
	return read(fd, ret, sizeof(*ret)) == sizeof(*ret) ? ret->status : -ECHILD;
}

int lab_child_start(struct zh_lab_run *run, const struct lab_child_config *config,
	uint32_t *ret_value, struct zh_err *err)
{
	struct start start = {.config = config};
	zh_autoclose int read_fd = -1, write_fd = -1;
	struct ready ready;
	int fds[2], r;
	pid_t pid;

	if (run->n_children == ZH_LAB_CHILDREN)
		return zh_err_set(err, -E2BIG, "a fault has at most %d children", ZH_LAB_CHILDREN);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return zh_err_sys(err, -errno, "cannot make a pipe");
	read_fd = fds[0];
	write_fd = fds[1];
	start.child = (struct lab_child){.ready_fd = write_fd,
		.random = run->seed + run->n_children + 1,
		.deadline_ns = zh_now_ns() + ZH_LAB_LIFE_NS};
	r = zh_process_fork(run_child, &start, &pid, err);
	if (r < 0)
		return r;
	run->child[run->n_children++] = pid;
	close(zh_take_fd(&write_fd));
	r = wait_ready(read_fd, &ready);
	if (r < 0)
		return zh_err_sys(err, r, "cannot set up the process %s", config->name);
	if (ret_value)
		*ret_value = ready.value;
	return 0;
}
