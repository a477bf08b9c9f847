#include "store/store.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"
#include "store/sql/address.h"
#include "store/sql/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const char tables[] =
	"CREATE TABLE epochs(id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" kind TEXT NOT NULL);"
	"CREATE UNIQUE INDEX epochs_key ON epochs(DIGEST(name));"
	"CREATE TABLE hosts(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
	"CREATE UNIQUE INDEX hosts_key ON hosts(DIGEST(name));"
	"CREATE TABLE labels(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
	"CREATE UNIQUE INDEX labels_key ON labels(DIGEST(name));"
	"CREATE TABLE images(id INTEGER PRIMARY KEY, build TEXT NOT NULL,"
	" path TEXT NOT NULL, size INTEGER);"
	"CREATE UNIQUE INDEX images_key ON images(DIGEST(path), DIGEST(build));"
	"CREATE TABLE functions(id INTEGER PRIMARY KEY,"
	" image INTEGER NOT NULL REFERENCES images, \"offset\" INTEGER NOT NULL,"
	" name TEXT NOT NULL);"
	"CREATE UNIQUE INDEX functions_key ON functions(image, \"offset\", DIGEST(name));"
	"CREATE TABLE attributes(id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" type INTEGER NOT NULL, properties INTEGER NOT NULL);"
	"CREATE UNIQUE INDEX attributes_key ON attributes(DIGEST(name));"
	"CREATE TABLE events(id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" attribute INTEGER REFERENCES attributes, fold TEXT NOT NULL,"
	" type INTEGER NOT NULL, sampled INTEGER NOT NULL);"
	"CREATE UNIQUE INDEX events_key ON events(DIGEST(name));"
	"CREATE TABLE nodes(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES nodes,"
	" attribute INTEGER REFERENCES attributes, value /*any*/);"
	"CREATE UNIQUE INDEX nodes_key ON nodes(parent, attribute, DIGEST(value));"
	"CREATE TABLE contexts(id INTEGER PRIMARY KEY,"
	" node INTEGER NOT NULL REFERENCES nodes,"
	" function INTEGER NOT NULL REFERENCES functions, form TEXT NOT NULL,"
	" keys BLOB NOT NULL, address INTEGER, weight INTEGER);"
	"CREATE UNIQUE INDEX contexts_key ON contexts(function, node, DIGEST(form),"
	" DIGEST(keys));"
	"CREATE TABLE profiles(id INTEGER PRIMARY KEY, added TEXT NOT NULL,"
	" origin TEXT NOT NULL, digest INTEGER);"
	"CREATE TABLE rests(profile INTEGER NOT NULL REFERENCES profiles,"
	" part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(profile, part));"
	"CREATE TABLE runs(id INTEGER PRIMARY KEY,"
	" profile INTEGER NOT NULL REFERENCES profiles, number INTEGER NOT NULL,"
	" epoch INTEGER NOT NULL REFERENCES epochs,"
	" host INTEGER NOT NULL REFERENCES hosts, command TEXT NOT NULL,"
	" measure TEXT NOT NULL, start TEXT NOT NULL, wall_ns INTEGER,"
	" exit TEXT NOT NULL, runs INTEGER NOT NULL);"
	"CREATE TABLE run_labels(run INTEGER NOT NULL REFERENCES runs,"
	" label INTEGER NOT NULL REFERENCES labels, PRIMARY KEY(run, label))"
	" WITHOUT ROWID;"
	"CREATE TABLE run_images(run INTEGER NOT NULL REFERENCES runs,"
	" image INTEGER NOT NULL REFERENCES images, known INTEGER, instrumented INTEGER,"
	" PRIMARY KEY(run, image)) WITHOUT ROWID;"
	"CREATE TABLE sources(id INTEGER PRIMARY KEY,"
	" run INTEGER NOT NULL REFERENCES runs, image INTEGER NOT NULL,"
	" thread INTEGER NOT NULL, interval INTEGER NOT NULL,"
	" UNIQUE(run, image, thread, interval));"
	"CREATE TABLE counts(source INTEGER NOT NULL, context INTEGER NOT NULL,"
	" event INTEGER NOT NULL, value /*number*/ NOT NULL,"
	" PRIMARY KEY(source, context, event)) WITHOUT ROWID;"
	"CREATE TABLE sums(event INTEGER NOT NULL, run INTEGER NOT NULL,"
	" function INTEGER NOT NULL, value /*number*/ NOT NULL,"
	" PRIMARY KEY(event, run, function)) WITHOUT ROWID;"
	"INSERT INTO images VALUES(0, '', '', NULL);"
	"INSERT INTO nodes VALUES(0, NULL, NULL, NULL);"
	"INSERT INTO events VALUES(0, 'instructions', NULL, 'sum', 1, 0)";

