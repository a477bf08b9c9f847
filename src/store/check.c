#include "store/check.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "store/sql/address.h"
#include "store/sql/sqlite.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Columns whose numbers are rows of another table, or NULL. */
static const struct {
	const char *table, *column, *of, *words;
} references[] = {
	{"counts", "source", "sources", "counts without a source"},
	{"counts", "context", "contexts", "counts without a context"},
	{"counts", "event", "events", "counts without an event"},
	{"sources", "run", "runs", "sources without a run"},
	{"contexts", "function", "functions", "contexts without a function"},
	{"contexts", "node", "nodes", "contexts without a node"},
	{"nodes", "parent", "nodes", "nodes without a parent"},
	{"nodes", "attribute", "attributes", "nodes without an attribute"},
	{"functions", "image", "images", "functions without an image"},
	{"events", "attribute", "attributes", "events without an attribute"},
	{"rests", "profile", "profiles", "rests without a profile"},
	{"runs", "profile", "profiles", "runs without a profile"},
	{"runs", "epoch", "epochs", "runs without an epoch"},
	{"runs", "host", "hosts", "runs without a host"},
	{"run_labels", "run", "runs", "labels without a run"},
	{"run_labels", "label", "labels", "runs without their label"},
	{"run_images", "run", "runs", "images without a run"},
	{"run_images", "image", "images", "runs without their image"},
	{"sums", "run", "runs", "sums without a run"},
	{"sums", "function", "functions", "sums without a function"},
	{"sums", "event", "events", "sums without an event"},
};

#define SUMS_OF_COUNTS                                                                   \
	"(SELECT s.run, c.event, x.function, sum(c.value) AS value"                      \
	" FROM sources s JOIN counts c ON c.source=s.id"                                 \
	" JOIN contexts x ON x.id=c.context JOIN events e ON e.id=c.event"               \
	" WHERE e.fold='sum' GROUP BY 1, 2, 3)"

/* Questions whose answer is how many rows contradict others. Sums of the event 0 are
 * those of blocks, by their instructions. */
static const struct {
	const char *question, *words;
} rules[] = {
	{"SELECT count(*) FROM nodes WHERE parent >= id", "nodes below themselves"},
	{"SELECT count(*) FROM " SUMS_OF_COUNTS " t LEFT JOIN sums"
	 " USING(event, run, function) WHERE sums.value IS NULL OR"
	 " abs(sums.value - t.value) > 1e-9 * abs(t.value)",
	 "sums that are not those of the counts"},
	{"SELECT count(*) FROM sums LEFT JOIN " SUMS_OF_COUNTS " t"
	 " USING(event, run, function) WHERE event<>0 AND t.value IS NULL",
	 "sums of no counts"},
};

static void add_fault(int64_t count, const char *words, struct text *ret_faults)
{
	if (count)
		text_format(ret_faults, "%ld %s\n", (long)count, words);
}

static struct trm_error *check_references(struct sql *sql, struct text *ret_faults)
{
	struct text ask = {0};
	struct trm_error *error = NULL;

	for (size_t i = 0; i < array_count(references) && !error; i++) {
		const char *column = references[i].column;
		int64_t count = 0;

		ask.length = 0;
		text_format(&ask,
			    "SELECT count(*) FROM %s t WHERE %s IS NOT NULL AND NOT"
			    " EXISTS (SELECT 1 FROM %s o WHERE o.id=t.%s)",
			    references[i].table, column, references[i].of, column);
		error = sql_number(sql, 0, &count, sql_keep(sql, ask.data), "");
		add_fault(count, references[i].words, ret_faults);
	}
	text_deinit(&ask);
	return error;
}

static struct trm_error *check_rules(struct sql *sql, struct text *ret_faults)
{
	TRM_TRY(check_references(sql, ret_faults));
	for (size_t i = 0; i < array_count(rules); i++) {
		int64_t count;

		TRM_TRY(sql_number(sql, 0, &count, rules[i].question, ""));
		add_fault(count, rules[i].words, ret_faults);
	}
	return NULL;
}

struct trm_error *store_check(const char *path, struct text *ret_faults)
{
	scoped_store struct sql *sql = NULL;
	struct trm_error *error;

	TRM_TRY(store_open(path, SQL_READ, &sql));
	error = sql_check(sql, ret_faults);
	if (!error)
		error = check_rules(sql, ret_faults);
	if (!error || error->code != TRM_ERROR_FORMAT)
		return error;
	/* Damage so bad that it cannot be looked at is a fault, too. */
	text_format(ret_faults, "%s\n", error->message);
	trm_error_destroy(error);
	return NULL;
}

/* Copies rows one by one, in the table's own order and then in the other one, up to where
 * they cannot be read; what is there twice is left out. */
