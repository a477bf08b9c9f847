/* Files are read by several threads, each a range of them. */
#include "query/run.h"

#include "query/feed.h"
#include "query/format.h"
#include "query/result.h"

#include <pthread.h>
#include <stdio.h>

struct reading {
	struct query_part *part;
	const char *const *paths;
	size_t count;
	struct text warnings;
	struct trm_error *error; /* the first */
	pthread_t thread;
	bool started;
};

static void *read_files(void *context)
{
	struct reading *reading = context;

	for (size_t i = 0; i < reading->count && !reading->error; i++)
		reading->error = query_part_read(reading->part, reading->paths[i],
						 &reading->warnings);
	return NULL;
}

/* All but the first part are read by threads of their own, if there can be any. */
static void read_all(struct reading *readings, size_t count)
{
	for (size_t i = 1; i < count; i++)
		readings[i].started = !pthread_create(&readings[i].thread, NULL,
						      read_files, &readings[i]);
	read_files(&readings[0]);
	for (size_t i = 1; i < count; i++) {
		if (readings[i].started)
			pthread_join(readings[i].thread, NULL);
		else
			read_files(&readings[i]);
	}
}

static void share_out(struct reading *readings, size_t parts, const char *const *paths,
		      size_t count)
{
	for (size_t i = 0; i < parts; i++) {
		size_t begin = count * i / parts, end = count * (i + 1) / parts;

		readings[i].paths = paths + begin;
		readings[i].count = end - begin;
	}
}

/* The first error; warnings of all. */
static struct trm_error *collect_errors(struct reading *readings, size_t parts,
					struct text *warnings)
{
	struct trm_error *error = NULL;

	for (size_t i = 0; i < parts; i++) {
		if (readings[i].warnings.length)
			text_add(warnings, readings[i].warnings.data);
		text_deinit(&readings[i].warnings);
		if (!error)
			error = readings[i].error;
		else
			trm_error_destroy(readings[i].error);
	}
	return error;
}

void query_warn_of_rounding(const struct query_result *result, struct text *warnings)
{
	for (size_t i = 0; i < result->columns.count; i++)
		if (result->rounded.items[i])
			text_format(warnings,
				    "'%s' has integers that 64 bits do not hold: they "
				    "are shown rounded\n",
				    result->columns.items[i].title);
}

struct trm_error *query_run(const struct query *query, const char *const *paths,
			    size_t count, size_t threads,
			    struct query_result **ret_result, struct text *ret_warnings)
{
	size_t parts = threads < count ? threads : count;

	parts = parts ? parts : 1;
	struct query_result *result = memory_allocate_zeroed(1, sizeof(*result));
	struct reading *readings = memory_allocate_zeroed(parts, sizeof(*readings));

	result->query = query;
	result->part_count = parts;
	result->part = result->parts =
		memory_allocate_zeroed(parts, sizeof(*result->parts));
	for (size_t i = 0; i < parts; i++) {
		query_part_init(&result->parts[i], query);
		readings[i].part = &result->parts[i];
	}
	share_out(readings, parts, paths, count);
	read_all(readings, parts);
	struct trm_error *error = collect_errors(readings, parts, ret_warnings);

	free(readings);
	if (error) {
		query_result_destroy(result);
		return error;
	}
	for (size_t i = 1; i < parts; i++)
		query_part_merge(result->part, &result->parts[i]);
	query_part_finish(result->part);
	query_result_make(result);
	query_warn_of_rounding(result, ret_warnings);
	*ret_result = result;
	return NULL;
}

/* Receiver of rows that are not kept. */
struct stream {
	const struct query *query;
	struct query_style style;
	query_writer write;
	struct text out;
};

static void flush_rows(struct query_part *part)
{
	struct stream *stream = part->context;
	struct query_result result = {.query = stream->query, .part = part};

	query_result_make(&result);
	stream->out.length = 0;
	text_add(&stream->out, "");
	query_print(&result, &stream->style, &stream->out);
	query_result_deinit(&result);
	part->error = stream->write(&stream->out);
	stream->style.continued = true;
	part->rows.count = part->cells.count = 0;
	query_keys_deinit(&part->strings);
	query_keys_init(&part->strings);
}

/* Writes the output of a sink. */
static void flush_written(struct query_part *part)
{
	struct stream *stream = part->context;

	if (!part->error && stream->out.length)
		part->error = stream->write(&stream->out);
	stream->out.length = 0;
}

struct trm_error *query_stream(const struct query *query, const char *const *paths,
			       size_t count, const struct query_style *style,
			       query_writer write, struct text *ret_warnings)
{
	struct stream stream = {.query = query, .style = *style, .write = write};
	struct trm_error *error = NULL;
	struct query_part part;

	query_part_init(&part, query);
	part.flush = flush_rows;
	if (query->format->sink) {
		part.sink = query->format->sink;
		part.sinking = part.sink->create(query, &stream.out);
		part.written = &stream.out;
		part.flush = flush_written;
		if (part.sink->give_to)
			part.sink->give_to(part.sinking, &part);
	}
	part.context = &stream;
	stream.style.output = NULL;
	stream.style.unfinished = true;
	do {
		for (size_t i = 0; i < count && !error; i++)
			error = query_part_read(&part, paths[i], ret_warnings);
	} while (!error && part.sink && part.sink->again &&
		 part.sink->again(part.sinking));
	if (part.sink)
		part.sink->finish(part.sinking, ret_warnings);
	if (!error) {
		stream.style.unfinished = false;
		part.flush(&part);
		error = part.error;
	}
	query_part_deinit(&part);
	text_deinit(&stream.out);
	return error;
}
