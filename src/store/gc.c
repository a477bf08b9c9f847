#include "store/gc.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "store/fold.h"
#include "store/rest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What becomes what, by age. */
struct level {
	/* Writes the name of the period that a moment belongs to. */
	void (*name_period)(const char *start, char *ret_period, size_t size);
	const char *kind; /* of the epochs that are made, one a period; NULL: runs stay
			     in theirs */
	const char *find; /* the runs, with a moment before which they are old; those
			     that are periods already are there, too, and first */
};

/* Runs that become one. */
struct group {
	char *key; /* period, epoch, host, measurement, command, labels */
	char period[16];
	bool fresh;         /* one of them is no period yet */
	struct table image; /* of each path, by its hash */
	struct VECTOR(int64_t) runs;
};
struct groups VECTOR(struct group);

static time_t read_date(const char *text)
{
	struct tm broken = {0};

	if (sscanf(text, "%4d-%2d-%2d", &broken.tm_year, &broken.tm_mon,
		   &broken.tm_mday) != 3)
		return 0;
	broken.tm_year -= 1900;
	broken.tm_mon--;
	return timegm(&broken);
}

/* "2026-11-22": the day that is so many days before another. */
static void day_before(const char *now, int64_t days, char *ret_day, size_t size)
{
	const time_t at = (now ? read_date(now) : time(NULL)) - days * 86400;
	struct tm broken;

	gmtime_r(&at, &broken);
	strftime(ret_day, size, "%Y-%m-%d", &broken);
}

static void week_of(const char *start, char *ret_week, size_t size)
{
	const time_t at = read_date(start);
	struct tm broken;

	gmtime_r(&at, &broken);
	strftime(ret_week, size, "%G-W%V", &broken);
}

static void day_of(const char *start, char *ret_day, size_t size)
{
	snprintf(ret_day, size, "%.10s", start);
}

static void month_of(const char *start, char *ret_month, size_t size)
{
	snprintf(ret_month, size, "%.7s", start);
}

#define FIND_RUNS                                                                        \
	"SELECT r.id, r.start, r.host, r.measure, e.kind, e.name,"                       \
	" (SELECT group_concat(CAST(label AS TEXT), ',') FROM run_labels"                \
	" WHERE run=r.id), r.command"                                                    \
	" FROM runs r JOIN epochs e ON e.id=r.epoch WHERE "

enum { HOURS, DAYS, WEEKS, LEVELS };

static const struct level levels[LEVELS] = {
	[HOURS] = {day_of, NULL,
		   FIND_RUNS "r.command='" STORE_DAEMON "' AND r.start < ?"
			     " AND e.kind NOT IN ('week', 'month')"
			     " ORDER BY r.start, r.id"},
	[DAYS] = {week_of, "week",
		  FIND_RUNS "(e.kind='day' AND r.start < ?) OR e.kind='week'"
			    " ORDER BY e.kind='day', r.start, r.id"},
	[WEEKS] = {month_of, "month",
		   FIND_RUNS "(e.kind='week' AND r.start < ?) OR e.kind='month'"
			     " ORDER BY e.kind='week', r.start, r.id"},
};

/* Images of a run, each by the hash of its path. */
struct loaded_image {
	uint64_t path, image;
};
struct loaded_images VECTOR(struct loaded_image);

/* Whether the run has no other build of a file that a run of the group had; then it is
 * one of them. */
static struct trm_error *join_group(struct sql *sql, struct group *group, int64_t run,
				    bool *ret_joined)
{
	struct loaded_images images = {0};
	struct sql_rows rows;
	bool more = true;
	struct trm_error *error;

	*ret_joined = true;
	error = sql_ask(sql, &rows,
			"SELECT i.path, i.id FROM run_images x JOIN images i"
			" ON i.id=x.image WHERE x.run=?",
			"i", run);
	while (!error && more) {
		uint64_t had;

		error = sql_next(&rows, &more);
		if (error || !more)
			break;
		const uint64_t path =
			hash_bytes(sql_text(&rows, 0), strlen(sql_text(&rows, 0)));
		const uint64_t image = (uint64_t)sql_int(&rows, 1);

		if (table_find(&group->image, path, &had) && had != image)
			*ret_joined = false;
		vector_add(&images)->path = path;
		images.items[images.count - 1].image = image;
	}
	if (!error && *ret_joined) {
		vector_for_each (&images, image)
			*table_insert(&group->image, image->path, NULL) = image->image;
		vector_push(&group->runs, run);
	}
	vector_deinit(&images);
	return error;
}