const char *const store_tables[] = {
	"epochs",     "hosts",      "labels",   "images",   "functions", "attributes",
	"events",     "nodes",      "contexts", "profiles", "rests",     "runs",
	"run_labels", "run_images", "sources",  "counts",   NULL};

/* Nobody but the user is to read what is in it, unless he says so. */
static struct trm_error *make_file(const char *path, bool *ret_made)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	*ret_made = fd >= 0;
	if (fd < 0)
		return errno == EEXIST
			       ? NULL
			       : trm_error_system(errno, "cannot make '%s'", path);
	close(fd);
	return NULL;
}

/* Writes whether there are tables. */
static struct trm_error *check_version(struct sql *sql, bool *ret_there)
{
	int64_t version;

	TRM_TRY(sql_version(sql, &version));
	*ret_there = version != 0;
	if (version < 0)
		return trm_error_create(
			TRM_ERROR_FORMAT,
			"'%s' is a database of another program: choose another %s",
			sql_path(sql), sql_is_server(sql) ? "one" : "file");
	if (version > STORE_VERSION)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"'%s' was made by a later trammel (its version is "
			"%ld, this one knows %d): use that one",
			sql_path(sql), (long)version, STORE_VERSION);
	return NULL;
}

static struct trm_error *empty_error(const struct sql *sql)
{
	if (sql_is_server(sql))
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' has no tables of trammel: 'trammel db add' "
					"makes them",
					sql_path(sql));
	return trm_error_create(TRM_ERROR_FORMAT,
				"'%s' is an empty file, not a database of trammel",
				sql_path(sql));
}

struct trm_error *store_open(const char *path, enum sql_access access,
			     struct sql **ret_sql)
{
	scoped_store struct sql *sql = NULL;
	bool there = false, made = false;

	if (access >= SQL_CREATE && !address_is_server(path))
		TRM_TRY(make_file(path, &made));
	TRM_TRY(sql_open(path, access, &sql));
	if (made && access == SQL_ADD)
		sqlite_drop_unused(sql, "SELECT count(*) FROM profiles");
	TRM_TRY(check_version(sql, &there));
	if (!there && access < SQL_CREATE)
		return empty_error(sql);
	if (!there && access == SQL_CREATE)
		TRM_TRY(sql_make_tables(sql, tables, STORE_VERSION));
	*ret_sql = take_pointer(sql);
	return NULL;
}

struct trm_error *store_prepare(struct sql *sql)
{
	bool there;

	TRM_TRY(check_version(sql, &there));
	return there ? NULL : sql_make_tables(sql, tables, STORE_VERSION);
}

#define LEAST "-9223372036854775808"
#define MOST  "9223372036854775807"

/* A sum of whole numbers that got too large for them is one with a fraction, or an error
 * of sum(). */
static struct trm_error *check_sums(struct sql *sql, int64_t from, int64_t to)
{
	struct sql_rows rows;
	bool more;

	TRM_TRY(sql_ask(sql, &rows,
			"SELECT e.name, f.name FROM events e CROSS JOIN sums s"
			" ON s.event=e.id AND s.run BETWEEN ? AND ?"
			" JOIN functions f ON f.id=s.function"
			" WHERE e.type<>2 AND NOT s.value BETWEEN " LEAST " AND " MOST
			" LIMIT 1",
			"ii", from, to));
	TRM_TRY(sql_next(&rows, &more));
	if (!more)
		return NULL;
	struct trm_error *error = trm_error_create(
		TRM_ERROR_LIMIT,
		"'%s': the sum of %s of '%s' exceeds 2^63 - 1, the largest number that "
		"the database holds",
		sql_path(sql), sql_text(&rows, 0), sql_text(&rows, 1));

