/*
 * A row is a path and a quantity: its count and time, or one of its metrics. Numbers of a
 * row add up, but those that are named as least or greatest ones.
 */
#include "context/gather.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/table.h"
#include "context/channel_view.h"
#include "context/save.h"
#include "record/model.h"
#include "record/output.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum rule { RULE_NONE, RULE_ADD, RULE_LEAST, RULE_MOST };

/* What becomes of an attribute's numbers, and the row that they are in. */
struct meaning {
	bool known;
	enum rule rule;
	uint32_t quantity; /* number of its name; 0: count and time */
};

enum { ROW_PAIRS = 4 };

struct row {
	record_node node;
	uint32_t quantity;
	size_t count;
	struct record_pair pairs[ROW_PAIRS];
};

struct context_gather {
	struct record_model *model;
	struct string_table quantities;         /* [0] is "" */
	struct VECTOR(struct meaning) meanings; /* by attribute */
	struct table by_key;                    /* rows, by node and quantity */
	struct VECTOR(struct row) rows;
	struct text faults;
	uint64_t ranks;
	/* Of rank 0's own process; its numbers are in the rows. */
	struct context_spool head;
};

struct context_gather *context_gather_create(void)
{
	struct context_gather *gather = memory_allocate_zeroed(1, sizeof(*gather));

	gather->model = record_model_create();
	string_table_intern(&gather->quantities, "");
	return gather;
}

void context_gather_destroy(struct context_gather *gather)
{
	if (!gather)
		return;
	record_model_destroy(gather->model);
	string_table_deinit(&gather->quantities);
	vector_deinit(&gather->meanings);
	table_deinit(&gather->by_key);
	vector_deinit(&gather->rows);
	text_deinit(&gather->faults);
	free(gather);
}

static struct meaning find_meaning(struct context_gather *gather, const char *name)
{
	static const struct {
		const char *prefix;
		enum rule rule;
	} prefixes[] = {
		{"count#", RULE_ADD},
		{"sum#", RULE_ADD},
		{"min#", RULE_LEAST},
		{"max#", RULE_MOST},
	};

	if (!strcmp(name, "count") || !strcmp(name, "time.ns"))
		return (struct meaning){true, RULE_ADD, 0};
	for (size_t i = 0; i < array_count(prefixes); i++) {
		size_t length = strlen(prefixes[i].prefix);

		if (!strncmp(name, prefixes[i].prefix, length) && name[length])
			return (struct meaning){
				true, prefixes[i].rule,
				string_table_intern(&gather->quantities, name + length)};
	}
	return (struct meaning){.known = true};
}

static const struct meaning *meaning_of(struct context_gather *gather,
					record_attribute attribute)
{
	while (gather->meanings.count <= attribute)
		vector_add(&gather->meanings);
	struct meaning *meaning = &gather->meanings.items[attribute];

	if (!meaning->known)
		*meaning = find_meaning(gather,
					record_attribute_name(gather->model, attribute));
	return meaning;
}

static bool is_less(struct record_value a, struct record_value b)
{
	if (a.type == RECORD_DOUBLE)
		return a.d < b.d;
	return a.type == RECORD_INT ? a.i < b.i : a.u < b.u;
}

static void combine_pair(struct record_value *value, struct record_value with,
			 enum rule rule)
{
	if (rule == RULE_ADD && value->type == RECORD_DOUBLE)
		value->d += with.d;
	else if (rule == RULE_ADD)
		value->u += with.u;
	else if (rule == RULE_LEAST ? is_less(with, *value) : is_less(*value, with))
		*value = with;
	else if (value->type == RECORD_DOUBLE && isnan(value->d)) /* missing */
		*value = with;
}

static struct row *find_row(struct context_gather *gather, record_node node,
			    uint32_t quantity)
{
	bool new;
	uint64_t *index =
		table_insert(&gather->by_key, (uint64_t)node << 32 | quantity, &new);

	if (new) {
		*index = gather->rows.count;
		vector_push(&gather->rows,
			    ((struct row){.node = node, .quantity = quantity}));
	}
	return &gather->rows.items[*index];
}

static void add_pair(struct context_gather *gather, record_node node,
		     struct record_pair pair)
{
	const struct meaning *meaning = meaning_of(gather, pair.attribute);

	if (meaning->rule == RULE_NONE || pair.value.type == RECORD_STRING ||
	    pair.value.type == RECORD_BLOB)
		return;
	struct row *row = find_row(gather, node, meaning->quantity);

	for (size_t i = 0; i < row->count; i++)
		if (row->pairs[i].attribute == pair.attribute) {
			combine_pair(&row->pairs[i].value, pair.value, meaning->rule);
			return;
		}
	if (row->count < ROW_PAIRS)
		row->pairs[row->count++] = pair;
}

