#include "report/merge.h"

#include "base/cleanup.h"
#include "base/table.h"
#include "base/vector.h"
#include "record/model.h"
#include "record/record.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "report/runs.h"

#include <string.h>

/* Numbers that are unique in a profile, and what they become in the new one. */
struct numbers {
	record_attribute attribute;
	uint64_t last;      /* number given in the new profile */
	struct table given; /* by the number in the file being read */
};

/* A flag for each node, false for those behind the end. */
struct marks VECTOR(uint8_t);

struct report_merge {
	struct record_model *model; /* of the files and of the new one */
	struct trm_writer *writer;
	struct numbers images, runs;
	record_attribute measure, skip_reason, part_reason, path_steps, path_reason;
	/* By node: whether neither it nor an ancestor has a number to change, 0: not yet
	 * known. Others are in `moved`, each with the node that takes its place. */
	struct marks same;
	struct table moved;                      /* of the file being read */
	struct VECTOR(record_node) chain;        /* scratch of move_node */
	struct VECTOR(struct record_pair) pairs; /* scratch of see_record */
	struct marks stated;                     /* by node: see is_repeated */
	/* Of the file being read, since its head: */
	struct VECTOR(record_node) globals; /* children of the root */
	uint64_t images_before;             /* images.last at the head */
	bool has_runs;                      /* it is a merged profile itself */
	bool any;                           /* something was in it */
	/* Of all: */
	const char *path;            /* being read */
	char *first_path, *measured; /* the first file that said what was measured */
	struct trm_error *error;     /* the first; what follows is not passed on */
};

struct report_merge *report_merge_create(int fd)
{
	struct report_merge *merge = memory_allocate_zeroed(1, sizeof(*merge));

	merge->model = record_model_create();
	merge->images.attribute = record_attribute_make(merge->model, "image",
							RECORD_UINT, RECORD_AS_VALUE);
	merge->runs.attribute =
		record_attribute_make(merge->model, "run", RECORD_UINT, RECORD_AS_VALUE);
	merge->measure = record_attribute_make(merge->model, "run.measure", RECORD_STRING,
					       RECORD_AS_VALUE | RECORD_GLOBAL);
	merge->skip_reason = record_attribute_make(merge->model, "skip.reason",
						   RECORD_STRING, RECORD_AS_VALUE);
	merge->part_reason = record_attribute_make(merge->model, "part.reason",
						   RECORD_STRING, RECORD_AS_VALUE);
	merge->path_steps = record_attribute_make(merge->model, "path.steps",
						  RECORD_STRING, RECORD_AS_VALUE);
	merge->path_reason = record_attribute_make(merge->model, "path.reason",
						   RECORD_STRING, RECORD_AS_VALUE);
	merge->writer = trm_writer_create(fd, merge->model);
	return merge;
}

/* What measurements have in common is not known: calls of a coverage profile are none. */
static void check_measure(struct report_merge *merge, const char *measured)
{
	if (!merge->measured) {
		merge->measured = memory_copy_string(measured);
		merge->first_path = memory_copy_string(merge->path);
	} else if (strcmp(merge->measured, measured) != 0 && !merge->error) {
		merge->error = trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' measured %s, '%s' %s: these cannot be added up, merge them "
			"apart",
			merge->first_path, merge->measured, merge->path, measured);
	}
}

/* Whether the pair has a number of this kind; then it gets its new one. */
static bool renumber_pair(struct numbers *numbers, struct record_pair *pair)
{
	bool new;

	if (pair->attribute != numbers->attribute)
		return false;
	uint64_t *number = table_insert(&numbers->given, pair->value.u, &new);

	if (new)
		*number = ++numbers->last;
	pair->value.u = *number;
	return true;
}

/* The same for all kinds. A run's number says that the file is a merged one. */
static bool change_pair(struct report_merge *merge, struct record_pair *pair)
{
	if (pair->attribute == merge->measure)
		check_measure(merge, pair->value.bytes);
	if (renumber_pair(&merge->images, pair))
		return true;
	if (!renumber_pair(&merge->runs, pair))
		return false;
	merge->has_runs = true;
	return true;
}

static bool is_marked(const struct marks *marks, record_node node)
{
	return node < marks->count && marks->items[node];
}

static void mark_node(struct marks *marks, record_node node)
{
	while (marks->count <= node)
		vector_push(marks, 0);
	marks->items[node] = 1;
}

/* The node that takes this one's place in the new profile, if that is known. */
static bool find_moved(const struct report_merge *merge, record_node node,
		       record_node *ret_moved)
{
	uint64_t moved = node;

	if (node && !is_marked(&merge->same, node) &&
	    !table_find(&merge->moved, node, &moved))
		return false;
	*ret_moved = (record_node)moved;
	return true;
}

