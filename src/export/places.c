#include "export/places.h"

#include "base/cleanup.h"
#include "image/contents.h"
#include "image/find.h"
#include "image/inlines.h"
#include "image/lines.h"
#include "image/lookup.h"
#include "image/open.h"
#include "report/demangle.h"
#include "x86/decode.h"

#include <string.h>

enum {
	PAGE = 4096,
	BIAS_STEP = 1 << 24, /* modules begin at multiples of it, */
};
static const uint64_t bias_first = 1ull << 40; /* from here on, if they can be anywhere */

/* What is known of a module. */
struct module_places {
	bool used; /* there are frames of it */
	struct image *image;
	bool has_lines, has_rows, has_inlines;
	struct image_lines lines;
	struct image_rows rows;
	struct image_inlines inlines;
	uint64_t highest; /* address that the view has in it */
	struct export_mapping mapping;
};

struct export_places {
	struct module_places *modules; /* as many as the profile has */
	size_t count;
};

static bool is_good(struct trm_error *error)
{
	trm_error_destroy(error);
	return !error;
}

static void open_module(struct module_places *places, const struct report_module *module)
{
	if (!is_good(image_open_build(module->path, module->build_id, &places->image))) {
		places->image = NULL;
		return;
	}
	places->has_lines = is_good(image_lines_init(&places->lines, places->image));
	places->has_rows = places->has_lines &&
			   is_good(image_rows_init(&places->rows, places->image));
	places->has_inlines =
		places->has_rows &&
		is_good(image_inlines_init(&places->inlines, places->image));
	places->mapping.placed = places->has_rows;
}

static void place_frame(struct export_frame *frame, const struct module_places *places)
{
	const struct image *image = places->image;
	size_t index;

	if (!image)
		return;
	if (!frame->offset)
		image_find_function(image, frame->name, &frame->offset);
	index = image_function_at(image, frame->offset);
	if (index >= image->functions.count)
		return;
	const char *linked = image->names.items + image->functions.items[index].name;

	if (*linked && strcmp(linked, frame->name) != 0)
		frame->linked = linked;
	if (places->has_lines && places->lines.places.items[index].line) {
		frame->file = places->lines.files
				      .strings[places->lines.places.items[index].file];
		frame->line = places->lines.places.items[index].line;
	}
}

static void note_address(struct export_view *view, uint32_t module, uint64_t address)
{
	struct module_places *places;

	if (module == EXPORT_NONE)
		return;
	places = &view->places->modules[module];
	if (address > places->highest)
		places->highest = address;
}

static void note_addresses(struct export_view *view)
{
	const struct report_profile *profile = view->profile;

	vector_for_each (&view->nodes, node)
		note_address(view, view->frames.items[node->frame].module, node->address);
	vector_for_each (&profile->blocks, block)
		note_address(view, profile->functions.items[block->function].module,
			     block->address + block->size);
}

/* The segment with code; the first one if there are several. */
static void map_image(struct export_mapping *mapping, const struct image *image)
{
	vector_for_each (&image->segments, segment) {
		if (!segment->executable)
			continue;
		mapping->start = segment->address & -(uint64_t)PAGE;
		mapping->end = (segment->address + segment->memory_size + PAGE - 1) &
			       -(uint64_t)PAGE;
		mapping->file_offset = segment->file_offset & -(uint64_t)PAGE;
		return;
	}
}

/* Gives each module addresses of its own; programs that are linked to an address keep it.
 */
static void map_modules(struct export_places *places)
{
	uint64_t next = bias_first;

	for (size_t i = 0; i < places->count; i++) {
		struct module_places *module = &places->modules[i];
		struct export_mapping *mapping = &module->mapping;

		if (!module->used)
			continue;
		mapping->end = (module->highest + PAGE) & -(uint64_t)PAGE;
		if (module->image)
			map_image(mapping, module->image);
		if (mapping->end <= module->highest)
			mapping->end = (module->highest + PAGE) & -(uint64_t)PAGE;
		if ((module->image && module->image->type == IMAGE_EXECUTABLE) ||
		    mapping->end > UINT64_MAX / 4)
			continue;
		mapping->bias = next;
		mapping->start += next;
		mapping->end += next;
		next = (mapping->end + BIAS_STEP - 1) & -(uint64_t)BIAS_STEP;
	}
}

void export_places_open(struct export_view *view)
{
	struct export_places *places = memory_allocate_zeroed(1, sizeof(*places));

	places->count = view->profile->modules.count;
	places->modules =
		memory_allocate_zeroed(places->count + 1, sizeof(*places->modules));
	view->places = places;
	vector_for_each (&view->frames, frame) {
		struct module_places *module;

		if (frame->module == EXPORT_NONE)
			continue;
		module = &places->modules[frame->module];
		if (!module->used && view->profile->modules.items[frame->module].selected)
			open_module(module, &view->profile->modules.items[frame->module]);
		module->used = true;
		place_frame(frame, module);
	}
	note_addresses(view);
	map_modules(places);
}

void export_places_close(struct export_view *view)
{
	struct export_places *places = view->places;

	if (!places)
		return;
	for (size_t i = 0; i < places->count; i++) {
		struct module_places *module = &places->modules[i];

		if (module->has_inlines)
			image_inlines_deinit(&module->inlines);
		if (module->has_rows)
			image_rows_deinit(&module->rows);
		if (module->has_lines)
			image_lines_deinit(&module->lines);
		image_close(module->image);
	}
	free(places->modules);
	free(places);
	view->places = NULL;
}

static const struct module_places *places_of(const struct export_view *view,
					     const struct export_frame *frame)
{
	return view->places && frame->module != EXPORT_NONE
		       ? &view->places->modules[frame->module]
		       : NULL;
}

