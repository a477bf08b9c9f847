#include "image/dwarf/supplementary.h"

#include "base/text.h"
#include "image/dwarf/file.h"
#include "image/dwarf/unit.h"
#include "image/read/debugfile.h"

static bool is_wanted(const struct dwarf_file *file, const struct dwarf_file *other)
{
	return other && other->build_id_size == file->supplementary_id.size &&
	       !memcmp(other->build_id, file->supplementary_id.data,
		       other->build_id_size);
}

/* Takes the file at the path if it is the one. */
static bool take_file(struct dwarf_file *file, const char *path)
{
	struct dwarf_file *other = dwarf_file_open(path, false);

	if (!is_wanted(file, other)) {
		dwarf_file_close(other);
		return false;
	}
	dwarf_file_read_units(other);
	file->supplementary = other;
	return true;
}

/* A name is relative to the folder that the file is really in. */
static bool take_beside(struct dwarf_file *file, const char *path)
{
	char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	struct text beside = {0};
	bool taken;

	if (!slash)
		return false;
	text_add_bytes(&beside, real, (size_t)(slash + 1 - real));
	text_add(&beside, file->supplementary_name);
	taken = take_file(file, beside.data);
	text_deinit(&beside);
	free(real);
	return taken;
}

static void take_by_id(struct dwarf_file *file)
{
	struct text path = {0};

	if (file->supplementary_id.size < 2)
		return;
	image_id_path(file->supplementary_id.data, file->supplementary_id.size, &path);
	take_file(file, path.data);
	text_deinit(&path);
}

void dwarf_file_read_supplementary(struct dwarf_file *file, const char *path)
{
	const char *name = file->supplementary_name;

	if (!name || (*name == '/' ? take_file(file, name) : take_beside(file, path)))
		return;
	take_by_id(file);
}
