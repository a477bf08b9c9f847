#include "publish/loops.h"

#include "base/cleanup.h"
#include "base/vector.h"
#include "publish/steps.h"
#include "query/result.h"
#include "query/run.h"

#include <stdio.h>
#include <string.h>

/* A loop of the summary. */
struct loop {
	char *name;
	uint64_t iterations, records; /* of the rank that has most */
};

struct loops VECTOR(struct loop);

static void loops_deinit(struct loops *loops)
{
	vector_for_each (loops, loop)
		free(loop->name);
	vector_deinit(loops);
}

static uint64_t number_of(const struct record_value *value)
{
	if (value->type == RECORD_DOUBLE)
		return value->d > 0 ? (uint64_t)value->d : 0;
	return value->type == RECORD_UINT || value->type == RECORD_INT ? value->u : 0;
}

static void take_loop(struct loops *loops, const struct record_value *cells)
{
	struct loop loop = {.iterations = number_of(&cells[1]),
			    .records = number_of(&cells[2])};

	if (cells[0].type != RECORD_STRING || !loop.iterations)
		return;
	loop.name = strndup(cells[0].bytes, cells[0].size);
	vector_push(loops, loop);
}

/* The loops in a table of names, iterations and records. */
static struct trm_error *read_loops(int table, struct loops *loops)
{
	static const char text[] =
		"SELECT name, max(max#sum#loop.iterations), max(max#count) WHERE name "
		"GROUP BY name FORMAT json";
	struct text warnings = {0};
	struct query_result *result;
	char path[64];
	const char *const paths[] = {path};
	struct query *query;
	struct trm_error *error;

	TRM_TRY(step_parse(text, false, &query));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", table);
	error = query_run(query, paths, 1, 1, &result, &warnings);
	if (!error) {
		struct record_value *cells =
			memory_allocate_zeroed(result->columns.count + 3, sizeof(*cells));

		vector_for_each (&result->rows, row) {
			query_result_cells(result, row, cells);
			take_loop(loops, cells);
		}
		free(cells);
		query_result_destroy(result);
	}
	text_deinit(&warnings);
	query_destroy(query);
	return error;
}

/* Those of all processes, in all of them, since each makes tables of all. */
static struct trm_error *find_loops(const struct publish_loops *loops,
				    struct source *source, struct loops *ret_loops)
{
	static const char text[] =
		"let name=leaf(loop) select name,max(sum#loop.iterations),max(count) "
		"where loop group by name format cali";
	struct text table = {0};
	scoped_fd int fd = -1;
	struct trm_error *error = source_add(source, loops->summary, text, true, &table);

	if (!error)
		source_share(source, &table);
	if (!error)
		error = step_keep(&table, &fd);
	if (!error)
		error = read_loops(fd, ret_loops);
	text_deinit(&table);
	return error;
}

/* Iterations of a block, so that there are not many more than `rows` of them. */
static uint64_t block_of(const struct loop *loop, uint64_t rows)
{
	uint64_t block = rows && loop->records > rows ? loop->iterations / rows : 1;

	return block ? block : 1;
}

/* The query with a loop's block and name for {block} and {loop}. */
static void fill_query(const char *query, const struct loop *loop, uint64_t rows,
		       struct text *out)
{
	for (; *query; query++) {
		if (!strncmp(query, "{block}", strlen("{block}"))) {
			text_format(out, "%llu",
				    (unsigned long long)block_of(loop, rows));
			query += strlen("{block}") - 1;
		} else if (!strncmp(query, "{loop}", strlen("{loop}"))) {
			for (const char *at = loop->name; *at; at++)
				text_format(out, "%s%c", strchr("\"\\", *at) ? "\\" : "",
					    *at);
			query += strlen("{loop}") - 1;
		} else {
			text_format(out, "%c", *query);
		}
	}
}

static struct trm_error *make_series(const struct publish_loops *loops,
				     const struct loop *loop, struct source *source,
				     struct text *out)
{
	struct text query = {0};
	struct trm_error *error;

	fill_query(loops->series, loop, loops->rows_max, &query);
	error = source_add(source, query.data, loops->series_across, true, out);
	source->query = NULL; /* the text goes */
	text_deinit(&query);
	return error;
}

struct trm_error *loops_each(const struct publish_loops *loops, struct source *source,
			     loops_visit *visit, void *context)
{
	struct loops found = {0};
	struct trm_error *error = find_loops(loops, source, &found);

	for (size_t i = 0; i < found.count && !error; i++) {
		struct text table = {0};

		error = make_series(loops, &found.items[i], source, &table);
		if (!error)
			error = visit(context, found.items[i].name, &table);
		text_deinit(&table);
	}
	loops_deinit(&found);
	return error;
}

static struct trm_error *add_series(void *context, const char *name,
				    const struct text *table)
{
	text_format(context, "\nIteration summary (%s):\n-----------------\n\n", name);
	text_add_bytes(context, table->data, table->length);
	return NULL;
}

struct trm_error *loops_report(const struct publish_loops *loops, struct source *source,
			       struct text *out)
{
	if (loops->with_summary) {
		text_add(out, "\nLoop summary:\n------------\n\n");
		TRM_TRY(source_add(source, loops->summary, loops->summary_across, true,
				   out));
	}
	return loops->with_series ? loops_each(loops, source, add_series, out) : NULL;
}
