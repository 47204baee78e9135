/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command-line options as data: one table a command, one parser, one help text.
 *
 * An option writes into the command's config struct at `offset`; the field's C type follows the
 * option's type (see enum zh_option_type). A table ends with an entry whose name is NULL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"

enum zh_option_type {
	ZH_OPTION_FLAG,	    /* bool */
	ZH_OPTION_STRING,   /* const char * into argv */
	ZH_OPTION_COUNT,    /* uint64_t, a whole number */
	ZH_OPTION_DURATION, /* uint64_t ns */
	ZH_OPTION_SIZE,	    /* uint64_t bytes */
	ZH_OPTION_CPUS,	    /* struct zh_cpuset */
	ZH_OPTION_CHOICE,   /* int, index into choices */
};

struct zh_option {
	const char *name; /* long name without dashes */
	char letter;	  /* short name, or 0 */
	enum zh_option_type type;
	size_t offset;
	const char *arg; /* placeholder in the help text; NULL for flags */
	const char *help;
	const char *const *choices; /* NULL-terminated, for ZH_OPTION_CHOICE */
	uint64_t min, max;	    /* inclusive bounds; max 0 means none */
};

/*
 * Parses argv[1..argc-1]; options and words may mix, "--" ends the options. `config` starts with
 * the defaults and is changed in place. Words are moved to the end of argv; *ret_words is the index
 * of the first. Returns 0, or -EINVAL with one line that says what is wrong and what is allowed.
 */
int zh_options_parse(const struct zh_option *options, void *config, int argc, char **argv,
	int *ret_words, struct zh_err *err);

/* The same, but ends at the first word, whose index *ret_words is; nothing is moved. */
int zh_options_parse_head(const struct zh_option *options, void *config, int argc, char **argv,
	int *ret_words, struct zh_err *err);

/* Writes the help lines of a table ("  -c, --count N   ...") into buf, 24-column hanging indent. */
struct zh_buf;
void zh_options_help(const struct zh_option *options, struct zh_buf *buf);
