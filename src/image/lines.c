#include "image/lines.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "base/text.h"
#include "image/libdw.h"
#include "image/units.h"

#include <dwarf.h>
#include <string.h>

struct reading {
	const struct image *image;
	struct image_lines *lines; /* the places of functions; else `rows` is wanted */
	struct image_rows *rows;
	struct string_table *files;
	struct table file_by_name; /* the address of libdw's string: our number */
	const char *folder;        /* of the unit: where it was compiled; NULL: unknown */
	bool functions;            /* the unit has some */
	bool unplaced;             /* and one without a line */
};

/* Takes the last folder off; keeps "/" and what begins with "..". */
static bool take_folder_off(struct text *path)
{
	const char *slash = path->length ? strrchr(path->data, '/') : NULL;
	const char *last = slash ? slash + 1 : path->data;

	if (!path->length || !strcmp(last, ".."))
		return false;
	path->length = slash ? (size_t)(slash - path->data) : 0;
	path->data[path->length] = '\0';
	return true;
}

static void add_parts(struct text *path, const char *parts, bool absolute)
{
	while (*parts) {
		size_t length = strcspn(parts, "/");
		bool up = length == 2 && !memcmp(parts, "..", 2);

		if (!length || (length == 1 && *parts == '.') ||
		    (up && (take_folder_off(path) || absolute))) {
			parts += length + (parts[length] == '/');
			continue;
		}
		if (path->length || absolute)
			text_add(path, "/");
		text_add_bytes(path, parts, length);
		parts += length + (parts[length] == '/');
	}
}

static bool begins_with_folder(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && path[length] == '/';
}

char *image_clean_path(const char *folder, const char *path)
{
	struct text text = {0};
	bool absolute = *path == '/';

	/* With a relative folder, libdw may have put that in front already. */
	if (!absolute && folder &&
	    (*folder == '/' || !begins_with_folder(path, folder))) {
		absolute = *folder == '/';
		add_parts(&text, folder, absolute);
	}
	add_parts(&text, path, absolute);
	if (!text.length)
		text_add(&text, absolute ? "/" : ".");
	return text.data;
}

static uint32_t number_of(struct reading *reading, const char *file)
{
	bool new;
	uint64_t *number = table_insert(&reading->file_by_name, (uintptr_t)file, &new);

	if (new) {
		scoped_free char *path = image_clean_path(reading->folder, file);

		*number = string_table_intern(reading->files, path);
	}
	return (uint32_t)*number;
}

/* The first place of a function counts. */
static void set_place(struct reading *reading, uint64_t address, const char *file,
		      int line)
{
	size_t index = image_function_at(reading->image, address);

	if (!file || line <= 0 || index == reading->image->functions.count ||
	    reading->lines->places.items[index].line)
		return;
	reading->lines->places.items[index] =
		(struct image_place){number_of(reading, file), (uint32_t)line};
}

/* The entry of a function; compilers that split one give its parts as ranges, with the
 * entry's first. */
static bool find_entry(Dwarf_Die *die, Dwarf_Addr *ret_address)
{
	Dwarf_Addr base, end;

	return !libdw.dwarf_entrypc(die, ret_address) ||
	       libdw.dwarf_ranges(die, 0, &base, ret_address, &end) > 0;
}

/* The file that a function is declared in. Number 0 is none for libdw, but since version
 * 5 of DWARF it is the unit's main file, and clang uses it. */
static const char *find_file(Dwarf_Die *die)
{
	const char *file = libdw.dwarf_decl_file(die);
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Half version;
	Dwarf_Files *files;
	Dwarf_Die unit;

	if (file)
		return file;
	if (!libdw.dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
	    libdw.dwarf_formudata(&attribute, &number) || number ||
	    !libdw.dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL,
				NULL) ||
	    version < 5 || libdw.dwarf_getsrcfiles(&unit, &files, NULL))
		return NULL;
	return libdw.dwarf_filesrc(files, 0, NULL, NULL);
}

static int see_function(Dwarf_Die *die, void *context)
{
	struct reading *reading = context;
	Dwarf_Addr address;
	int line;

	if (!find_entry(die, &address))
		return DWARF_CB_OK;
	reading->functions = true;
	const char *file = find_file(die);

	if (file && !libdw.dwarf_decl_line(die, &line))
		set_place(reading, address, file, line);
	else
		reading->unplaced = true;
	return DWARF_CB_OK;
}

