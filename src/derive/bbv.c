#include "derive/bbv.h"

#include "base/array.h"
#include "record/model.h"
#include "record/record.h"
#include "record/trm_reader.h"
#include "report/profile.h"
#include "report/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum field {
	FIELD_IMAGE,
	FIELD_PROCESS,
	FIELD_MODULE,
	FIELD_PATH,
	FIELD_FUNCTION,
	FIELD_BLOCK,
	FIELD_INSTRUCTIONS,
	FIELD_COUNT,
	FIELD_INTERVAL,
	FIELD_START,
	FIELD_END,
	FIELDS
};

static const struct {
	const char *name;
	bool text;
} fields[FIELDS] = {
	[FIELD_IMAGE] = {"image", false},
	[FIELD_PROCESS] = {"process", false},
	[FIELD_MODULE] = {"module", true},
	[FIELD_PATH] = {"module.path", true},
	[FIELD_FUNCTION] = {"function", true},
	[FIELD_BLOCK] = {"block", false},
	[FIELD_INSTRUCTIONS] = {"block.instructions", false},
	[FIELD_COUNT] = {"count", false},
	[FIELD_INTERVAL] = {"interval", false},
	[FIELD_START] = {"interval.start.ns", false},
	[FIELD_END] = {"interval.end.ns", false},
};

/* A record, with what its node has. */
struct row {
	uint32_t present; /* bitmap */
	struct record_value values[FIELDS];
};

struct reading {
	struct bbv *bbv;
	const struct bbv_filter *filter;
	struct record_model *model;
	struct table field_by_attribute; /* plus 1; 0: no field */
	struct table block_by_place;     /* hashes */
	struct table interval_by_number;
	struct table wanted; /* images by number */
	uint64_t file;       /* of those put one behind the other: images begin anew */
	bool any_block, measured;
};

static bool has_field(const struct row *row, enum field field)
{
	return row->present >> field & 1;
}

/* Which field an attribute is, plus 1. */
static uint64_t field_of(struct reading *reading, record_attribute attribute)
{
	bool new;
	uint64_t *known = table_insert(&reading->field_by_attribute, attribute, &new);

	for (unsigned int i = 0; new &&i < FIELDS; i++) {
		enum record_type type = record_attribute_type(reading->model, attribute);
		bool text = type == RECORD_STRING;
		bool number = type == RECORD_UINT || type == RECORD_ADDRESS;

		if ((fields[i].text ? text : number) &&
		    !strcmp(record_attribute_name(reading->model, attribute),
			    fields[i].name))
			*known = i + 1;
	}
	return *known;
}

static void take_pair(struct reading *reading, struct row *row,
		      const struct record_pair *pair)
{
	uint64_t field = field_of(reading, pair->attribute);

	/* The innermost node counts where a path has several. */
	if (!field || has_field(row, (enum field)(field - 1)))
		return;
	row->present |= 1u << (field - 1);
	row->values[field - 1] = pair->value;
}

/* Images of files that were put one behind the other are different ones. */
static uint64_t image_of(const struct reading *reading, const struct row *row)
{
	const uint64_t key[] = {reading->file, row->values[FIELD_IMAGE].u};

	return hash_bytes(key, sizeof(key));
}

static uint32_t find_block(struct reading *reading, const struct row *row)
{
	struct bbv *bbv = reading->bbv;
	enum field path = has_field(row, FIELD_PATH) ? FIELD_PATH : FIELD_MODULE;
	uint32_t module = string_table_intern(
		&bbv->strings, has_field(row, path) ? row->values[path].bytes : "");
	const uint64_t place[] = {module, row->values[FIELD_BLOCK].u};
	bool new;
	uint64_t *index = table_insert(&reading->block_by_place,
				       hash_bytes(place, sizeof(place)), &new);

	if (new) {
		const char *function = has_field(row, FIELD_FUNCTION)
					       ? row->values[FIELD_FUNCTION].bytes
					       : "";

		*index = bbv->blocks.count;
		vector_push(&bbv->blocks,
			    ((struct bbv_block){
				    module,
				    string_table_intern(&bbv->strings, function),
				    place[1],
				    row->values[FIELD_INSTRUCTIONS].u,
			    }));
	}
	return (uint32_t)*index;
}

