#include "collect/probes/source_lines.h"

#include "base/path.h"
#include "image/lines.h"
#include "image/open.h"

#include <inttypes.h>
#include <stdlib.h>

struct source_lines_module {
	const struct module_file *file;
	struct image *image;
	bool known; /* `rows` are there */
	struct image_rows rows;
};

static struct source_lines_module *open_module(struct source_lines *lines,
					       const struct module_file *file)
{
	struct source_lines_module *module;
	struct trm_error *error;

	vector_for_each (&lines->modules, known)
		if ((*known)->file == file)
			return *known;
	module = memory_allocate_zeroed(1, sizeof(*module));
	module->file = file;
	vector_push(&lines->modules, module);
	error = image_open(file->path, file->path, &module->image);
	if (!error) {
		error = image_rows_init(&module->rows, module->image);
		module->known = !error;
	} else {
		module->image = NULL;
	}
	trm_error_destroy(error);
	return module;
}

void source_lines_add(struct source_lines *lines, const struct module *module,
		      uint64_t address, struct text *text)
{
	const struct source_lines_module *known = open_module(lines, module->file);
	const uint64_t offset = address - module->bias;
	size_t index;

	if (known->known) {
		index = image_rows_from(&known->rows, offset);
		if (index < known->rows.rows.count) {
			const struct image_row *row = &known->rows.rows.items[index];

			if (row->start <= offset && row->place.line) {
				text_format(text, "%s:%u",
					    path_name(known->rows.files
							      .strings[row->place.file]),
					    row->place.line);
				return;
			}
		}
	}
	text_format(text, "%s+0x%" PRIx64, module->file->name, offset);
}