static record_node move_node(struct report_merge *merge, record_node node)
{
	record_node moved = 0;

	merge->chain.count = 0;
	while (!find_moved(merge, node, &moved)) {
		vector_push(&merge->chain, node);
		node = record_node_parent(merge->model, node);
	}
	while (merge->chain.count) {
		/* Not just the same number: in the next file it may get another one. */
		bool same = !node || is_marked(&merge->same, node);

		node = merge->chain.items[--merge->chain.count];
		struct record_pair pair = record_node_pair(merge->model, node);

		if (change_pair(merge, &pair) || !same) {
			moved = record_node_child(merge->model, moved, pair.attribute,
						  pair.value);
			*table_insert(&merge->moved, node, NULL) = moved;
		} else {
			moved = node;
			mark_node(&merge->same, node);
		}
	}
	return moved;
}

/*
 * Whether the record says why a function was left out, or which paths it has, and an
 * equal one was passed on already. Each such record is kept as a path of the tree, which
 * the writer never sees.
 */
static bool is_repeated(struct report_merge *merge, record_node node)
{
	bool skip = false;

	vector_for_each (&merge->pairs, pair) {
		if (pair->attribute == merge->images.attribute)
			return false;
		skip |= pair->attribute == merge->skip_reason ||
			pair->attribute == merge->part_reason ||
			pair->attribute == merge->path_steps ||
			pair->attribute == merge->path_reason;
	}
	if (!skip)
		return false;
	vector_for_each (&merge->pairs, pair)
		node = record_node_child(merge->model, node, pair->attribute,
					 pair->value);
	if (is_marked(&merge->stated, node))
		return true;
	mark_node(&merge->stated, node);
	return false;
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct report_merge *merge = context;

	if (merge->error)
		return;
	merge->any = true;
	merge->pairs.count = 0;
	for (size_t i = 0; i < count; i++) {
		vector_push(&merge->pairs, pairs[i]);
		change_pair(merge, &merge->pairs.items[i]);
	}
	node = move_node(merge, node);
	if (!is_repeated(merge, node))
		trm_writer_record(merge->writer, node, merge->pairs.items, count);
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct report_merge *merge = context;
	record_node global = record_node_child(merge->model, 0, attribute, value);

	merge->any = true;
	if (attribute == merge->measure)
		check_measure(merge, value.bytes);
	/* The last value of an attribute counts. */
	vector_for_each (&merge->globals, old) {
		if (record_node_pair(merge->model, *old).attribute == attribute) {
			*old = global;
			return;
		}
	}
	vector_push(&merge->globals, global);
}

/* Globals of the file become a record, and its images belong to that run. */
static void write_run(struct report_merge *merge)
{
	struct record_pair run = {merge->runs.attribute, record_uint(++merge->runs.last)};

	merge->pairs.count = 0;
	vector_push(&merge->pairs, run);
	vector_for_each (&merge->globals, global)
		vector_push(&merge->pairs, record_node_pair(merge->model, *global));
	trm_writer_record(merge->writer, 0, merge->pairs.items, merge->pairs.count);
	for (uint64_t image = merge->images_before + 1;
	     !merge->has_runs && image <= merge->images.last; image++) {
		struct record_pair pairs[] = {
			{merge->images.attribute, record_uint(image)}, run};

		trm_writer_record(merge->writer, 0, pairs, 2);
	}
}

/* Ends what began with a head. */
static void end_head(struct report_merge *merge)
{
	if (merge->any && !merge->error && (merge->globals.count || !merge->has_runs))
		write_run(merge);
	merge->globals.count = 0;
	merge->images_before = merge->images.last;
	merge->has_runs = merge->any = false;
	table_deinit(&merge->images.given);
	table_deinit(&merge->runs.given);
	table_deinit(&merge->moved);
}

static void see_head(void *context)
{
	end_head(context);
}

struct trm_error *report_merge_add(struct report_merge *merge, const char *path,
				   char **ret_warning)
{
	struct trm_visitor visitor = {.context = merge,
				      .record = see_record,
				      .global = see_global,
				      .file = see_head};
	uint64_t runs = merge->runs.last;

	merge->path = path;
	TRM_TRY(trm_read(path, merge->model, &visitor, ret_warning));
	end_head(merge);

	struct trm_error *error = take_pointer(merge->error);

	if (!error && merge->runs.last == runs)
		error = report_error_empty(path);
	if (error) {
		free(*ret_warning);
		*ret_warning = NULL;
	}
	return error;
}

struct trm_error *report_merge_finish(struct report_merge *merge)
{
	struct trm_error *error = trm_writer_finish(merge->writer);

	record_model_destroy(merge->model);
	table_deinit(&merge->images.given);
	table_deinit(&merge->runs.given);
	table_deinit(&merge->moved);
	vector_deinit(&merge->same);
	vector_deinit(&merge->stated);
	vector_deinit(&merge->chain);
	vector_deinit(&merge->pairs);
	vector_deinit(&merge->globals);
	free(merge->first_path);
	free(merge->measured);
	trm_error_destroy(merge->error);
	free(merge);
	return error;
}
