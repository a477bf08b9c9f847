/* `trammel query`: see man/trammel-query.1.md. */
#include "query/names.h"
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"
#include "cli/commands.h"
#include "join/join.h"
#include "cli/showing.h"

#include "query/format.h"
#include "query/functions.h"
#include "query/operators.h"
#include "query/query.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
	struct showing shown;
} arguments;

static const struct poptOption option_table[] = {
	SHOWING_OPTION("sort", 0, POPT_ARG_STRING, arguments.shown.sort,
		       "as ORDER BY in the query; - in front: DESC", "COLUMN"),
	SHOWING_OPTION("limit", 'n', POPT_ARG_STRING, arguments.shown.limit,
		       "as LIMIT in the query", "N"),
	SHOWING_OPTION("columns", 0, POPT_ARG_STRING, arguments.shown.columns,
		       "as SELECT in the query", "COLUMN,..."),
	SHOWING_OPTION("csv", 0, POPT_ARG_NONE, arguments.shown.csv,
		       "as FORMAT csv in the query", NULL),
	SHOWING_PRINT(arguments.shown),
	POPT_TABLEEND,
};

/* An error of the query is shown with its place. */
static struct trm_error *parse_query(const char *words, struct query **ret_query)
{
	struct text place = {0};
	size_t at = 0;
	struct trm_error *error = query_parse(words, ret_query, &at);

	if (!error)
		return NULL;
	text_add_place(words, at, &place);
	fputs(place.data, stderr);
	text_deinit(&place);
	return error;
}

static struct trm_error *write_part(const struct text *text)
{
	return arguments_show(text, 0);
}

/* Reads all files, and shows what is then known. */
static struct trm_error *show_all(const struct query *query, struct query_style *style,
				  struct text *warnings)
{
	const struct arguments_words *words = &arguments.shown.words;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct query_result *result;
	struct query_output output = {.write = write_part};
	struct text text = {0};

	/* A pager wants all of it. */
	style->output = style->width ? NULL : &output;
	TRM_TRY(query_run(query, (const char *const *)words->items + 1, words->count - 1,
			  processors > 1 ? (size_t)processors : 1, &result, warnings));
	query_warn_of_names(result, warnings);
	query_print(result, style, &text);
	query_result_destroy(result);
	if (output.error) {
		text_deinit(&text);
		return output.error;
	}
	return showing_print(&arguments.shown, &text, true);
}

static struct trm_error *show_result(const struct query *query)
{
	struct query_style style = {.width = showing_width(),
				    .object = arguments.shown.json};
	const struct arguments_words *words = &arguments.shown.words;
	struct text warnings = {0};
	struct trm_error *error;

	TRM_TRY(showing_colour(&arguments.shown, &style.colour));
	/* A pager wants all of it. */
	if (query_can_stream(query, &style) && (!style.width || !query_makes_rows(query)))
		error = query_stream(query, (const char *const *)words->items + 1,
				     words->count - 1, &style, write_part, &warnings);
	else
		error = show_all(query, &style, &warnings);
	text_print_warnings(&warnings, "trammel");
	text_deinit(&warnings);
	return error;
}

/* Adds the clauses that options stand for: the query has its own words for them, and a
 * place for each, so that one that is there already is an error. */
static struct trm_error *add_clauses(struct text *words)
{
	const struct showing *given = &arguments.shown;
	uint64_t limit;

	TRM_TRY(arguments_number("limit", given->limit, 0, &limit));
	if (given->json && given->csv)
		return trm_error_create(TRM_ERROR_USAGE,
					"--json and --csv are different formats");
	if (given->columns)
		text_format(words, " SELECT %s", given->columns);
	if (given->sort)
		text_format(words, " ORDER BY %s%s", given->sort + (*given->sort == '-'),
			    *given->sort == '-' ? " DESC" : "");
	if (given->limit)
		text_format(words, " LIMIT %s", given->limit);
	text_add(words, given->csv ? " FORMAT csv" : "");
	return NULL;
}

static struct trm_error *parse_words(struct query **ret_query)
{
	struct text words = {0};
	struct trm_error *error;

	text_add(&words, arguments.shown.words.items[0]);
	error = add_clauses(&words);
	if (!error)
		error = parse_query(words.data, ret_query);
	text_deinit(&words);
	return error;
}

static struct trm_error *run_query(int *ret_status)
{
	struct query *query;

	(void)ret_status;
	if (arguments.shown.words.count < 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a query and the files to read are needed: "
					"trammel query 'QUERY' FILE...");
	TRM_TRY(parse_words(&query));
	join_attach(query);
	struct trm_error *error = show_result(query);

	query_destroy(query);
	return error;
}

enum { HELP_WIDTH = 78 };

/* The names that rows of a table begin with, in lines. */
static void print_names(const char *title, const void *table, size_t row_size)
{
	size_t column = (size_t)printf("%-10s", title);

	for (const char *row = table; *(const char *const *)(const void *)row;
	     row += row_size) {
		const char *name = *(const char *const *)(const void *)row;

		if (column + 1 + strlen(name) > HELP_WIDTH)
			column = (size_t)printf("\n%10s", "") - 1;
		column += (size_t)printf(" %s", name);
	}
	puts("");
}

static void print_language(void)
{
	puts("\nA QUERY has clauses, all optional, in any order:\n\n"
	     "  LET name = expression [IF condition], ...    new attributes of records\n"
	     "  WHERE condition                              which records\n"
	     "  GROUP BY attribute, ... | path | ()          what is put together\n"
	     "  AGGREGATE operator(...), ...                 what is computed of a "
	     "group\n"
	     "  SELECT column [AS title] [UNIT unit], ...    attributes, path, "
	     "operators, *\n"
	     "  HAVING condition                             which rows\n"
	     "  ORDER BY column [DESC], ...                  in which order\n"
	     "  LIMIT rows [BY column, ...]                  how many (of each)\n"
	     "  FORMAT format[(option, ...)]                 how they are shown\n\n"
	     "Conditions: a, NOT a, a = v, also != < <= > >= ~= (glob) =~ (/regex/), "
	     "with\n"
	     "AND, OR and parentheses. Arithmetic has + - * /.\n");
	print_names("Operators:", query_operators, sizeof(query_operators[0]));
	print_names("Functions:", query_functions, sizeof(query_functions[0]));
	print_names("Formats:", query_formats, sizeof(query_formats[0]));
	puts("\nSELECT path, sum(time) AS time GROUP BY path ORDER BY time DESC FORMAT "
	     "tree\n"
	     "The page trammel-query(1) says what they mean.");
}

const struct command cmd_query = {
	.name = "query",
	.summary = "select, group and sum up what profiles hold",
	.usage = "Usage: trammel query [OPTION]... QUERY FILE...\n"
		 "Selects, groups and sums up what profiles hold.\n",
	.more = print_language,
	.options = option_table,
	.given = &arguments.shown,
	.run = run_query,
};