static int64_t copy_rows(struct sql *from, struct sql *to, const char *table,
			 const char *order)
{
	struct text ask = {0}, insert = {0};
	struct sql_rows rows;
	struct trm_error *error;
	int64_t copied = 0;
	bool more = true;

	text_format(&ask, "SELECT * FROM %s %s", table, order);
	error = sql_ask(from, &rows, sql_keep(from, ask.data), "");
	text_format(&insert, "INSERT OR IGNORE INTO %s VALUES(", table);
	for (int i = 0; !error && i < sqlite_columns(&rows); i++)
		text_add(&insert, i ? ", ?" : "?");
	text_add(&insert, ")");
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (!error && more)
			error = sqlite_copy_row(to, sql_keep(to, insert.data), &rows);
		copied += !error && more;
	}
	if (error) {
		trm_error_destroy(error);
		copied = -1;
	}
	text_deinit(&ask);
	text_deinit(&insert);
	return copied;
}

/* The order from the end of a table on: by its key. */
static const struct {
	const char *table, *order;
} backwards[] = {
	{"counts", "ORDER BY source DESC, context DESC, event DESC"},
	{"run_labels", "ORDER BY run DESC, label DESC"},
	{"run_images", "ORDER BY run DESC, image DESC"},
};

static void copy_table(struct sql *from, struct sql *to, const char *table,
		       struct text *ret_lost)
{
	const char *order = "ORDER BY rowid DESC";

	for (size_t i = 0; i < array_count(backwards); i++)
		if (!strcmp(backwards[i].table, table))
			order = backwards[i].order;
	if (copy_rows(from, to, table, "") >= 0)
		return;
	copy_rows(from, to, table, order);
	text_format(ret_lost, "%s: some rows cannot be read\n", table);
}

/* Runs whose epoch or host is lost get one of the name "lost", and what nothing refers to
 * or what refers to nothing goes. */
static struct trm_error *mend_tables(struct sql *to, struct text *ret_lost)
{
	int64_t before, after, last;

	TRM_TRY(sql_script(
		to,
		"INSERT INTO images VALUES(0, '', '', NULL) ON CONFLICT DO NOTHING;"
		"INSERT INTO nodes VALUES(0, NULL, NULL, NULL) ON CONFLICT DO NOTHING;"
		"INSERT INTO epochs SELECT DISTINCT epoch, 'lost ' || epoch,"
		" 'named' FROM runs WHERE epoch NOT IN (SELECT id FROM epochs)"
		" ON CONFLICT DO NOTHING;"
		"INSERT INTO hosts SELECT DISTINCT host, 'lost ' || host FROM"
		" runs WHERE host NOT IN (SELECT id FROM hosts) ON CONFLICT DO NOTHING;"
		"INSERT INTO profiles SELECT DISTINCT profile, '', 'lost',"
		" CAST(NULL AS BIGINT)"
		" FROM runs WHERE profile NOT IN (SELECT id FROM profiles)"
		" ON CONFLICT DO NOTHING;"));
	TRM_TRY(sql_number(to, 0, &before, "SELECT count(*) FROM counts", ""));
	TRM_TRY(sql_script(
		to,
		"DELETE FROM nodes WHERE parent >= id OR (attribute IS NOT NULL"
		" AND attribute NOT IN (SELECT id FROM attributes));"
		"DELETE FROM events WHERE attribute IS NOT NULL"
		" AND attribute NOT IN (SELECT id FROM attributes);"
		"WITH RECURSIVE sound(id) AS (SELECT CAST(0 AS BIGINT) UNION"
		" SELECT n.id FROM nodes n JOIN sound s ON n.parent=s.id)"
		" DELETE FROM nodes WHERE id NOT IN (SELECT id FROM sound);"
		"DELETE FROM functions WHERE image NOT IN (SELECT id FROM images);"
		"DELETE FROM contexts WHERE function NOT IN (SELECT id FROM functions)"
		" OR node NOT IN (SELECT id FROM nodes);"
		"DELETE FROM sources WHERE run NOT IN (SELECT id FROM runs);"
		"DELETE FROM counts WHERE source NOT IN (SELECT id FROM sources)"
		" OR context NOT IN (SELECT id FROM contexts)"
		" OR event NOT IN (SELECT id FROM events);"
		"DELETE FROM sums WHERE run NOT IN (SELECT id FROM runs)"
		" OR function NOT IN (SELECT id FROM functions)"
		" OR event NOT IN (SELECT id FROM events);"
		"DELETE FROM rests WHERE profile NOT IN (SELECT id FROM profiles);"
		"DELETE FROM run_labels WHERE run NOT IN (SELECT id FROM runs)"
		" OR label NOT IN (SELECT id FROM labels);"
		"DELETE FROM run_images WHERE run NOT IN (SELECT id FROM runs)"
		" OR image NOT IN (SELECT id FROM images);"));
	TRM_TRY(sql_number(to, 0, &after, "SELECT count(*) FROM counts", ""));
	if (after < before)
		text_format(ret_lost, "counts: %ld whose run or context is lost\n",
			    (long)(before - after));
	TRM_TRY(sql_number(to, 0, &last, "SELECT max(id) FROM runs", ""));
	return last ? store_sum_runs(to, 1, last) : NULL;
}

