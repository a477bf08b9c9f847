#include "session/profile/tool_rows_save.h"

#include "base/path.h"
#include "code/points/point_data.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "session/options/options.h"
#include "session/profile/code_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

/* A record that is being put together. */
struct row_record {
	struct profile_writer *writer;
	const char *tool;
	record_node node;
	size_t count;
	struct record_pair
		pairs[TOOL_ROW_NUMBERS_MAX + CODE_PLACE_PAIRS + 2 + PROFILE_WRITER_MORE];
};

static void add_pair(struct row_record *saving, record_attribute attribute,
		     struct record_value value)
{
	saving->pairs[saving->count++] = (struct record_pair){attribute, value};
}

static void add_node(struct row_record *saving, record_attribute attribute,
		     struct record_value value)
{
	saving->node =
		record_node_child(saving->writer->model, saving->node, attribute, value);
}

static void add_text_node(struct row_record *saving, const char *name, const char *text)
{
	add_node(saving,
		 record_attribute_make(saving->writer->model, name, RECORD_STRING, 0),
		 record_string(text));
}

/* Begins a record of a table, on code or on none (NULL). */
static void begin_record(struct row_record *saving, const struct image_run *image,
			 const char *table, const struct code_place *place,
			 uint64_t address, uint64_t times)
{
	struct profile_writer *writer = saving->writer;

	saving->node = place ? place->node : 0;
	add_text_node(saving, "tool", saving->tool);
	add_text_node(saving, "tool.table", table);
	add_pair(saving, writer->names.image, record_uint(image->number));
	add_pair(saving,
		 record_attribute_make(writer->model, "tool.records", RECORD_UINT,
				       RECORD_AS_VALUE | RECORD_AGGREGATABLE),
		 record_uint(times));
	if (place)
		saving->node = code_places_add(writer, place, saving->node, address,
					       saving->pairs, &saving->count);
}

/* "TOOL#NAME", or another name if a key and a number are called so. */
static record_attribute attribute_of(const struct row_record *saving, const char *prefix,
				     const char *name, enum record_type type,
				     uint32_t properties)
{
	char whole[NAME_SIZE];
	record_attribute attribute;

	snprintf(whole, sizeof(whole), "%s#%s%s", saving->tool, prefix, name);
	attribute = record_attribute_make(saving->writer->model, whole, type, properties);
	if (record_attribute_properties(saving->writer->model, attribute) == properties)
		return attribute;
	snprintf(whole, sizeof(whole), "%s#%s%s.%s", saving->tool, prefix, name,
		 properties ? "sum" : "key");
	return record_attribute_make(saving->writer->model, whole, type, properties);
}

static void add_number(struct row_record *saving, const struct tool_field *field,
		       uint64_t word)
{
	static const char *const prefixes[] = {
		[WIRE_FIELD_SUM] = "",
		[WIRE_FIELD_LEAST] = "min#",
		[WIRE_FIELD_MOST] = "max#",
	};
	const enum record_type type =
		field->type == WIRE_FIELD_FLOAT ? RECORD_DOUBLE : RECORD_INT;
	struct record_value value = {.type = type};

	memcpy(&value.u, &word, sizeof(word));
	add_pair(saving,
		 attribute_of(saving, prefixes[field->role], field->name, type,
			      RECORD_AS_VALUE | RECORD_AGGREGATABLE),
		 value);
}

/* The file and address of code that a key means; false: not known. */
static bool find_code(const struct session *session, const struct tool_field *field,
		      uint64_t number, const char **ret_path, uint64_t *ret_address)
{
	const uint32_t index = tool_code_index(number);

	*ret_path = NULL;
	*ret_address = tool_code_address(number);
	if (field->type == WIRE_FIELD_PC)
		*ret_path = index < session->files.count
				    ? session->files.items[index]->path
				    : NULL;
	else if (session->options->points.data)
		*ret_path = point_data_module(session->options->points.data, index);
	return *ret_path != NULL;
}

/* Code beside the record's own: "main app.c:12", "main app+0x1234". */
static void describe_code(struct profile_writer *writer, const char *path,
			  uint64_t address, struct text *out)
{
	const struct code_place place =
		code_places_find(writer->code_places, path, address);

	text_add(out, record_node_pair(writer->model, place.node).value.bytes);
	if (place.line)
		text_format(out, " %s:%u", path_name(place.file), place.line);
	else
		text_format(out, " %s+0x%" PRIx64, path_name(path), address);
}

