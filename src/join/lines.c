#include "join/lines.h"

#include "base/table.h"
#include "base/vector.h"
#include "image/find.h"
#include "image/lines.h"
#include "image/lookup.h"
#include "image/open.h"

/* A module's file, which is closed once its lines are read. */
struct module_lines {
	bool there;
	struct image_rows rows;
};

struct join_lines {
	struct string_table paths;
	struct VECTOR(struct module_lines) modules; /* by number of the path */
};

struct join_lines *join_lines_create(void)
{
	return memory_allocate_zeroed(1, sizeof(struct join_lines));
}

void join_lines_destroy(struct join_lines *lines)
{
	vector_for_each (&lines->modules, module)
		if (module->there)
			image_rows_deinit(&module->rows);
	vector_deinit(&lines->modules);
	string_table_deinit(&lines->paths);
	free(lines);
}

static bool is_good(struct trm_error *error)
{
	trm_error_destroy(error);
	return !error;
}

static void read_module(struct module_lines *module, const char *path,
			const char *build_id)
{
	struct image *image;

	if (*path != '/' || !is_good(*build_id ? image_open_build(path, build_id, &image)
					       : image_open(path, NULL, &image)))
		return;
	module->there = is_good(image_rows_init(&module->rows, image));
	image_close(image);
}

bool join_line_find(struct join_lines *lines, const char *path, const char *build_id,
		    uint64_t address, const char **ret_file, uint64_t *ret_line)
{
	const uint32_t number = string_table_intern(&lines->paths, path);
	const struct module_lines *module;
	size_t index;

	while (lines->modules.count <= number)
		read_module(vector_add(&lines->modules), path, build_id);
	module = &lines->modules.items[number];
	if (!module->there)
		return false;
	index = image_rows_from(&module->rows, address);
	if (index == module->rows.rows.count)
		return false;
	const struct image_row *row = &module->rows.rows.items[index];

	if (row->start > address || !row->place.line)
		return false;
	*ret_file = module->rows.files.strings[row->place.file];
	*ret_line = row->place.line;
	return true;
}
