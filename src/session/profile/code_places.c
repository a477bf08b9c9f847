#include "session/profile/code_places.h"

#include "base/path.h"
#include "code/plan/plan_rows.h"
#include "record/model.h"
#include "record/value.h"
#include "session/state/tool_rows.h"
#include "symbols/symbols.h"
#include "wire/context.h"

#include <string.h>

struct code_places {
	struct profile_writer *writer;
	struct symbols *symbols; /* a module for each path, at the number of its code */
	struct string_table paths;
	struct VECTOR(const struct module_file *) files; /* by path; NULL: not planned */
};

struct code_places *code_places_create(struct profile_writer *writer)
{
	struct code_places *places = memory_allocate_zeroed(1, sizeof(*places));

	places->writer = writer;
	places->symbols = symbols_create(CONTEXT_LOOK_ROWS);
	return places;
}

void code_places_destroy(struct code_places *places)
{
	if (!places)
		return;
	symbols_destroy(places->symbols);
	string_table_deinit(&places->paths);
	vector_deinit(&places->files);
	free(places);
}

/* A file that was measured. */
static const struct module_file *file_of(const struct session *session, const char *path)
{
	vector_for_each (&session->files, file)
		if ((*file)->plan && !strcmp((*file)->path, path))
			return *file;
	return NULL;
}

/* The number of a path, whose code the symbols know from now on. */
static uint32_t number_of(struct code_places *places, const char *path)
{
	uint32_t number = string_table_intern(&places->paths, path);

	if (number < places->files.count)
		return number;
	vector_push(&places->files, file_of(places->writer->session, path));
	symbols_add(places->symbols, tool_code_number(number, 0),
		    tool_code_number(number + 1, 0), tool_code_number(number, 0), path);
	return number;
}

static record_node text_node(struct profile_writer *writer, record_node parent,
			     const char *name, const char *text)
{
	return record_node_child(
		writer->model, parent,
		record_attribute_make(writer->model, name, RECORD_STRING, 0),
		record_string(text));
}

/* The node of a function that no plan has. */
static record_node other_node(struct profile_writer *writer,
			      const struct symbols_place *place, const char *path)
{
	record_node node = text_node(writer, 0, "module", path_name(path));

	node = text_node(writer, node, "module.path", path);
	return text_node(writer, node, "function", place->functions[0]);
}

struct code_place code_places_find(struct code_places *places, const char *path,
				   uint64_t address)
{
	const uint32_t number = number_of(places, path);
	const struct module_file *file = places->files.items[number];
	const struct symbols_place *source =
		symbols_find(places->symbols, tool_code_number(number, address));
	const struct plan_function *function =
		file ? plan_function_at(file->plan, address) : NULL;
	struct code_place place = {.file = source->file, .line = source->line};

	if (!function) {
		place.node = other_node(places->writer, source, path);
		return place;
	}
	function = plan_whole_of(file->plan, function);
	place.node = profile_writer_function_node(places->writer, file, function);
	place.has_offset = true;
	place.offset = function->address;
	return place;
}

record_node code_places_add(struct profile_writer *writer, const struct code_place *place,
			    record_node node, uint64_t address, struct record_pair *pairs,
			    size_t *count)
{
	if (place->has_offset)
		pairs[(*count)++] = (struct record_pair){writer->names.offset,
							 record_address(place->offset)};
	pairs[(*count)++] = (struct record_pair){
		record_attribute_make(writer->model, "code.address", RECORD_ADDRESS,
				      RECORD_AS_VALUE),
		record_address(address)};
	if (!place->line)
		return node;
	node = text_node(writer, node, "source.file", place->file);
	return record_node_child(
		writer->model, node,
		record_attribute_make(writer->model, "source.line", RECORD_UINT, 0),
		record_uint(place->line));
}