static void add_block(struct reading *reading, const struct row *row)
{
	const char *glob = reading->filter->module;

	if (!has_field(row, FIELD_COUNT) || !has_field(row, FIELD_INSTRUCTIONS) ||
	    !has_field(row, FIELD_INTERVAL))
		return;
	if (glob &&
	    !(has_field(row, FIELD_MODULE) &&
	      text_glob(glob, row->values[FIELD_MODULE].bytes)) &&
	    !(has_field(row, FIELD_PATH) &&
	      text_glob(glob, row->values[FIELD_PATH].bytes)))
		return;
	vector_push(&reading->bbv->entries,
		    ((struct bbv_entry){
			    .interval = row->values[FIELD_INTERVAL].u,
			    .image = image_of(reading, row),
			    .block = find_block(reading, row),
			    .instructions = row->values[FIELD_COUNT].u *
					    row->values[FIELD_INSTRUCTIONS].u,
		    }));
}

/* Of several runs with one number the longest is said. */
static void add_interval(struct reading *reading, const struct row *row)
{
	struct bbv *bbv = reading->bbv;
	uint64_t number = row->values[FIELD_INTERVAL].u;
	bool new;
	uint64_t *index = table_insert(&reading->interval_by_number, number, &new);

	if (new) {
		*index = bbv->intervals.count;
		vector_push(&bbv->intervals,
			    ((struct bbv_interval){number, row->values[FIELD_START].u,
						   row->values[FIELD_END].u}));
		return;
	}
	struct bbv_interval *interval = &bbv->intervals.items[*index];

	if (row->values[FIELD_END].u > interval->end_ns)
		interval->end_ns = row->values[FIELD_END].u;
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct reading *reading = context;
	struct row row = {0};

	for (size_t i = 0; i < count; i++)
		take_pair(reading, &row, &pairs[i]);
	for (; node; node = record_node_parent(reading->model, node)) {
		struct record_pair pair = record_node_pair(reading->model, node);

		take_pair(reading, &row, &pair);
	}
	reading->any_block |= has_field(&row, FIELD_BLOCK);
	if (has_field(&row, FIELD_BLOCK))
		add_block(reading, &row);
	else if (has_field(&row, FIELD_START) && has_field(&row, FIELD_INTERVAL))
		add_interval(reading, &row);
	else if (has_field(&row, FIELD_PROCESS) &&
		 row.values[FIELD_PROCESS].u == reading->filter->process)
		table_insert(&reading->wanted, image_of(reading, &row), NULL);
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct reading *reading = context;

	if (value.type == RECORD_STRING &&
	    !strcmp(record_attribute_name(reading->model, attribute), "run.measure"))
		reading->measured |= report_measure_has_blocks(value.bytes);
}

static void see_file(void *context)
{
	struct reading *reading = context;

	reading->file++;
}

COMPARE_BY_TWO(compare_entries, struct bbv_entry, interval, block);

COMPARE_BY(compare_intervals, struct bbv_interval, number);

/* Leaves out what is not wanted, and adds up what there is several times. */
static void put_in_order(struct reading *reading)
{
	struct bbv *bbv = reading->bbv;
	size_t kept = 0;

	vector_for_each (&bbv->entries, entry)
		if (!reading->filter->one_process ||
		    table_find(&reading->wanted, entry->image, NULL))
			bbv->entries.items[kept++] = *entry;
	bbv->entries.count = kept;
	if (kept)
		qsort(bbv->entries.items, kept, sizeof(*bbv->entries.items),
		      compare_entries);
	kept = 0;
	for (size_t i = 1; i < bbv->entries.count; i++) {
		struct bbv_entry *last = &bbv->entries.items[kept];

		if (compare_entries(last, &bbv->entries.items[i]))
			bbv->entries.items[++kept] = bbv->entries.items[i];
		else
			last->instructions += bbv->entries.items[i].instructions;
	}
	if (bbv->entries.count)
		bbv->entries.count = kept + 1;
	if (bbv->intervals.count)
		qsort(bbv->intervals.items, bbv->intervals.count,
		      sizeof(*bbv->intervals.items), compare_intervals);
}

static struct trm_error *check_profile(const struct reading *reading, const char *path)
{
	const struct bbv_filter *filter = reading->filter;