void export_line_of(const struct export_view *view, const struct export_node *node,
		    const char **ret_file, uint32_t *ret_line)
{
	const struct export_frame *frame = &view->frames.items[node->frame];
	const struct module_places *places = places_of(view, frame);

	*ret_file = frame->file;
	*ret_line = frame->line;
	if (!places || !places->has_rows || !node->address ||
	    node->address == frame->offset)
		return;
	const struct image_rows *rows = &places->rows;
	size_t row = image_rows_from(rows, node->address);

	if (row >= rows->rows.count || rows->rows.items[row].start > node->address)
		return;
	*ret_file = rows->files.strings[rows->rows.items[row].place.file];
	*ret_line = rows->rows.items[row].place.line;
}

/* What tells lines of functions apart. */
struct line_key {
	uint32_t file, line, scope;
};

static struct line_key key_at(const struct module_places *places, uint64_t address)
{
	const struct image_rows *rows = &places->rows;
	struct line_key key = {0, 0, INLINES_NONE};
	size_t row = image_rows_from(rows, address);
	struct image_site site;

	if (row < rows->rows.count && rows->rows.items[row].start <= address) {
		key.file = rows->rows.items[row].place.file;
		key.line = rows->rows.items[row].place.line;
	}
	if (places->has_inlines)
		key.scope = image_scope_at(&places->inlines, address, &site);
	return key;
}

/* Adds the instruction at an address to the last stretch, or begins one. */
static void add_instruction(const struct module_places *places, uint64_t address,
			    bool each, struct line_key *last,
			    struct export_stretches *stretches)
{
	struct line_key key = key_at(places, address);

	if (each || !stretches->count || key.file != last->file ||
	    key.line != last->line || key.scope != last->scope)
		vector_push(stretches, ((struct export_stretch){address, 0}));
	stretches->items[stretches->count - 1].instructions++;
	*last = key;
}

void export_cut_block(const struct export_view *view, const struct report_block *block,
		      bool each, struct export_stretches *ret_stretches)
{
	uint32_t module = view->profile->functions.items[block->function].module;
	const struct module_places *places =
		view->places ? &view->places->modules[module] : NULL;
	const uint8_t *bytes =
		places && places->has_rows
			? image_bytes_at(places->image, block->address, block->size)
			: NULL;
	struct instruction instruction;
	struct line_key last = {0};
	uint32_t count = 0, at = 0;

	ret_stretches->count = 0;
	while (bytes && at < block->size &&
	       decode_instruction(bytes + at, block->size - at, block->address + at,
				  &instruction)) {
		add_instruction(places, block->address + at, each, &last, ret_stretches);
		at += instruction.length;
		count++;
	}
	if (at == block->size && count == block->instructions && count)
		return;
	ret_stretches->count = 0;
	vector_push(ret_stretches,
		    ((struct export_stretch){block->address, block->instructions}));
}

/* A scope's names and where it is declared; the line is still to be told. */
static struct export_line line_of_scope(struct export_view *view,
					const struct image_inlines *inlines,
					uint32_t scope)
{
	const struct image_scope *row = &inlines->scopes.items[scope];
	const char *linked = inlines->names.strings[row->name];
	scoped_free char *demangled = report_demangle(linked);

	return (struct export_line){
		.name = demangled ? report_keep(view->profile, demangled) : linked,
		.linked = demangled ? linked : NULL,
		.file = row->file == INLINES_NONE ? NULL
						  : inlines->files.strings[row->file],
		.start = row->line,
	};
}

/* The functions that were put into the one whose code is at the address; 0: none. */
static size_t list_inlined(struct export_view *view, const struct module_places *places,
			   const struct export_node *node, struct export_line *lines)
{
	struct image_site site;
	uint32_t scope = image_scope_at(&places->inlines, node->address, &site);
	size_t count = 0;

	while (scope != INLINES_NONE && count < EXPORT_LINES_MAX - 1) {
		const struct image_scope *row = &places->inlines.scopes.items[scope];

		if (row->parent == INLINES_NONE) {
			lines[count].line = site.line;
			return count;
		}
		lines[count] = line_of_scope(view, &places->inlines, scope);
		lines[count++].line = site.line;
		site = row->call;
		scope = row->parent;
	}
	return 0;
}

size_t export_lines_of(struct export_view *view, const struct export_node *node,
		       struct export_line *ret_lines)
{
	const struct export_frame *frame = &view->frames.items[node->frame];
	const struct module_places *places = places_of(view, frame);
	const char *file;
	uint32_t line;
	size_t count = 0;

	export_line_of(view, node, &file, &line);
	if (places && places->has_inlines && node->address &&
	    node->address != frame->offset)
		count = list_inlined(view, places, node, ret_lines);
	uint32_t outer = count ? ret_lines[count].line : line;

	ret_lines[count] = (struct export_line){
		.name = frame->name,
		.linked = frame->linked,
		.file = count ? frame->file : file,
		.line = outer,
		.start = frame->line,
	};
	/* The table of lines knows best what is innermost. */
	ret_lines[0].file = file;
	ret_lines[0].line = line;
	return count + 1;
}

struct export_mapping export_mapping_of(const struct export_view *view, uint32_t module)
{
	return view->places->modules[module].mapping;
}

uint32_t *export_modules(const struct export_view *view, size_t *ret_count)
{
	const struct report_profile *profile = view->profile;
	uint32_t *list =
		memory_allocate_zeroed(profile->modules.count + 1, sizeof(*list));
	const char *program =
		profile->images.count ? profile->images.items[0].program : "";
	size_t count = 0;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < view->places->count; i++)
			if (view->places->modules[i].used &&
			    (strcmp(profile->modules.items[i].path, program) != 0) ==
				    pass)
				list[count++] = i;
	*ret_count = count;
	return list;
}
