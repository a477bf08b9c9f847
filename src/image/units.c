#include "image/units.h"

#include "base/array.h"
#include "image/contents.h"
#include "image/dwarf/entry.h"
#include "image/dwarf/file.h"
#include "image/dwarf/split.h"
#include "image/dwarf/supplementary.h"
#include "image/dwarf/unit.h"
#include "image/lookup.h"
#include "image/ranges.h"
#include "image/read/debugfile.h"
#include "image/read/debuglink.h"
#include "image/read/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Debug information of an image. */
struct source {
	const struct image *image;
	struct text path;
	struct dwarf_file *file;
	char *lack; /* what of it is missing, in a line; NULL: nothing */
};

/* Whether the file is the image's, or its debug file: by the build id, if it has one. */
static bool same_build(const struct image *image, const struct dwarf_file *file)
{
	return !image->build_id_size ||
	       (file->build_id_size == image->build_id_size &&
		!memcmp(file->build_id, image->build_id, image->build_id_size));
}

/* Opens the file at the path if it has units. `linked`: it was named by the image, with a
 * sum, and needs no build id. */
static bool open_debug_file(struct source *source, bool linked)
{
	struct dwarf_file *file = dwarf_file_open(source->path.data, false);
	bool fits = file &&
		    (same_build(source->image, file) || (linked && !file->build_id_size));

	if (fits && (file->sections[DWARF_INFO].size || file->packed_badly)) {
		source->file = file;
		return true;
	}
	dwarf_file_close(file);
	return false;
}

/* One that this host does not have. */
static bool look_up_file(struct source *source)
{
	char *path = image_lookup(source->image, IMAGE_PART_DEBUG);

	if (!path)
		return false;
	source->path.length = 0;
	text_add(&source->path, path);
	free(path);
	return open_debug_file(source, false);
}

/* Looks for a separate debug file. */
static bool find_debug_file(struct source *source)
{
	const struct image *image = source->image;
	struct elf_file elf = {0};
	bool found = false;

	if (image->build_id_size >= 2) {
		source->path.length = 0;
		image_debug_path(image, &source->path);
		found = open_debug_file(source, false);
	}
	if (found)
		return true;
	struct trm_error *error =
		image_elf_init(&elf, (struct bytes){image->bytes, image->size});

	if (!error && image_debuglink_path(image, &elf, &source->path))
		found = open_debug_file(source, true);
	trm_error_destroy(error);
	image_elf_deinit(&elf);
	return found || look_up_file(source);
}

static struct trm_error *open_source(struct source *source)
{
	const struct image *image = source->image;
	struct dwarf_file *file = dwarf_file_open(image->path, false);

	text_add(&source->path, image->path);
	if (!file && errno)
		return trm_error_create(TRM_ERROR_SYSTEM, "%s", strerror(errno));
	if (file && !same_build(image, file)) {
		dwarf_file_close(file);
		return trm_error_create(TRM_ERROR_FORMAT,
					"the file is another one by now");
	}
	if (file && (file->sections[DWARF_INFO].size || file->packed_badly)) {
		source->file = file;
		return NULL;
	}
	dwarf_file_close(file);
	if (find_debug_file(source))
		return NULL;
	return trm_error_create(TRM_ERROR_UNSUPPORTED, "no debug information");
}

/* Has the units seen, those that compilers have split with what is in other files. */
static void see_units(struct source *source,
		      void (*see)(void *context, struct dwarf_unit *unit,
				  struct dwarf_unit *root),
		      void *context)
{
	struct dwarf_splits splits = {.program = source->image->path,
				      .debug_file = source->path.data};
	struct text lack = {0};

	vector_for_each (&source->file->units, unit) {
		struct dwarf_unit *root = unit;
		struct dwarf_file *split = NULL;

		if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
			continue;
		if (unit->split_name)
			split = dwarf_split_open(&splits, unit, &root);
		see(context, unit, root);
		dwarf_file_close(split);
	}
	if (splits.missing)
		text_format(&lack,
			    "%zu of %zu files with split debug information are missing, "
			    "first '%s'",
			    splits.missing, splits.wanted, splits.missed);
	if (source->file->supplementary_name && !source->file->supplementary)
		text_format(&lack,
			    "%sthe file with common debug information, '%s', is "
			    "missing",
			    lack.length ? "; " : "", source->file->supplementary_name);
	source->lack = lack.data;
	dwarf_splits_deinit(&splits);
}

struct trm_error *image_each_unit(const struct image *image,
				  void (*see)(void *context, struct dwarf_unit *unit,
					      struct dwarf_unit *root),
				  void *context, char **ret_lack)
{
	struct source source = {.image = image};
	struct trm_error *error = open_source(&source);

	if (!error) {
		dwarf_file_read_supplementary(source.file, source.path.data);
		dwarf_file_read_units(source.file);
		if (source.file->units.count)
			see_units(&source, see, context);
		else
			error = trm_error_create(
				TRM_ERROR_UNSUPPORTED,
				source.file->packed_badly
					? "its debug information is compressed in a way "
					  "that cannot be read"
					: "no debug information");
	}
	*ret_lack = source.lack;
	dwarf_file_close(source.file);
	text_deinit(&source.path);
	return error;
}

/* Whether code, or what has code, may be in such entries. */
static bool may_hold_code(uint32_t tag)
{
	static const uint16_t tags[] = {
		DW_TAG_subprogram,     DW_TAG_inlined_subroutine,
		DW_TAG_lexical_block,  DW_TAG_namespace,
		DW_TAG_class_type,     DW_TAG_structure_type,
		DW_TAG_union_type,     DW_TAG_enumeration_type,
		DW_TAG_interface_type, DW_TAG_variant_part,
		DW_TAG_module,         DW_TAG_try_block,
		DW_TAG_with_stmt,      DW_TAG_common_block,
	};

	for (size_t i = 0; i < array_count(tags); i++)
		if (tags[i] == tag)
			return true;
	return false;
}

void units_walk(struct dwarf_unit *unit,
		bool (*see)(void *context, const struct dwarf_entry *entry, size_t depth),
		void *context)
{
	struct dwarf_entry entry;
	size_t depth = 0;
	uint64_t offset;

	dwarf_entry_read(unit, unit->first, &entry);
	if (!entry.tag || !entry.children)
		return;
	for (offset = entry.next; offset < unit->end;) {
		dwarf_entry_read(unit, offset, &entry);
		offset = entry.next;
		if (!entry.tag && !depth--)
			return;
		if (!entry.tag)
			continue;
		if (!may_hold_code(entry.tag) || depth == UNITS_DEPTH_MAX ||
		    !see(context, &entry, depth))
			offset = dwarf_entry_end(&entry);
		else
			depth += entry.children;
	}
}

bool units_is_code(const struct image *image, uint64_t start, uint64_t end)
{
	return end > start && image_bytes_at(image, start, end - start) &&
	       (!image->code.count || image_range_at(&image->code, start));
}

COMPARE_BY_TWO(compare_ranges, struct image_range, start, end);

size_t units_untangle(void *items, size_t count, size_t size)
{
	uint8_t *bytes = items;
	uint64_t end = 0;
	size_t kept = 0;

	if (count)
		qsort(items, count, size, compare_ranges);
	for (size_t i = 0; i < count; i++) {
		struct image_range *range = (void *)(bytes + i * size);

		if (range->start < end)
			range->start = end;
		if (range->start >= range->end)
			continue;
		end = range->end;
		if (kept < i)
			memcpy(bytes + kept * size, range, size);
		kept++;
	}
	return kept;
}
