/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting with BPF programs. What the kernel lacks or refuses is left out and noted. */
#include "trace/trail-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/util.h"
#include "trace/kernel-features.h"
#include "trace/libbpf-log.h"
#include "trace/netfilter-link.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wshadow"
#include "trail.skel.h"
#include "trail_compat.skel.h"
#pragma GCC diagnostic pop

enum {
#define TRAIL_PROGRAM_ID(name) PROGRAM_##name,
	ZH_TRAIL_HOOKS(TRAIL_PROGRAM_ID)
#undef TRAIL_PROGRAM_ID
	/* not tracepoints */
	PROGRAM_hook_in,
	PROGRAM_hook_out,
	PROGRAMS
};

/* The tracepoint it is for, and its number in the table of features. */
static const struct program {
	const char *name, *tracepoint;
	enum zh_hook feature;
} programs[PROGRAMS] = {
#define TRAIL_PROGRAM(name) [PROGRAM_##name] = {"zh_" #name, #name, ZH_HOOK_##name},
	ZH_TRAIL_HOOKS(TRAIL_PROGRAM)
#undef TRAIL_PROGRAM
		[PROGRAM_hook_in] = {"zh_trail_hook_in", NULL, ZH_HOOK_netfilter},
	[PROGRAM_hook_out] = {"zh_trail_hook_out", NULL, ZH_HOOK_netfilter},
};

/* In front of and behind five hooks, for two families. */
#define LINKS_A_NETNS (2 * ZH_NETFILTER_HOOKS * 2)

struct mapped {
	void *at;
	size_t bytes;
};

struct zh_trail_bpf {
	struct zh_features features;
	bool refused[PROGRAMS];
	struct bpf_object *object;
	struct bpf_link *links[PROGRAMS]; /* NULL: not attached */
	int *brackets;                    /* link fds */
	size_t n_brackets, max_brackets;
	struct mapped bss, packets;
};

static bool has(const struct zh_trail_bpf *bpf, int program)
{
	return programs[program].tracepoint ? bpf->features.hooks[programs[program].feature]
					    : bpf->features.netfilter;
}

static void choose_programs(struct zh_trail_bpf *bpf)
{
	struct bpf_program *program;
	int i;

	for (i = 0; i < PROGRAMS; i++) {
		program = bpf_object__find_program_by_name(bpf->object, programs[i].name);
		bpf_program__set_autoload(program, has(bpf, i) && !bpf->refused[i]);
		if (programs[i].tracepoint)
			continue;
		bpf_program__set_type(program, (enum bpf_prog_type)ZH_PROG_TYPE_NETFILTER);
		bpf_program__set_expected_attach_type(
			program, (enum bpf_attach_type)ZH_ATTACH_TYPE_NETFILTER);
	}
}

/* Frees that are no loss of our packet: the end of a copy, and a copy that a capture had no room
 * for. */
static int choose_settings(struct zh_trail_bpf *bpf)
{
	static const char *const benign[ZH_TRAIL_BENIGN] = {
		"SKB_NOT_DROPPED_YET", "SKB_CONSUMED", "PACKET_SOCK_ERROR"};
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, ".rodata");
	struct zh_trail_settings settings = {.has_drop_reason = bpf->features.has_drop_reason,
		.no_socket = bpf->features.no_socket,
		.queue_purge = zh_features_reason_number(&bpf->features, "QUEUE_PURGE")};
	size_t i;

	for (i = 0; i < ZH_TRAIL_BENIGN; i++)
		settings.benign[i] =
			benign[i] ? zh_features_reason_number(&bpf->features, benign[i]) : ZH_NONE;
	return bpf_map__set_initial_value(map, &settings, sizeof(settings));
}