static void add_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_pair(context, node, pairs[i]);
}

static void add_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct context_gather *gather = context;
	const char *name = record_attribute_name(gather->model, attribute);

	if (!strcmp(name, "mpi.ranks") && value.type == RECORD_UINT)
		gather->ranks += value.u;
	if (strcmp(name, "context.faults") != 0 || value.type != RECORD_STRING)
		return;
	if (gather->faults.length)
		text_add(&gather->faults, "\n");
	text_add(&gather->faults, value.bytes);
}

struct trm_error *context_gather_add(struct context_gather *gather, const void *bytes,
				     size_t size)
{
	const struct trm_visitor visitor = {
		.context = gather, .record = add_record, .global = add_global};
	char *warning = NULL;
	struct trm_error *error = trm_read_memory(bytes, size, "what a rank has sent",
						  gather->model, &visitor, &warning);

	if (!error && warning)
		error = trm_error_create(TRM_ERROR_FORMAT, "%s", warning);
	free(warning);
	return error;
}

/* A rank's own number becomes a metric of the ranks'. */
static void add_own(struct context_gather *gather, record_node node, const char *name,
		    struct record_value value)
{
	static const char *const forms[] = {"count#rank.%s", "sum#rank.%s", "min#rank.%s",
					    "max#rank.%s"};

	for (size_t i = 0; i < array_count(forms); i++) {
		struct record_pair pair = {.value = i ? value : record_uint(1)};
		struct text text = {0};

		text_format(&text, forms[i], name);
		struct trm_error *error = record_attribute_intern(
			gather->model, text.data, pair.value.type,
			RECORD_AS_VALUE | (i < 2 ? RECORD_AGGREGATABLE : 0),
			&pair.attribute);

		if (!error)
			add_pair(gather, node, pair);
		trm_error_destroy(error); /* another type's: left out */
		text_deinit(&text);
	}
}

/* Time with that of all that is further in, by node; nodes follow those around them. */
static uint64_t *sum_inclusive(const struct context_gather *gather)
{
	size_t count = record_node_count(gather->model);
	uint64_t *times = memory_allocate_zeroed(count + 1, sizeof(*times));

	vector_for_each (&gather->rows, row)
		for (size_t i = 0; i < row->count; i++)
			if (!strcmp(record_attribute_name(gather->model,
							  row->pairs[i].attribute),
				    "time.ns"))
				times[row->node] += row->pairs[i].value.u;
	for (size_t node = count; node-- > 1;)
		times[record_node_parent(gather->model, (record_node)node)] +=
			times[node];
	return times;
}

/* What rows of one rank have, once more as what single ranks have. */
static void add_ranks(struct context_gather *gather)
{
	scoped_free uint64_t *inclusive = sum_inclusive(gather);
	size_t count = gather->rows.count;

	for (size_t at = 0; at < count; at++) {
		struct row row = gather->rows.items[at];

		for (size_t i = 0; i < row.count; i++) {
			const char *name = record_attribute_name(gather->model,
								 row.pairs[i].attribute);

			if (!row.quantity)
				add_own(gather, row.node, name, row.pairs[i].value);
			else if (!strncmp(name, "sum#", 4))
				add_own(gather, row.node, name + 4, row.pairs[i].value);
		}
		if (!row.quantity && row.node)
			add_own(gather, row.node, "time.inclusive.ns",
				record_uint(inclusive[row.node]));
	}
}

/* The bytes of a file in memory. */
static struct trm_error *read_back(int fd, void **ret_bytes, size_t *ret_size)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *bytes = malloc(size > 0 ? (size_t)size : 1);

	for (off_t at = 0; bytes && at < size;) {
		ssize_t got = pread(fd, bytes + at, (size_t)(size - at), at);

		if (got <= 0) {
			free(bytes);
			bytes = NULL;
			break;
		}
		at += got;
	}
	if (size < 0 || !bytes) {
		free(bytes);
		return trm_error_system(errno, "cannot pack what was recorded");
	}
	*ret_bytes = bytes;
	*ret_size = (size_t)size;
	return NULL;
}

typedef struct trm_error *write_function(struct trm_writer *writer,
					 struct record_model *model, void *context);

/* What the function writes, as bytes. */
static struct trm_error *write_bytes(struct record_model *model, write_function *write,
				     void *context, void **ret_bytes, size_t *ret_size)
{
	scoped_fd int fd = memfd_create("trammel-gather", MFD_CLOEXEC);
	struct trm_writer *writer;
	struct trm_error *error, *disk;

	if (fd < 0)
		return trm_error_system(errno, "cannot make a file in memory");
	writer = trm_writer_create(fd, model);
	error = write(writer, model, context);
	disk = trm_writer_finish(writer);
	if (error) {
		trm_error_destroy(disk);
		return error;
	}
	return disk ? disk : read_back(fd, ret_bytes, ret_size);
}

