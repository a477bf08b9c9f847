#include "cli/showing.h"

#include "cli/commands.h"
#include "cli/far/modules.h"
#include "record/output.h"
#include "report/load.h"
#include "report/merge.h"
#include "report/runs.h"
#include "report/select.h"
#include "report/text/choice.h"
#include "report/text/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the newest profile in the current folder; NULL: there is none. The caller frees
 * it. */
static char *find_newest(void)
{
	DIR *folder = opendir(".");
	struct timespec best = {0};
	char *newest = NULL;
	struct dirent *entry;
	struct stat info;

	while (folder && (entry = readdir(folder))) {
		const char *ending = strrchr(entry->d_name, '.');

		if (!ending || strcmp(ending, ".trm") != 0 ||
		    stat(entry->d_name, &info) || !S_ISREG(info.st_mode))
			continue;
		if (newest && (info.st_mtim.tv_sec < best.tv_sec ||
			       (info.st_mtim.tv_sec == best.tv_sec &&
				info.st_mtim.tv_nsec <= best.tv_nsec)))
			continue;
		free(newest);
		newest = memory_copy_string(entry->d_name);
		best = info.st_mtim;
	}
	if (folder)
		closedir(folder);
	return newest;
}

/* Whether a word is to be a profile: it is there, or looks like a path of one. */
static bool names_profile(const char *word)
{
	const char *ending = strrchr(word, '.');

	return !access(word, F_OK) || strchr(word, '/') ||
	       (ending && (!strcmp(ending, ".trm") || !strcmp(ending, ".cali") ||
			   !strcmp(ending, ".json")));
}

/* Puts the newest profile in front of the words where they begin with none. */
static void complete_words(const struct command *command)
{
	struct arguments_words *words = &command->given->words;
	char *newest;

	if (words->count >= command->profile_words ||
	    (words->count && names_profile(words->items[0])))
		return;
	newest = find_newest();
	if (!newest)
		return;
	fprintf(stderr, "trammel: %s, the newest profile here\n", newest);
	vector_push(words, newest);
	for (size_t i = words->count - 1; i > 0; i--) {
		words->items[i] = words->items[i - 1];
		words->items[i - 1] = newest;
	}
}

static struct trm_error *run_showing(const struct command *command, int argc,
				     const char **argv, int *ret_status)
{
	TRM_TRY(arguments_parse(command->name, argc, argv, command->options,
				&command->given->words));
	if (!command->given->help) {
		complete_words(command);
		far_modules_use();
		return command->run(ret_status);
	}
	arguments_print_help(command->usage, command->options);
	if (command->more)
		command->more();
	return NULL;
}

/* Whether --sort is an order of the command's own, which it sorts by itself. */
static bool sorts_itself;

int showing_command(const struct command *command, int argc, const char **argv)
{
	int status = EXIT_DONE;

	if (command->main)
		return command->main(argc, argv);
	struct trm_error *error = run_showing(command, argc, argv, &status);

	status = arguments_status(error, status);
	grid_choose(NULL);
	sorts_itself = false;
	arguments_reset(command->options, &command->given->words);
	return status;
}

struct trm_error *showing_filter(const struct showing *given,
				 struct report_filter *ret_filter)
{
	uint64_t process, interval;

	TRM_TRY(arguments_number("process", given->process, 0, &process));
	TRM_TRY(arguments_number("interval", given->interval, 1, &interval));
	*ret_filter = (struct report_filter){
		.one_process = given->process != NULL,
		.process = process,
		.interval = interval,
		.module = given->module,
	};
	return NULL;
}

struct trm_error *showing_colour(const struct showing *given, bool *ret_colour)
{
	static const char *const colours[] = {"auto", "always", "never", NULL};
	int chosen;

	TRM_TRY(arguments_choose("color", given->colour, colours, &chosen));
	*ret_colour = report_colour_on(stdout, (enum report_colour)chosen);
	return NULL;
}

