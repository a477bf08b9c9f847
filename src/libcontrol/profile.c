#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "libcontrol/fetch.h"
#include "libcontrol/objects.h"
#include "libcontrol/records.h"
#include "query/format.h"
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"
#include "record/model.h"
#include "record/output.h"
#include "record/trm_reader.h"
#include "report/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* `struct trm_profile` is its ticket. */
struct control_profile {
	char *path;
	int fd; /* of a file without a name, whose path leads to it; -1: it has one */
};

static struct trm_profile *create_profile(const char *path, int fd)
{
	struct control_profile *profile = memory_allocate_zeroed(1, sizeof(*profile));
	struct text own = {0};

	text_format(&own, "/proc/self/fd/%d", fd);
	profile->path = path ? memory_copy_string(path) : memory_copy_string(own.data);
	profile->fd = fd;
	text_deinit(&own);
	return object_add(OBJECT_PROFILE, profile);
}

static struct trm_error *find_profile(struct trm_profile *ticket,
				      struct control_profile **ret)
{
	void *object;

	TRM_TRY(object_find(ticket, OBJECT_PROFILE, &object));
	*ret = object;
	return NULL;
}

static struct trm_error *read_head(const char *path)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return trm_error_system(errno, "cannot read '%s'", path);
	if (S_ISDIR(status.st_mode))
		return trm_error_system(EISDIR, "cannot read '%s'", path);
	return NULL;
}

EXPORT struct trm_error *trm_profile_open(const char *path,
					  struct trm_profile **ret_profile)
{
	TRM_TRY(read_head(path));
	*ret_profile = create_profile(path, -1);
	return NULL;
}

EXPORT struct trm_error *trm_process_profile(struct trm_process *ticket,
					     struct trm_profile **ret_profile)
{
	struct control_process *process;
	int fd;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = engine_take(process->engine);

	if (!error)
		error = fetch_to_memory(process, false, &fd);
	engine_leave(process->engine);
	if (!error)
		*ret_profile = create_profile(NULL, fd);
	return error;
}

static struct trm_error *save_process(struct trm_process *ticket, bool now,
				      const char *path)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = engine_take(process->engine);

	if (!error)
		error = fetch_to_path(process, now, path);
	engine_leave(process->engine);
	return error;
}

EXPORT struct trm_error *trm_process_save(struct trm_process *process, const char *path)
{
	return save_process(process, false, path);
}

EXPORT struct trm_error *trm_process_save_now(struct trm_process *process,
					      const char *path)
{
	return save_process(process, true, path);
}

EXPORT struct trm_error *trm_process_saved(struct trm_process *ticket, const char *path,
					   uint64_t *ret_time_ns)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = process_check_run(process);

	if (!error)
		error = engine_take(process->engine);
	if (!error)
		error = fetch_saved(process, path, ret_time_ns);
	engine_leave(process->engine);
	return error;
}

EXPORT struct trm_error *trm_process_keep(struct trm_process *ticket, char *ret_path,
					  size_t size)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = process_check_run(process);

	process->kept = !error;
	if (!error && size)
		snprintf(ret_path, size, "%s", process->there);
	engine_leave(process->engine);
	return error;
}

EXPORT void trm_profile_release(struct trm_profile *ticket)
{
	struct control_profile *profile = object_remove(ticket, OBJECT_PROFILE);

	if (!profile)
		return;
	if (profile->fd >= 0)
		close(profile->fd);
	free(profile->path);
	free(profile);
}

static struct trm_error *copy_bytes(int from, int to, const char *path)
{
	char buffer[1 << 16];
	ssize_t count;

	while ((count = read(from, buffer, sizeof(buffer))) > 0)
		for (ssize_t done = 0; done < count;) {
			ssize_t written =
				write(to, buffer + done, (size_t)(count - done));

			if (written < 0)
				return trm_error_system(errno, "cannot write");
			done += written;
		}
	return count < 0 ? trm_error_system(errno, "cannot read '%s'", path) : NULL;
}

EXPORT struct trm_error *trm_profile_save(struct trm_profile *ticket, const char *path)
{
	struct control_profile *profile;
	struct trm_output output;

	TRM_TRY(find_profile(ticket, &profile));
	scoped_fd int from = open(profile->path, O_RDONLY | O_CLOEXEC);

	if (from < 0)
		return trm_error_system(errno, "cannot read '%s'", profile->path);
	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output, copy_bytes(from, output.fd, profile->path));
}

EXPORT struct trm_error *trm_profiles_merge(const char *const *paths, const char *path)
{
	struct trm_output output;

	if (!paths || !*paths)
		return trm_error_create(TRM_ERROR_USAGE, "no profiles to merge");
	for (const char *const *at = paths; *at; at++)
		if (!strcmp(*at, path))
			return trm_error_create(TRM_ERROR_USAGE,
						"'%s' would be written over while it is "
						"read: choose another name",
						path);
	TRM_TRY(trm_output_open(path, &output));
	struct report_merge *merge = report_merge_create(output.fd);
	struct trm_error *error = NULL;

	for (; *paths && !error; paths++) {
		char *warning = NULL;

		error = report_merge_add(merge, *paths, &warning);
		free(warning);
	}
	struct trm_error *disk = report_merge_finish(merge);

	if (error)
		trm_error_destroy(disk);
	return trm_output_close(&output, error ? error : disk);
}

