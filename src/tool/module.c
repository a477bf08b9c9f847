#include "tool/module.h"

#include "base/path.h"
#include "base/text.h"
#include "code/scan/cold_parts.h"
#include "tool/function_code.h"
#include "image/open.h"
#include "image/shared_rows.h"
#include "image/find.h"
#include "image/demangle.h"
#include "image/contents.h"
#include "image/aliases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *keep_text(struct tool_module *module, char *text)
{
	vector_push(&module->texts, text);
	return text;
}

static const char *name_of(struct tool_module *module, const struct image_function *row)
{
	struct text name = {0};

	if (row->name)
		return module->image->names.items + row->name;
	text_format(&name, "sub_%" PRIx64, row->address);
	return keep_text(module, name.data);
}

static void take_functions(struct tool_module *module)
{
	const struct image *image = module->image;
	size_t count = image->functions.count;

	module->functions = memory_allocate_zeroed(count + 1, sizeof(*module->functions));
	for (size_t i = 0; i < count; i++) {
		const struct image_function *row = &image->functions.items[i];
		struct trammel_function *seen = &module->functions[i].seen;
		size_t owner = row->flags & IMAGE_FUNCTION_COLD_PART
				       ? image_function_at(image, row->part_of)
				       : count;

		*seen = (struct trammel_function){
			.module = &module->seen,
			.number = (uint32_t)i,
			.exported = (row->flags & IMAGE_FUNCTION_EXPORTED) != 0,
			.part_of = owner < count ? &module->functions[owner].seen : NULL,
			.name = name_of(module, row),
			.address = row->address,
			.size = row->size,
		};
	}
}

struct trm_error *tool_module_open(const char *path, struct tool_module **ret_module)
{
	struct tool_module *module;
	struct image *image;

	TRM_TRY(image_open(path, NULL, &image));
	module = memory_allocate_zeroed(1, sizeof(*module));
	module->image = image;
	scan_init(&module->scan, image, true);
	cold_parts_add(&module->scan, image, NULL);
	take_functions(module);
	for (size_t i = 0; i < image->build_id_size; i++)
		snprintf(module->build_id + 2 * i, 3, "%02x", image->build_id[i]);
	module->seen = (struct trammel_module){
		.path = image->path,
		.name = path_name(image->path),
		.build_id = module->build_id,
		.start = image->base,
		.end = image->end,
		.function_count = (uint32_t)image->functions.count,
		.is_program = image->type == IMAGE_EXECUTABLE || image->has_interpreter,
	};
	*ret_module = module;
	return NULL;
}

void tool_module_close(struct tool_module *module)
{
	if (!module)
		return;
	tool_code_release(module);
	vector_deinit(&module->read);
	vector_for_each (&module->texts, text)
		free(*text);
	vector_deinit(&module->texts);
	shared_rows_give_back(module->rows);
	cfg_deinit(&module->cfg);
	free(module->decoded);
	free(module->functions);
	scan_deinit(&module->scan);
	image_close(module->image);
	free(module);
}

const struct trammel_function *tool_module_function(const struct trammel_module *module,
						    uint32_t number)
{
	return number < module->function_count
		       ? &tool_module_of(module)->functions[number].seen
		       : NULL;
}

const struct trammel_function *tool_module_find(const struct trammel_module *module,
						const char *name)
{
	const struct tool_module *own = tool_module_of(module);
	const struct image_alias *aliases;
	size_t count;

	for (uint32_t i = 0; i < module->function_count; i++)
		if (!strcmp(own->functions[i].seen.name, name))
			return &own->functions[i].seen;
	for (uint32_t i = 0; i < module->function_count; i++) {
		aliases =
			image_aliases(own->image, own->functions[i].seen.address, &count);
		for (size_t j = 0; j < count; j++)
			if (!strcmp(aliases[j].name, name))
				return &own->functions[i].seen;
	}
	return NULL;
}

const struct trammel_function *tool_module_at(const struct trammel_module *module,
					      uint64_t address)
{
	const struct tool_module *own = tool_module_of(module);
	const struct image_function *row = image_function_around(own->image, address);

	if (!row || address - row->address >= row->size)
		return NULL;
	return &own->functions[row - own->image->functions.items].seen;
}

const uint8_t *tool_module_bytes(const struct trammel_module *module, uint64_t address,
				 size_t size)
{
	return image_bytes_at(tool_module_of(module)->image, address, size);
}

bool tool_module_place(const struct trammel_module *module, uint64_t address,
		       struct trammel_place *ret_place)
{
	struct tool_module *own = tool_module_of(module);
	const struct image_row *row;
	size_t index;

	if (!own->rows_tried)
		own->rows = shared_rows_get(own->image);
	own->rows_tried = true;
	if (!own->rows)
		return false;
	index = image_rows_from(own->rows, address);
	if (index == own->rows->rows.count)
		return false;
	row = &own->rows->rows.items[index];
	if (address < row->start || !row->place.line)
		return false;
	*ret_place = (struct trammel_place){own->rows->files.strings[row->place.file],
					    row->place.line};
	return true;
}

const char *tool_module_demangle(struct tool_module *module, const char *name)
{
	return keep_text(module, image_demangle(name));
}