static struct trm_error *write_paths(struct trm_writer *writer,
				     struct record_model *model, void *context)
{
	struct context_saving saving;

	TRM_TRY(context_saving_init(&saving, writer, model));
	context_save_paths(&saving, context, 1);
	return NULL;
}

/* Each line of the faults with the rank. */
static void describe_faults(struct context_gather *gather,
			    const struct context_process *process, uint32_t rank)
{
	struct text faults = {0};
	char *rest, *line;

	context_describe_faults(process, &faults);
	rest = faults.data;
	while (rest && (line = strsep(&rest, "\n")))
		text_format(&gather->faults, "%srank %u: %s",
			    gather->faults.length ? "\n" : "", rank, line);
	text_deinit(&faults);
}

static struct trm_error *add_process(struct context_gather *gather,
				     struct context_process *process)
{
	struct record_model *model = record_model_create();
	scoped_free void *bytes = NULL;
	size_t size = 0;
	struct trm_error *error = write_bytes(model, write_paths, process, &bytes, &size);

	record_model_destroy(model);
	return error ? error : context_gather_add(gather, bytes, size);
}

struct trm_error *context_gather_spool(struct context_gather *gather, const char *spool,
				       uint32_t rank)
{
	struct context_process process;
	struct trm_error *error;

	TRM_TRY(context_process_init(&process, spool));
	gather->head = *process.head;
	describe_faults(gather, &process, rank);
	error = add_process(gather, &process);
	context_process_deinit(&process);
	if (error)
		return error;
	add_ranks(gather);
	gather->ranks++;
	return NULL;
}

static void write_rows(const struct context_gather *gather, struct trm_writer *writer,
		       const struct record_pair *image)
{
	vector_for_each (&gather->rows, row) {
		struct record_pair pairs[ROW_PAIRS + 1];
		size_t count = 0;

		if (image)
			pairs[count++] = *image;
		memcpy(pairs + count, row->pairs, row->count * sizeof(*pairs));
		trm_writer_record(writer, row->node, pairs, count + row->count);
	}
}

static struct trm_error *write_global(struct trm_writer *writer,
				      struct record_model *model, const char *name,
				      struct record_value value)
{
	record_attribute attribute;

	TRM_TRY(record_attribute_intern(model, name, value.type,
					RECORD_AS_VALUE | RECORD_GLOBAL, &attribute));
	trm_writer_global(writer, attribute, value);
	return NULL;
}

static struct trm_error *write_packed(struct trm_writer *writer,
				      struct record_model *model, void *context)
{
	const struct context_gather *gather = context;

	TRM_TRY(write_global(writer, model, "mpi.ranks", record_uint(gather->ranks)));
	if (gather->faults.length)
		TRM_TRY(write_global(writer, model, "context.faults",
				     record_string(gather->faults.data)));
	write_rows(gather, writer, NULL);
	return NULL;
}

struct trm_error *context_gather_pack(struct context_gather *gather, void **ret_bytes,
				      size_t *ret_size)
{
	return write_bytes(gather->model, write_packed, gather, ret_bytes, ret_size);
}

static struct trm_error *write_profile(const struct context_gather *gather,
				       struct trm_writer *writer,
				       const struct context_run *run)
{
	struct context_saving saving;
	struct record_pair image = {.value = record_uint(1)};
	const char *faults = gather->faults.data ? gather->faults.data : "";

	TRM_TRY(context_saving_init(&saving, writer, gather->model));
	image.attribute = saving.image;
	TRM_TRY(context_run_save(&saving, run, faults, false));
	TRM_TRY(write_global(writer, gather->model, "mpi.ranks",
			     record_uint(gather->ranks)));
	TRM_TRY(context_image_save(&saving, &gather->head, 1, run->exit_state));
	write_rows(gather, writer, &image);
	return NULL;
}

struct trm_error *context_gather_write(struct context_gather *gather, const char *path,
				       const char *command)
{
	const struct context_spool *head = &gather->head;
	const struct context_run run = {
		.measure = "regions",
		.command = command,
		.start = (time_t)(head->realtime_ns / 1000000000u),
		.wall_ns = head->begin.ns ? clock_now_ns() - head->begin.ns : 0,
		.first = head->pid,
		.exit = "",
		.exit_state = "ended",
	};
	struct trm_output output;
	struct trm_writer *writer;
	struct trm_error *error, *disk;

	TRM_TRY(trm_output_open(path, &output));
	writer = trm_writer_create(output.fd, gather->model);
	error = write_profile(gather, writer, &run);
	disk = trm_writer_finish(writer);
	if (error)
		trm_error_destroy(disk);
	return trm_output_close(&output, error ? error : disk);
}
