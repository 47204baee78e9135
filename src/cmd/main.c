/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dispatch: global options, the command's table, help, and the one place that prints errors.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/command.h"

static const struct zh_option global_options[] = {
	ZH_COMMON_OPTIONS,
	ZH_MEASURE_OPTIONS,
	{"version", 'V', ZH_OPTION_FLAG, offsetof(struct zh_common, version), NULL,
		"show the version"},
	{},
};

static void print_error(const struct zh_err *err)
{
	if (err->text[0])
		fprintf(stderr, "zerohop: %s\n", err->text);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
}

static const struct zh_command *find_command(const char *name)
{
	size_t i;

	for (i = 0; zh_command_registry[i]; i++)
		if (!strcmp(zh_command_registry[i]->name, name))
			return zh_command_registry[i];
	return NULL;
}

static void print_overview(void)
{
	zh_autobuf help = {};
	size_t i;

	printf("Examples:\n"
	       "  sudo zerohop doctor                     # is my local path healthy; if not, why?\n"
	       "  zerohop ping -c 100 -i 5ms 127.0.0.1    # where does each round trip's time go?\n"
	       "  zerohop explain run-queue-wait          # what a finding means, and its cure\n"
	       "\nUsage: zerohop [OPTIONS] COMMAND [...]     (zerohop COMMAND --help)\n\nCommands:\n");
	for (i = 0; zh_command_registry[i]; i++)
		printf("  %-10s %s\n", zh_command_registry[i]->name,
			zh_command_registry[i]->summary);
	zh_options_help(global_options, &help);
	printf("\nOptions:\n%s", help.text ? help.text : "");
	printf("\nExit status: 0 nothing found, 1 findings or loss, 2 usage, 3 could not measure.\n");
}

static void print_command_help(const struct zh_command *command)
{
	zh_autobuf help = {};

	zh_options_help(command->options, &help);
	printf("Examples:\n%s\nUsage: zerohop %s %s\n  %s\n\nOptions:\n%s", command->examples,
		command->name, command->usage, command->summary, help.text ? help.text : "");
	if (command->notes)
		printf("\n%s", command->notes);
}

/* Index of the first word that is not a global option (or the value of one). */
static int command_index(int argc, char **argv)
{
	int i;
	size_t k;

	for (i = 1; i < argc && argv[i][0] == '-'; i++)
		for (k = 0; global_options[k].name; k++) {
			const struct zh_option *o = &global_options[k];
			bool takes_next =
				o->type != ZH_OPTION_FLAG &&
				((argv[i][1] == o->letter && !argv[i][2]) ||
					(argv[i][1] == '-' && !strcmp(argv[i] + 2, o->name)));

			i += takes_next && i + 1 < argc;
			if (takes_next)
				break;
		}
	return i;
}

static int usage_error(const struct zh_err *err)
{
	print_error(err);
	return ZH_EXIT_USAGE;
}

static int run_command(const struct zh_command *command, const struct zh_common *common, int argc,
	char **argv, struct zh_err *err)
{
	zh_autofree struct zh_common *config = calloc(1, command->config_size);
	int words, status;

	if (!config)
		return ZH_EXIT_UNABLE;
	memcpy(config, command->defaults, command->config_size);
	*config = *common;
	if (zh_options_parse(command->options, config, argc, argv, &words, err) < 0) {
		zh_err_wrap(err, "%s", command->name);
		return usage_error(err);
	}
	if (config->help) {
		print_command_help(command);
		return ZH_EXIT_OK;
	}
	status = command->run(config, argc - words, argv + words, err);
	if (status == ZH_EXIT_USAGE || status == ZH_EXIT_UNABLE)
		print_error(err);
	return status;
}

int main(int argc, char **argv)
{
	struct zh_common common = {};
	const struct zh_command *command;
	struct zh_err err = {};
	int at = command_index(argc, argv), words;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is then an error of write() */
	if (zh_options_parse(global_options, &common, at, argv, &words, &err) < 0)
		return usage_error(&err);
	if (common.version) {
		printf("zerohop %s\n", ZH_VERSION);
		return ZH_EXIT_OK;
	}
	if (at >= argc || common.help) {
		print_overview();
		return common.help ? ZH_EXIT_OK : ZH_EXIT_USAGE;
	}
	command = find_command(argv[at]);
	if (!command) {
		zh_err_set(&err, -EINVAL, "unknown command '%s' (zerohop --help lists them)",
			argv[at]);
		return usage_error(&err);
	}
	return run_command(command, &common, argc - at, argv + at, &err);
}
