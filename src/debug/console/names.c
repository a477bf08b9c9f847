#include "debug/console/names.h"

#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "control/remote.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/lines.h"
#include "image/open.h"
#include "session/debug/access.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "symbols/symbols.h"
#include "wire/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images that were opened, with their lines. */
struct known_image {
	const struct module_file *file;
	struct image *image; /* NULL: it cannot be read */
	struct image_rows rows;
	bool has_rows;
};

static struct VECTOR(struct known_image) images;

struct space *names_space(const struct console *console)
{
	const struct process *process =
		session_find_process(console->session, console->pid);

	return process ? process->space : NULL;
}

static struct known_image *open_image(const struct module_file *file)
{
	struct known_image known = {.file = file};

	vector_for_each (&images, row)
		if (row->file == file)
			return row;
	if (remote_failed(image_open(file->path, file->path, &known.image)))
		known.image = NULL;
	known.has_rows =
		known.image && !remote_failed(image_rows_init(&known.rows, known.image));
	vector_push(&images, known);
	return &images.items[images.count - 1];
}

static const struct module *module_around(const struct console *console, uint64_t address)
{
	const struct space *space = names_space(console);

	if (!space)
		return NULL;
	vector_for_each (&space->modules, module)
		if (module_holds_text(module, address))
			return module;
	return NULL;
}

/* Whether a name is the linked one, or a part of the demangled one that is a name: up to
 * its parameters, and behind its scopes. */
static bool is_named(const char *linked, const char *name, size_t length)
{
	if (!strncmp(linked, name, length) && !linked[length])
		return true;
	if (strncmp(linked, "_Z", 2) && strncmp(linked, "_R", 2))
		return false;
	scoped_free char *full = image_demangle(linked);
	const size_t end = strcspn(full, "(<");
	const size_t start = end >= length ? end - length : 0;

	return end >= length && !strncmp(full + start, name, length) &&
	       (!start || full[start - 1] == ':');
}

static bool find_in_image(const struct module *module, const char *name, size_t length,
			  uint64_t *ret_address)
{
	const struct image *image = open_image(module->file)->image;

	if (!image)
		return false;
	vector_for_each (&image->functions, function) {
		if (!function->name ||
		    !is_named(image->names.items + function->name, name, length))
			continue;
		*ret_address = function->address + module->bias;
		return true;
	}
	return false;
}

static struct trm_error *no_place(const char *place)
{
	return trm_error_create(TRM_ERROR_FORMAT, "'%s' is no place", place);
}

static bool is_end(const char *at)
{
	return !at[strspn(at, " \t")];
}

static struct trm_error *find_function(const struct console *console, const char *place,
				       uint64_t *ret_address)
{
	const struct space *space = names_space(console);
	const char *colon = strrchr(place, ':');
	const bool module_named = colon && colon > place && colon[-1] != ':';
	const char *name = module_named ? colon + 1 : place;
	const size_t length = strcspn(name, "+ ");
	const char *number = name + length + (name[length] == '+');
	char *end = (char *)(uintptr_t)number;
	const uint64_t offset = name[length] == '+' ? strtoull(number, &end, 0) : 0;

	if (!length || !is_end(end) || (name[length] == '+' && end == number))
		return no_place(place);
	if (!space)
		return trm_error_create(TRM_ERROR_USAGE, "no program runs");
	vector_for_each (&space->modules, module) {
		if (module_named &&
		    strncmp(module->file->name, place, (size_t)(colon - place)))
			continue;
		if (!find_in_image(module, name, length, ret_address))
			continue;
		*ret_address += offset;
		return NULL;
	}
	return trm_error_create(TRM_ERROR_USAGE, "there is no function '%s'", place);
}

/* Whether a path ends with a name, at a folder. */
static bool ends_with(const char *path, const char *name, size_t length)
{
	const size_t all = strlen(path);

	return all >= length && !strncmp(path + all - length, name, length) &&
	       (all == length || path[all - length - 1] == '/');
}

/* The first code of a line, or of the next one that has some. */
static bool find_line(const struct console *console, const char *file, size_t length,
		      uint32_t line, uint64_t *ret_address)
{
	const struct space *space = names_space(console);
	uint32_t best = UINT32_MAX;

	for (size_t i = 0; space && i < space->modules.count; i++) {
		const struct module *module = &space->modules.items[i];
		const struct known_image *known = open_image(module->file);

		for (size_t k = 0; known->has_rows && k < known->rows.rows.count; k++) {
			const struct image_row *row = &known->rows.rows.items[k];

			if (row->place.line < line || row->place.line >= best ||
			    !ends_with(known->rows.files.strings[row->place.file], file,
				       length))
				continue;
			best = row->place.line;
			*ret_address = row->start + module->bias;
		}
	}
	return best != UINT32_MAX;
}