static struct trm_error *put_run(struct sql *sql, struct groups *groups, const char *key,
				 const char *period, int64_t run, bool fresh)
{
	bool joined = false;

	vector_for_each (groups, group) {
		if (joined || strcmp(group->key, key) != 0)
			continue;
		TRM_TRY(join_group(sql, group, run, &joined));
		group->fresh |= joined && fresh;
	}
	if (joined)
		return NULL;
	struct group *group = vector_add(groups);

	group->key = memory_copy_string(key);
	group->fresh = fresh;
	snprintf(group->period, sizeof(group->period), "%s", period);
	return join_group(sql, group, run, &joined);
}

static struct trm_error *find_groups(struct sql *sql, const struct level *level,
				     const char *before, struct groups *ret_groups)
{
	struct sql_rows rows;
	struct text key = {0};
	struct trm_error *error;
	bool more = true;

	error = sql_ask(sql, &rows, level->find, "t", before);
	while (!error && more) {
		char period[16];

		error = sql_next(&rows, &more);
		if (error || !more)
			break;
		const bool fresh =
			!level->kind || strcmp(sql_text(&rows, 4), level->kind) != 0;

		if (fresh)
			level->name_period(sql_text(&rows, 1), period, sizeof(period));
		else
			snprintf(period, sizeof(period), "%s", sql_text(&rows, 5));
		key.length = 0;
		text_format(&key, "%s %s %s %s %s", period,
			    level->kind ? "" : sql_text(&rows, 5), sql_text(&rows, 2),
			    sql_text(&rows, 3), sql_text(&rows, 6));
		/* A daemon's runs are folded, others are not. */
		if (!strcmp(sql_text(&rows, 7), STORE_DAEMON))
			text_add(&key, " " STORE_DAEMON);
		error = put_run(sql, ret_groups, key.data, period, sql_int(&rows, 0),
				fresh);
	}
	text_deinit(&key);
	return error;
}

/* What a profile of the runs says of them. */
struct describing {
	struct record_model *model;
	struct trm_writer *writer;
};

static void say_global(const struct describing *to, const char *name,
		       struct record_value value)
{
	trm_writer_global(to->writer,
			  record_attribute_make(to->model, name, value.type,
						RECORD_AS_VALUE | RECORD_GLOBAL),
			  value);
}

static struct record_pair pair_of(const struct describing *to, const char *name,
				  struct record_value value)
{
	return (struct record_pair){
		record_attribute_make(to->model, name, value.type,
				      strcmp(name, "module") &&
						      strcmp(name, "module.path")
					      ? RECORD_AS_VALUE
					      : 0),
		value};
}

static struct trm_error *describe_modules(struct sql *sql, int64_t run,
					  const struct describing *to)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(
		sql, &rows,
		"SELECT i.path, i.build, x.known, x.instrumented FROM run_images x"
		" JOIN images i ON i.id=x.image WHERE x.run=?",
		"i", run));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		const char *path = sql_text(&rows, 0);
		struct record_pair pairs[] = {
			pair_of(to, "image", record_uint(1)),
			pair_of(to, "module", record_string(path_name(path))),
			pair_of(to, "module.path", record_string(path)),
			pair_of(to, "functions.known",
				record_uint((uint64_t)sql_int(&rows, 2))),
			pair_of(to, "functions.instrumented",
				record_uint((uint64_t)sql_int(&rows, 3))),
			pair_of(to, "buildid", record_string(sql_text(&rows, 1))),
		};

		trm_writer_record(to->writer, 0, pairs, *sql_text(&rows, 1) ? 6 : 5);
	}
	return NULL;
}

static struct trm_error *describe_run(struct sql *sql, int64_t run,
				      const struct describing *to)
{
	struct sql_rows rows;
	bool more;

	TRM_TRY(sql_ask(sql, &rows,
			"SELECT r.command, r.measure, r.start, h.name, r.wall_ns FROM"
			" runs r JOIN hosts h ON h.id=r.host WHERE r.id=?",
			"i", run));
	TRM_TRY(sql_next(&rows, &more));
	if (!more)
		return NULL;
	say_global(to, "trm.version", record_string(TRAMMEL_VERSION));
	say_global(to, "run.command", record_string(sql_text(&rows, 0)));
	say_global(to, "run.measure", record_string(sql_text(&rows, 1)));
	say_global(to, "run.start", record_string(sql_text(&rows, 2)));
	say_global(to, "host", record_string(sql_text(&rows, 3)));
	say_global(to, "run.wall.ns", record_uint((uint64_t)sql_int(&rows, 4)));
	say_global(to, "run.state", record_string("complete"));
	const struct record_pair pairs[] = {
		pair_of(to, "process", record_uint(1)),
		pair_of(to, "image", record_uint(1)),
		pair_of(to, "program", record_string(sql_text(&rows, 0))),
		pair_of(to, "process.state", record_string("exited 0")),
	};

	trm_writer_record(to->writer, 0, pairs, 4);
	sql_stop(&rows);
	return describe_modules(sql, run, to);
}

