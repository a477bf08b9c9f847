/* The verbs of `trammel db` that ask. */
#include "base/array.h"
#include "base/cleanup.h"
#include "cli/db/verbs.h"
#include "record/output.h"
#include "store/sql/address.h"
#include "store/ask.h"
#include "store/check.h"
#include "store/compare.h"
#include "store/export.h"
#include "store/store.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Opens the database for reading, one state of it, and chooses. */
static struct trm_error *begin_asking(const struct db_given *given, struct sql **ret_sql,
				      struct store_event *ret_event)
{
	const struct store_choice choice = {.event = given->event};

	TRM_TRY(db_open(given, SQL_READ, ret_sql));
	TRM_TRY(sql_begin(*ret_sql, SQL_READING));
	TRM_TRY(db_choose(*ret_sql, given));
	return ret_event ? store_choose_event(*ret_sql, &choice, ret_event) : NULL;
}

static struct trm_error *show_list(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	const char *kind = given->shown.words.items[0];
	struct answer answer = {0};
	struct trm_error *error;

	(void)ret_status;
	TRM_TRY(begin_asking(given, &sql, NULL));
	error = ask_list(sql, kind, &answer);
	if (!error)
		error = db_show_answer(given, &answer, kind);
	answer_deinit(&answer);
	return error;
}

static struct trm_error *show_top(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct answer answer = {0};
	struct store_event event;
	struct trm_error *error;
	int subject;

	(void)ret_status;
	TRM_TRY(arguments_choose("by", given->by, ask_subjects, &subject));
	TRM_TRY(begin_asking(given, &sql, &event));
	error = ask_top(sql, &event, subject, &answer);
	if (!error)
		error = db_show_answer(given, &answer, "top");
	answer_deinit(&answer);
	return error;
}

static struct trm_error *show_places(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct db_given chosen = *given;
	struct answer answer = {0};
	struct trm_error *error;

	chosen.function = given->shown.words.items[1];
	TRM_TRY(begin_asking(&chosen, &sql, NULL));
	error = ask_places(sql, &answer);
	if (!error && !answer.cells.count)
		*ret_status = EXIT_FINDING;
	if (!error)
		error = db_show_answer(given, &answer, "places");
	answer_deinit(&answer);
	return error;
}

static struct trm_error *show_counts(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct answer answer = {0};
	struct store_event event;
	struct trm_error *error;
	size_t limit;

	(void)ret_status;
	TRM_TRY(showing_limit(&given->shown, &limit));
	TRM_TRY(begin_asking(given, &sql, &event));
	error = ask_top_places(sql, &event, given->shown.json ? SIZE_MAX : limit,
			       &answer);
	if (!error)
		error = db_show_answer(given, &answer, "places");
	answer_deinit(&answer);
	return error;
}

static struct trm_error *show_numbers(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct answer answer = {0};
	struct trm_error *error;
	size_t limit;

	(void)ret_status;
	TRM_TRY(showing_limit(&given->shown, &limit));
	TRM_TRY(begin_asking(given, &sql, NULL));
	error = ask_numbers(sql, given->shown.json ? SIZE_MAX : limit, &answer);
	if (!error)
		error = db_show_answer(given, &answer, "numbers");
	answer_deinit(&answer);
	return error;
}

static struct trm_error *show_variation(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct answer answer = {0};
	struct store_event event;
	struct trm_error *error;

	(void)ret_status;
	TRM_TRY(begin_asking(given, &sql, &event));
	error = ask_variation(sql, &event, &answer);
	if (!error)
		error = db_show_answer(given, &answer, "functions");
	answer_deinit(&answer);
	return error;
}

/* Runs by a word: a label, an epoch, or their numbers. */
static struct trm_error *choose_side(struct sql *sql, const struct db_given *given,
				     const char *word, const char *table)
{
	struct store_choice choice = {.host = given->host};
	int64_t label, epoch;

	TRM_TRY(sql_number(sql, -1, &label, "SELECT id FROM labels WHERE name=?", "t",
			   word));
	TRM_TRY(sql_number(sql, -1, &epoch, "SELECT id FROM epochs WHERE name=?", "t",
			   word));
	if (label >= 0)
		choice.label = word;
	else if (epoch >= 0)
		choice.epoch = word;
	else if (*word >= '0' && *word <= '9')
		choice.run = word;
	else
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' has no label and no epoch '%s': 'trammel "
					"db runs' lists all, with their numbers",
					sql_path(sql), word);
	return store_choose(sql, &choice, table);
}

