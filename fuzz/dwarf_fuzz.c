/*
 * Reads any bytes as debug information: for each section of a file (enum dwarf_section) a
 * size of 4 bytes, and so many bytes; then the same for a package, or a .dwo file, of its
 * split units. Looks at all entries, their names, code and places, and at all lines.
 */
#include "image/bytes.h"
#include "image/dwarf/dwarf.h"
#include "image/dwarf/entry.h"
#include "image/dwarf/file.h"
#include "image/dwarf/line.h"
#include "image/dwarf/package.h"
#include "image/dwarf/ranges.h"
#include "image/dwarf/unit.h"
#include "image/units.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read of entries, so that nothing is left out as unused. */
static uint64_t seen;

static void read_sections(struct cursor *cursor, struct dwarf_file *file)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++) {
		uint64_t size = cursor_number(cursor, 4);
		const uint8_t *data = cursor_skip(cursor, size);

		if (!data || !size)
			continue;
		/* Of its own, so that reading past it is found. */
		file->unpacked[i] = malloc(size);
		memcpy(file->unpacked[i], data, size);
		file->sections[i] = (struct bytes){file->unpacked[i], size};
		if (i == DWARF_STR || i == DWARF_LINE_STR)
			file->sections[i] = image_cut_strings(file->sections[i]);
	}
}

static void see_text(const char *text)
{
	seen += text ? strlen(text) : 0;
}

static bool see_entry(void *context, const struct dwarf_entry *entry, size_t depth)
{
	struct image_ranges *ranges = context;
	struct dwarf_unit *unit;
	struct dwarf_value value;
	uint64_t start;

	if (depth >= UNITS_DEPTH_MAX)
		abort();
	dwarf_entry_ranges(entry, ranges);
	vector_for_each (ranges, range)
		if (range->start >= range->end)
			abort();
	seen += dwarf_entry_start(entry, &start);
	see_text(dwarf_entry_string(entry, DWARF_NAME));
	see_text(dwarf_entry_string(entry, DWARF_LINKAGE_NAME));
	if (dwarf_entry_find(entry, DWARF_DECL_FILE, &unit, &value)) {
		char *path = dwarf_unit_path(unit, value.number);

		see_text(path);
		free(path);
	}
	return true;
}

static void see_row(void *context, const struct dwarf_row *row)
{
	(void)context;
	seen += row->address + row->line;
}

static void see_unit(struct dwarf_unit *unit)
{
	struct image_ranges ranges = {0};

	see_text(unit->folder);
	units_walk(unit, see_entry, &ranges);
	dwarf_unit_rows(unit, see_row, NULL);
	vector_deinit(&ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor cursor = cursor_over((struct bytes){data, size}, 0);
	struct dwarf_file *file = memory_allocate_zeroed(1, sizeof(*file));
	struct dwarf_file *package = memory_allocate_zeroed(1, sizeof(*package));

	read_sections(&cursor, file);
	read_sections(&cursor, package);
	dwarf_file_read_units(file);
	vector_for_each (&file->units, unit) {
		struct dwarf_file *part;

		see_unit(unit);
		part = package->sections[DWARF_CU_INDEX].size
			       ? dwarf_package_unit(package, unit->split_id)
			       : NULL;
		if (part)
			dwarf_file_read_units(part);
		for (size_t i = 0; part && i < part->units.count; i++) {
			part->units.items[i].skeleton = unit;
			see_unit(&part->units.items[i]);
		}
		dwarf_file_close(part);
	}
	if (!package->sections[DWARF_CU_INDEX].size)
		dwarf_file_read_units(package);
	vector_for_each (&package->units, unit) {
		unit->skeleton = file->units.count ? file->units.items : NULL;
		see_unit(unit);
	}
	dwarf_file_close(package);
	dwarf_file_close(file);
	return 0;
}