static int try_load(struct zh_trail_bpf *bpf, const void *bytes, size_t size, struct zh_err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "zerohop_trail");
	const struct zh_libbpf_log *said = zh_libbpf_said();
	int r;

	zh_libbpf_forget();
	bpf->object = bpf_object__open_mem(bytes, size, &opts);
	if (!bpf->object)
		return zh_err_set(err, -errno, "cannot open the BPF object: %s",
			said->line[0] ? said->line : strerror(errno));
	choose_programs(bpf);
	r = choose_settings(bpf);
	if (!r)
		r = bpf_object__load(bpf->object);
	if (!r)
		return 0;
	bpf_object__close(bpf->object);
	bpf->object = NULL;
	return zh_err_set(err, r, "cannot load the BPF object: %s",
		said->line[0] ? said->line : strerror(-r));
}

/* Leaves out what the kernel refuses, one program at a time. */
static int load_object(struct zh_trail_bpf *bpf, const void *bytes, size_t size, struct zh_err *err)
{
	int i, r;

	memset(bpf->refused, 0, sizeof(bpf->refused));
	for (;;) {
		r = try_load(bpf, bytes, size, err);
		if (!r)
			return 0;
		for (i = 0; i < PROGRAMS; i++) {
			if (!strcmp(zh_libbpf_said()->program, programs[i].name))
				break;
		}
		if (i == PROGRAMS || bpf->refused[i])
			return r;
		bpf->refused[i] = true;
	}
}

/* First typed programs, then the others; ZH_TRACE_COMPAT=1 leaves out the first (for tests). */
static int load_any(struct zh_trail_bpf *bpf, struct zh_err *err)
{
	const char *compat = getenv("ZH_TRACE_COMPAT");
	const void *bytes;
	size_t size;
	int r = -ENOTSUP;

	if (!compat || strcmp(compat, "1")) {
		bytes = trail_bpf__elf_bytes(&size);
		r = load_object(bpf, bytes, size, err);
	}
	if (r) {
		bytes = trail_compat_bpf__elf_bytes(&size);
		r = load_object(bpf, bytes, size, err);
	}
	return r;
}

static void note_missing(const struct zh_trail_bpf *bpf, int i, struct zh_record *record)
{
	char what[64] = "packets in netfilter hooks";

	if (programs[i].tracepoint)
		snprintf(what, sizeof(what), "packets at %s", programs[i].tracepoint);
	if (!has(bpf, i) && programs[i].tracepoint)
		zh_record_not_measured(record, what, "this kernel has no such tracepoint");
	else if (!has(bpf, i))
		zh_record_not_measured(record, what,
			"this kernel has no BPF netfilter programs (they came with 6.4)");
	else if (bpf->refused[i])
		zh_record_not_measured(record, what, "the kernel refused the program");
}

/* How many tracepoints are attached. */
static int attach(struct zh_trail_bpf *bpf, struct zh_record *record)
{
	struct bpf_program *program;
	char what[64];
	int i, n = 0;

	for (i = 0; i < PROGRAMS; i++) {
		note_missing(bpf, i, record);
		program = bpf_object__find_program_by_name(bpf->object, programs[i].name);
		if (!programs[i].tracepoint || bpf_program__fd(program) < 0)
			continue;
		bpf->links[i] = bpf_program__attach(program);
		n += bpf->links[i] != NULL;
		if (bpf->links[i])
			continue;
		snprintf(what, sizeof(what), "packets at %s", programs[i].tracepoint);
		zh_record_not_measured(record, what, "cannot attach: %s", strerror(errno));
	}
	if (bpf->links[PROGRAM_kfree_skb] && !bpf->features.has_drop_reason)
		zh_record_not_measured(record, "drop reasons",
			"this kernel does not tell them (they came with 5.17)");
	return n;
}

static int program_fd(const struct zh_trail_bpf *bpf, int program)
{
	return bpf_program__fd(
		bpf_object__find_program_by_name(bpf->object, programs[program].name));
}

/* In the calling thread's namespace. A kernel without IPv6 has no hooks for it. */
static int bracket_here(struct zh_trail *trail, uint32_t netns, void *arg, struct zh_err *err)
{
	struct zh_trail_bpf *bpf = arg;
	int in = program_fd(bpf, PROGRAM_hook_in), out = program_fd(bpf, PROGRAM_hook_out), r;

	(void)trail;
	r = zh_netfilter_bracket(
		in, out, AF_INET, bpf->brackets, &bpf->n_brackets, bpf->max_brackets);
	if (!r)
		r = zh_netfilter_bracket(
			in, out, AF_INET6, bpf->brackets, &bpf->n_brackets, bpf->max_brackets);
	return r && r != -EAFNOSUPPORT
		       ? zh_err_sys(err, r, "cannot attach in network namespace %u", netns)
		       : 0;
}