struct trm_error *showing_sort(const struct showing *given, const char *const *keys,
			       int *ret_key)
{
	*ret_key = 0;
	sorts_itself = false;
	for (int i = 0; given->sort && keys[i]; i++) {
		if (!strcasecmp(keys[i], given->sort)) {
			*ret_key = i;
			sorts_itself = true;
			return NULL;
		}
		if (text_is_near(given->sort, keys[i]))
			return arguments_choose("sort", given->sort, keys, ret_key);
	}
	return NULL;
}

struct trm_error *showing_limit(const struct showing *given, size_t *ret_limit)
{
	struct grid_choice choice = {.columns = given->columns,
				     .sort = sorts_itself ? NULL : given->sort,
				     .csv = given->csv};
	uint64_t limit;

	TRM_TRY(arguments_number("limit", given->limit, 1, &limit));
	if (given->json && (given->csv || given->columns))
		return trm_error_create(TRM_ERROR_USAGE,
					"--json has all columns: without --csv and "
					"--columns");
	*ret_limit = given->all || (given->csv && !limit) ? SIZE_MAX
		     : limit                              ? limit
							  : SHOWING_LIMIT_USUAL;
	if (choice.sort && !given->json) {
		choice.limit = *ret_limit;
		*ret_limit = SIZE_MAX;
	}
	grid_choose(&choice);
	return NULL;
}

struct trm_error *showing_load(const char *path, const struct report_filter *filter,
			       struct report_profile **ret_profile)
{
	struct report_profile *profile;

	TRM_TRY(report_profile_load_interval(path, filter->interval, &profile));
	if (profile->warning)
		fprintf(stderr, "trammel: warning: %s\n", profile->warning);
	struct trm_error *error = report_profile_select(profile, filter);

	if (error)
		report_profile_destroy(profile);
	else
		*ret_profile = profile;
	return error;
}

struct trm_error *showing_merge(const struct showing *given, int fd)
{
	struct report_merge *merge = report_merge_create(fd);
	struct trm_error *error = NULL, *disk;

	vector_for_each (&given->words, file) {
		char *warning = NULL;

		if (!error)
			error = report_merge_add(merge, *file, &warning);
		if (warning)
			fprintf(stderr, "trammel: warning: %s\n", warning);
		free(warning);
	}
	disk = report_merge_finish(merge);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}

struct trm_error *showing_need_blocks(const struct report_profile *profile,
				      const char *path)
{
	if (profile->blocks.count)
		return NULL;
	if (report_has_measured_blocks(profile))
		return report_blocks_stayed(path);
	return trm_error_create(TRM_ERROR_USAGE,
				"no counts of blocks in '%s': measure with trammel run "
				"-m blocks",
				path);
}

struct trm_error *showing_need_calls(const struct report_profile *profile,
				     const char *path)
{
	if (profile->arcs.count)
		return NULL;
	return trm_error_create(TRM_ERROR_USAGE,
				"no counts of calls by call site in '%s': measure "
				"with trammel run -m calls",
				path);
}

size_t showing_width(void)
{
	size_t columns, lines;

	report_terminal_size(stdout, &columns, &lines);
	return columns;
}

struct trm_error *showing_print(const struct showing *given, struct text *text, bool page)
{
	size_t columns, lines;

	report_terminal_size(stdout, &columns, &lines);
	const struct text *csv = given->json ? NULL : grid_csv();
	struct trm_error *error = given->json ? NULL : grid_check();

	if (!error && csv && !csv->length)
		error = trm_error_create(TRM_ERROR_USAGE, "no table to write as CSV");
	if (!error)
		error = arguments_show(
			csv ? csv : text,
			page && !csv && !given->json && !given->no_pager ? lines : 0);
	text_deinit(text);
	return error;
}

struct trm_error *showing_write(const char *path, const struct text *text)
{
	struct trm_output output;
	struct trm_error *error = NULL;
	size_t written = 0;

	if (!path)
		return arguments_show(text, 0);
	TRM_TRY(trm_output_open(path, &output));
	while (!error && written < text->length) {
		ssize_t now =
			write(output.fd, text->data + written, text->length - written);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			error = trm_error_create(TRM_ERROR_SYSTEM, "%s",
						 strerror(now ? errno : ENOSPC));
		else
			written += (size_t)now;
	}
	return trm_output_close(&output, error);
}
