/* `trammel channel`: see man/trammel-channel.1.md. */
#include "base/array.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/showing.h"
#include "context/control.h"
#include "context/recover.h"
#include "symbols/naming.h"

#include <stdio.h>
#include <string.h>

static struct {
	struct showing shown;
	char *output;
	int pid;
} arguments;

static const struct poptOption option_table[] = {
	{"pid", 'p', POPT_ARG_INT, &arguments.pid, 0, "the process (required)", "PID"},
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "flush: the folder to write profiles to (.)", "FOLDER"},
	SHOWING_OPTION("json", 0, POPT_ARG_NONE, arguments.shown.json,
		       "list: one JSON object", NULL),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static const char *state_of(const struct context_channel *channel)
{
	if (!channel->active)
		return "stopped by the program";
	if (channel->wanted == channel->stopped)
		return channel->stopped ? "stopped" : "measures";
	return channel->wanted ? "measures, stops at the next event"
			       : "stopped, starts at the next event";
}

static void list_json(struct context_control *control, const char *name)
{
	struct text text = {0};
	const char *between = "{";

	text_add(&text, "{");
	json_add_number(&text, "process", (uint64_t)control->pid);
	text_add(&text, ", \"channels\": [");
	vector_for_each (&control->channels, item) {
		const struct context_channel *channel = *item;
		char own[CONTEXT_CHANNEL_NAME + 1] = "";

		if (!context_control_is(channel, name))
			continue;
		memcpy(own, channel->name, CONTEXT_CHANNEL_NAME);
		text_add(&text, between);
		json_add_text(&text, "name", own);
		json_add_text(&text, "state", state_of(channel));
		json_add_boolean(&text, "active", channel->active);
		json_add_boolean(&text, "stopped", channel->wanted);
		text_add(&text, "}");
		between = ", {";
	}
	printf("%s]}\n", text.data);
	text_deinit(&text);
}

static struct trm_error *list_channels(struct context_control *control, const char *name)
{
	if (arguments.shown.json) {
		list_json(control, name);
		return NULL;
	}
	vector_for_each (&control->channels, channel)
		if (context_control_is(*channel, name))
			printf("%-24.*s  %s\n", CONTEXT_CHANNEL_NAME, (*channel)->name,
			       state_of(*channel));
	return NULL;
}

static struct trm_error *start_channel(struct context_control *control, const char *name)
{
	context_control_want(control, name, false);
	return NULL;
}

static struct trm_error *stop_channel(struct context_control *control, const char *name)
{
	context_control_want(control, name, true);
	return NULL;
}

static void say_written(const char *path, const struct context_spool *head)
{
	(void)head;
	printf("%s\n", path);
}

static struct trm_error *flush_channel(struct context_control *control, const char *name)
{
	struct text folder = {0};
	struct context_recovery recovery = {"", true, name, &symbols_naming, say_written};
	struct trm_error *error;

	if (arguments.output) {
		text_format(&folder, "%s/", arguments.output);
		recovery.folder = folder.data;
	}
	error = context_recover_running(&recovery, control->pid);
	text_deinit(&folder);
	return error;
}

static const struct action {
	const char *name;
	struct trm_error *(*run)(struct context_control *control, const char *name);
} actions[] = {{"list", list_channels},
	       {"start", start_channel},
	       {"stop", stop_channel},
	       {"flush", flush_channel}};

static struct trm_error *find_action(const char *name, const struct action **ret_action)
{
	for (size_t i = 0; i < array_count(actions); i++) {
		if (strcmp(actions[i].name, name) != 0)
			continue;
		*ret_action = &actions[i];
		return NULL;
	}
	return trm_error_create(TRM_ERROR_USAGE,
				"'%s' is unknown: choose list, start, stop or flush",
				name);
}

static struct trm_error *run_channel_command(int *ret_status)
{
	const struct arguments_words *given = &arguments.shown.words;
	const char *name = given->count > 1 ? given->items[1] : NULL;
	struct context_control control;
	struct trm_error *error;
	const struct action *action = NULL;

	(void)ret_status;
	if (!arguments.pid || given->count > 2)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"%s: trammel channel -p PID [list|start|stop|flush [NAME]]",
			arguments.pid ? "too many words" : "no process");
	TRM_TRY(find_action(given->count ? given->items[0] : "list", &action));
	TRM_TRY(context_control_init(&control, arguments.pid));
	error = name ? context_control_check(&control, name) : NULL;
	if (!error)
		error = action->run(&control, name);
	context_control_deinit(&control);
	return error;
}

const struct command cmd_channel = {
	.name = "channel",
	.summary = "list, start and stop what a running program measures of itself",
	.usage =
		"Usage: trammel channel -p PID [list|start|stop|flush [NAME]]\n"
		"Lists, starts and stops what a program that runs measures of itself, or "
		"writes\nwhat it has so far; without a name, all of it.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_channel_command,
};