static int bracket(struct zh_trail *trail, struct zh_trail_bpf *bpf, struct zh_record *record)
{
	if (program_fd(bpf, PROGRAM_hook_in) < 0 || program_fd(bpf, PROGRAM_hook_out) < 0)
		return 0;
	bpf->max_brackets = LINKS_A_NETNS * ZH_MAX(trail->config.n_netns, (size_t)1);
	bpf->brackets = calloc(bpf->max_brackets, sizeof(*bpf->brackets));
	if (!bpf->brackets)
		return -ENOMEM;
	zh_trail_each_netns(trail, record, "packets in netfilter hooks", bracket_here, bpf);
	return 0;
}

static int map_array(
	const struct zh_trail_bpf *bpf, const char *name, struct mapped *ret, struct zh_err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, name);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
	void *at;

	bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	bytes = (bytes + page - 1) / page * page;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return zh_err_sys(err, -errno, "cannot map the BPF map %s", name);
	*ret = (struct mapped){at, bytes};
	return 0;
}

static int open_all(struct zh_trail *trail, struct zh_trail_bpf *bpf, struct zh_record *record,
	struct zh_err *err)
{
	int r;

	r = zh_features_read(&bpf->features, err);
	if (!r)
		r = load_any(bpf, err);
	if (!r)
		r = map_array(bpf, ".bss", &bpf->bss, err);
	if (!r)
		r = map_array(bpf, "zh_packets", &bpf->packets, err);
	if (r)
		return r;
	if (!attach(bpf, record))
		return zh_err_set(err, -ENODEV, "no tracepoint could be attached");
	r = bracket(trail, bpf, record);
	return r ? zh_err_sys(err, r, "cannot count packets in netfilter hooks") : 0;
}

int zh_trail_bpf_open(struct zh_trail *trail, struct zh_record *record, struct zh_err *err)
{
	struct zh_trail_bpf *bpf;
	libbpf_print_fn_t before;
	int r;

	r = zh_libbpf_check_permission(err);
	if (r)
		return r;
	bpf = calloc(1, sizeof(*bpf));
	if (!bpf)
		return zh_err_sys(err, -ENOMEM, "cannot count packets");
	before = zh_libbpf_listen();
	r = open_all(trail, bpf, record, err);
	libbpf_set_print(before);
	if (r) {
		zh_trail_bpf_close(bpf);
		return r;
	}
	trail->bpf = bpf;
	trail->control = bpf->bss.at;
	trail->packets = bpf->packets.at;
	return 0;
}

uint64_t zh_trail_bpf_missed(const struct zh_trail_bpf *bpf)
{
	uint64_t sum = 0;
	int i, fd;

	for (i = 0; i < PROGRAMS; i++) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		fd = program_fd(bpf, i);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size))
			sum += info.recursion_misses;
	}
	return sum;
}

const char *zh_trail_bpf_reason(
	const struct zh_trail_bpf *bpf, uint32_t reason, char *buf, size_t size)
{
	if (!bpf->features.has_drop_reason)
		return NULL;
	return zh_features_reason(&bpf->features, reason, buf, size);
}

struct zh_trail_bpf *zh_trail_bpf_close(struct zh_trail_bpf *bpf)
{
	int i;

	if (!bpf)
		return NULL;
	for (i = 0; i < PROGRAMS; i++)
		bpf_link__destroy(bpf->links[i]);
	while (bpf->n_brackets)
		close(bpf->brackets[--bpf->n_brackets]);
	free(bpf->brackets);
	if (bpf->bss.at)
		munmap(bpf->bss.at, bpf->bss.bytes);
	if (bpf->packets.at)
		munmap(bpf->packets.at, bpf->packets.bytes);
	bpf_object__close(bpf->object);
	free(bpf);
	return NULL;
}