/* Functions of assembly have no line of their own, and the file of those in .dwo files is
 * in none of the tables that are read: it is the line of their first instruction.
 */
static void see_lines(struct reading *reading, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t count;

	if (libdw.dwarf_getsrclines(unit, &lines, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *row = libdw.dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		bool ends;
		int line;

		if (row && !libdw.dwarf_lineendsequence(row, &ends) && !ends &&
		    !libdw.dwarf_lineaddr(row, &address) &&
		    !libdw.dwarf_lineno(row, &line))
			set_place(reading, address, libdw.dwarf_linesrc(row, NULL, NULL),
				  line);
	}
}

/* Ranges of one line that follow each other become one row. */
static void add_row(struct reading *reading, uint64_t start, uint64_t end,
		    struct image_place place)
{
	struct image_rows *rows = reading->rows;
	struct image_row *last =
		rows->rows.count ? &rows->rows.items[rows->rows.count - 1] : NULL;

	if (!image_bytes_at(reading->image, start, end - start))
		return; /* of a function that the linker has left out */
	if (last && last->end == start && last->place.file == place.file &&
	    last->place.line == place.line)
		last->end = end;
	else
		vector_push(&rows->rows, ((struct image_row){start, end, place}));
}

/* A line holds up to the next row, whatever that is. */
static void see_rows(struct reading *reading, Dwarf_Die *unit)
{
	Dwarf_Addr start = 0, address;
	struct image_place place = {0};
	Dwarf_Lines *lines;
	size_t count;

	if (libdw.dwarf_getsrclines(unit, &lines, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *row = libdw.dwarf_onesrcline(lines, i);
		const char *file;
		bool ends;
		int line;

		if (!row || libdw.dwarf_lineaddr(row, &address) ||
		    libdw.dwarf_lineno(row, &line) ||
		    libdw.dwarf_lineendsequence(row, &ends))
			continue;
		if (place.line && address > start)
			add_row(reading, start, address, place);
		file = libdw.dwarf_linesrc(row, NULL, NULL);
		start = address;
		place = (struct image_place){0};
		if (!ends && file && line > 0)
			place = (struct image_place){number_of(reading, file),
						     (uint32_t)line};
	}
}

static void see_unit(void *context, Dwarf_Die *unit, Dwarf_Die *root)
{
	struct reading *reading = context;
	Dwarf_Attribute folder;

	/* libdw frees no strings before the end, but those of other units may be equal
	 * and mean another folder. */
	table_deinit(&reading->file_by_name);
	reading->folder =
		libdw.dwarf_formstring(libdw.dwarf_attr(unit, DW_AT_comp_dir, &folder));
	if (reading->rows) {
		see_rows(reading, unit);
		return;
	}
	reading->functions = reading->unplaced = false;
	libdw.dwarf_getfuncs(root, see_function, reading, 0);
	if (!reading->functions || reading->unplaced)
		see_lines(reading, unit);
}

static struct trm_error *read_image(struct reading *reading)
{
	struct trm_error *error = image_each_unit(reading->image, see_unit, reading);

	table_deinit(&reading->file_by_name);
	return error;
}

struct trm_error *image_lines_init(struct image_lines *lines, const struct image *image)
{
	struct reading reading = {.image = image, .lines = lines, .files = &lines->files};

	*lines = (struct image_lines){0};
	vector_reserve(&lines->places, image->functions.count);
	while (lines->places.count < image->functions.count)
		vector_add(&lines->places);
	struct trm_error *error = read_image(&reading);

	if (error)
		image_lines_deinit(lines);
	return error;
}

void image_lines_deinit(struct image_lines *lines)
{
	string_table_deinit(&lines->files);
	vector_deinit(&lines->places);
}

struct trm_error *image_rows_init(struct image_rows *rows, const struct image *image)
{
	struct reading reading = {.image = image, .rows = rows, .files = &rows->files};

	*rows = (struct image_rows){0};
	struct trm_error *error = read_image(&reading);

	if (error)
		image_rows_deinit(rows);
	else
		rows->rows.count = units_untangle(rows->rows.items, rows->rows.count,
						  sizeof(*rows->rows.items));
	return error;
}

void image_rows_deinit(struct image_rows *rows)
{
	string_table_deinit(&rows->files);
	vector_deinit(&rows->rows);
}

size_t image_rows_from(const struct image_rows *rows, uint64_t address)
{
	return search_first(rows->rows.count, middle,
			    rows->rows.items[middle].end <= address);
}
