#include "advise/places.h"

#include "annotate/annotation.h"
#include "base/path.h"
#include "image/lines.h"
#include "image/open.h"

#include <string.h>

struct module_place {
	bool tried, has_rows;
	struct image *image; /* NULL: it is not there, or another build */
	struct image_rows rows;
};

struct advice_modules {
	struct module_place *items;
	size_t count;
};

struct advice_modules *advice_modules_create(const struct report_profile *profile)
{
	struct advice_modules *modules = memory_allocate_zeroed(1, sizeof(*modules));

	modules->count = profile->modules.count;
	modules->items = memory_allocate_zeroed(profile->modules.count + 1,
						sizeof(*modules->items));
	return modules;
}

void advice_modules_destroy(struct advice_modules *modules)
{
	if (!modules)
		return;
	for (size_t i = 0; i < modules->count; i++) {
		if (modules->items[i].has_rows)
			image_rows_deinit(&modules->items[i].rows);
		if (modules->items[i].image)
			image_close(modules->items[i].image);
	}
	free(modules->items);
	free(modules);
}

static bool is_good(struct trm_error *error)
{
	trm_error_destroy(error);
	return !error;
}

static struct module_place *open_module(const struct advice *advice, uint32_t module)
{
	struct module_place *place;

	if (module >= advice->modules->count)
		return NULL;
	place = &advice->modules->items[module];
	if (place->tried)
		return place;
	place->tried = true;
	if (!is_good(annotation_open_image(&advice->profile->modules.items[module],
					   &place->image)))
		place->image = NULL;
	place->has_rows =
		place->image && is_good(image_rows_init(&place->rows, place->image));
	return place;
}

const struct image *advice_image(const struct advice *advice, uint32_t module)
{
	const struct module_place *place = open_module(advice, module);

	return place ? place->image : NULL;
}

bool advice_line(const struct advice *advice, uint32_t module, uint64_t address,
		 const char **ret_file, uint32_t *ret_line)
{
	const struct module_place *place = open_module(advice, module);
	size_t index;

	if (!place || !place->has_rows)
		return false;
	index = image_rows_from(&place->rows, address);
	if (index == place->rows.rows.count)
		return false;
	const struct image_row *row = &place->rows.rows.items[index];

	if (row->start > address || !row->place.line)
		return false;
	*ret_file = place->rows.files.strings[row->place.file];
	*ret_line = row->place.line;
	return true;
}

void advice_add_line(const struct advice *advice, uint32_t module, uint64_t address,
		     struct text *out)
{
	const char *file;
	uint32_t line;

	if (advice_line(advice, module, address, &file, &line))
		text_format(out, "%s:%u", path_name(file), line);
}

uint32_t advice_module_find(const struct report_profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->modules.count; i++)
		if (!strcmp(profile->modules.items[i].path, path))
			return (uint32_t)i;
	return REPORT_NONE;
}
