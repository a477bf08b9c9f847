#include "store/keep.h"

#include "base/cleanup.h"
#include "store/add.h"
#include "store/export.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

static struct trm_error *change_label(struct sql *sql, const char *label, bool take)
{
	TRM_TRY(sql_run(sql, "INSERT OR IGNORE INTO labels(name) VALUES(?)", "t", label));
	if (take)
		return sql_run(sql,
			       "DELETE FROM run_labels WHERE run IN"
			       " (SELECT run FROM temp.chosen) AND label ="
			       " (SELECT id FROM labels WHERE name=?)",
			       "t", label);
	return sql_run(sql,
		       "INSERT OR IGNORE INTO run_labels SELECT run,"
		       " (SELECT id FROM labels WHERE name=?) FROM temp.chosen",
		       "t", label);
}

struct trm_error *store_label(struct sql *sql, const char *label, bool take,
			      int64_t *ret_changed)
{
	struct trm_error *error;

	TRM_TRY(sql_begin(sql));
	error = change_label(sql, label, take);
	*ret_changed = sql_changed(sql);
	if (!error)
		error = store_forget_unused(sql);
	if (!error)
		return sql_commit(sql);
	sql_undo(sql);
	return error;
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
 * made. */
static struct trm_error *copy_names(struct sql *to, struct sql *from, int64_t profile,
				    int64_t run)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(from, &rows,
			"SELECT e.name, e.kind, r.runs, ifnull(l.name, ''), r.id"
			" FROM runs r JOIN epochs e ON e.id=r.epoch"
			" LEFT JOIN run_labels x ON x.run=r.id"
			" LEFT JOIN labels l ON l.id=x.label WHERE r.profile=?"
			" ORDER BY r.number, r.id",
			"i", profile));
	for (int64_t before = -1; more; before = more ? sql_int(&rows, 4) : 0) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		run += before >= 0 && before != sql_int(&rows, 4);
		TRM_TRY(sql_run(to,
				"INSERT OR IGNORE INTO epochs(name, kind) VALUES(?, ?)",
				"tt", sql_text(&rows, 0), sql_text(&rows, 1)));
		TRM_TRY(sql_run(to,
				"UPDATE runs SET runs=?, epoch="
				"(SELECT id FROM epochs WHERE name=?) WHERE id=?",
				"iti", sql_int(&rows, 2), sql_text(&rows, 0), run));
		if (!*sql_text(&rows, 3))
			continue;
		TRM_TRY(sql_run(to, "INSERT OR IGNORE INTO labels(name) VALUES(?)", "t",
				sql_text(&rows, 3)));
		TRM_TRY(sql_run(to,
				"INSERT OR IGNORE INTO run_labels VALUES(?,"
				" (SELECT id FROM labels WHERE name=?))",
				"it", run, sql_text(&rows, 3)));
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
	*ret_runs = added.last_run - added.first_run + 1;
	return copy_names(to, from, profile->id, added.first_run);
}

struct trm_error *store_merge(struct sql *sql, const char *other, int64_t *ret_added,
			      int64_t *ret_left)
{
	scoped_store struct sql *from = NULL;
	struct merged_profiles profiles = {0};
	struct trm_error *error;

	*ret_added = *ret_left = 0;
	TRM_TRY(store_open(other, SQL_READ, &from));
	error = list_profiles(from, &profiles);
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
