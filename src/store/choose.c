#include "store/choose.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_like(const char *pattern, const char *name)
{
	return !pattern || text_glob(pattern, name);
}

bool store_is_image(const char *pattern, const char *path, const char *build)
{
	return is_like(pattern, path) || text_glob(pattern, path_name(path)) ||
	       (strlen(pattern) >= 4 && !strncmp(build, pattern, strlen(pattern)));
}

/* The newest epoch, by the name, which is a time. */
static struct trm_error *latest_epoch(struct sql *sql, char **ret_name)
{
	struct sql_rows rows;
	bool more;

	TRM_TRY(sql_ask(sql, &rows,
			"SELECT e.name FROM runs r JOIN epochs e ON e.id=r.epoch"
			" ORDER BY r.start DESC, r.id DESC LIMIT 1",
			""));
	TRM_TRY(sql_next(&rows, &more));
	*ret_name = memory_copy_string(more ? sql_text(&rows, 0) : "");
	if (more)
		sql_stop(&rows);
	return NULL;
}

/* "7" or "3-9". */
static struct trm_error *read_range(const char *text, int64_t *ret_from, int64_t *ret_to)
{
	char *end;

	*ret_from = 0;
	*ret_to = INT64_MAX;
	if (!text)
		return NULL;
	*ret_from = *ret_to = strtoll(text, &end, 10);
	if (*end == '-' && end[1])
		*ret_to = strtoll(end + 1, &end, 10);
	if (*end || !*text || *ret_from < 1 || *ret_to < *ret_from)
		return trm_error_create(TRM_ERROR_USAGE,
					"--run '%s' is not a run's number, or two with - "
					"between them",
					text);
	return NULL;
}

static bool is_label(const char *pattern, const struct sql_rows *row)
{
	return text_glob(pattern, sql_text(row, 0));
}

static bool is_image(const char *pattern, const struct sql_rows *row)
{
	return store_is_image(pattern, sql_text(row, 0), sql_text(row, 1));
}

/* Whether any row that a question has for the run matches the pattern; NULL: it does. */
static struct trm_error *
has_match(struct sql *sql, int64_t run, const char *question, const char *pattern,
	  bool (*matches)(const char *pattern, const struct sql_rows *row), bool *ret_has)
{
	struct sql_rows rows;
	bool more = true;

	*ret_has = !pattern;
	if (!pattern)
		return NULL;
	TRM_TRY(sql_ask(sql, &rows, question, "i", run));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		*ret_has |= more && matches(pattern, &rows);
	}
	return NULL;
}

struct candidates VECTOR(int64_t);

static struct trm_error *find_candidates(struct sql *sql,
					 const struct store_choice *choice,
					 const char *epoch, struct candidates *ret_runs)
{
	struct sql_rows rows;
	int64_t from, to;
	bool more = true;

	TRM_TRY(read_range(choice->run, &from, &to));
	TRM_TRY(sql_ask(sql, &rows,
			"SELECT r.id, e.name, h.name FROM runs r"
			" JOIN epochs e ON e.id=r.epoch JOIN hosts h ON h.id=r.host"
			" WHERE r.id BETWEEN ? AND ? ORDER BY 1",
			"ii", from, to));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (more && is_like(epoch, sql_text(&rows, 1)) &&
		    is_like(choice->host, sql_text(&rows, 2)))
			vector_push(ret_runs, sql_int(&rows, 0));
	}
	return NULL;
}

static struct trm_error *keep_runs(struct sql *sql, const struct store_choice *choice,
				   const struct candidates *runs, const char *insert,
				   size_t *ret_count)
{
	*ret_count = 0;
	vector_for_each (runs, run) {
		bool labelled, loaded;

		TRM_TRY(has_match(sql, *run,
				  "SELECT l.name FROM run_labels r JOIN labels l"
				  " ON l.id=r.label WHERE r.run=?",
				  choice->label, is_label, &labelled));
		TRM_TRY(has_match(sql, *run,
				  "SELECT i.path, i.build FROM run_images r"
				  " JOIN images i ON i.id=r.image WHERE r.run=?",
				  choice->image, is_image, &loaded));
		if (!labelled || !loaded)
			continue;
		TRM_TRY(sql_run(sql, insert, "i", *run));
		++*ret_count;
	}
	return NULL;
}