static struct trm_error *keep_description(struct sql *sql, int64_t profile, int64_t run)
{
	struct record_model *model = record_model_create();
	struct rest rest;
	struct trm_error *error = rest_begin(model, &rest);

	if (!error) {
		struct describing to = {model, rest.writer};

		error = rest_end(&rest, sql, profile, describe_run(sql, run, &to));
	}
	record_model_destroy(model);
	return error;
}

/* A number by which the new profile is known again, as a file is by its digest: of those
 * of which it is made. */
static struct trm_error *digest_group(struct sql *sql, const struct group *group,
				      int64_t *ret_digest)
{
	uint64_t both[2] = {hash_bytes(group->key, strlen(group->key)), 0};
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(sql, &rows,
			"SELECT DISTINCT p.id, p.digest FROM temp.grouped g JOIN runs r"
			" ON r.id=g.run JOIN profiles p ON p.id=r.profile ORDER BY 1",
			""));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		both[1] = more ? (uint64_t)sql_int(&rows, 1) : 0;
		both[0] = hash_bytes(both, sizeof(both));
	}
	*ret_digest = (int64_t)both[0];
	return NULL;
}

/* The new run, with what all of them have in common. */
static struct trm_error *make_run(struct sql *sql, const struct level *level,
				  const struct group *group, int64_t *ret_profile,
				  int64_t *ret_run)
{
	int64_t digest, epoch;

	TRM_TRY(digest_group(sql, group, &digest));
	if (level->kind)
		TRM_TRY(sql_run(sql,
				"INSERT INTO epochs(name, kind) VALUES(?, ?)"
				" ON CONFLICT DO NOTHING",
				"tt", group->period, level->kind));
	TRM_TRY(level->kind
			? sql_number(sql, 0, &epoch, "SELECT id FROM epochs WHERE name=?",
				     "t", group->period)
			: sql_number(sql, 0, &epoch,
				     "SELECT min(epoch) FROM runs WHERE id IN"
				     " (SELECT run FROM temp.grouped)",
				     ""));
	TRM_TRY(sql_number(sql, -1, ret_profile,
			   "INSERT INTO profiles(added, origin, digest)"
			   " SELECT max(p.added), count(*) || ' runs', CAST(? AS BIGINT)"
			   " FROM temp.grouped g JOIN runs r ON r.id=g.run"
			   " JOIN profiles p ON p.id=r.profile RETURNING id",
			   "i", digest));
	TRM_TRY(sql_number(
		sql, -1, ret_run,
		"INSERT INTO runs(profile, number, epoch, host, command, measure,"
		" start, wall_ns, exit, runs)"
		" SELECT CAST(? AS BIGINT), 0, CAST(? AS BIGINT), min(host),"
		" CASE count(DISTINCT command) WHEN 1 THEN min(command)"
		" ELSE sum(runs) || ' runs' END, min(measure), min(start),"
		" CAST(sum(wall_ns) AS BIGINT), '', CAST(sum(runs) AS BIGINT)"
		" FROM runs WHERE id IN (SELECT run FROM temp.grouped)"
		" RETURNING id",
		"ii", *ret_profile, epoch));
	TRM_TRY(sql_run(
		sql,
		"INSERT INTO run_images SELECT CAST(? AS BIGINT), image, max(known),"
		" max(instrumented) FROM run_images"
		" WHERE run IN (SELECT run FROM temp.grouped) GROUP BY image",
		"i", *ret_run));
	return sql_run(sql,
		       "INSERT INTO run_labels SELECT DISTINCT CAST(? AS BIGINT), label"
		       " FROM run_labels"
		       " WHERE run IN (SELECT run FROM temp.grouped)",
		       "i", *ret_run);
}

/* Numbers become those of one process; averages, which do not add up, go. */
static struct trm_error *add_up_counts(struct sql *sql, int64_t run)
{
	int64_t source;

	TRM_TRY(sql_number(sql, -1, &source,
			   "INSERT INTO sources(run, image, thread, interval)"
			   " VALUES(?, 1, -1, -1) RETURNING id",
			   "i", run));
	TRM_TRY(sql_run(sql,
			"INSERT INTO counts SELECT CAST(? AS BIGINT),"
			" coalesce(x.into_context, c.context),"
			" c.event, CASE e.fold WHEN 'min' THEN min(c.value)"
			" WHEN 'max' THEN max(c.value) ELSE sum(c.value) END"
			" FROM sources s CROSS JOIN counts c ON c.source=s.id"
			" JOIN events e ON e.id=c.event"
			" LEFT JOIN temp.folded x ON x.context=c.context"
			" WHERE s.run IN (SELECT run FROM temp.grouped)"
			" AND e.fold<>'keep' GROUP BY 2, 3, e.id",
			"i", source));
	return store_sum_runs(sql, run, run);
}

