#include "image/dwarf/split.h"

#include "base/path.h"
#include "base/text.h"
#include "image/clean_path.h"
#include "image/dwarf/file.h"
#include "image/dwarf/package.h"
#include "image/dwarf/unit.h"

static void add_folder_of(struct text *text, const char *path)
{
	text_add_bytes(text, path, (size_t)(path_name(path) - path));
}

/* The package beside a file: its name with ".dwp". */
static struct dwarf_file *open_package(const char *beside)
{
	struct text path = {0};
	struct dwarf_file *package = NULL;

	if (!beside)
		return NULL;
	text_format(&path, "%s.dwp", beside);
	package = dwarf_file_open(path.data, true);
	text_deinit(&path);
	if (package && package->sections[DWARF_CU_INDEX].size)
		return package;
	dwarf_file_close(package);
	return NULL;
}

static void look_for_package(struct dwarf_splits *splits)
{
	splits->looked = true;
	splits->package = open_package(splits->program);
	if (!splits->package)
		splits->package = open_package(splits->debug_file);
}

/* The split unit of a file with the number; NULL: it has none. */
static struct dwarf_unit *find_unit(struct dwarf_file *file, uint64_t split_id)
{
	vector_for_each (&file->units, unit) {
		bool split = unit->version < 5 || unit->type == DW_UT_split_compile;

		if (split && unit->split_id == split_id)
			return unit;
	}
	return NULL;
}

/* Takes the file if the unit is in it, closes it if not. */
static struct dwarf_file *take_unit_file(struct dwarf_file *file,
					 struct dwarf_unit *skeleton,
					 struct dwarf_unit **ret_unit)
{
	struct dwarf_unit *unit = NULL;

	if (file) {
		dwarf_file_read_units(file);
		unit = find_unit(file, skeleton->split_id);
	}
	if (!unit) {
		dwarf_file_close(file);
		return NULL;
	}
	unit->skeleton = skeleton;
	*ret_unit = unit;
	return file;
}

/* The .dwo file where the compiler has put it, or beside the program. */
static struct dwarf_file *open_object(const struct dwarf_splits *splits,
				      struct dwarf_unit *skeleton,
				      struct dwarf_unit **ret_unit)
{
	const char *name = skeleton->split_name;
	const char *folders[] = {splits->program, splits->debug_file};
	char *path = image_clean_path(skeleton->folder, name);
	struct dwarf_file *file =
		take_unit_file(dwarf_file_open(path, true), skeleton, ret_unit);

	free(path);
	for (size_t i = 0; i < 4 && !file; i++) {
		struct text beside = {0};

		if (!folders[i / 2])
			continue;
		add_folder_of(&beside, folders[i / 2]);
		text_add(&beside, i % 2 ? path_name(name) : name);
		file = take_unit_file(dwarf_file_open(beside.data, true), skeleton,
				      ret_unit);
		text_deinit(&beside);
	}
	return file;
}

struct dwarf_file *dwarf_split_open(struct dwarf_splits *splits,
				    struct dwarf_unit *skeleton,
				    struct dwarf_unit **ret_unit)
{
	struct dwarf_file *file = NULL;

	splits->wanted++;
	if (!splits->looked)
		look_for_package(splits);
	if (splits->package)
		file = take_unit_file(
			dwarf_package_unit(splits->package, skeleton->split_id), skeleton,
			ret_unit);
	if (!file)
		file = open_object(splits, skeleton, ret_unit);
	if (file)
		return file;
	if (!splits->missing++)
		splits->missed = memory_copy_string(skeleton->split_name);
	return NULL;
}

void dwarf_splits_deinit(struct dwarf_splits *splits)
{
	dwarf_file_close(splits->package);
	free(splits->missed);
}