static struct trm_error *show_difference(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	char *const *words = given->shown.words.items;
	const struct store_choice choice = {.event = given->event,
					    .function = given->function,
					    .image = given->image};
	struct answer answer = {0};
	struct store_event event;
	struct trm_error *error;

	TRM_TRY(db_open(given, SQL_READ, &sql));
	TRM_TRY(sql_begin(sql, SQL_READING));
	TRM_TRY(choose_side(sql, given, words[1], "chosen"));
	TRM_TRY(choose_side(sql, given, words[2], "chosen_b"));
	TRM_TRY(store_choose_functions(sql, &choice));
	TRM_TRY(store_choose_event(sql, &choice, &event));
	error = ask_difference(sql, &event, &answer);
	if (!error && answer.cells.count)
		*ret_status = EXIT_FINDING;
	if (!error)
		error = db_show_answer(given, &answer, "functions");
	answer_deinit(&answer);
	return error;
}

static struct trm_error *export_profile(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct trm_output output;

	(void)ret_status;
	if (!given->output)
		return trm_error_create(TRM_ERROR_USAGE,
					"no output: trammel db export -o FILE");
	TRM_TRY(begin_asking(given, &sql, NULL));
	TRM_TRY(trm_output_open(given->output, &output));
	return trm_output_close(&output, store_export(sql, output.fd));
}

/* What was found, and what to do. */
static void add_verdict(const struct db_given *given, const char *path, struct text *text)
{
	scoped_free char *shown = address_show(path);

	if (given->repair && address_is_server(path))
		text_format(text, "'%s' is repaired\n", shown);
	else if (given->repair)
		text_format(text, "'%s' is repaired; the old one is '%s.damaged'\n",
			    shown, shown);
	else if (text->length)
		text_format(text,
			    "'%s' is damaged: 'trammel db check --repair' salvages what "
			    "can be read\n",
			    shown);
	else
		text_format(text, "'%s' is sound\n", shown);
}

static struct trm_error *check_database(const struct db_given *given, int *ret_status)
{
	struct text text = {0};
	const char *path;
	struct trm_error *error;

	TRM_TRY(db_path(given, &path));
	error = given->repair ? store_repair(path, &text) : store_check(path, &text);
	if (!error && !given->repair)
		*ret_status = text.length ? EXIT_FINDING : EXIT_DONE;
	if (!error)
		add_verdict(given, path, &text);
	if (!error)
		error = showing_print(&given->shown, &text, false);
	else
		text_deinit(&text);
	return error;
}

const struct db_verb db_questions[] = {
	{"epochs", "epochs                  which there are, of how many runs", show_list,
	 0, 0},
	{"runs", "runs                    each with its number", show_list, 0, 0},
	{"images", "images                  programs and libraries, by build id",
	 show_list, 0, 0},
	{"events", "events                  what was counted", show_list, 0, 0},
	{"hosts", "hosts                   on which it was", show_list, 0, 0},
	{"labels", "labels                  that runs were given", show_list, 0, 0},
	{"top", "top                     functions with most of an event", show_top, 0,
	 0},
	{"list", "list FUNCTION           numbers at each of its addresses", show_places,
	 1, 1},
	{"topcounts", "topcounts               addresses with most of an event",
	 show_counts, 0, 0},
	{"cat", "cat                     all numbers as they are", show_numbers, 0, 0},
	{"stats", "stats                   how functions vary between runs",
	 show_variation, 0, 0},
	{"diff", "diff A B                functions of two labels, epochs or runs",
	 show_difference, 2, 2},
	{"export", "export -o FILE          a profile of the runs", export_profile, 0, 0},
	{"check", "check [--repair]        whether the database is sound", check_database,
	 0, 0},
	{NULL, NULL, NULL, 0, 0},
};