	sql_stop(&rows);
	return error;
}

struct trm_error *store_sum_runs(struct sql *sql, int64_t from, int64_t to)
{
	/* Events come first in their key. */
	TRM_TRY(sql_run(sql,
			"DELETE FROM sums WHERE event IN (SELECT id FROM events)"
			" AND run BETWEEN ? AND ?",
			"ii", from, to));
	TRM_TRY(sql_run(sql,
			"INSERT INTO sums SELECT c.event, s.run, x.function, sum(c.value)"
			" FROM sources s JOIN counts c ON c.source=s.id"
			" JOIN contexts x ON x.id=c.context JOIN events e ON e.id=c.event"
			" WHERE s.run BETWEEN ? AND ? AND e.fold='sum' GROUP BY 1, 2, 3",
			"ii", from, to));
	TRM_TRY(sql_run(sql,
			"INSERT INTO sums SELECT 0, s.run, x.function,"
			" sum(c.value * x.weight)"
			" FROM sources s JOIN counts c ON c.source=s.id"
			" JOIN contexts x ON x.id=c.context JOIN events e ON e.id=c.event"
			" WHERE s.run BETWEEN ? AND ? AND e.name='blocks'"
			" AND x.weight IS NOT NULL GROUP BY 2, 3",
			"ii", from, to));
	return check_sums(sql, from, to);
}

struct trm_error *store_delete_run(struct sql *sql, int64_t run)
{
	int64_t profile, others;

	TRM_TRY(sql_number(sql, 0, &profile, "SELECT profile FROM runs WHERE id=?", "i",
			   run));
	TRM_TRY(sql_run(sql,
			"DELETE FROM sums WHERE event IN (SELECT id FROM events)"
			" AND run=?",
			"i", run));
	TRM_TRY(sql_run(sql,
			"DELETE FROM counts WHERE source IN"
			" (SELECT id FROM sources WHERE run=?)",
			"i", run));
	TRM_TRY(sql_run(sql, "DELETE FROM sources WHERE run=?", "i", run));
	TRM_TRY(sql_run(sql, "DELETE FROM run_labels WHERE run=?", "i", run));
	TRM_TRY(sql_run(sql, "DELETE FROM run_images WHERE run=?", "i", run));
	TRM_TRY(sql_run(sql, "DELETE FROM runs WHERE id=?", "i", run));
	TRM_TRY(sql_number(sql, 0, &others, "SELECT count(*) FROM runs WHERE profile=?",
			   "i", profile));
	if (others)
		return NULL;
	TRM_TRY(sql_run(sql, "DELETE FROM rests WHERE profile=?", "i", profile));
	return sql_run(sql, "DELETE FROM profiles WHERE id=?", "i", profile);
}

struct trm_error *store_forget_unused(struct sql *sql)
{
	return sql_script(
		sql,
		"DELETE FROM contexts WHERE id IN (SELECT id FROM contexts EXCEPT"
		" SELECT context FROM counts);"
		/* From the leaves: a node is used by contexts, or by nodes that are. */
		"WITH RECURSIVE used(id) AS (SELECT node FROM contexts"
		" UNION SELECT parent FROM nodes JOIN used USING(id)"
		" WHERE parent IS NOT NULL)"
		" DELETE FROM nodes WHERE id<>0 AND id NOT IN (SELECT id FROM used);"
		"DELETE FROM functions WHERE id NOT IN (SELECT function FROM contexts);"
		"DELETE FROM images WHERE id<>0"
		" AND id NOT IN (SELECT image FROM functions)"
		" AND id NOT IN (SELECT image FROM run_images);"
		"DELETE FROM epochs WHERE id NOT IN (SELECT epoch FROM runs);"
		"DELETE FROM hosts WHERE id NOT IN (SELECT host FROM runs);"
		"DELETE FROM labels WHERE id NOT IN (SELECT label FROM run_labels);");
}
