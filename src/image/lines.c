#include "image/lines.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "image/dwarf/entry.h"
#include "image/dwarf/line.h"
#include "image/find.h"
#include "image/units.h"

#include <string.h>

struct reading {
	const struct image *image;
	struct image_lines *lines; /* the places of functions; else `rows` is wanted */
	struct image_rows *rows;
	struct string_table *files;
	struct table files_seen; /* hash of a unit and its number of a file: ours + 1 */
	struct dwarf_unit *unit;
	bool functions;           /* the unit has some */
	bool unplaced;            /* and one without a line */
	struct table sequences;   /* of rows, by the address where they begin */
	bool placed;              /* a row of this sequence has been added, */
	bool folded;              /* and one of another began at the same address */
	uint64_t start;           /* where the last row of the line table begins */
	struct image_place place; /* and its place */
};

/* Our number for a file of a unit's line table; false if it has none. */
static bool number_of(struct reading *reading, struct dwarf_unit *unit, uint64_t file,
		      uint32_t *ret_number)
{
	const uint64_t key[] = {(uintptr_t)unit, file};
	uint64_t *number =
		table_insert(&reading->files_seen, hash_bytes(key, sizeof(key)), NULL);

	if (!*number) {
		scoped_free char *path = dwarf_unit_path(unit, file);

		if (!path)
			return false;
		*number = 1 + (uint64_t)string_table_intern(reading->files, path);
	}
	*ret_number = (uint32_t)(*number - 1);
	return true;
}

/* The first place of a function counts, unless a later entry has the name that the
 * function goes by (NULL: no name is known). Linkers that fold equal functions leave the
 * entries of all of them at one address. */
static void set_place(struct reading *reading, uint64_t address, const char *name,
		      struct image_place place)
{
	const struct image *image = reading->image;
	size_t index = image_function_at(image, address);
	struct image_place *known;

	if (index >= image->functions.count)
		return;
	known = &reading->lines->places.items[index];
	if (!known->line ||
	    (name &&
	     !strcmp(name, image->names.items + image->functions.items[index].name)))
		*known = place;
}

/* The file and line that a function is declared in. Number 0 was no file before version 5
 * of DWARF; since then it is the unit's main file. */
static bool find_place(struct reading *reading, const struct dwarf_entry *entry,
		       struct image_place *ret_place)
{
	struct dwarf_value number;
	struct dwarf_unit *unit;

	ret_place->line = dwarf_entry_number(entry, DWARF_DECL_LINE);
	return ret_place->line &&
	       dwarf_entry_find(entry, DWARF_DECL_FILE, &unit, &number) &&
	       (number.number || unit->version >= 5) &&
	       number_of(reading, unit, number.number, &ret_place->file);
}

static bool see_entry(void *context, const struct dwarf_entry *entry, size_t depth)
{
	struct reading *reading = context;
	struct image_place place;
	uint64_t address;

	(void)depth;
	if (entry->tag != DW_TAG_subprogram || !dwarf_entry_start(entry, &address))
		return true;
	reading->functions = true;
	if (find_place(reading, entry, &place))
		set_place(reading, address, dwarf_entry_linked_name(entry), place);
	else
		reading->unplaced = true;
	return true;
}

/* The place of a row; false: it has none. */
static bool place_of(struct reading *reading, const struct dwarf_row *row,
		     struct image_place *ret_place)
{
	if (row->end || !row->line || row->line > INT32_MAX ||
	    !number_of(reading, reading->unit, row->file, &ret_place->file))
		return false;
	ret_place->line = (uint32_t)row->line;
	return true;
}

/* Functions of assembly have no line of their own, and those of split units whose file is
 * missing are not known: it is the line of their first instruction. */
static void see_line(void *context, const struct dwarf_row *row)
{
	struct reading *reading = context;
	struct image_place place;

	if (place_of(reading, row, &place))
		set_place(reading, row->address, NULL, place);
}

/* The list for rows of this sequence. Functions have sections of their own where linkers
 * fold them, and sections have sequences. */