	if (!reading->any_block && reading->measured)
		return report_blocks_stayed(path);
	if (!reading->any_block)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"no counts of blocks in '%s': measure with trammel "
			"run -m blocks --interval 10ms",
			path);
	if (!reading->bbv->intervals.count)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"no intervals in '%s': measure with trammel run -m "
			"blocks --interval 10ms",
			path);
	if (filter->one_process && !reading->wanted.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no process %" PRIu64
					" in this profile: trammel report --by process "
					"shows those that are",
					filter->process);
	if (!reading->bbv->entries.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"nothing in '%s' is of what was asked for", path);
	return NULL;
}

struct trm_error *bbv_init(struct bbv *bbv, const char *path,
			   const struct bbv_filter *filter, char **ret_warning)
{
	struct reading reading = {
		.bbv = bbv, .filter = filter, .model = record_model_create()};
	struct trm_visitor visitor = {
		.context = &reading,
		.record = see_record,
		.global = see_global,
		.file = see_file,
	};

	*bbv = (struct bbv){0};
	*ret_warning = NULL;
	struct trm_error *error = trm_read(path, reading.model, &visitor, ret_warning);

	if (!error) {
		put_in_order(&reading);
		error = check_profile(&reading, path);
	}
	if (error)
		bbv_deinit(bbv);
	table_deinit(&reading.field_by_attribute);
	table_deinit(&reading.block_by_place);
	table_deinit(&reading.interval_by_number);
	table_deinit(&reading.wanted);
	record_model_destroy(reading.model);
	return error;
}

void bbv_deinit(struct bbv *bbv)
{
	string_table_deinit(&bbv->strings);
	vector_deinit(&bbv->blocks);
	vector_deinit(&bbv->entries);
	vector_deinit(&bbv->intervals);
}

size_t bbv_vectors(const struct bbv *bbv, struct text *out)
{
	const struct bbv_entry *last = NULL;
	size_t lines = 0;

	text_add(out, "");
	vector_for_each (&bbv->entries, entry) {
		if (!entry->instructions)
			continue;
		bool begins = !last || last->interval != entry->interval;

		if (begins)
			text_add(out, lines++ ? "\nT" : "T");
		text_format(out, "%s:%" PRIu64 ":%" PRIu64, begins ? "" : " ",
			    (uint64_t)entry->block + 1, entry->instructions);
		last = entry;
	}
	if (lines)
		text_add(out, "\n");
	return lines;
}

static const struct bbv_interval *interval_at(const struct bbv *bbv, uint64_t number)
{
	const struct bbv_interval key = {.number = number};

	return bsearch(&key, bbv->intervals.items, bbv->intervals.count, sizeof(key),
		       compare_intervals);
}

/* "vector LINE INTERVAL START END INSTRUCTIONS" */
static void add_vector(const struct bbv *bbv, size_t line, uint64_t number,
		       uint64_t instructions, struct text *out)
{
	const struct bbv_interval *interval = interval_at(bbv, number);

	text_format(out,
		    "vector\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		    line, number, interval ? interval->start_ns : 0,
		    interval ? interval->end_ns : 0, instructions);
}

/* A name in a field: nothing that would end it. */
static void add_name(const struct bbv *bbv, uint32_t string, struct text *out)
{
	size_t at = out->length;

	text_add(out, bbv->strings.strings[string]);
	for (; at < out->length; at++)
		if ((unsigned char)out->data[at] < ' ')
			out->data[at] = '?';
}

void bbv_table(const struct bbv *bbv, struct text *out)
{
	uint64_t instructions = 0;
	size_t line = 0;

	text_add(out, "");
	for (size_t i = 0; i < bbv->entries.count; i++) {
		const struct bbv_entry *entry = &bbv->entries.items[i];
		bool last = i + 1 == bbv->entries.count ||
			    entry[1].interval != entry->interval;

		instructions += entry->instructions;
		if (last && instructions)
			add_vector(bbv, ++line, entry->interval, instructions, out);
		if (last)
			instructions = 0;
	}
	vector_for_each (&bbv->blocks, block) {
		text_format(out, "block\t%zu\t0x%" PRIx64 "\t%" PRIu64 "\t",
			    (size_t)(block - bbv->blocks.items) + 1, block->address,
			    block->instructions);
		add_name(bbv, block->module, out);
		text_add(out, "\t");
		add_name(bbv, block->function, out);
		text_add(out, "\n");
	}
}
