/*
 * A `struct image` made by hand around bytes of code, for the tests of plans.
 */
#ifndef TRAMMEL_TESTS_PLAN_IMAGE_H
#define TRAMMEL_TESTS_PLAN_IMAGE_H

#include "code/plan/plan.h"

#include <string.h>

/* One executable segment at `address` that holds all the bytes. Not to be image_close()d.
 */
static inline void plan_image_init(struct image *image, uint64_t address,
				   const void *bytes, size_t size)
{
	memset(image, 0, sizeof(*image));
	image->type = IMAGE_DYNAMIC;
	image->bytes = bytes;
	image->size = size;
	image->base = address;
	image->end = address + ((size + 4095) & ~(size_t)4095);
	vector_push(&image->segments, ((struct image_segment){.address = address,
							      .file_size = size,
							      .memory_size = size,
							      .executable = true}));
	vector_push(&image->names, '\0');
}

static inline void plan_image_deinit(struct image *image)
{
	vector_deinit(&image->segments);
	vector_deinit(&image->functions);
	vector_deinit(&image->cold_parts);
	vector_deinit(&image->parts);
	vector_deinit(&image->code);
	vector_deinit(&image->plt);
	vector_deinit(&image->links);
	vector_deinit(&image->targets);
	vector_deinit(&image->untouchable);
	vector_deinit(&image->names);
	vector_deinit(&image->warnings);
}

static inline struct image_function plan_image_row(struct image *image, uint64_t address,
						   uint64_t size, const char *name)
{
	struct image_function row = {.address = address, .size = size};

	row.flags = IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_FDE;
	if (!name)
		return row;
	row.name = (uint32_t)image->names.count;
	for (; *name; name++)
		vector_push(&image->names, *name);
	vector_push(&image->names, '\0');
	return row;
}

/* Functions are to be added in the order of their addresses. */
static inline void plan_image_add(struct image *image, uint64_t address, uint64_t size,
				  const char *name)
{
	struct image_function row = plan_image_row(image, address, size, name);

	vector_push(&image->functions, row);
}

/* So are cold parts. */
static inline void plan_image_add_part(struct image *image, uint64_t address,
				       uint64_t size, const char *name)
{
	struct image_function row = plan_image_row(image, address, size, name);

	vector_push(&image->parts, row);
	vector_push(&image->cold_parts, ((struct image_range){address, address + size}));
}

#endif
