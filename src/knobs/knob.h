/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A knob is one setting of the kernel that this program can change and put back: data, and the ops
 * that reach it. A family is a file of knobs, src/knobs/families/NAME.c; most knobs are a row.
 *
 * Values have one canonical text: numbers in decimal, "0"/"1", a word, a CPU list "0-3,8", words
 * separated by single spaces. All comparison is of canonical texts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

#define ZH_KNOB_VALUE 512 /* bytes that hold any canonical value */

enum zh_knob_target {
	ZH_KNOB_HOST,
	ZH_KNOB_NETNS,
	ZH_KNOB_DEVICE,
	ZH_KNOB_QUEUE, /* of a device */
	ZH_KNOB_CPU,
	ZH_KNOB_IRQ,
	ZH_KNOB_TASK,
};

enum zh_knob_type {
	ZH_KNOB_NUMBER,   /* min to max; unit "us", "ns", "bytes" takes "50us", "4k" too */
	ZH_KNOB_BOOL,     /* 0 or 1 */
	ZH_KNOB_FLAG_YN,  /* the same, written as Y and N by the kernel */
	ZH_KNOB_WORD,     /* one of words; the kernel may show all with the chosen one in [] */
	ZH_KNOB_CPU_MASK, /* a CPU list; the kernel's form is hexadecimal */
	ZH_KNOB_CPU_LIST, /* a CPU list in both forms */
	ZH_KNOB_NUMBERS,  /* `n_numbers` numbers, each min to max */
	ZH_KNOB_TEXT,
};

/* How a value is kept over a reboot. */
enum zh_knob_persist {
	ZH_KNOB_NOT_KEPT,
	ZH_KNOB_BY_SYSCTL,   /* sysctl.d */
	ZH_KNOB_BY_TMPFILES, /* tmpfiles.d, a "w" line */
	ZH_KNOB_BY_UDEV,     /* a rule for the device */
	ZH_KNOB_BY_SERVICE,  /* a process must hold it */
};

/* What exactly is set; which members mean something depends on the knob's target. */
struct zh_knob_place {
	int netns_fd; /* owned; -1: none needed */
	uint64_t cookie, netns_inode;
	char device[16];
	uint32_t ifindex, queue, cpu, irq;
	char action[64]; /* of the interrupt, as /proc/interrupts names it */
	pid_t pid;
	uint64_t start_ticks;
	const char *state_dir; /* borrowed; where holders of fds are noted */
};

struct zh_knob;

struct zh_knob_ops {
	/* The kernel's own text. 0 or a negative errno. */
	int (*get)(const struct zh_knob *knob, const struct zh_knob_place *place, char *buf,
		size_t size);
	/* `canonical` is valid for the knob. 0 or a negative errno. */
	int (*set)(const struct zh_knob *knob, const struct zh_knob_place *place,
		const char *canonical);
	/* A shell command that prints the value, or with `value` one that sets it, quoted for use
	 * in ''. NULL: there is none. */
	void (*shell)(const struct zh_knob *knob, const struct zh_knob_place *place,
		const char *value, struct zh_buf *ret);
};

struct zh_knob {
	const char *id;      /* "rps-cpus"; users may write "rps_cpus" */
	const char *alias;   /* another name, or NULL */
	const char *summary; /* what it does, one line */
	const char *why;     /* when it helps */
	const char *cost;    /* what it takes, in power, CPU time, latency elsewhere */
	const char *verify;  /* how its effect is seen, not only its value */
	enum zh_knob_target target;
	enum zh_knob_type type;
	long long min, max; /* inclusive; both 0: none */
	unsigned int n_numbers;
	const char *unit;         /* "packets", "us"; NULL: none */
	const char *const *words; /* NULL-terminated */
	enum zh_knob_persist persist;
	const struct zh_knob_ops *ops;
	/* For the ops. zh_knob_file: the path, with {dev} {queue} {cpu} {irq} {pid} in it;
	 * zh_knob_feature: ethtool's name of the feature. */
	const char *arg;
	/* A sentence why the setting can do nothing at this place; NULL: it can. May be NULL. */
	const char *(*placebo)(const struct zh_knob_place *place, const char *canonical);
	/* A sentence why it must not be done here; NULL: it may. May be NULL. */
	const char *(*refuse)(const struct zh_knob_place *place, const char *canonical);
	/* What the kernel makes of the value ("1000" -> "1024"); NULL: the value itself. */
	void (*expect)(
		const struct zh_knob_place *place, const char *canonical, char *ret, size_t size);
	/* The value "auto" for this place. 0, or a negative errno and why there is none. */
	int (*choose)(
		const struct zh_knob_place *place, char *ret, size_t size, struct zh_err *err);
	/* Lower ranks are set first and undone last: what others depend on. */
	int rank;
};

struct zh_knob_family {
	const struct zh_knob *knobs;
	size_t n;
};

extern const struct zh_knob_family *const zh_knob_family_registry[];

extern const struct zh_knob_ops zh_knob_file;    /* a file; arg: its path */
extern const struct zh_knob_ops zh_knob_feature; /* an offload feature; arg: its name */
extern const struct zh_knob_ops zh_knob_affinity;
extern const struct zh_knob_ops zh_knob_dma_latency;

/* By id or alias, '_' and '-' being the same. NULL: none. */
const struct zh_knob *zh_knob_find(const char *id);
/* The i-th of all; NULL: there are not so many. */
const struct zh_knob *zh_knob_at(size_t i);

/* "device", "CPU". */
const char *zh_knob_target_name(enum zh_knob_target target);
const char *zh_knob_persist_name(enum zh_knob_persist persist);
/* What values it takes: "0 to 2147483647 packets". Returns buf. */
char *zh_knob_values(const struct zh_knob *knob, char *buf, size_t size);

/* A user's text into the canonical one. 0, or -EINVAL / -ERANGE with what is allowed. */
int zh_knob_parse(const struct zh_knob *knob, const char *text, char ret[static ZH_KNOB_VALUE],
	struct zh_err *err);
/* The kernel's text into the canonical one. 0 or -EBADMSG. */
int zh_knob_decode(const struct zh_knob *knob, const char *raw, char ret[static ZH_KNOB_VALUE]);
/* The canonical text as the kernel takes it. */
void zh_knob_encode(
	const struct zh_knob *knob, const char *canonical, char ret[static ZH_KNOB_VALUE]);

/* Reads the value now, canonical. 0, or a negative errno with a sentence. */
int zh_knob_get(const struct zh_knob *knob, const struct zh_knob_place *place,
	char ret[static ZH_KNOB_VALUE], struct zh_err *err);

/* For `expect`: the next power of two. */
void zh_knob_expect_power_of_two(
	const struct zh_knob_place *place, const char *canonical, char *ret, size_t size);
