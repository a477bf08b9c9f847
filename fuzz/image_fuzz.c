/*
 * Reads any bytes as an ELF file, looks at everything that is found, and stops the
 * program if it breaks what image.h promises.
 */
#include "image/contents.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/image.h"
#include "image/open.h"
#include "image/unique.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool in_code(const struct image *image, uint64_t start, uint64_t end)
{
	vector_for_each (&image->segments, segment) {
		if (segment->executable && start >= segment->address &&
		    end - segment->address <= segment->memory_size)
			return true;
	}
	return false;
}

static void check_segments(const struct image *image)
{
	uint64_t end = 0;

	require(image->segments.count > 0);
	vector_for_each (&image->segments, segment) {
		require(segment->address >= end);
		end = segment->address + segment->memory_size;
		require(segment->file_size <= segment->memory_size);
		require(segment->file_offset <= image->size &&
			segment->file_size <= image->size - segment->file_offset);
		require(segment->address >= image->base && end <= image->end);
	}
}

static void check_functions(const struct image *image)
{
	uint64_t last = 0, found;

	vector_for_each (&image->functions, function) {
		const char *name = image->names.items + function->name;

		require(function == image->functions.items || function->address > last);
		last = function->address;
		require(function->size > 0);
		require(in_code(image, last, last + function->size));
		require(image_bytes_at(image, last, function->size) != NULL);
		require(function->name < image->names.count);
		require(strlen(name) < image->names.count);
	}
	/* A few are enough: each search is as long as the tables. */
	for (size_t i = 0; i < image->functions.count && i < 4; i++) {
		const char *name = image->names.items + image->functions.items[i].name;
		char *demangled = image_demangle(name);

		require(demangled != NULL);
		free(demangled);
		if (image_find_function(image, name, &found))
			require(in_code(image, found, found + 1));
	}
}

static void check_ranges(const struct image_ranges *ranges)
{
	uint64_t last = 0;

	vector_for_each (ranges, range) {
		require(range->start >= last && range->start < range->end);
		last = range->start;
	}
}

static void check_targets(const struct image *image)
{
	uint64_t last = 0;

	vector_for_each (&image->targets, target) {
		require(target == image->targets.items || *target > last);
		last = *target;
		require(in_code(image, last, last + 1));
	}
}

static void check_uniques(const struct image *image)
{
	struct image_uniques uniques;
	struct trm_error *error = image_uniques_init(&uniques, image);
	uint64_t last = 0;

	if (error) {
		require(error->message && *error->message);
		trm_error_destroy(error);
		return;
	}
	vector_for_each (&uniques, unique) {
		require(*unique->name && unique->address >= last);
		last = unique->address;
		require(image_unique_at(&uniques, last)->address == last);
	}
	vector_deinit(&uniques);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image *image;
	struct trm_error *error = image_open_memory(data, size, &image);

	if (error) {
		require(error->message && *error->message);
		trm_error_destroy(error);
		return 0;
	}
	check_segments(image);
	check_functions(image);
	check_ranges(&image->cold_parts);
	check_ranges(&image->plt);
	check_ranges(&image->untouchable);
	check_targets(image);
	check_uniques(image);
	require(image->build_id_size <= sizeof(image->build_id));
	require(image->warnings.count <= 21);
	require(image->names.count > 0 && !image->names.items[0]);
	image_close(image);
	return 0;
}
