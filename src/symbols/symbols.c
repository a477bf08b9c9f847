#include "symbols/symbols.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/inlines.h"
#include "image/lines.h"
#include "image/open.h"
#include "image/shared_rows.h"
#include "wire/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
	uint64_t start, end; /* run-time addresses */
	uint64_t bias;
	char *path;
	bool opened;
	struct image *image; /* NULL: it cannot be read */
	bool has_inlines;
	const struct image_rows *rows; /* NULL: none */
	struct image_inlines inlines;
};

struct symbols {
	uint32_t lookups;
	struct VECTOR(struct module) modules;
	struct VECTOR(struct symbols_place *) places;
	struct table by_address; /* index in places + 1 */
	struct string_table texts;
};

void symbols_add(struct symbols *symbols, uint64_t start, uint64_t end, uint64_t bias,
		 const char *path)
{
	vector_push(
		&symbols->modules,
		((struct module){
			.start = start, .end = end, .bias = bias, .path = strdup(path)}));
}

struct symbols *symbols_create(uint32_t lookups)
{
	struct symbols *symbols = memory_allocate_zeroed(1, sizeof(*symbols));

	symbols->lookups = lookups;
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	vector_for_each (&symbols->modules, module) {
		shared_rows_give_back(module->rows);
		if (module->has_inlines)
			image_inlines_deinit(&module->inlines);
		image_close(module->image);
		free(module->path);
	}
	vector_for_each (&symbols->places, place)
		free(*place);
	vector_deinit(&symbols->modules);
	vector_deinit(&symbols->places);
	table_deinit(&symbols->by_address);
	string_table_deinit(&symbols->texts);
	free(symbols);
}

static const char *keep_text(struct symbols *symbols, const char *text)
{
	uint32_t number = string_table_intern(&symbols->texts, text);

	return symbols->texts.strings[number];
}

/* What cannot be read is done without. */
static bool is_read(struct trm_error *error)
{
	bool read = !error;

	trm_error_destroy(error);
	return read;
}

static void open_module(const struct symbols *symbols, struct module *module)
{
	module->opened = true;
	if (!is_read(image_open(module->path, NULL, &module->image))) {
		module->image = NULL;
		return;
	}
	if (symbols->lookups & CONTEXT_LOOK_ROWS)
		module->rows = shared_rows_get(module->image);
	if (symbols->lookups & CONTEXT_LOOK_INLINES)
		module->has_inlines =
			is_read(image_inlines_init(&module->inlines, module->image));
}

static struct module *find_module(struct symbols *symbols, uint64_t address)
{
	vector_for_each (&symbols->modules, module) {
		if (address < module->start || address >= module->end)
			continue;
		if (!module->opened)
			open_module(symbols, module);
		return module;
	}
	return NULL;
}

static void add_name(struct symbols *symbols, struct symbols_place *place,
		     const char *linked)
{
	char *name = image_demangle(linked);

	place->functions[place->function_count++] =
		keep_text(symbols, name ? name : linked);
	free(name);
}

/* The scopes around an address, the innermost ones if there are many. False: debug
 * information says nothing. */
static bool add_scopes(struct symbols *symbols, const struct module *module,
		       uint64_t address, struct symbols_place *place)
{
	uint32_t scopes[SYMBOLS_INLINES], count = 0, scope;
	struct image_site site;

	if (!module->has_inlines)
		return false;
	scope = image_scope_at(&module->inlines, address, &site);
	for (; scope != INLINES_NONE && count < SYMBOLS_INLINES;
	     scope = module->inlines.scopes.items[scope].parent)
		scopes[count++] = scope;
	while (count) {
		const struct image_scope *of =
			&module->inlines.scopes.items[scopes[--count]];

		add_name(symbols, place, module->inlines.names.strings[of->name]);
	}
	return place->function_count != 0;
}

static bool add_function(struct symbols *symbols, const struct module *module,
			 uint64_t address, struct symbols_place *place)
{
	const struct image_function *function =
		module->image ? image_function_around(module->image, address) : NULL;

	if (!function || address - function->address >= function->size || !function->name)
		return false;
	add_name(symbols, place, module->image->names.items + function->name);
	return true;
}

static void add_line(struct symbols *symbols, const struct module *module,
		     uint64_t address, struct symbols_place *place)
{
	size_t index = module->rows ? image_rows_from(module->rows, address) : 0;
	const struct image_row *row;
	struct text text = {0};

	if (!module->rows || index == module->rows->rows.count)
		return;
	row = &module->rows->rows.items[index];
	if (row->start > address || !row->place.line)
		return;
	text_format(&text, "%s:%u", module->rows->files.strings[row->place.file],
		    row->place.line);
	place->place = keep_text(symbols, text.data);
	place->file = keep_text(symbols, module->rows->files.strings[row->place.file]);
	place->line = row->place.line;
	text_deinit(&text);
}

static struct symbols_place *look_up(struct symbols *symbols, uint64_t address)
{
	struct symbols_place *place = memory_allocate_zeroed(1, sizeof(*place));
	const struct module *module = find_module(symbols, address);
	uint64_t linked = module ? address - module->bias : address;
	struct text text = {0};

	place->module = module ? keep_text(symbols, module->path) : "";
	if (module)
		add_line(symbols, module, linked, place);
	if (module && (add_scopes(symbols, module, linked, place) ||
		       add_function(symbols, module, linked, place)))
		return place;
	text_format(&text, "%s+0x%jx", path_name(place->module), (uintmax_t)linked);
	place->functions[place->function_count++] = keep_text(symbols, text.data);
	text_deinit(&text);
	return place;
}

const struct symbols_place *symbols_find(struct symbols *symbols, uint64_t address)
{
	uint64_t *index = table_insert(&symbols->by_address, address, NULL);

	if (!*index) {
		vector_push(&symbols->places, look_up(symbols, address));
		*index = symbols->places.count;
	}
	return symbols->places.items[*index - 1];
}