static struct trm_records *take_rows(struct query_result *result)
{
	struct control_records *records = records_create();
	size_t count, *columns = query_result_visible(result, &count);
	struct record_value *cells =
		memory_allocate(result->columns.count * sizeof(*cells));

	vector_for_each (&result->rows, row) {
		query_result_cells(result, row, cells);
		records_begin(records);
		for (size_t i = 0; i < count; i++)
			if (query_is_there(cells[columns[i]]))
				records_add(records,
					    result->columns.items[columns[i]].title,
					    cells[columns[i]]);
	}
	free(cells);
	free(columns);
	return records_finish(records);
}

static struct trm_error *run_query(const char *path, const char *words,
				   struct trm_records **ret_records)
{
	struct query *query;
	struct query_result *result;
	struct text warnings = {0};
	size_t place = 0;
	struct trm_error *error = query_parse(words, &query, &place);

	if (error)
		return trm_error_prefix(error, "at character %zu of the query",
					place + 1);
	if (!query_makes_rows(query)) {
		query_destroy(query);
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"this FORMAT is for files: leave it out, records "
					"have none");
	}
	error = query_run(query, &path, 1, 1, &result, &warnings);
	if (!error) {
		*ret_records = take_rows(result);
		query_result_destroy(result);
	}
	text_deinit(&warnings);
	query_destroy(query);
	return error;
}

EXPORT struct trm_error *trm_profile_query(struct trm_profile *ticket, const char *query,
					   struct trm_records **ret_records)
{
	struct control_profile *profile;

	TRM_TRY(find_profile(ticket, &profile));
	return run_query(profile->path, query, ret_records);
}

#define FUNCTIONS_SELECT "SELECT module, function, sum(calls) AS calls "
#define FUNCTIONS_GROUP  "GROUP BY module, function ORDER BY calls DESC, function"

EXPORT struct trm_error *trm_profile_functions(struct trm_profile *ticket,
					       struct trm_records **ret_records)
{
	return trm_profile_query(
		ticket, FUNCTIONS_SELECT "WHERE function AND calls > 0 " FUNCTIONS_GROUP,
		ret_records);
}

EXPORT struct trm_error *trm_process_read(struct trm_process *ticket,
					  struct trm_records **ret_records)
{
	struct control_process *process;
	scoped_fd int fd = -1;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = fetch_to_memory(process, true, &fd);
	const uint64_t interval = process->interval;

	engine_leave(process->engine);
	if (error)
		return error;
	struct text path = {0}, query = {0};

	text_format(&path, "/proc/self/fd/%d", fd);
	text_add(&query, FUNCTIONS_SELECT "WHERE function AND calls > 0 ");
	if (interval)
		text_format(&query, "AND interval = %llu ", (unsigned long long)interval);
	text_add(&query, FUNCTIONS_GROUP);
	error = run_query(path.data, query.data, ret_records);
	text_deinit(&path);
	text_deinit(&query);
	return error;
}

/* What a reader passes on. */
struct taking {
	struct record_model *model;
	struct control_records *records;
	struct control_records *globals;
};

static void take_pair(const struct taking *taking, struct control_records *to,
		      record_attribute attribute, struct record_value value)
{
	records_add(to, record_attribute_name(taking->model, attribute), value);
}

static void take_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	const struct taking *taking = context;
	struct VECTOR(record_node) path = {0};

	for (; node; node = record_node_parent(taking->model, node))
		vector_push(&path, node);
	records_begin(taking->records);
	for (size_t i = path.count; i-- > 0;) {
		struct record_pair pair = record_node_pair(taking->model, path.items[i]);

		take_pair(taking, taking->records, pair.attribute, pair.value);
		if (record_attribute_properties(taking->model, pair.attribute) &
		    RECORD_NESTED)
			records_nest(taking->records);
	}
	vector_deinit(&path);
	for (size_t i = 0; i < count; i++)
		take_pair(taking, taking->records, pairs[i].attribute, pairs[i].value);
}

static void take_global(void *context, record_attribute attribute,
			struct record_value value)
{
	const struct taking *taking = context;

	take_pair(taking, taking->globals, attribute, value);
}

/* The globals come first, wherever they stand in the file. */
static struct trm_error *read_globals(const char *path, struct taking *taking)
{
	const struct trm_visitor visitor = {.context = taking, .global = take_global};
	char *warning = NULL;

	records_begin(taking->records);
	taking->globals = taking->records;
	struct trm_error *error = trm_read(path, taking->model, &visitor, &warning);

	free(warning);
	return error;
}

EXPORT struct trm_error *trm_profile_records(struct trm_profile *ticket,
					     struct trm_records **ret_records)
{
	struct control_profile *profile;
	struct taking taking = {0};
	const struct trm_visitor visitor = {.context = &taking, .record = take_record};
	char *warning = NULL;

	TRM_TRY(find_profile(ticket, &profile));
	taking.records = records_create();
	taking.model = record_model_create();
	struct trm_error *error = read_globals(profile->path, &taking);

	record_model_destroy(taking.model);
	taking.model = record_model_create();
	if (!error)
		error = trm_read(profile->path, taking.model, &visitor, &warning);
	free(warning);
	record_model_destroy(taking.model);
	struct trm_records *records = records_finish(taking.records);

	if (error)
		trm_records_release(records);
	else
		*ret_records = records;
	return error;
}