static struct trm_error *copy_tables(struct sql *from, struct sql *to,
				     struct text *ret_lost)
{
	struct trm_error *error = NULL;
	int64_t runs;

	TRM_TRY(sql_begin(to, SQL_CHANGING));
	for (const char *const *table = store_tables; *table; table++)
		copy_table(from, to, *table, ret_lost);
	error = mend_tables(to, ret_lost);
	if (!error)
		error = sql_number(to, 0, &runs, "SELECT count(*) FROM runs", "");
	if (!error && !runs && ret_lost->length)
		error = trm_error_create(TRM_ERROR_FORMAT,
					 "'%s': no run in it can be read: restore it "
					 "from a backup",
					 sql_path(from));
	if (!error)
		return sql_commit(to);
	sql_undo(to);
	return error;
}

static void unlink_with(const char *path)
{
	static const char *const behind[] = {"", "-wal", "-shm", "-journal"};
	struct text name = {0};

	for (size_t i = 0; i < array_count(behind); i++) {
		name.length = 0;
		text_format(&name, "%s%s", path, behind[i]);
		unlink(name.data);
	}
	text_deinit(&name);
}

/* The new file takes the old one's place, whose name tells what it is from then on. */
static struct trm_error *exchange_files(const char *path, const char *made)
{
	struct text kept = {0}, log = {0}, kept_log = {0}, index = {0};
	struct trm_error *error = NULL;

	text_format(&kept, "%s.damaged", path);
	text_format(&log, "%s-wal", path);
	text_format(&kept_log, "%s.damaged-wal", path);
	text_format(&index, "%s-shm", path);
	if (link(path, kept.data))
		error = trm_error_system(errno,
					 "cannot keep '%s' as '%s', move what is there "
					 "away",
					 path, kept.data);
	if (!error) {
		rename(log.data, kept_log.data);
		unlink(index.data);
		if (rename(made, path))
			error = trm_error_system(errno, "cannot write '%s'", path);
	}
	text_deinit(&kept);
	text_deinit(&log);
	text_deinit(&kept_log);
	text_deinit(&index);
	return error;
}

/* What contradicts the rest goes; the server looks after its files. */
static struct trm_error *repair_on_server(const char *address, struct text *ret_lost)
{
	scoped_store struct sql *sql = NULL;
	struct trm_error *error;

	TRM_TRY(store_open(address, SQL_WRITE, &sql));
	TRM_TRY(sql_begin(sql, SQL_CHANGING));
	error = mend_tables(sql, ret_lost);
	if (!error)
		return sql_commit(sql);
	sql_undo(sql);
	return error;
}

static bool has_tables(struct sql *sql)
{
	struct text ask = {0};
	struct trm_error *error = NULL;
	struct sql_rows rows;
	bool more;

	for (const char *const *table = store_tables; *table && !error; table++) {
		ask.length = 0;
		text_format(&ask, "SELECT 1 FROM %s LIMIT 0", *table);
		error = sql_ask(sql, &rows, sql_keep(sql, ask.data), "");
		if (!error)
			error = sql_next(&rows, &more);
	}
	text_deinit(&ask);
	trm_error_destroy(error);
	return !error;
}

/* Where the list of its tables is damaged, too, with that of a new file. */
static struct trm_error *open_damaged(const char *path, const char *made,
				      struct sql **ret_sql)
{
	struct sql *mended;
	struct trm_error *error = sqlite_open(path, SQL_READ, ret_sql), *other;

	if (error ? error->code != TRM_ERROR_FORMAT : has_tables(*ret_sql))
		return error;
	other = sqlite_open_like(path, made, &mended);
	if (!other) {
		trm_error_destroy(error);
		sql_close(error ? NULL : *ret_sql);
		*ret_sql = mended;
		return NULL;
	}
	trm_error_destroy(other);
	if (!error)
		return NULL;
	trm_error_destroy(error);
	return trm_error_create(TRM_ERROR_FORMAT,
				"'%s': it is no database of trammel, or nothing in it "
				"can be read: restore it from a backup",
				path);
}

/* By a new file that takes the old one's place. */
static struct trm_error *repair_file(const char *path, struct text *ret_lost)
{
	scoped_store struct sql *from = NULL, *to = NULL;
	struct text made = {0};
	struct trm_error *error;

	text_format(&made, "%s.repaired", path);
	unlink_with(made.data);
	error = store_open(made.data, SQL_CREATE, &to);
	if (!error)
		error = open_damaged(path, made.data, &from);
	if (!error)
		error = copy_tables(from, to, ret_lost);
	sql_close(take_pointer(from));
	sql_close(take_pointer(to));
	if (!error)
		error = exchange_files(path, made.data);
	if (error)
		unlink_with(made.data);
	text_deinit(&made);
	return error;
}

struct trm_error *store_repair(const char *path, struct text *ret_lost)
{
	return address_is_server(path) ? repair_on_server(path, ret_lost)
				       : repair_file(path, ret_lost);
}