static struct image_row_list *list_of(struct reading *reading, uint64_t start)
{
	if (!reading->placed) {
		bool new;

		table_insert(&reading->sequences, start, &new);
		reading->placed = true;
		reading->folded = !new;
	}
	return reading->folded ? &reading->rows->folded : &reading->rows->rows;
}

/* Ranges of one line that follow each other become one row. */
static void add_row(struct reading *reading, uint64_t start, uint64_t end,
		    struct image_place place)
{
	struct image_row_list *list;
	struct image_row *last;

	if (!units_is_code(reading->image, start, end))
		return;
	list = list_of(reading, start);
	last = list->count ? &list->items[list->count - 1] : NULL;
	if (last && last->end == start && last->place.file == place.file &&
	    last->place.line == place.line)
		last->end = end;
	else
		vector_push(list, ((struct image_row){start, end, place}));
}

/* A line holds up to the next row, whatever that is. */
static void see_row(void *context, const struct dwarf_row *row)
{
	struct reading *reading = context;

	if (reading->place.line && row->address > reading->start)
		add_row(reading, reading->start, row->address, reading->place);
	reading->start = row->address;
	if (!place_of(reading, row, &reading->place))
		reading->place = (struct image_place){0};
	if (row->end)
		reading->placed = false;
}

static void see_unit(void *context, struct dwarf_unit *unit, struct dwarf_unit *root)
{
	struct reading *reading = context;

	/* Other units may come to lie where those of split files were. */
	table_deinit(&reading->files_seen);
	reading->unit = unit;
	if (reading->rows) {
		reading->place = (struct image_place){0};
		reading->placed = false;
		dwarf_unit_rows(unit, see_row, reading);
		return;
	}
	reading->functions = reading->unplaced = false;
	units_walk(root, see_entry, reading);
	if (!reading->functions || reading->unplaced)
		dwarf_unit_rows(unit, see_line, reading);
}

static struct trm_error *read_image(struct reading *reading, char **ret_lack)
{
	struct trm_error *error =
		image_each_unit(reading->image, see_unit, reading, ret_lack);

	table_deinit(&reading->files_seen);
	table_deinit(&reading->sequences);
	return error;
}

struct trm_error *image_lines_init(struct image_lines *lines, const struct image *image)
{
	struct reading reading = {.image = image, .lines = lines, .files = &lines->files};

	*lines = (struct image_lines){0};
	vector_reserve(&lines->places, image->functions.count);
	while (lines->places.count < image->functions.count)
		vector_add(&lines->places);
	struct trm_error *error = read_image(&reading, &lines->lack);

	if (error)
		image_lines_deinit(lines);
	return error;
}

void image_lines_deinit(struct image_lines *lines)
{
	string_table_deinit(&lines->files);
	vector_deinit(&lines->places);
	free(lines->lack);
}

COMPARE_BY(by_start, struct image_row, start);

struct trm_error *image_rows_init(struct image_rows *rows, const struct image *image)
{
	struct reading reading = {.image = image, .rows = rows, .files = &rows->files};

	*rows = (struct image_rows){0};
	struct trm_error *error = read_image(&reading, &rows->lack);

	if (error) {
		image_rows_deinit(rows);
		return error;
	}
	rows->rows.count = units_untangle(rows->rows.items, rows->rows.count,
					  sizeof(*rows->rows.items));
	if (rows->folded.count)
		qsort(rows->folded.items, rows->folded.count, sizeof(*rows->folded.items),
		      by_start);
	return NULL;
}

void image_rows_deinit(struct image_rows *rows)
{
	string_table_deinit(&rows->files);
	vector_deinit(&rows->rows);
	vector_deinit(&rows->folded);
	free(rows->lack);
}

size_t image_rows_folded_from(const struct image_rows *rows, uint64_t address)
{
	return search_first(rows->folded.count, middle,
			    rows->folded.items[middle].start < address);
}

size_t image_rows_from(const struct image_rows *rows, uint64_t address)
{
	return search_first(rows->rows.count, middle,
			    rows->rows.items[middle].end <= address);
}
