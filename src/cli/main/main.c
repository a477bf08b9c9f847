#include "agent/command.h"
#include "cli/commands.h"
#include "cli/debug/debug.h"
#include "cli/run/running.h"
#include "cli/saving.h"
#include "cli/showing.h"

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command cmd_help;

static const struct command *const commands[] = {
	&cmd_run,    &cmd_attach, &cmd_debug,    &cmd_top,       &cmd_report,
	&cmd_browse, &cmd_page,   &cmd_annotate, &cmd_flame,     &cmd_graph,
	&cmd_mix,    &cmd_loops,  &cmd_paths,    &cmd_values,    &cmd_coverage,
	&cmd_diff,   &cmd_pbo,    &cmd_bbv,      &cmd_export,    &cmd_import,
	&cmd_query,  &cmd_merge,  &cmd_channel,  &cmd_recover,   &cmd_db,
	&cmd_daemon, &cmd_stacks, &cmd_label,    &cmd_summarize, &cmd_tool,
	&cmd_doctor, &cmd_advise, &cmd_info,     &cmd_agent,     &cmd_config,
	&cmd_script, &cmd_help,
};

static void print_usage(FILE *out)
{
	fputs("Usage: trammel COMMAND [ARGUMENT...]\n\n"
	      "Exact counts of native programs on Linux x86-64, without a rebuild.\n\n",
	      out);
	for (size_t i = 0; i < array_count(commands); i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n'trammel help COMMAND' or 'man trammel-COMMAND' tells more.\n"
	      "Try: trammel run -- gzip -6k FILE; trammel report gzip.trm\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < array_count(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *nearest = NULL;

	for (size_t i = 0; i < array_count(commands); i++)
		nearest = text_nearer(name, commands[i]->name, nearest);
	if (text_is_near(name, nearest))
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' is not a command: did you mean '%s'? See 'trammel "
			"help'.",
			name, nearest));
	else
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' is not a command: 'trammel help' lists all", name));
	return EXIT_USAGE;
}

/* What is not a command, but has a page of its own. */
static const struct topic {
	const char *name, *text;
} topics[] = {
	{"channels",
	 "Channels are measurements that an annotated program makes of itself:\n\n"
	 "  TRAMMEL_CONFIG=runtime-report LD_PRELOAD=libtrammel.so.0 ./app\n\n"
	 "'man 7 trammel-channels' (man/trammel-channels.7.md in the sources) has all\n"
	 "configurations, services and settings; 'trammel help channel' is about the\n"
	 "command that controls the channels of a running program."},
	{"probes",
	 "Probes are measurements of one's own at points of a program:\n\n"
	 "  trammel run --probe 'POINT { ACTION if VALUE by VALUE; ... }' -- ./app\n\n"
	 "Points   [MODULE:]FUNCTION, FUNCTION@return, @call, @load, @store, @loop,\n"
	 "         0xADDRESS, file.c:LINE; names may have * and ?\n"
	 "Actions  count() sum() min() max() avg() hist() top(N) trace(), NAME = before "
	 "them\n"
	 "Values   arg0 ... farg0 ..., names of parameters and variables, p->member, "
	 "*(u32*)p, "
	 "str(p);\n"
	 "         ret fret ns (@return), address size value (@load, @store),\n"
	 "         trips (@loop); time thread caller function pc srcline region.path, "
	 "rax;\n"
	 "         @name = x is kept for the thread, $name = x for the call's return\n\n"
	 "  --probe 'libc.so.6:malloc { sizes = hist(arg0); bytes = sum(arg0) by caller "
	 "}'\n"
	 "  --probe 'app:solve@return { slow = count() if ns > 1ms; by thread }'\n"
	 "  --probe 'app:parse { top(10) by str(text) }'\n\n"
	 "'man 7 trammel-probe' (man/trammel-probe.7.md in the sources) has all of it."},
};

static const struct topic *find_topic(const char *name)
{
	for (size_t i = 0; i < array_count(topics); i++) {
		size_t length = strlen(topics[i].name);
		bool singular = strlen(name) == length - 1 && !find_command(name);

		if (!strncmp(topics[i].name, name, length - singular) &&
		    (singular || !name[length]))
			return &topics[i];
	}
	return NULL;
}

static int help_main(int argc, const char **argv)
{
	const struct command *command;
	const struct topic *topic;

	if (argc < 2) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	topic = find_topic(argv[1]);
	if (topic) {
		puts(topic->text);
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	if (command == &cmd_help) {
		puts("Usage: trammel help [COMMAND | channels | probes]");
		return EXIT_DONE;
	}
	const char *arguments[] = {argv[1], "--help", NULL};

	return showing_command(command, 2, arguments);
}

static const struct command cmd_help = {
	.name = "help",
	.summary = "show the help of a command",
	.main = help_main,
};

int main(int argc, const char **argv)
{
	const struct command *command;

	argv = saving_hide_passwords(argc, argv);
	running_debugged = prompt_at_crash;
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("trammel " TRAMMEL_VERSION);
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return showing_command(command, argc - 1, argv + 1);
}