struct trm_error *names_find(struct console *console, const char *place,
			     uint64_t *ret_address)
{
	const char *colon = strrchr(place, ':');
	struct user_regs_struct registers;
	char *end;

	place += *place == '*';
	if (*place >= '0' && *place <= '9') {
		*ret_address = strtoull(place, &end, 0);
		return is_end(end) ? NULL : no_place(place);
	}
	if (!strcmp(place, "$pc") || !strcmp(place, "$rip")) {
		TRM_TRY(debug_get_registers(console->session, console->tid, &registers));
		*ret_address = registers.rip;
		return NULL;
	}
	if (colon && colon[1] >= '0' && colon[1] <= '9') {
		const unsigned long line = strtoul(colon + 1, &end, 10);

		if (!is_end(end))
			return no_place(place);
		if (find_line(console, place, (size_t)(colon - place), (uint32_t)line,
			      ret_address))
			return NULL;
		return trm_error_create(TRM_ERROR_USAGE, "there is no code of '%s'",
					place);
	}
	return find_function(console, place, ret_address);
}

static const struct symbols_place *find_place(struct console *console, uint64_t address)
{
	const struct space *space = names_space(console);

	if (console->symbols && console->symbols_pid != console->pid)
		names_forget(console);
	if (!console->symbols && space) {
		console->symbols =
			symbols_create(CONTEXT_LOOK_FUNCTIONS | CONTEXT_LOOK_PLACES |
				       CONTEXT_LOOK_FILES | CONTEXT_LOOK_LINES);
		console->symbols_pid = console->pid;
		vector_for_each (&space->modules, module)
			symbols_add(console->symbols, module->text_start,
				    module->text_end, module->bias, module->file->path);
	}
	return console->symbols ? symbols_find(console->symbols, address) : NULL;
}

void names_add(struct console *console, uint64_t address, struct text *text)
{
	const struct symbols_place *place = find_place(console, address);
	uint64_t start, end;

	if (!place || !module_around(console, address)) {
		text_add(text, "??");
		return;
	}
	text_add(text, place->functions[0]);
	/* Code without a name is told by its place in the module already. */
	if (!strstr(place->functions[0], "+0x") &&
	    names_function(console, address, &start, &end) && address > start)
		text_format(text, "+0x%lx", (unsigned long)(address - start));
	if (place->file && place->line)
		text_format(text, " at %s:%u", place->file, place->line);
}

bool names_line(struct console *console, uint64_t address, uint64_t *ret_start,
		uint64_t *ret_end)
{
	const struct module *module = module_around(console, address);
	const struct known_image *known = module ? open_image(module->file) : NULL;
	size_t i;

	if (!known || !known->has_rows)
		return false;
	i = image_rows_from(&known->rows, address - module->bias);
	if (i == known->rows.rows.count ||
	    known->rows.rows.items[i].start > address - module->bias)
		return false;
	*ret_start = known->rows.rows.items[i].start + module->bias;
	*ret_end = known->rows.rows.items[i].end + module->bias;
	return true;
}

bool names_function(struct console *console, uint64_t address, uint64_t *ret_start,
		    uint64_t *ret_end)
{
	const struct module *module = module_around(console, address);
	const struct image *image = module ? open_image(module->file)->image : NULL;
	const struct image_function *function =
		image ? image_function_around(image, address - module->bias) : NULL;

	if (!function)
		return false;
	*ret_start = function->address + module->bias;
	*ret_end = *ret_start + function->size;
	return true;
}

void names_complete(struct console *console, const char *begin, size_t most,
		    struct text *text)
{
	const struct space *space = names_space(console);
	const size_t length = strlen(begin);

	for (size_t i = 0; space && i < space->modules.count; i++) {
		const struct image *image =
			open_image(space->modules.items[i].file)->image;

		for (size_t k = 0; image && k < image->functions.count && most; k++) {
			const uint32_t name = image->functions.items[k].name;

			if (!name || strncmp(image->names.items + name, begin, length))
				continue;
			text_format(text, "%s\n", image->names.items + name);
			most--;
		}
	}
}

void names_forget(struct console *console)
{
	symbols_destroy(console->symbols);
	console->symbols = NULL;
}
