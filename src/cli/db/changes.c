/* The verbs of `trammel db` that change it. */
#include "cli/db/verbs.h"
#include "store/add.h"
#include "store/gc.h"
#include "store/keep.h"
#include "store/store.h"

#include <stdint.h>
#include <stdio.h>

static struct trm_error *add_file(struct sql *sql, const struct db_given *given,
				  const char *path)
{
	const struct store_add_options options = {
		.epoch = given->epoch, .label = given->label, .again = given->again};
	struct store_added added = {0};

	TRM_TRY(store_add(sql, path, &options, &added));
	if (added.warning)
		fprintf(stderr, "trammel: warning: %s\n", added.warning);
	free(added.warning);
	if (added.runs == 1)
		printf("%s: run %ld, %ld numbers\n", path, (long)added.first_run,
		       (long)added.counts);
	else
		printf("%s: runs %ld-%ld, %ld numbers\n", path, (long)added.first_run,
		       (long)added.last_run, (long)added.counts);
	return NULL;
}

/* Those in front of a file that cannot be added are there. */
static struct trm_error *add_files(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;

	(void)ret_status;
	TRM_TRY(db_open(given, SQL_ADD, &sql));
	for (size_t i = 1; i < given->shown.words.count; i++)
		TRM_TRY(add_file(sql, given, given->shown.words.items[i]));
	return NULL;
}

static struct trm_error *label_runs(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	int64_t changed;

	(void)ret_status;
	TRM_TRY(db_open(given, SQL_WRITE, &sql));
	TRM_TRY(sql_begin(sql, SQL_CHANGING));
	TRM_TRY(db_choose(sql, given));
	TRM_TRY(store_label(sql, given->shown.words.items[1], given->take, &changed));
	TRM_TRY(sql_commit(sql));
	printf("%ld runs changed\n", (long)changed);
	return NULL;
}

static struct trm_error *merge_databases(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;

	(void)ret_status;
	TRM_TRY(db_open(given, SQL_ADD, &sql));
	for (size_t i = 1; i < given->shown.words.count; i++) {
		const char *other = given->shown.words.items[i];
		int64_t added, left;

		TRM_TRY(store_merge(sql, other, &added, &left));
		printf("%s: %ld runs added, %ld profiles were there already\n", other,
		       (long)added, (long)left);
	}
	return NULL;
}

/* A number of days, or of something else. */
static struct trm_error *read_days(const char *option, const char *given,
				   int64_t otherwise, int64_t *ret_days)
{
	uint64_t days;

	*ret_days = otherwise;
	if (!given)
		return NULL;
	TRM_TRY(arguments_number(option, given, 0, &days));
	if (days > 100000)
		return trm_error_create(TRM_ERROR_USAGE, "--%s %s is too large", option,
					given);
	*ret_days = (int64_t)days;
	return NULL;
}

/* "2026-11-30": the day itself is checked by nobody, since 31st of any month adds up. */
static struct trm_error *check_day(const char *day)
{
	static const char form[] = "dddd-dd-dd";
	size_t at = 0;

	while (day && form[at] &&
	       (form[at] == 'd' ? day[at] >= '0' && day[at] <= '9' : day[at] == form[at]))
		at++;
	return !day || (!form[at] && !day[at])
		       ? NULL
		       : trm_error_create(TRM_ERROR_USAGE,
					  "--now '%s' is not a day: YYYY-MM-DD", day);
}

static struct trm_error *collect_garbage(const struct db_given *given, int *ret_status)
{
	scoped_store struct sql *sql = NULL;
	struct store_gc_options options = {.now = given->now, .dry = given->dry};
	struct store_gc_done done;

	(void)ret_status;
	TRM_TRY(check_day(given->now));
	TRM_TRY(read_days("hours-after", given->hours_after, 1, &options.hour_days));
	TRM_TRY(read_days("fold", given->fold, 100000, &options.shares));
	TRM_TRY(read_days("months-after", given->months_after, 60, &options.month_days));
	TRM_TRY(read_days("compact-after", given->compact_after, 7,
			  &options.compact_days));
	TRM_TRY(read_days("remove-after", given->remove_after, 0, &options.remove_days));
	TRM_TRY(read_days("keep", given->keep, 3, &options.keep));
	TRM_TRY(db_open(given, SQL_WRITE, &sql));
	TRM_TRY(store_gc(sql, &options, &done));
	printf("%s%ld runs deleted, %ld compacted into %ld; %ld numbers, %ld before\n",
	       given->dry ? "would be: " : "", (long)done.removed, (long)done.compacted,
	       (long)done.into, (long)done.counts_after, (long)done.counts_before);
	return NULL;
}

const struct db_verb db_changes[] = {
	{"add", "add FILE...             profiles, each in one piece", add_files, 1,
	 SIZE_MAX},
	{"label", "label NAME              give runs a label", label_runs, 1, 1},
	{"merge", "merge DATABASE...       take in the runs of others", merge_databases,
	 1, SIZE_MAX},
	{"gc", "gc                      make what is old smaller", collect_garbage, 0, 0},
	{NULL, NULL, NULL, 0, 0},
};
