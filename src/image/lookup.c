#include "image/lookup.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "image/find.h"
#include "image/open.h"
#include "image/read/debugfile.h"
#include "image/read/debuglink.h"
#include "image/read/elf_file.h"

#include <stdio.h>
#include <string.h>

static image_finder *finder;

void image_finder_set(image_finder *other)
{
	finder = other;
}

static void write_id(const uint8_t *id, size_t size, char ret_id[IMAGE_BUILD_ID_TEXT])
{
	*ret_id = '\0';
	for (size_t i = 0; i < size && 2 * i + 2 < IMAGE_BUILD_ID_TEXT; i++)
		snprintf(ret_id + 2 * i, 3, "%02x", id[i]);
}

char *image_lookup(const struct image *image, enum image_found_part part)
{
	char id[IMAGE_BUILD_ID_TEXT];

	if (!finder || !image->build_id_size)
		return NULL;
	write_id(image->build_id, image->build_id_size, id);
	return finder(id, image->path, part);
}

/* The file at the path, if it is of this build. */
static struct trm_error *open_here(const char *path, const char *shown,
				   const char *build_id, struct image **ret_image)
{
	struct image *image;

	TRM_TRY(image_open(path, NULL, &image));
	if (image_is_build(image, build_id)) {
		*ret_image = image;
		return NULL;
	}
	image_close(image);
	return trm_error_create(TRM_ERROR_FORMAT,
				"'%s' is another build than the one that was measured: "
				"put that one back, or measure again",
				shown);
}

struct trm_error *image_open_build(const char *path, const char *build_id,
				   struct image **ret_image)
{
	struct trm_error *error = open_here(path, path, build_id, ret_image);

	if (!error || !finder || !*build_id)
		return error;
	scoped_free char *found = finder(build_id, path, IMAGE_PART_FILE);
	struct trm_error *other =
		found ? open_here(found, path, build_id, ret_image) : NULL;

	if (!found)
		return error;
	if (other)
		trm_error_destroy(other);
	else
		trm_error_destroy(error);
	return other ? error : NULL;
}

bool image_file_build_id(const char *path, char ret_id[IMAGE_BUILD_ID_TEXT])
{
	const struct bytes bytes = image_map_file(path);
	struct elf_file elf = {0};
	uint8_t id[32];
	struct trm_error *error = bytes.size ? image_elf_init(&elf, bytes) : NULL;
	const bool is_elf = bytes.size && !error;

	if (is_elf)
		write_id(id, image_build_id_of_sections(&elf, id), ret_id);
	trm_error_destroy(error);
	image_elf_deinit(&elf);
	image_unmap_file(bytes);
	return is_elf;
}

char *image_debug_file_of(const char *path)
{
	const struct bytes bytes = image_map_file(path);
	struct image named = {.path = (char *)(uintptr_t)path};
	struct elf_file elf = {0};
	struct text found = {0};
	char own[IMAGE_BUILD_ID_TEXT], other[IMAGE_BUILD_ID_TEXT];
	uint8_t id[32];
	struct trm_error *error = bytes.size ? image_elf_init(&elf, bytes) : NULL;
	const size_t size =
		bytes.size && !error ? image_build_id_of_sections(&elf, id) : 0;
	bool fits = false;

	write_id(id, size, own);
	if (size >= 2) {
		image_id_path(id, size, &found);
		fits = image_file_build_id(found.data, other) && !strcmp(own, other);
	}
	if (!fits)
		fits = bytes.size && !error && image_debuglink_path(&named, &elf, &found);
	trm_error_destroy(error);
	image_elf_deinit(&elf);
	image_unmap_file(bytes);
	if (fits)
		return found.data;
	text_deinit(&found);
	return NULL;
}
