/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dispatch: global options, the command's table, help, and the one place that prints errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/command.h"
#include "report/utf8.h"

static const struct zh_option global_options[] = {
	ZH_COMMON_OPTIONS,
	ZH_MEASURE_OPTIONS,
	{},
};

/* One line, whatever names are in it: a file name must not be able to move the cursor. */
static void print_line(const char *before, const char *text)
{
	zh_autofree char *clean = zh_utf8_clean(text);
	char *p;

	for (p = clean; p && *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (text[0])
		fprintf(stderr, "%s: %s\n", before, clean ? clean : "out of memory");
}

static void print_error(const struct zh_err *err)
{
	print_line("zerohop", err->text);
	print_line("hint", err->hint);
}

static const struct zh_command *find_command(const char *name)
{
	size_t i;

	for (i = 0; zh_command_registry[i]; i++)
		if (!strcmp(zh_command_registry[i]->name, name))
			return zh_command_registry[i];
	return NULL;
}

/* Help and version are output like any other: a full disk must not look like success. */
static int finish_output(void)
{
	struct zh_err err = {};

	if (fflush(stdout) == 0 && !ferror(stdout))
		return ZH_EXIT_OK;
	zh_err_sys(&err, errno ? -errno : -EIO, "cannot write the output");
	print_error(&err);
	return ZH_EXIT_UNABLE;
}

static int print_version(void)
{
	printf("zerohop %s\n", ZH_VERSION);
	return finish_output();
}

static void print_overview(FILE *to)
{
	zh_autobuf help = {};
	size_t i;

	fputs("Examples:\n"
	      "  sudo zerohop doctor                     # is my local path healthy; if not, why?\n"
	      "  zerohop ping -c 100 -i 5ms 127.0.0.1    # where does each round trip's time go?\n"
	      "  sudo zerohop path localhost             # which way does a packet go? with proof\n"
	      "  zerohop explain run-queue-wait          # what a finding means, and its cure\n"
	      "\nUsage: zerohop [OPTIONS] COMMAND [...]     (zerohop COMMAND --help)\n\nCommands:\n",
		to);
	for (i = 0; zh_command_registry[i]; i++)
		fprintf(to, "  %-10s %s\n", zh_command_registry[i]->name,
			zh_command_registry[i]->summary);
	zh_options_help(global_options, &help);
	fprintf(to, "\nOptions:\n%s", help.text ? help.text : "");
	fputs("\nExit status: 0 nothing found, 1 findings or loss, 2 usage, 3 could not measure.\n",
		to);
}

static int print_command_help(const struct zh_command *command)
{
	zh_autobuf help = {};

	zh_options_help(command->options, &help);
	printf("Examples:\n%s\nUsage: zerohop %s %s\n  %s\n\nOptions:\n%s", command->examples,
		command->name, command->usage, command->summary, help.text ? help.text : "");
	if (command->notes)
		printf("\n%s", command->notes);
	return finish_output();
}

static bool has_option(const struct zh_command *command, const char *name)
{
	const struct zh_option *option;

	for (option = command->options; option->name; option++)
		if (!strcmp(option->name, name))
			return true;
	return false;
}

/* An option ahead of the command that the command would ignore is a mistake. */
static int check_global(
	const struct zh_command *command, const struct zh_common *common, struct zh_err *err)
{
	const char *name = NULL;

	if (common->output && !has_option(command, "output"))
		name = "output";
	else if (common->netns && !has_option(command, "netns"))
		name = "netns";
	else if (common->pid && !has_option(command, "pid"))
		name = "pid";
	return name ? zh_err_set(err, -EINVAL, "%s: unknown option '--%s' (--help lists them)",
			      command->name, name)
		    : 0;
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
	if (check_global(command, common, err) < 0)
		return usage_error(err);
	memcpy(config, command->defaults, command->config_size);
	*config = *common;
	if (zh_options_parse(command->options, config, argc, argv, &words, err) < 0) {
		zh_err_wrap(err, "%s", command->name);
		return usage_error(err);
	}
	if (config->help)
		return print_command_help(command);
	if (config->version)
		return print_version();
	status = command->run(config, argc - words, argv + words, err);
	if (status == ZH_EXIT_USAGE || status == ZH_EXIT_UNABLE)
		print_error(err);
	return status;
}

/*
 * With a standard stream closed, the first file that we open would take its place and get our
 * output. What stands there instead refuses it: reading from 0, writing to 1 and 2.
 */
static void occupy_standard_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	struct zh_common common = {};
	const struct zh_command *command;
	struct zh_err err = {};
	int at;

	occupy_standard_streams();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is then an error of write() */
	if (zh_options_parse_head(global_options, &common, argc, argv, &at, &err) < 0)
		return usage_error(&err);
	if (common.version)
		return print_version();
	if (at >= argc) {
		print_overview(common.help ? stdout : stderr);
		return common.help ? finish_output() : ZH_EXIT_USAGE;
	}
	command = find_command(argv[at]);
	if (!command) {
		zh_err_set(&err, -EINVAL, "unknown command '%.100s' (zerohop --help lists them)",
			argv[at]);
		return usage_error(&err);
	}
	return run_command(command, &common, argc - at, argv + at, &err);
}
