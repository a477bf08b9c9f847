#include "image/units.h"

#include "base/cleanup.h"
#include "image/libdw.h"
#include "image/reader.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct seeing {
	void (*see)(void *context, Dwarf_Die *unit, Dwarf_Die *root);
	void *context;
};

/* False if there is no unit at all. */
static bool see_units(const struct seeing *seeing, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	bool any = false;

	while (!libdw.dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split)) {
		any = true;
		seeing->see(seeing->context, &die,
			    type == DW_UT_skeleton && split.addr ? &split : &die);
	}
	return any;
}

/* Whether the file is the image's, or its debug file: by the build id, if it has one. */
static bool same_build(const struct image *image, Dwarf *dwarf)
{
	const void *id;
	ssize_t size = libdw.dwelf_elf_gnu_build_id(libdw.dwarf_getelf(dwarf), &id);

	return !image->build_id_size || (size == (ssize_t)image->build_id_size &&
					 !memcmp(id, image->build_id, (size_t)size));
}

/* Reads the units of one file. */
static struct trm_error *read_file(const struct image *image, const char *path,
				   const struct seeing *seeing)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct trm_error *error = NULL;

	if (fd < 0)
		return trm_error_create(TRM_ERROR_SYSTEM, "%s", strerror(errno));
	TRM_TRY(libdw_load());
	Dwarf *dwarf = libdw.dwarf_begin(fd, DWARF_C_READ);

	if (!dwarf)
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "no debug information");
	if (!same_build(image, dwarf))
		error = trm_error_create(TRM_ERROR_FORMAT,
					 "the file is another one by now");
	else if (!see_units(seeing, dwarf))
		error = trm_error_create(TRM_ERROR_UNSUPPORTED, "no debug information");
	libdw.dwarf_end(dwarf);
	return error;
}

struct trm_error *image_each_unit(const struct image *image,
				  void (*see)(void *context, Dwarf_Die *unit,
					      Dwarf_Die *root),
				  void *context)
{
	struct seeing seeing = {see, context};
	struct trm_error *error = read_file(image, image->path, &seeing);

	if (error && error->code == TRM_ERROR_UNSUPPORTED && image->build_id_size >= 2) {
		struct text path = {0};

		image_debug_path(image, &path);
		struct trm_error *other = read_file(image, path.data, &seeing);

		text_deinit(&path);
		/* That there is none is no news. */
		if (!other || other->code == TRM_ERROR_FORMAT) {
			trm_error_destroy(error);
			error = other;
		} else {
			trm_error_destroy(other);
		}
	}
	return error;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct image_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

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
