#include "code/scan/cold_parts.h"

#include "code/scan/function_discovery.h"
#include "image/find.h"

#include <stdlib.h>
#include <string.h>

static int compare_parts(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Whether a part has the name of a function with ".cold" and the like behind it. */
static bool is_named_after(const struct image *image, const struct image_function *part,
			   const struct image_function *function)
{
	const char *name = image->names.items + function->name;
	size_t length = strlen(name);

	return function->name && part->name &&
	       !strncmp(image->names.items + part->name, name, length) &&
	       !strncmp(image->names.items + part->name + length, ".cold", 5);
}

/* The function of a part, by its branching functions owners [first, end); NULL if that is
 * not certain. */
static const struct image_function *owner_of(const struct image *image,
					     const struct image_function *part,
					     const uint64_t *first, const uint64_t *end)
{
	const struct image_function *found = NULL;
	uint64_t functions = 0;

	for (; first < end; first++) {
		const struct image_function *function =
			&image->functions.items[(uint32_t)*first];

		if (is_named_after(image, part, function))
			return function;
		functions += function != found;
		found = function;
	}
	return functions == 1 ? found : NULL;
}

/* Whether nothing else lies in the range of a part. `covered`: where the parts in front
 * of it end. */
static bool is_apart(const struct image *image, size_t index, uint64_t covered)
{
	const struct image_function *part = &image->parts.items[index];
	uint64_t end = part->address + part->size;

	return part->address >= covered &&
	       (index + 1 == image->parts.count ||
		image->parts.items[index + 1].address >= end) &&
	       !ranges_meet(image->plt.items, image->plt.count, part->address, end) &&
	       !ranges_meet(image->untouchable.items, image->untouchable.count,
			    part->address, end);
}

/* `own`: its function, if that is certain; owners [first, end) branch there. */
static void leave_part(struct cold_parts_left *left, const struct image *image,
		       const struct image_function *part,
		       const struct image_function *own, const uint64_t *first,
		       const uint64_t *end)
{
	enum cold_part_left_reason reason = own           ? COLD_PART_UNREAD
					    : first < end ? COLD_PART_SHARED
							  : COLD_PART_UNREACHED;

	if (!left)
		return;
	if (!own && first < end)
		own = &image->functions.items[(uint32_t)*first];
	vector_push(left, ((struct cold_part_left){.address = part->address,
						   .owner = own ? own->address : 0,
						   .name = part->name,
						   .reason = reason}));
}

/* The parts that may be relocated, with their functions, and the others. */
static void choose_parts(struct scan *scan, const struct image *image,
			 struct discovery *chosen, struct cold_parts_left *left)
{
	const struct image_function *function = image->functions.items;
	const struct image_function *functions_end = function + image->functions.count;
	const uint64_t *owner = scan->owners.items, *end = owner + scan->owners.count;
	uint64_t covered = 0;

	for (size_t i = 0; i < image->parts.count; i++) {
		const struct image_function *part = &image->parts.items[i], *own;
		const uint64_t *first = owner;

		for (; function < functions_end && function->address < part->address;
		     function++)
			if (function->address + function->size > covered)
				covered = function->address + function->size;
		while (owner < end && *owner >> 32 == i)
			owner++;
		own = owner_of(image, part, first, owner);
		if (own && (scan->part_traits[i] & SCAN_WHOLE) &&
		    is_apart(image, i, covered) &&
		    (function == functions_end ||
		     function->address >= part->address + part->size)) {
			vector_push(chosen, *part);
			chosen->items[chosen->count - 1].flags |=
				IMAGE_FUNCTION_COLD_PART;
			chosen->items[chosen->count - 1].part_of = own->address;
		} else {
			leave_part(left, image, part, own, first, owner);
		}
		if (part->address + part->size > covered)
			covered = part->address + part->size;
	}
}

void cold_parts_add(struct scan *scan, struct image *image, struct cold_parts_left *left)
{
	struct discovery chosen = {0};

	/* Images of tests have ranges alone. */
	if (image->parts.count != image->cold_parts.count)
		return;
	if (scan->owners.count)
		qsort(scan->owners.items, scan->owners.count, sizeof(*scan->owners.items),
		      compare_parts);
	choose_parts(scan, image, &chosen, left);
	if (chosen.count)
		discovery_add(scan, image, &chosen);
	vector_for_each (&chosen, part)
		scan->traits[image_function_at(image, part->address)] = SCAN_WHOLE;
	vector_deinit(&chosen);
}

void cold_parts_remove(struct image *image)
{
	size_t kept = 0;

	vector_for_each (&image->functions, function)
		if (!(function->flags & IMAGE_FUNCTION_COLD_PART))
			image->functions.items[kept++] = *function;
	image->functions.count = kept;
}
