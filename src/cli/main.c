#include "cli/commands.h"

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int cmd_help(int argc, const char **argv);

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, const char **argv);
} commands[] = {
	{"run", "start a program and measure it and all that it starts", cmd_run},
	{"attach", "measure a process that runs already, for a while", cmd_attach},
	{"top", "show what a process calls, while it runs", cmd_top},
	{"report", "show a profile", cmd_report},
	{"annotate", "show the instructions of a function with counts", cmd_annotate},
	{"graph", "show the control flow of a function, or all calls, with counts",
	 cmd_graph},
	{"mix", "show which instructions were executed, and their loads and stores",
	 cmd_mix},
	{"loops", "show how often loops were entered, and how often they ran", cmd_loops},
	{"coverage", "show what was executed, by source file", cmd_coverage},
	{"diff", "show what is different between two profiles", cmd_diff},
	{"pbo", "write a profile for compilers", cmd_pbo},
	{"bbv", "write basic-block vectors of intervals, for SimPoint", cmd_bbv},
	{"query", "select, group and sum up what profiles hold", cmd_query},
	{"merge", "make one profile of several", cmd_merge},
	{"channel", "list, start and stop what a running program measures of itself",
	 cmd_channel},
	{"recover", "write what killed programs had measured of themselves", cmd_recover},
	{"doctor", "say whether this machine allows what the measurements need",
	 cmd_doctor},
	{"help", "show the help of a command", cmd_help},
};

#define COMMAND_COUNT array_count(commands)

static void usage(FILE *out)
{
	fputs("Usage: trammel COMMAND [ARGUMENT...]\n\n"
	      "Exact counts of native programs on Linux x86-64, without a rebuild.\n\n",
	      out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'trammel help COMMAND' or 'man trammel-COMMAND' tells more.\n"
	      "Try: trammel run -- gzip -6k FILE; trammel report gzip.trm\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	const struct command *nearest = &commands[0];

	for (size_t i = 1; i < COMMAND_COUNT; i++)
		if (text_distance(commands[i].name, name) <
		    text_distance(nearest->name, name))
			nearest = &commands[i];
	trm_error_print(trm_error_create(
		TRM_ERROR_USAGE,
		"\"%s\" is no command: did you mean \"%s\"? See 'trammel help'.", name,
		nearest->name));
	return EXIT_USAGE;
}

static int cmd_help(int argc, const char **argv)
{
	const struct command *command;

	if (argc < 2) {
		usage(stdout);
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown(argv[1]);
	if (command->run == cmd_help) {
		puts("Usage: trammel help [COMMAND]");
		return EXIT_DONE;
	}
	const char *arguments[] = {argv[1], "--help", NULL};

	return command->run(2, arguments);
}

int main(int argc, const char **argv)
{
	const struct command *command;

	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("trammel " TRAMMEL_VERSION);
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown(argv[1]);
	return command->run(argc - 1, argv + 1);
}
