#include "annotate/sources.h"

#include "annotate/annotation.h"
#include "image/find.h"
#include "image/lines.h"
#include "image/open.h"

#include <stdlib.h>

static bool is_wanted(const struct report_function *function)
{
	return function->executed || function->samples || function->instructions;
}

static void place_function(struct function_sources *sources,
			   const struct report_profile *profile, size_t index,
			   const struct image *image, const struct image_lines *lines)
{
	const size_t row =
		image_function_at(image, profile->functions.items[index].offset);
	const struct image_place *place;
	uint32_t number;

	if (row >= image->functions.count)
		return;
	place = &lines->places.items[row];
	if (!place->line)
		return;
	number = string_table_intern(&sources->paths, lines->files.strings[place->file]);
	sources->files[index] = sources->paths.strings[number];
	sources->lines[index] = place->line;
}

/* What cannot be read stays unknown. */
static void place_module(struct function_sources *sources,
			 const struct report_profile *profile, uint32_t module)
{
	struct image_lines lines;
	struct image *image;
	struct trm_error *error =
		annotation_open_image(&profile->modules.items[module], &image);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	error = image_lines_init(&lines, image);
	for (size_t i = 0; !error && i < profile->functions.count; i++)
		if (profile->functions.items[i].module == module &&
		    is_wanted(&profile->functions.items[i]))
			place_function(sources, profile, i, image, &lines);
	if (!error)
		image_lines_deinit(&lines);
	trm_error_destroy(error);
	image_close(image);
}

void function_sources_init(struct function_sources *sources,
			   const struct report_profile *profile)
{
	const size_t count = profile->functions.count;
	bool *used = memory_allocate_zeroed(profile->modules.count + 1, sizeof(*used));

	*sources = (struct function_sources){0};
	sources->files = memory_allocate_zeroed(count + 1, sizeof(*sources->files));
	sources->lines = memory_allocate_zeroed(count + 1, sizeof(*sources->lines));
	vector_for_each (&profile->functions, function)
		used[function->module] |= is_wanted(function);
	for (size_t i = 0; i < profile->modules.count; i++)
		if (used[i] && profile->modules.items[i].selected)
			place_module(sources, profile, (uint32_t)i);
	free(used);
}

void function_sources_deinit(struct function_sources *sources)
{
	string_table_deinit(&sources->paths);
	free(sources->files);
	free(sources->lines);
}