static void add_key(struct row_record *saving, const struct tool_field *field,
		    uint64_t word)
{
	const struct session *session = saving->writer->session;
	struct text text = {0};
	uint64_t address;
	const char *path;

	if (field->type == WIRE_FIELD_INT) {
		add_node(saving, attribute_of(saving, "", field->name, RECORD_INT, 0),
			 record_int((int64_t)word));
		return;
	}
	if (field->type == WIRE_FIELD_TEXT || field->type == WIRE_FIELD_REGION)
		text_add(&text, word < session->tool_shapes.texts.count
					? session->tool_shapes.texts.strings[word]
					: "?");
	else if (find_code(session, field, word, &path, &address))
		describe_code(saving->writer, path, address, &text);
	else
		text_add(&text, "?");
	/* Samples have the same attribute. */
	add_node(saving,
		 field->type == WIRE_FIELD_REGION
			 ? record_attribute_make(saving->writer->model, "region.path",
						 RECORD_STRING, 0)
			 : attribute_of(saving, "", field->name, RECORD_STRING, 0),
		 record_string(text.data));
	text_deinit(&text);
}

static bool is_code(const struct tool_field *field)
{
	return field->type == WIRE_FIELD_CODE || field->type == WIRE_FIELD_PC;
}

/* The name of a tool: its own, or its file's. */
static const char *tool_name(const struct session *session, uint32_t tool)
{
	const struct tool_choices *choices = &session->options->tools;

	if (tool >= choices->count)
		return tool == TOOL_ROWS_VALUES ? "values" : "?";
	return choices->items[tool].name ? choices->items[tool].name
					 : path_name(choices->items[tool].path);
}

static void save_row(struct profile_writer *writer, const struct image_run *image,
		     const struct tool_rows *rows, const struct tool_row *row)
{
	const struct session *session = writer->session;
	const struct tool_shape *shape = session->tool_shapes.items.items[row->shape];
	const uint64_t *words = rows->words.items + row->first;
	struct row_record saving = {.writer = writer,
				    .tool = tool_name(session, shape->tool)};
	struct code_place place;
	uint64_t address = 0;
	uint32_t code = 0;
	const char *path;

	while (code < shape->count && !is_code(&shape->fields[code]))
		code++;
	if (code < shape->count &&
	    find_code(session, &shape->fields[code], words[code], &path, &address))
		place = code_places_find(writer->code_places, path, address);
	else
		code = shape->count;
	begin_record(&saving, image, shape->table, code < shape->count ? &place : NULL,
		     address, row->times);
	for (uint32_t i = 0; i < shape->count; i++) {
		if (shape->fields[i].role != WIRE_FIELD_KEY)
			add_number(&saving, &shape->fields[i], words[i]);
		else if (i != code)
			add_key(&saving, &shape->fields[i], words[i]);
	}
	trm_writer_record(writer->writer, saving.node, saving.pairs, saving.count);
}

void tool_rows_save_list(struct profile_writer *writer, const struct image_run *image,
			 const struct tool_rows *rows)
{
	vector_for_each (&rows->items, row)
		save_row(writer, image, rows, row);
}

void tool_rows_save(struct profile_writer *writer, const struct image_run *image)
{
	tool_rows_save_list(writer, image, &image->tool_rows);
}

void tool_rows_save_numbers(struct profile_writer *writer,
			    const struct module_counts *from,
			    const struct plan_function *function, const char *tool,
			    const struct tool_row_number *numbers, size_t count)
{
	struct row_record saving = {.writer = writer, .tool = tool};
	const struct tool_field field = {.role = WIRE_FIELD_SUM};
	struct code_place place;
	size_t before;

	place = code_places_find(writer->code_places, from->file->path,
				 function->address);
	begin_record(&saving, from->image, "counters", &place, function->address, 1);
	before = saving.count;
	for (size_t i = 0; i < count && i < TOOL_ROW_NUMBERS_MAX; i++) {
		struct tool_field named = field;

		named.name = (char *)(uintptr_t)numbers[i].name;
		if (numbers[i].number)
			add_number(&saving, &named, numbers[i].number);
	}
	if (saving.count > before)
		profile_writer_write(writer, saving.node, saving.pairs, saving.count);
}

void tool_rows_describe(const struct session *session, struct text *out)
{
	const struct tool_shapes *shapes = &session->tool_shapes;

	if (shapes->lost)
		text_format(out,
			    "%s%" PRIu64 " records of tools are missing: there is room "
			    "for %llu MiB of them",
			    out->length ? "\n" : "", shapes->lost,
			    TOOL_ROWS_BYTES_MAX >> 20);
	if (shapes->bad)
		text_format(out,
			    "%s%" PRIu64 " records of tools could not be read: their "
			    "memory was overwritten",
			    out->length ? "\n" : "", shapes->bad);
}
