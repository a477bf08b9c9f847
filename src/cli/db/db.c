/* `trammel db`: see man/trammel-db.1.md. */
#include "base/array.h"
#include "cli/commands.h"
#include "cli/db/verbs.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct db_given given;

#define DB_WORD(name, variable, text, value)                                             \
	SHOWING_OPTION(name, 0, POPT_ARG_STRING, given.variable, text, value)
#define DB_FLAG(name, variable, text)                                                    \
	SHOWING_OPTION(name, 0, POPT_ARG_NONE, given.variable, text, NULL)

static const struct poptOption option_table[] = {
	DB_WORD("db", db, "the database (default: $TRAMMEL_DB)", "FILE"),
	DB_WORD("epoch", epoch,
		"only runs of epochs that match, or of the latest; add: put them there",
		"GLOB"),
	DB_WORD("label", label, "only runs with a label that matches; add: give it",
		"GLOB"),
	DB_WORD("host", host, "only runs on hosts that match", "GLOB"),
	DB_WORD("image", image,
		"only images whose path or name matches, or whose build id begins so",
		"GLOB"),
	DB_WORD("run", run, "only the runs with these numbers: 7 or 3-9", "NUMBERS"),
	DB_WORD("event", event, "what was counted, as 'events' lists it", "NAME"),
	DB_WORD("function", function, "only functions that match", "GLOB"),
	DB_WORD("by", by,
		"top: what a row is: function (the default), image, epoch, host, label "
		"or "
		"run",
		"WHAT"),
	DB_WORD("ghz", ghz,
		"calc: cycles in a nanosecond, for samples by a clock (default: as this "
		"processor says)",
		"NUMBER"),
	DB_FLAG("estimate", estimate,
		"calc: estimate executions also where they were counted, and compare"),
	SHOWING_OPTION("output", 'o', POPT_ARG_STRING, given.output,
		       "export: write the profile here", "FILE"),
	DB_FLAG("again", again, "add: also what is there already"),
	DB_FLAG("remove", take, "label: take it away"),
	DB_FLAG("repair", repair, "check: save what can be read of a damaged one"),
	DB_WORD("hours-after", hours_after,
		"gc: hours of a daemon become their day after so many (default 1)",
		"DAYS"),
	DB_WORD("fold", fold,
		"gc: addresses with less than 1/N of a daemon's samples become their "
		"functions (default 100000)",
		"N"),
	DB_WORD("months-after", months_after,
		"gc: weeks older than this become months (default 60)", "DAYS"),
	DB_WORD("compact-after", compact_after,
		"gc: days older than this become weeks (default 7)", "DAYS"),
	DB_WORD("remove-after", remove_after,
		"gc: delete epochs older than this (default: none)", "DAYS"),
	DB_WORD("keep", keep, "gc: never delete so many of the newest epochs (default 3)",
		"N"),
	DB_WORD("now", now, "gc: as if it were this day", "YYYY-MM-DD"),
	DB_FLAG("dry-run", dry, "gc: only say what it would do"),
	SHOWING_SORT(given.shown),
	SHOWING_TABLES(given.shown),
	POPT_TABLEEND};

static const struct db_verb *find_verb(const char *name)
{
	const struct db_verb *const tables[] = {db_questions, db_calculations,
						db_changes};

	for (size_t i = 0; i < array_count(tables); i++)
		for (const struct db_verb *verb = tables[i]; verb->name; verb++)
			if (!strcmp(verb->name, name))
				return verb;
	return NULL;
}

/* The words of a verb's usage, without what is said of it. */
static int usage_length(const char *usage)
{
	const char *end = strstr(usage, "  ");

	return (int)(end ? (size_t)(end - usage) : strlen(usage));
}

static void print_verbs(void)
{
	const struct db_verb *const tables[] = {db_questions, db_calculations,
						db_changes};

	puts("\nVerbs:");
	for (size_t i = 0; i < array_count(tables); i++)
		for (const struct db_verb *verb = tables[i]; verb->name; verb++)
			printf("  %s\n", verb->usage);
}

static struct trm_error *run_db(int *ret_status)
{
	const struct arguments_words *words = &given.shown.words;
	const struct db_verb *verb;

	/* A limit on the size of files is like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (!words->count)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"say what: trammel db add FILE..., trammel db top; "
			"'trammel help db' lists all");
	verb = find_verb(words->items[0]);
	if (!verb)
		return trm_error_create(TRM_ERROR_USAGE,
					"trammel db has no '%s': 'trammel help db' lists "
					"all",
					words->items[0]);
	if (words->count - 1 < verb->least || words->count - 1 > verb->most)
		return trm_error_create(TRM_ERROR_USAGE, "Usage: trammel db %.*s",
					usage_length(verb->usage), verb->usage);
	return verb->run(&given, ret_status);
}

const struct command cmd_db = {
	.name = "db",
	.summary = "keep profiles in a database, and ask it",
	.usage = "Usage: trammel db VERB [OPTION]... [ARGUMENT]...\n"
		 "Keeps the profiles of many runs in a database, and asks it.\n",
	.more = print_verbs,
	.options = option_table,
	.given = &given.shown,
	.run = run_db,
};
