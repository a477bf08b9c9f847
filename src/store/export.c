#include "store/export.h"

#include "base/cleanup.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "report/merge.h"
#include "store/context_store.h"
#include "store/rest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* One profile being written. */
struct exporting {
	struct sql *sql;
	struct trm_writer *writer;
	struct record_model *model;
	struct context_finder finder;
	record_attribute image, thread, interval, run;
	struct context_pairs pairs;
	struct table left_out; /* images and runs that were not chosen, by their number */
	struct table left_runs;
};

static bool is_left_out(const struct exporting *exporting,
			const struct record_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].attribute == exporting->image &&
		    table_find(&exporting->left_out, pairs[i].value.u, NULL))
			return true;
		if (pairs[i].attribute == exporting->run &&
		    table_find(&exporting->left_runs, pairs[i].value.u, NULL))
			return true;
	}
	return false;
}

static void pass_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	struct exporting *exporting = context;

	if (!is_left_out(exporting, pairs, count))
		trm_writer_record(exporting->writer, node, pairs, count);
}

static void pass_global(void *context, record_attribute attribute,
			struct record_value value)
{
	struct exporting *exporting = context;

	trm_writer_global(exporting->writer, attribute, value);
}

/* Which images and runs of the profile were not chosen: those of runs that were are
 * enough where the profile has only one. */
static struct trm_error *find_left_out(struct exporting *exporting, int64_t profile)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(exporting->sql, &rows,
			"SELECT r.number, s.image FROM runs r"
			" LEFT JOIN sources s ON s.run=r.id WHERE r.profile=?"
			" AND r.id NOT IN (SELECT run FROM temp.chosen)",
			"i", profile));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		table_insert(&exporting->left_runs, (uint64_t)sql_int(&rows, 0), NULL);
		if (!sql_is_null(&rows, 1))
			table_insert(&exporting->left_out, (uint64_t)sql_int(&rows, 1),
				     NULL);
	}
	return NULL;
}

static void add_pair(struct context_pairs *pairs, record_attribute attribute,
		     int64_t number)
{
	if (number >= 0)
		vector_push(pairs, ((struct record_pair){attribute,
							 record_uint((uint64_t)number)}));
}

/* The numbers of a context, and what it is. A row has: node, keys, image, thread,
 * interval, attribute, value. */
static struct trm_error *begin_record(struct exporting *exporting,
				      const struct sql_rows *rows, struct text *keys,
				      record_node *ret_node)
{
	size_t size;
	const void *bytes = sql_bytes(rows, 1, &size);

	keys->length = 0;
	text_add_bytes(keys, bytes ? bytes : "", size);
	exporting->pairs.count = 0;
	TRM_TRY(context_finder_unpack(&exporting->finder, keys->data, keys->length,
				      &exporting->pairs));
	add_pair(&exporting->pairs, exporting->image, sql_int(rows, 2));
	add_pair(&exporting->pairs, exporting->thread, sql_int(rows, 3));
	add_pair(&exporting->pairs, exporting->interval, sql_int(rows, 4));
	return context_finder_node(&exporting->finder, sql_int(rows, 0), ret_node);
}

static struct trm_error *add_number(struct exporting *exporting,
				    const struct sql_rows *rows)
{
	struct record_pair *pair = vector_add(&exporting->pairs);

	TRM_TRY(context_finder_attribute(&exporting->finder, sql_int(rows, 5),
					 &pair->attribute));
	pair->value.type = record_attribute_type(exporting->model, pair->attribute);
	if (pair->value.type == RECORD_DOUBLE)
		pair->value.d = sql_real(rows, 6);
	else
		pair->value.i = sql_int(rows, 6);
	return NULL;
}

/* Rows of one source and context stand together, and are one record. */
static struct trm_error *write_counts(struct exporting *exporting, int64_t profile)
{
	struct trm_error *error;
	struct text keys = {0};
	struct sql_rows rows;
	int64_t source = -1, context = -1;
	record_node node = 0;
	bool more = true;

