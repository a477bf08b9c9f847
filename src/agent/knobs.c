#include "agent/knobs.h"

#include "base/array.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/options/words.h"
#include "cli/saving.h"

#include <popt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 16 };

/* What `trammel run` takes, but for what is printed. */
#define KNOBS_TABLE(name, given, database)                                               \
	struct poptOption name[] = {MEASURING_RUN_OPTIONS(given),                        \
				    SAVING_OPTION(database), POPT_TABLEEND}

static bool is_option(const Trm__Field *field)
{
	return !strncmp(field->name, KNOBS_PREFIX, strlen(KNOBS_PREFIX)) &&
	       field->value_case == TRM__FIELD__VALUE_TEXT;
}

static const struct poptOption *find_row(const struct poptOption *table, const char *name)
{
	for (; table->longName; table++)
		if (!strcmp(table->longName, name))
			return table;
	return NULL;
}

/* The nearest name, for who typed another one. */
static struct trm_error *unknown_option(const struct poptOption *table, const char *name)
{
	const char *nearest = NULL;

	for (const struct poptOption *row = table; row->longName; row++)
		nearest = text_nearer(name, row->longName, nearest);
	return trm_error_create(TRM_ERROR_USAGE,
				text_is_near(name, nearest)
					? "there is no option '%s': '%s' is meant?"
					: "there is no option '%s': 'trammel config' "
					  "lists all, as '%s'",
				name, nearest);
}

static bool is_true(const char *word)
{
	return !strcmp(word, "true") || !strcmp(word, "yes") || !strcmp(word, "1") ||
	       !*word;
}

static bool is_false(const char *word)
{
	return !strcmp(word, "false") || !strcmp(word, "no") || !strcmp(word, "0");
}

/* Adds the option as a command line has it; an empty text: none. */
static struct trm_error *add_word(const struct poptOption *table, const Trm__Field *field,
				  struct text *ret_word)
{
	const char *name = field->name + strlen(KNOBS_PREFIX);
	const struct poptOption *row = find_row(table, name);

	if (!row)
		return unknown_option(table, name);
	/* Some may have a word, or none. */
	if ((row->argInfo & POPT_ARG_MASK) != POPT_ARG_NONE &&
	    !(row->argInfo & POPT_ARGFLAG_OPTIONAL && is_true(field->text)))
		text_format(ret_word, "--%s=%s", name, field->text);
	else if (is_true(field->text))
		text_format(ret_word, "--%s", name);
	else if (!is_false(field->text))
		return trm_error_create(TRM_ERROR_USAGE,
					"option '%s' is true or false, not '%s'", name,
					field->text);
	return NULL;
}

struct trm_error *knobs_read(const Trm__Request *request, struct measuring *given,
			     char **ret_database)
{
	KNOBS_TABLE(table, *given, *ret_database);
	struct VECTOR(const char *) words = {0};
	struct trm_error *error = NULL;
	bool help;

	vector_push(&words, memory_copy_string("trammel"));
	for (size_t i = 0; i < request->n_fields && !error; i++) {
		struct text word = {0};

		if (is_option(request->fields[i]))
			error = add_word(table, request->fields[i], &word);
		if (word.length)
			vector_push(&words, word.data);
		else
			text_deinit(&word);
	}
	const int count = (int)words.count;

	vector_push(&words, NULL);
	if (!error) {
		poptContext context =
			poptGetContext("trammel", count, words.items, table, 0);

		error = measuring_read(context, given, "run", &help);
		poptFreeContext(context);
	}
	vector_for_each (&words, word)
		free((char *)(uintptr_t)*word);
	vector_deinit(&words);
	return error;
}

void knobs_add_row(Trm__Answer *answer, ...)
{
	Trm__Row *row = memory_allocate(sizeof(*row));
	va_list words;
	const char *name;

	trm__row__init(row);
	row->fields = memory_allocate_zeroed(FIELDS_MAX, sizeof(*row->fields));
	va_start(words, answer);
	while (row->n_fields < FIELDS_MAX && (name = va_arg(words, const char *))) {
		Trm__Field *field = memory_allocate(sizeof(*field));

		trm__field__init(field);
		field->name = memory_copy_string(name);
		field->value_case = TRM__FIELD__VALUE_TEXT;
		field->text = memory_copy_string(va_arg(words, const char *));
		row->fields[row->n_fields++] = field;
	}
	va_end(words);
	answer->rows =
		realloc(answer->rows, (answer->n_rows + 1) * sizeof(*answer->rows));
	if (!answer->rows)
		abort();
	answer->rows[answer->n_rows++] = row;
}

void knobs_free_rows(Trm__Answer *answer)
{
	for (size_t i = 0; i < answer->n_rows; i++)
		trm__row__free_unpacked(answer->rows[i], NULL);
	free(answer->rows);
	answer->rows = NULL;
	answer->n_rows = 0;
}

/* "... (default 10s)": 10s. */
static char *find_default(const char *about)
{
	static const char mark[] = "(default ";
	const char *at = strstr(about, mark);
	const char *end = at ? strrchr(at, ')') : NULL;

	if (!end)
		return memory_copy_string("");
	at += strlen(mark);
	char *found = memory_allocate((size_t)(end - at) + 1);

	memcpy(found, at, (size_t)(end - at));
	found[end - at] = '\0';
	return found;
}

void knobs_list(Trm__Answer *answer)
{
	struct measuring none = {0};
	char *database;
	KNOBS_TABLE(table, none, database);

	for (const struct poptOption *row = table; row->longName; row++) {
		bool flag = (row->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE;
		char *usual =
			flag ? memory_copy_string("false") : find_default(row->descrip);

		if (strcmp(row->longName, "output") != 0)
			knobs_add_row(answer, "name", row->longName, "kind",
				      flag ? "flag" : measuring_word_kind(row->val),
				      "adds", measuring_word_adds(row->val) ? "1" : "",
				      "default", usual, "about", row->descrip, NULL);
		free(usual);
	}
}
