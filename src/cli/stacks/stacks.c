/* `trammel stacks`: see man/trammel-stacks.1.md. */
#include "cli/commands.h"
#include "cli/far/far.h"
#include "cli/showing.h"
#include "cli/stacks/process.h"

#include "report/stacks/json.h"
#include "report/stacks/show.h"

#include <stdio.h>

static struct {
	struct showing shown;
	char *pid, *threshold;
	struct far_way far;
} arguments;

static const struct poptOption option_table[] = {
	{"pid", 'p', POPT_ARG_STRING, &arguments.pid, 0,
	 "the stacks of this process, as they are now", "PID"},
	{"threshold", 0, POPT_ARG_STRING, &arguments.threshold, 0,
	 "leave out what has a smaller part of the time; the default is 1", "PERCENT"},
	{"host", 0, POPT_ARG_STRING, &arguments.far.hosts, 0,
	 "of the process on these hosts, by ssh; @FILE: those in a file", "HOST,..."},
	{"agent-command", 0, POPT_ARG_STRING, &arguments.far.command, 0,
	 "behind this command (%h: the host), which leads to 'trammel agent --stdio'",
	 "COMMAND"},
	SHOWING_SORT(arguments.shown),
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *read_threshold(double *ret_part)
{
	char *end;
	const char *word = arguments.threshold   ? arguments.threshold
			   : arguments.shown.all ? "0"
						 : "1";
	const double percent = strtod(word, &end);

	if (!*word || *end || !(percent >= 0) || percent > 100)
		return trm_error_create(TRM_ERROR_USAGE,
					"--threshold '%s' is not a percentage: write 0.5",
					word);
	*ret_part = percent / 100;
	return NULL;
}

static bool is_far(void)
{
	return arguments.far.hosts || arguments.far.command;
}

static struct trm_error *show_process(struct text *out, int *ret_status)
{
	uint64_t pid;

	if (arguments.shown.words.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"--pid is for a process, and FILE for a profile: "
					"leave one out");
	TRM_TRY(arguments_number("pid", arguments.pid, 1, &pid));
	if (pid > INT32_MAX)
		return trm_error_create(TRM_ERROR_GONE,
					"there is no process %s: 'ps -e' lists them",
					arguments.pid);
	if (is_far()) {
		*ret_status =
			far_stacks(&arguments.far, (uint32_t)pid, arguments.shown.json);
		return NULL;
	}
	return stacks_of_process((uint32_t)pid, arguments.shown.json, out);
}

static struct trm_error *show_list(const char *path, struct text *out)
{
	struct stacks_style style = {.text = {.width = showing_width()}};
	struct stack_list list;

	TRM_TRY(showing_colour(&arguments.shown, &style.text.colour));
	TRM_TRY(showing_limit(&arguments.shown, &style.limit));
	TRM_TRY(read_threshold(&style.threshold));
	TRM_TRY(stack_list_load(path, &list));
	if (list.warning)
		fprintf(stderr, "trammel: warning: %s\n", list.warning);
	if (!list.looked && !list.followed) {
		stack_list_deinit(&list);
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' has no stacks: trammel run -m stacks looks "
					"at them, -m waits follows what they wait for",
					path);
	}
	if (arguments.shown.json)
		stacks_json(&list, out);
	else
		stacks_show(&list, &style, out);
	stack_list_deinit(&list);
	return NULL;
}

static struct trm_error *run_stacks(int *ret_status)
{
	struct text text = {0};

	if (arguments.pid)
		TRM_TRY(show_process(&text, ret_status));
	else if (is_far())
		return trm_error_create(TRM_ERROR_USAGE,
					"no process: trammel stacks --host HOST -p PID");
	else if (arguments.shown.words.count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is needed, or a process: trammel "
					"stacks FILE, trammel stacks -p PID");
	else
		TRM_TRY(show_list(arguments.shown.words.items[0], &text));
	return is_far() ? NULL : showing_print(&arguments.shown, &text, true);
}

const struct command cmd_stacks = {
	.name = "stacks",
	.summary = "show what threads do and wait for, now or in a profile",
	.usage = "Usage: trammel stacks [OPTION]... FILE\n"
		 "       trammel stacks -p PID\n"
		 "Shows what threads did, and what they waited for; with -p, now.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_stacks,
};