	error = sql_ask_many(exporting->sql, &rows,
			     "SELECT x.node, x.keys, s.image, s.thread, s.interval,"
			     " e.attribute, c.value, c.source, c.context"
			     " FROM runs r JOIN sources s ON s.run=r.id"
			     " CROSS JOIN counts c ON c.source=s.id"
			     " CROSS JOIN contexts x ON x.id=c.context"
			     " CROSS JOIN events e ON e.id=c.event WHERE r.profile=?"
			     " AND r.id IN (SELECT run FROM temp.chosen)"
			     " ORDER BY c.source, c.context, c.event",
			     "i", profile);
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (error || !more)
			break;
		if (sql_int(&rows, 7) != source || sql_int(&rows, 8) != context) {
			if (context >= 0)
				trm_writer_record(exporting->writer, node,
						  exporting->pairs.items,
						  exporting->pairs.count);
			source = sql_int(&rows, 7);
			context = sql_int(&rows, 8);
			error = begin_record(exporting, &rows, &keys, &node);
		}
		if (!error)
			error = add_number(exporting, &rows);
	}
	if (!error && context >= 0)
		trm_writer_record(exporting->writer, node, exporting->pairs.items,
				  exporting->pairs.count);
	text_deinit(&keys);
	return error;
}

static struct trm_error *write_parts(struct exporting *exporting, int64_t profile)
{
	struct trm_visitor visitor = {
		.context = exporting, .record = pass_record, .global = pass_global};

	TRM_TRY(find_left_out(exporting, profile));
	TRM_TRY(rest_read(exporting->sql, profile, exporting->model, &visitor));
	return write_counts(exporting, profile);
}

static struct trm_error *write_profile(struct sql *sql, int64_t profile, int fd)
{
	struct record_model *model = record_model_create();
	struct exporting exporting = {.sql = sql,
				      .model = model,
				      .finder = {.sql = sql, .model = model},
				      .writer = trm_writer_create(fd, model)};
	const uint32_t value = RECORD_AS_VALUE;

	exporting.image = record_attribute_make(model, "image", RECORD_UINT, value);
	exporting.thread = record_attribute_make(model, "thread", RECORD_UINT, value);
	exporting.interval = record_attribute_make(model, "interval", RECORD_UINT, value);
	exporting.run = record_attribute_make(model, "run", RECORD_UINT, value);
	struct trm_error *error = write_parts(&exporting, profile);
	struct trm_error *written = trm_writer_finish(exporting.writer);

	if (error)
		trm_error_destroy(written);
	context_finder_deinit(&exporting.finder);
	vector_deinit(&exporting.pairs);
	table_deinit(&exporting.left_out);
	table_deinit(&exporting.left_runs);
	record_model_destroy(model);
	return error ? error : written;
}

static struct trm_error *merge_profile(struct sql *sql, int64_t profile,
				       struct report_merge *merge)
{
	scoped_fd int fd = memfd_create("trammel-profile", MFD_CLOEXEC);
	scoped_free char *warning = NULL;
	char path[32];

	if (fd < 0)
		return trm_error_system(errno, "memory for a profile");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	TRM_TRY(write_profile(sql, profile, fd));
	return report_merge_add(merge, path, &warning);
}

struct profile_numbers VECTOR(int64_t);

static struct trm_error *write_merged(struct sql *sql,
				      const struct profile_numbers *profiles, int fd)
{
	struct report_merge *merge = report_merge_create(fd);
	struct trm_error *error = NULL, *written;

	vector_for_each (profiles, profile)
		if (!error)
			error = merge_profile(sql, *profile, merge);
	written = report_merge_finish(merge);
	if (error)
		trm_error_destroy(written);
	return error ? error : written;
}

/* Runs of several measurements cannot be in one profile. */
static struct trm_error *check_measures(struct sql *sql)
{
	struct sql_rows rows;
	struct text text = {0};
	struct trm_error *error;
	size_t count = 0;
	bool more = true;

	error = sql_ask(sql, &rows,
			"SELECT DISTINCT measure FROM runs"
			" WHERE id IN (SELECT run FROM temp.chosen) ORDER BY 1",
			"");
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (!error && more)
			text_format(&text, "%s%s", count++ ? "; " : "",
				    sql_text(&rows, 0));
	}
	if (!error && count > 1)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "'%s': these runs measured different things "
					 "(%s), which do not add up: choose with --run, "
					 "--label or --epoch",
					 sql_path(sql), text.data);
	text_deinit(&text);
	return error;
}

struct trm_error *store_export(struct sql *sql, int fd)
{
	struct profile_numbers profiles = {0};
	struct sql_rows rows;
	struct trm_error *error;
	bool more = true;

	TRM_TRY(check_measures(sql));
	error = sql_ask(sql, &rows,
			"SELECT DISTINCT profile FROM runs"
			" WHERE id IN (SELECT run FROM temp.chosen) ORDER BY 1",
			"");
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (!error && more)
			vector_push(&profiles, sql_int(&rows, 0));
	}
	if (!error && profiles.count == 1)
		error = write_profile(sql, profiles.items[0], fd);
	else if (!error)
		error = write_merged(sql, &profiles, fd);
	vector_deinit(&profiles);
	return error;
}