static struct trm_error *compact_group(struct sql *sql, const struct level *level,
				       const struct group *group, int64_t shares,
				       struct store_gc_done *done)
{
	int64_t profile, run;

	TRM_TRY(sql_script(sql, "CREATE TEMP TABLE IF NOT EXISTS grouped"
				"(run INTEGER PRIMARY KEY); DELETE FROM temp.grouped"));
	vector_for_each (&group->runs, old)
		TRM_TRY(sql_run(sql, "INSERT INTO temp.grouped VALUES(?)", "i", *old));
	TRM_TRY(make_run(sql, level, group, &profile, &run));
	TRM_TRY(keep_description(sql, profile, run));
	TRM_TRY(fold_begin(sql));
	if (shares && strstr(group->key, " " STORE_DAEMON))
		TRM_TRY(fold_addresses(sql, shares));
	TRM_TRY(add_up_counts(sql, run));
	vector_for_each (&group->runs, old)
		TRM_TRY(store_delete_run(sql, *old));
	done->compacted += (int64_t)group->runs.count;
	done->into++;
	return NULL;
}

static struct trm_error *compact_level(struct sql *sql, const struct level *level,
				       const char *before, int64_t shares,
				       struct store_gc_done *done)
{
	struct groups groups = {0};
	struct trm_error *error = find_groups(sql, level, before, &groups);

	vector_for_each (&groups, group) {
		/* An hour alone is the day. */
		if (!error && group->fresh && (level->kind || group->runs.count > 1))
			error = compact_group(sql, level, group, shares, done);
		free(group->key);
		table_deinit(&group->image);
		vector_deinit(&group->runs);
	}
	vector_deinit(&groups);
	return error;
}

/* Runs of epochs all of whose runs are old, but for the newest ones. */
static struct trm_error *remove_old(struct sql *sql, const char *before, int64_t keep,
				    struct store_gc_done *done)
{
	struct VECTOR(int64_t) runs = {0};
	struct sql_rows rows;
	struct trm_error *error;
	bool more = true;

	error = sql_ask(sql, &rows,
			"SELECT id FROM runs WHERE epoch IN (SELECT epoch FROM runs"
			" GROUP BY epoch HAVING max(start) < ?1) AND epoch NOT IN"
			" (SELECT epoch FROM runs GROUP BY epoch"
			" ORDER BY max(start) DESC LIMIT ?2)",
			"ti", before, keep);
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (!error && more)
			vector_push(&runs, sql_int(&rows, 0));
	}
	vector_for_each (&runs, run)
		if (!error)
			error = store_delete_run(sql, *run);
	done->removed = (int64_t)runs.count;
	vector_deinit(&runs);
	return error;
}

static struct trm_error *collect_old(struct sql *sql,
				     const struct store_gc_options *options,
				     struct store_gc_done *done)
{
	char day[16];

	TRM_TRY(sql_number(sql, 0, &done->counts_before, "SELECT count(*) FROM counts",
			   ""));
	if (options->remove_days) {
		day_before(options->now, options->remove_days, day, sizeof(day));
		TRM_TRY(remove_old(sql, day, options->keep, done));
	}
	/* A day that is over is one day old from the next one's beginning on. */
	const int64_t ages[LEVELS] = {[HOURS] = options->hour_days - 1,
				      [DAYS] = options->compact_days,
				      [WEEKS] = options->month_days};
	const bool wanted[LEVELS] = {[HOURS] = options->hour_days > 0,
				     [DAYS] = options->compact_days > 0,
				     [WEEKS] = options->month_days > 0};

	for (size_t i = 0; i < LEVELS; i++) {
		day_before(options->now, ages[i], day, sizeof(day));
		if (wanted[i])
			TRM_TRY(compact_level(sql, &levels[i], day, options->shares,
					      done));
	}
	if (done->removed || done->compacted)
		TRM_TRY(store_forget_unused(sql));
	return sql_number(sql, 0, &done->counts_after, "SELECT count(*) FROM counts", "");
}

struct trm_error *store_gc(struct sql *sql, const struct store_gc_options *options,
			   struct store_gc_done *ret_done)
{
	struct trm_error *error;

	*ret_done = (struct store_gc_done){0};
	TRM_TRY(sql_begin(sql, SQL_CHANGING));
	error = collect_old(sql, options, ret_done);
	if (error || options->dry) {
		sql_undo(sql);
		return error;
	}
	TRM_TRY(sql_commit(sql));
	return sql_shrink(sql);
}
