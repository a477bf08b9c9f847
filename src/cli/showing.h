/* Shared by the commands that read profiles: options with the same meaning in each,
 * and the way from the command line to the exit status. */
#ifndef TRAMMEL_CLI_SHOWING_H
#define TRAMMEL_CLI_SHOWING_H
#include "base/cleanup.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/profile.h"
#include "report/select.h"

#include <stdbool.h>

enum { SHOWING_LIMIT_USUAL = 30 };

/* Storage for the values of the options; fields whose option a command does not have
 * stay unchanged. */
struct showing {
	int json, all, no_pager, help, csv;
	char *process, *interval, *module, *limit, *colour, *columns, *sort;
	struct arguments_words words; /* files and other positional words */
};

/* Rows of a popt table; `given` is a struct showing. */
#define SHOWING_OPTION(name, letter, kind, variable, text, value)                        \
	{                                                                                \
		name, letter, kind, &(variable), 0, text, value                          \
	}
#define SHOWING_PROCESS(given)                                                           \
	SHOWING_OPTION("process", 0, POPT_ARG_STRING, (given).process,                   \
		       "only what this process executed", "PID")
#define SHOWING_INTERVAL(given)                                                          \
	SHOWING_OPTION("interval", 0, POPT_ARG_STRING, (given).interval,                 \
		       "only the counts of this interval", "N")
#define SHOWING_MODULE(given)                                                            \
	SHOWING_OPTION("module", 0, POPT_ARG_STRING, (given).module,                     \
		       "only modules whose name or path matches the shell pattern",      \
		       "GLOB")
#define SHOWING_LIMIT(given)                                                             \
	SHOWING_OPTION("limit", 'n', POPT_ARG_STRING, (given).limit,                     \
		       "at most N rows a table; the default is 30", "N")
#define SHOWING_ALL(given)                                                               \
	SHOWING_OPTION("all", 'a', POPT_ARG_NONE, (given).all, "all rows", NULL)
#define SHOWING_SORT(given)                                                              \
	SHOWING_OPTION("sort", 0, POPT_ARG_STRING, (given).sort,                         \
		       "order of the rows: a column's title; - in front turns it round", \
		       "COLUMN")
#define SHOWING_COLUMNS(given)                                                           \
	SHOWING_OPTION("columns", 0, POPT_ARG_STRING, (given).columns,                   \
		       "only these columns, by their titles", "TITLE,...")
#define SHOWING_CSV(given)                                                               \
	SHOWING_OPTION("csv", 0, POPT_ARG_NONE, (given).csv,                             \
		       "the first table alone, as comma-separated values", NULL)
#define SHOWING_JSON(given)                                                              \
	SHOWING_OPTION("json", 0, POPT_ARG_NONE, (given).json,                           \
		       "one JSON object, with all there is", NULL)
#define SHOWING_COLOUR(given)                                                            \
	SHOWING_OPTION("color", 0, POPT_ARG_STRING, (given).colour,                      \
		       "colours: auto (the default: on a terminal), always or never",    \
		       "WHEN")
#define SHOWING_PAGER(given)                                                             \
	SHOWING_OPTION("no-pager", 0, POPT_ARG_NONE, (given).no_pager,                   \
		       "do not page what is longer than the screen", NULL)
#define SHOWING_HELP(given)                                                              \
	SHOWING_OPTION("help", 'h', POPT_ARG_NONE, (given).help, "show this help", NULL)

/* Option rows for commands that print tables, and for commands that print anything. */
#define SHOWING_TABLES(given)                                                            \
	SHOWING_LIMIT(given), SHOWING_ALL(given), SHOWING_COLUMNS(given),                \
		SHOWING_CSV(given), SHOWING_PRINT(given)
#define SHOWING_PRINT(given)                                                             \
	SHOWING_JSON(given), SHOWING_COLOUR(given), SHOWING_PAGER(given),                \
		SHOWING_HELP(given)

/* Parses the command line and runs the command or prints its help, then frees the
 * values of the options. Returns the exit status. */
int showing_command(const struct command *command, int argc, const char **argv);

/* Converts --process, --interval and --module into a filter. */
struct trm_error *showing_filter(const struct showing *given,
				 struct report_filter *ret_filter);

/* Reads --color for standard output; writes whether to use colours. */
struct trm_error *showing_colour(const struct showing *given, bool *ret_colour);

/* Finds which of a command's own orders --sort is (the list ends with NULL); what is none
 * of them is the title of a column, and 0. To be called before showing_limit. */
struct trm_error *showing_sort(const struct showing *given, const char *const *keys,
			       int *ret_key);

/* Reads --limit, --all, --sort, --columns and --csv; writes the number of rows that the
 * command is to put into each table. */
struct trm_error *showing_limit(const struct showing *given, size_t *ret_limit);

/* Loads a profile and selects of it; its warnings are printed. The caller destroys it. */
struct trm_error *showing_load(const char *path, const struct report_filter *filter,
			       struct report_profile **ret_profile);

/* Merges the profiles that `given` names, and writes the result to `fd`; warnings are
 * printed. */
struct trm_error *showing_merge(const struct showing *given, int fd);

/* Returns an error if the profile has no block counts, else NULL. */
struct trm_error *showing_need_blocks(const struct report_profile *profile,
				      const char *path);

/* Returns an error if the profile has no call counts by call site, else NULL. */
struct trm_error *showing_need_calls(const struct report_profile *profile,
				     const char *path);

/* Destroys a profile when its name goes out of scope. */
static inline void showing_unload_(struct report_profile **profile)
{
	report_profile_destroy(*profile);
}
#define scoped_profile scoped(showing_unload_)

/* Columns of standard output; 0: no terminal. */
size_t showing_width(void);

/* Writes the text to standard output, paged where that is wanted and `page`, and frees
 * it. */
struct trm_error *showing_print(const struct showing *given, struct text *text,
				bool page);

/* Writes the text to a file, whole or not at all; without a path to standard output. */
struct trm_error *showing_write(const char *path, const struct text *text);

#endif