struct trm_error *store_choose(struct sql *sql, const struct store_choice *choice,
			       const char *name)
{
	scoped_free char *latest = NULL;
	struct candidates runs = {0};
	struct text text = {0}, insert = {0};
	const char *epoch = choice->epoch;
	struct trm_error *error = NULL;
	size_t count = 0;

	if (epoch && !strcmp(epoch, "latest")) {
		error = latest_epoch(sql, &latest);
		epoch = latest;
	}
	text_format(&text,
		    "CREATE TEMP TABLE IF NOT EXISTS %s(run INTEGER PRIMARY KEY);"
		    "DELETE FROM temp.%s",
		    name, name);
	text_format(&insert, "INSERT INTO temp.%s VALUES(?)", name);
	if (!error)
		error = sql_script(sql, text.data);
	if (!error)
		error = find_candidates(sql, choice, epoch, &runs);
	if (!error)
		error = keep_runs(sql, choice, &runs, sql_keep(sql, insert.data), &count);
	if (!error && !count)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "'%s' has no such run: 'trammel db runs' lists "
					 "all",
					 sql_path(sql));
	text_deinit(&insert);
	text_deinit(&text);
	vector_deinit(&runs);
	return error;
}

struct trm_error *store_choose_functions(struct sql *sql,
					 const struct store_choice *choice)
{
	struct candidates functions = {0};
	struct sql_rows rows;
	struct trm_error *error;
	bool more = true;

	TRM_TRY(sql_script(sql, "CREATE TEMP TABLE IF NOT EXISTS chosen_functions"
				"(function INTEGER PRIMARY KEY);"
				"DELETE FROM temp.chosen_functions"));
	if (!choice->function && !choice->image)
		return sql_run(
			sql, "INSERT INTO temp.chosen_functions SELECT id FROM functions",
			"");
	error = sql_ask(sql, &rows,
			"SELECT f.id, f.name, i.path, i.build FROM functions f"
			" JOIN images i ON i.id=f.image",
			"");
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (!error && more && is_like(choice->function, sql_text(&rows, 1)) &&
		    (!choice->image || store_is_image(choice->image, sql_text(&rows, 2),
						      sql_text(&rows, 3))))
			vector_push(&functions, sql_int(&rows, 0));
	}
	vector_for_each (&functions, function)
		if (!error)
			error = sql_run(sql,
					"INSERT INTO temp.chosen_functions VALUES(?)",
					"i", *function);
	vector_deinit(&functions);
	return error;
}

struct trm_error *store_choose_event(struct sql *sql, const struct store_choice *choice,
				     struct store_event *ret_event)
{
	static const char wanted[] =
		"SELECT id, name, type, sampled FROM events WHERE name=?";
	static const char usual[] =
		"SELECT id, name, type, sampled FROM events e WHERE fold='sum' AND EXISTS"
		" (SELECT 1 FROM temp.chosen c JOIN sums s ON s.event=e.id"
		" AND s.run=c.run)"
		" ORDER BY sampled=1 DESC, name='instructions' DESC, name='calls' DESC,"
		" name='time.ns' DESC, id LIMIT 1";
	struct sql_rows rows;
	bool more;

	if (choice->event)
		TRM_TRY(sql_ask(sql, &rows, wanted, "t", choice->event));
	else
		TRM_TRY(sql_ask(sql, &rows, usual, ""));
	TRM_TRY(sql_next(&rows, &more));
	if (!more && choice->event)
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' has no event '%s': 'trammel db events' "
					"lists all",
					sql_path(sql), choice->event);
	if (!more)
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s': nothing was counted in these runs",
					sql_path(sql));
	ret_event->id = sql_int(&rows, 0);
	snprintf(ret_event->name, sizeof(ret_event->name), "%s", sql_text(&rows, 1));
	ret_event->real = sql_int(&rows, 2) == 2;
	ret_event->sampled = sql_int(&rows, 3) == 1;
	sql_stop(&rows);
	return NULL;
}
