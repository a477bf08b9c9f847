#include "store/keep.h"

#include "base/cleanup.h"
#include "store/add.h"
#include "store/export.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

static struct trm_error *change_label(struct sql *sql, const char *label, bool take)
{
	TRM_TRY(sql_run(sql, "INSERT INTO labels(name) VALUES(?) ON CONFLICT DO NOTHING",
			"t", label));
	if (take)
		return sql_run(sql,
			       "DELETE FROM run_labels WHERE run IN"
			       " (SELECT run FROM temp.chosen) AND label ="
			       " (SELECT id FROM labels WHERE name=?)",
			       "t", label);
	return sql_run(sql,
		       "INSERT INTO run_labels SELECT run,"
		       " (SELECT id FROM labels WHERE name=?) FROM temp.chosen"
		       " WHERE true ON CONFLICT DO NOTHING",
		       "t", label);
}

struct trm_error *store_label(struct sql *sql, const char *label, bool take,
			      int64_t *ret_changed)
{
	static const char count[] = "SELECT count(*) FROM run_labels";
	int64_t before, after;

	TRM_TRY(sql_number(sql, 0, &before, count, ""));
	TRM_TRY(change_label(sql, label, take));
	TRM_TRY(sql_number(sql, 0, &after, count, ""));
	*ret_changed = after > before ? after - before : before - after;
	return store_forget_unused(sql);
}

/* A profile of the other database. */
struct merged_profile {
	int64_t id, digest;
	char *origin;
};
struct merged_profiles VECTOR(struct merged_profile);

static struct trm_error *list_profiles(struct sql *from,
				       struct merged_profiles *ret_profiles)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(from, &rows,
			"SELECT id, digest, origin FROM profiles ORDER BY id", ""));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (more)
			vector_push(ret_profiles,
				    ((struct merged_profile){
					    sql_int(&rows, 0), sql_int(&rows, 1),
					    memory_copy_string(sql_text(&rows, 2))}));
	}
	return NULL;
}

/* What a profile does not say of its runs: epoch, labels, and of how many runs one is
 * made. They are found by their numbers in it. */
static struct trm_error *copy_names(struct sql *to, struct sql *from, int64_t profile,
				    int64_t into)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(from, &rows,
			"SELECT e.name, e.kind, r.runs, coalesce(l.name, ''), r.number"
			" FROM runs r JOIN epochs e ON e.id=r.epoch"
			" LEFT JOIN run_labels x ON x.run=r.id"
			" LEFT JOIN labels l ON l.id=x.label WHERE r.profile=?"
			" ORDER BY r.number, r.id",
			"i", profile));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		TRM_TRY(sql_run(to,
				"INSERT INTO epochs(name, kind) VALUES(?, ?)"
				" ON CONFLICT DO NOTHING",
				"tt", sql_text(&rows, 0), sql_text(&rows, 1)));
		TRM_TRY(sql_run(to,
				"UPDATE runs SET runs=?, epoch="
				"(SELECT id FROM epochs WHERE name=?)"
				" WHERE profile=? AND number=?",
				"itii", sql_int(&rows, 2), sql_text(&rows, 0), into,
				sql_int(&rows, 4)));
		if (!*sql_text(&rows, 3))
			continue;
		TRM_TRY(sql_run(to,
				"INSERT INTO labels(name) VALUES(?)"
				" ON CONFLICT DO NOTHING",
				"t", sql_text(&rows, 3)));
		TRM_TRY(sql_run(to,
				"INSERT INTO run_labels SELECT id,"
				" (SELECT id FROM labels WHERE name=?) FROM runs"
				" WHERE profile=? AND number=? ON CONFLICT DO NOTHING",
				"tii", sql_text(&rows, 3), into, sql_int(&rows, 4)));
	}
	return NULL;
}

static struct trm_error *merge_profile(struct sql *to, struct sql *from,
				       const struct merged_profile *profile,
				       bool *ret_there, int64_t *ret_runs)
{
	scoped_fd int fd = memfd_create("trammel-profile", MFD_CLOEXEC);
	struct store_add_options options = {.name = profile->origin,
					    .digest = (uint64_t)profile->digest};
	struct store_added added = {0};
	char path[32];
	int64_t had = -1;

	if (fd < 0)
		return trm_error_system(errno, "memory for a profile");
	if (profile->digest)
		TRM_TRY(sql_number(to, -1, &had, "SELECT id FROM profiles WHERE digest=?",
				   "i", profile->digest));
	*ret_there = had >= 0;
	if (*ret_there)
		return NULL;
	TRM_TRY(sql_script(from, "CREATE TEMP TABLE IF NOT EXISTS chosen"
				 "(run INTEGER PRIMARY KEY); DELETE FROM temp.chosen"));
	TRM_TRY(sql_run(from,
			"INSERT INTO temp.chosen SELECT id FROM runs WHERE profile=?",
			"i", profile->id));
	TRM_TRY(store_export(from, fd));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	TRM_TRY(store_add(to, path, &options, &added));
	free(added.warning);
	*ret_runs = (int64_t)added.runs;
	TRM_TRY(sql_begin(to, SQL_ADDING));
	struct trm_error *error = copy_names(to, from, profile->id, added.profile);

	if (!error)
		return sql_commit(to);
	sql_undo(to);
	return error;
}

struct trm_error *store_merge(struct sql *sql, const char *other, int64_t *ret_added,
			      int64_t *ret_left)
{
	scoped_store struct sql *from = NULL;
	struct merged_profiles profiles = {0};
	struct trm_error *error;

	*ret_added = *ret_left = 0;
	TRM_TRY(store_open(other, SQL_READ, &from));
	TRM_TRY(sql_begin(from, SQL_READING));
	error = list_profiles(from, &profiles);
	if (!error && profiles.count)
		error = store_prepare(sql);
	vector_for_each (&profiles, profile) {
		int64_t runs = 0;
		bool there = false;

		if (!error)
			error = merge_profile(sql, from, profile, &there, &runs);
		*ret_added += runs;
		*ret_left += there;
		free(profile->origin);
	}
	vector_deinit(&profiles);
	return error;
}
